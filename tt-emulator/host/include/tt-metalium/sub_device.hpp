// A part of a device's cores that runs programs of its own. The emulator has none: its devices are whole.
#pragma once

#include <memory>

#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/sub_device_types.hpp>
#include <tt_stl/span.hpp>

namespace tt::tt_metal {

class SubDeviceImpl;

class SubDevice {
public:
    explicit SubDevice(ttsl::Span<const CoreRangeSet> cores);
    SubDevice(const SubDevice& other);
    SubDevice(SubDevice&& other) noexcept;
    SubDevice& operator=(const SubDevice& other);
    SubDevice& operator=(SubDevice&& other) noexcept;
    ~SubDevice();

private:
    std::unique_ptr<SubDeviceImpl> pimpl_;
};

}  // namespace tt::tt_metal
