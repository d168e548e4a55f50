// A device, as a mesh of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/dispatch_core_common.hpp>
#include <tt-metalium/hal_types.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt_stl/span.hpp>
#include <umd/device/types/arch.hpp>

constexpr std::size_t DEFAULT_L1_SMALL_SIZE = 0;
constexpr std::size_t DEFAULT_TRACE_REGION_SIZE = 0;
constexpr std::size_t DEFAULT_WORKER_L1_SIZE = 0;

namespace tt::tt_metal {

// What programs may know of the allocator.
class Allocator {
public:
    explicit Allocator(DeviceAddr l1_base, DeviceAddr dram_base) : l1_base_(l1_base), dram_base_(dram_base) {}
    DeviceAddr get_base_allocator_addr(const HalMemType& mem_type) const {
        return mem_type == HalMemType::L1 ? l1_base_ : dram_base_;
    }

private:
    DeviceAddr l1_base_;
    DeviceAddr dram_base_;
};

namespace distributed {

class MeshCommandQueue;

class MeshDevice : public std::enable_shared_from_this<MeshDevice> {
public:
    // Opens emulated device `device_id`, of the architecture chosen with tt_emulator_select_arch.
    static std::shared_ptr<MeshDevice> create_unit_mesh(
        int device_id,
        std::size_t l1_small_size = DEFAULT_L1_SMALL_SIZE,
        std::size_t trace_region_size = DEFAULT_TRACE_REGION_SIZE,
        std::size_t num_command_queues = 1,
        const DispatchCoreConfig& dispatch_core_config = DispatchCoreConfig{},
        ttsl::Span<const std::uint32_t> l1_bank_remap = {},
        std::size_t worker_l1_size = DEFAULT_WORKER_L1_SIZE);

    virtual ~MeshDevice();
    MeshDevice(const MeshDevice&) = delete;
    MeshDevice& operator=(const MeshDevice&) = delete;

    virtual tt::ARCH arch() const;
    virtual int id() const;
    virtual CoreCoord compute_with_storage_grid_size() const;
    virtual CoreCoord logical_grid_size() const;
    virtual uint32_t l1_size_per_core() const;
    virtual uint32_t dram_size_per_channel() const;
    virtual int num_dram_channels() const;
    virtual int get_clock_rate_mhz() const;
    virtual CoreCoord worker_core_from_logical_core(const CoreCoord& logical_core) const;
    virtual CoreCoord virtual_core_from_logical_core(const CoreCoord& logical_core) const;
    virtual const std::unique_ptr<Allocator>& allocator() const;
    virtual bool close();
    virtual bool is_initialized() const;

    MeshCommandQueue& mesh_command_queue(std::optional<uint8_t> cq_id = std::nullopt) const;
    const MeshShape& shape() const;
    std::size_t num_devices() const { return 1; }

    // The engine's handle; null after close.
    void* emulator_handle() const { return handle_; }

private:
    MeshDevice(int id, void* handle);

    int id_;
    void* handle_;
    MeshShape shape_{1, 1};
    std::unique_ptr<Allocator> allocator_;
    std::unique_ptr<MeshCommandQueue> command_queue_;
};

}  // namespace distributed
}  // namespace tt::tt_metal
