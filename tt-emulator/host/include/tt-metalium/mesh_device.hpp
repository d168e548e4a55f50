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

class AllocatorImpl;

// What programs may know of the allocator.
class Allocator {
public:
    explicit Allocator(AllocatorImpl* impl);
    DeviceAddr get_base_allocator_addr(const HalMemType& mem_type) const;

private:
    AllocatorImpl* impl_;
};

namespace distributed {

class MeshCommandQueue;
class MeshDeviceImpl;

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

    explicit MeshDevice(std::unique_ptr<MeshDeviceImpl> pimpl);
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
    virtual const std::unique_ptr<Allocator>& allocator() const;
    virtual bool close();
    virtual bool is_initialized() const;

    MeshCommandQueue& mesh_command_queue(std::optional<uint8_t> cq_id = std::nullopt) const;
    const MeshShape& shape() const;
    std::size_t num_devices() const;

private:
    friend class MeshDeviceImpl;

    std::unique_ptr<MeshDeviceImpl> pimpl_;
};

}  // namespace distributed
}  // namespace tt::tt_metal
