// Buffers of one device.
#include <tt_stl/assert.hpp>

#include "handles.h"

namespace tt::tt_metal {

namespace {

// The banks that shards go to, one after the other.
std::vector<uint32_t> banks_of(const tt_emulator_device* device, const ShardSpec& shards, bool is_dram) {
    const auto columns = static_cast<uint32_t>(tt_emulator_device_fact(device, TT_EMULATOR_FACT_GRID_X));
    std::vector<uint32_t> banks;
    for (const CoreCoord& core :
         corerange_to_cores(shards.grid, std::nullopt, shards.orientation == ShardOrientation::ROW_MAJOR)) {
        // Banks of DRAM are cores in a row.
        banks.push_back(static_cast<uint32_t>(is_dram ? core.x : core.y * columns + core.x));
    }
    return banks;
}

// A tensor of rows and columns of pages in shards, one for a core. Height-sharded tensors are cut as the library cuts them:
// page after page, whatever the shape of a shard.
tt_emulator_buffer* create_sharded(
    const tt_emulator_device* device, DeviceAddr size, const distributed::DeviceLocalBufferConfig& config) {
    const auto& spec = config.sharding_args.shard_spec();
    TT_FATAL(spec.has_value(), "A sharded buffer needs a ShardSpecBuffer");
    std::vector<uint32_t> tensor(spec->tensor2d_shape_in_pages.begin(), spec->tensor2d_shape_in_pages.end());
    const auto shard_in_pages = spec->shape_in_pages();
    std::vector<uint32_t> shard(shard_in_pages.begin(), shard_in_pages.end());
    TT_FATAL(
        DeviceAddr{tensor[0]} * tensor[1] * config.page_size == size,
        "A buffer of {} bytes for {} x {} pages of {}",
        size,
        tensor[0],
        tensor[1],
        config.page_size);
    TT_FATAL(shard[0] != 0 && shard[1] != 0, "A shard of {} x {} pages", shard[0], shard[1]);
    if (config.sharding_args.buffer_layout() == TensorMemoryLayout::HEIGHT_SHARDED) {
        tensor = {tensor[0] * tensor[1]};
        shard = {shard[0] * shard[1]};
    }
    DeviceAddr shards = 1;
    for (std::size_t dim = 0; dim < tensor.size(); ++dim) {
        shards *= (tensor[dim] + shard[dim] - 1) / shard[dim];
    }
    const bool is_dram = config.buffer_type == BufferType::DRAM;
    const auto banks = banks_of(device, spec->tensor_shard_spec, is_dram);
    TT_FATAL(shards <= banks.size(), "{} shards for {} cores", shards, banks.size());
    return emulator::checked(tt_emulator_buffer_create_sharded(
        device, is_dram, config.page_size, emulator::slice(tensor), emulator::slice(shard), emulator::slice(banks)));
}

}  // namespace

std::shared_ptr<Buffer> BufferImpl::create(
    const tt_emulator_device* device, DeviceAddr size, const distributed::DeviceLocalBufferConfig& config) {
    const bool is_sharded = config.sharding_args.buffer_layout() != TensorMemoryLayout::INTERLEAVED;
    tt_emulator_buffer* handle = is_sharded
                       ? create_sharded(device, size, config)
                       : emulator::checked(tt_emulator_buffer_create(
                             device, config.buffer_type == BufferType::DRAM, size, config.page_size));
    return std::shared_ptr<Buffer>(new Buffer(BufferImpl(handle, size, config)));
}

Buffer::Buffer(BufferImpl impl) : impl_(std::make_unique<BufferImpl>(std::move(impl))) {}
Buffer::~Buffer() = default;

bool Buffer::is_allocated() const { return impl_->handle() != nullptr; }
DeviceAddr Buffer::address() const { return tt_emulator_buffer_address(impl_->handle()); }
DeviceAddr Buffer::size() const { return impl_->size(); }
DeviceAddr Buffer::page_size() const { return impl_->page_size(); }
DeviceAddr Buffer::aligned_page_size() const { return tt_emulator_buffer_aligned_page(impl_->handle()); }
uint32_t Buffer::num_pages() const { return static_cast<uint32_t>(size() / page_size()); }
BufferType Buffer::buffer_type() const { return impl_->type(); }
TensorMemoryLayout Buffer::buffer_layout() const { return impl_->layout(); }
bool Buffer::is_dram() const { return impl_->type() == BufferType::DRAM; }
bool Buffer::is_l1() const { return impl_->type() == BufferType::L1; }
BufferImpl* Buffer::impl() { return impl_.get(); }
const BufferImpl* Buffer::impl() const { return impl_.get(); }

}  // namespace tt::tt_metal
