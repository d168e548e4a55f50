// Buffers of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/shape2d.hpp>
#include <tt-metalium/sub_device_types.hpp>

namespace tt::tt_metal::distributed {

struct DeviceLocalBufferConfig {
    DeviceAddr page_size = 0;
    BufferType buffer_type = BufferType::DRAM;
    BufferShardingArgs sharding_args;
    std::optional<bool> bottom_up;
    std::optional<SubDeviceId> sub_device_id = std::nullopt;
};

struct ReplicatedBufferConfig {
    DeviceAddr size = 0;
};

struct ShardedBufferConfig {
    DeviceAddr global_size = 0;
    Shape2D global_buffer_shape = {0, 0};
    Shape2D shard_shape = {0, 0};
    ShardOrientation shard_orientation = ShardOrientation::ROW_MAJOR;
};

enum class MeshBufferLayout : uint8_t { REPLICATED, SHARDED };
using MeshBufferConfig = std::variant<ReplicatedBufferConfig, ShardedBufferConfig>;

class MeshBuffer {
public:
    static std::shared_ptr<MeshBuffer> create(
        const MeshBufferConfig& mesh_buffer_config,
        const DeviceLocalBufferConfig& device_local_config,
        MeshDevice* mesh_device,
        std::optional<DeviceAddr> address = std::nullopt);
    ~MeshBuffer();

    MeshBuffer(const MeshBuffer&) = delete;
    MeshBuffer& operator=(const MeshBuffer&) = delete;

    bool is_allocated() const { return handle_ != nullptr; }
    void deallocate();
    MeshDevice* device() const;
    DeviceAddr size() const { return device_buffer_->size(); }
    DeviceAddr device_local_size() const { return device_buffer_->size(); }
    DeviceAddr address() const { return device_buffer_->address(); }
    MeshBufferLayout global_layout() const { return MeshBufferLayout::REPLICATED; }
    const MeshBufferConfig& global_config() const { return config_; }
    const DeviceLocalBufferConfig& device_local_config() const { return device_local_config_; }
    Buffer* get_device_buffer(const MeshCoordinate& device_coord) const;
    Buffer* get_reference_buffer() const { return device_buffer_.get(); }
    Buffer* get_backing_buffer() const { return device_buffer_.get(); }
    uint32_t page_size() const { return static_cast<uint32_t>(device_buffer_->page_size()); }
    uint32_t num_pages() const { return device_buffer_->num_pages(); }

    // The engine's handle; null after deallocate.
    void* emulator_handle() const { return handle_; }

private:
    MeshBuffer(const MeshBufferConfig& config, const DeviceLocalBufferConfig& device_local_config, MeshDevice* mesh_device, void* handle);

    MeshBufferConfig config_;
    DeviceLocalBufferConfig device_local_config_;
    std::weak_ptr<MeshDevice> mesh_device_;
    void* handle_;
    std::unique_ptr<Buffer> device_buffer_;
};

}  // namespace tt::tt_metal::distributed
