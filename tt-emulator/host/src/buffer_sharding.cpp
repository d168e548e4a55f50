// How buffers are spread over banks, as programs say it.
#include <tt-metalium/buffer.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal {

bool ShardSpec::operator==(const ShardSpec& other) const {
    return grid == other.grid && shape == other.shape && orientation == other.orientation;
}
bool ShardSpec::operator!=(const ShardSpec& other) const { return !(*this == other); }

std::array<uint32_t, 2> ShardSpecBuffer::shape_in_pages() const {
    std::array<uint32_t, 2> pages{};
    for (std::size_t dim = 0; dim < 2; ++dim) {
        const uint32_t shard = tensor_shard_spec.shape[dim];
        const uint32_t page = page_shape[dim];
        TT_FATAL(page != 0 && shard % page == 0, "A shard of {} elements in pages of {}", shard, page);
        pages[dim] = shard / page;
    }
    return pages;
}

DeviceAddr ShardSpecBuffer::num_pages() const {
    const auto pages = shape_in_pages();
    return DeviceAddr{pages[0]} * pages[1];
}

class BufferShardingArgsImpl {
public:
    std::optional<ShardSpecBuffer> shard_spec;
    TensorMemoryLayout buffer_layout = TensorMemoryLayout::INTERLEAVED;
};

namespace {

// What was moved from says what a fresh one does.
const BufferShardingArgsImpl& read(const std::unique_ptr<BufferShardingArgsImpl>& impl) {
    static const BufferShardingArgsImpl INTERLEAVED;
    return impl == nullptr ? INTERLEAVED : *impl;
}

}  // namespace

BufferShardingArgs::BufferShardingArgs() : pimpl_(std::make_unique<BufferShardingArgsImpl>()) {}
BufferShardingArgs::BufferShardingArgs(std::nullopt_t) : BufferShardingArgs() {}
BufferShardingArgs::BufferShardingArgs(ShardSpecBuffer shard_spec, TensorMemoryLayout buffer_layout) :
    BufferShardingArgs(std::optional<ShardSpecBuffer>(std::move(shard_spec)), buffer_layout) {}
BufferShardingArgs::BufferShardingArgs(std::optional<ShardSpecBuffer> shard_spec, TensorMemoryLayout buffer_layout) :
    BufferShardingArgs() {
    pimpl_->shard_spec = std::move(shard_spec);
    pimpl_->buffer_layout = buffer_layout;
}
BufferShardingArgs::BufferShardingArgs(const BufferShardingArgs& other) :
    pimpl_(std::make_unique<BufferShardingArgsImpl>(read(other.pimpl_))) {}
BufferShardingArgs::BufferShardingArgs(BufferShardingArgs&& other) noexcept = default;
BufferShardingArgs& BufferShardingArgs::operator=(const BufferShardingArgs& other) {
    return *this = BufferShardingArgs(other);
}
BufferShardingArgs& BufferShardingArgs::operator=(BufferShardingArgs&& other) noexcept = default;
BufferShardingArgs::~BufferShardingArgs() = default;

const std::optional<ShardSpecBuffer>& BufferShardingArgs::shard_spec() const { return read(pimpl_).shard_spec; }
TensorMemoryLayout BufferShardingArgs::buffer_layout() const { return read(pimpl_).buffer_layout; }

}  // namespace tt::tt_metal
