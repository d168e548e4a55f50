// What a device is here.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt_stl/assert.hpp>

#include "engine_calls.h"

namespace tt::tt_metal {

// Where buffers start on a device, and in how many banks.
class AllocatorImpl {
public:
    // Keeps the facts: an allocator may be asked after its device is closed.
    explicit AllocatorImpl(const tt_emulator_device* device) {
        for (uint32_t which = 0; which < facts_.size(); ++which) {
            facts_[which] = tt_emulator_device_fact(device, which);
        }
    }

    DeviceAddr fact(emulator::Fact which) const { return facts_.at(which); }

private:
    std::array<DeviceAddr, TT_EMULATOR_FACT_BURST + 1> facts_;
};

namespace distributed {

class MeshDeviceImpl {
public:
    explicit MeshDeviceImpl(int id) :
        id(id),
        handle(emulator::checked(tt_emulator_device_open(id))),
        allocator_impl(std::make_unique<AllocatorImpl>(handle)),
        allocator(std::make_unique<Allocator>(allocator_impl.get())) {}
    ~MeshDeviceImpl() { close(); }
    MeshDeviceImpl(const MeshDeviceImpl&) = delete;
    MeshDeviceImpl& operator=(const MeshDeviceImpl&) = delete;

    bool close() {
        if (handle == nullptr) {
            return false;
        }
        tt_emulator_device_close(handle);
        handle = nullptr;
        return true;
    }

    // The engine's handle of a device that is open.
    static const tt_emulator_device* opened(const MeshDevice& device) { return device.pimpl_->opened(); }
    const tt_emulator_device* opened() const {
        TT_FATAL(handle != nullptr, "The device is closed");
        return handle;
    }
    uint64_t fact(emulator::Fact which) const { return tt_emulator_device_fact(opened(), which); }

    int id;
    tt_emulator_device* handle;  // null once closed
    MeshShape shape{1, 1};
    std::unique_ptr<AllocatorImpl> allocator_impl;
    std::unique_ptr<Allocator> allocator;
    std::unique_ptr<MeshCommandQueue> queue;
    // Its one sub-device: the whole of it.
    std::vector<SubDeviceId> sub_devices{SubDeviceId{0}};
    std::set<CoreCoord> no_cores;
};

}  // namespace distributed
}  // namespace tt::tt_metal
