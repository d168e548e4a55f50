// A buffer of one device, and how its pages are spread over banks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>

namespace tt::tt_metal {

class BufferImpl;
class BufferShardingArgsImpl;

// A shard of elements for each core of a grid.
struct ShardSpec {
    CoreRangeSet grid;
    std::array<uint32_t, 2> shape;
    ShardOrientation orientation = ShardOrientation::ROW_MAJOR;

    ShardSpec(
        const CoreRangeSet& core_sets,
        const std::array<uint32_t, 2>& shard_shape,
        const ShardOrientation& shard_orientation = ShardOrientation::ROW_MAJOR) :
        grid(core_sets), shape(shard_shape), orientation(shard_orientation) {}

    uint32_t num_cores() const { return grid.num_cores(); }
    uint32_t numel() const { return shape[0] * shape[1]; }
    bool operator==(const ShardSpec& other) const;
    bool operator!=(const ShardSpec& other) const;
};

// The same in pages.
struct ShardSpecBuffer {
    ShardSpec tensor_shard_spec;
    std::array<uint32_t, 2> page_shape{};
    std::array<uint32_t, 2> tensor2d_shape_in_pages{};

    ShardSpecBuffer(
        const CoreRangeSet& core_sets,
        const std::array<uint32_t, 2>& shard_shape,
        const ShardOrientation& shard_orientation,
        const std::array<uint32_t, 2>& page_shape,
        const std::array<uint32_t, 2>& tensor2d_shape_in_pages) :
        ShardSpecBuffer(ShardSpec(core_sets, shard_shape, shard_orientation), page_shape, tensor2d_shape_in_pages) {}
    ShardSpecBuffer(
        const ShardSpec& shard_spec,
        const std::array<uint32_t, 2>& page_shape,
        const std::array<uint32_t, 2>& tensor2d_shape_in_pages) :
        tensor_shard_spec(shard_spec), page_shape(page_shape), tensor2d_shape_in_pages(tensor2d_shape_in_pages) {}

    CoreRangeSet grid() const { return tensor_shard_spec.grid; }
    std::array<uint32_t, 2> shape() const { return tensor_shard_spec.shape; }
    ShardOrientation orientation() const { return tensor_shard_spec.orientation; }
    void set_shard_spec(const ShardSpec& shard_spec) { tensor_shard_spec = shard_spec; }
    std::array<uint32_t, 2> shape_in_pages() const;
    DeviceAddr num_pages() const;
};

// How a buffer is spread over banks: interleaved unless said otherwise.
class BufferShardingArgs {
public:
    BufferShardingArgs();
    BufferShardingArgs(std::nullopt_t);
    BufferShardingArgs(ShardSpecBuffer shard_spec, TensorMemoryLayout buffer_layout);
    BufferShardingArgs(std::optional<ShardSpecBuffer> shard_spec, TensorMemoryLayout buffer_layout);
    BufferShardingArgs(const BufferShardingArgs& other);
    BufferShardingArgs(BufferShardingArgs&& other) noexcept;
    BufferShardingArgs& operator=(const BufferShardingArgs& other);
    BufferShardingArgs& operator=(BufferShardingArgs&& other) noexcept;
    ~BufferShardingArgs();

    const std::optional<ShardSpecBuffer>& shard_spec() const;
    TensorMemoryLayout buffer_layout() const;

private:
    std::unique_ptr<BufferShardingArgsImpl> pimpl_;
};

// A part of a buffer, in bytes.
struct BufferRegion {
    DeviceAddr offset = 0;
    DeviceAddr size = 0;

    BufferRegion() = delete;
    BufferRegion(DeviceAddr offset, DeviceAddr size) : offset(offset), size(size) {}
};

// The part of a mesh buffer on its one device. Made by MeshBuffer::create.
class Buffer : public std::enable_shared_from_this<Buffer> {
public:
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    bool is_allocated() const;
    DeviceAddr address() const;
    DeviceAddr size() const;
    DeviceAddr page_size() const;
    DeviceAddr aligned_page_size() const;
    uint32_t num_pages() const;
    BufferType buffer_type() const;
    TensorMemoryLayout buffer_layout() const;
    bool is_dram() const;
    bool is_l1() const;

    BufferImpl* impl();
    const BufferImpl* impl() const;

private:
    friend class BufferImpl;
    explicit Buffer(BufferImpl impl);

    std::unique_ptr<BufferImpl> impl_;
};

}  // namespace tt::tt_metal
