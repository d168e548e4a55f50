// A semaphore that outlives programs, at one address on many cores. The emulator has none.
#pragma once

#include <cstdint>
#include <memory>

#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/core_coord.hpp>

namespace tt::tt_metal {

namespace distributed {
class MeshDevice;
}  // namespace distributed

class GlobalSemaphoreImpl;

class GlobalSemaphore {
public:
    GlobalSemaphore(
        distributed::MeshDevice& device,
        CoreRangeSet cores,
        uint32_t initial_value,
        BufferType buffer_type = BufferType::L1);
    GlobalSemaphore(const GlobalSemaphore& other);
    GlobalSemaphore(GlobalSemaphore&& other) noexcept;
    GlobalSemaphore& operator=(const GlobalSemaphore& other);
    GlobalSemaphore& operator=(GlobalSemaphore&& other) noexcept;
    ~GlobalSemaphore();

    DeviceAddr address() const;
    void reset_semaphore_value(uint32_t reset_value) const;

private:
    std::unique_ptr<GlobalSemaphoreImpl> pimpl_;
};

GlobalSemaphore CreateGlobalSemaphore(
    distributed::MeshDevice& device,
    CoreRangeSet cores,
    uint32_t initial_value,
    BufferType buffer_type = BufferType::L1);

}  // namespace tt::tt_metal
