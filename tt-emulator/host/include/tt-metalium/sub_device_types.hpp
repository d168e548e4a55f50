#pragma once

#include <cstdint>

namespace tt::tt_metal {

struct SubDeviceId {
    uint8_t value = 0;
    constexpr explicit SubDeviceId(uint8_t value) : value(value) {}
    constexpr uint8_t operator*() const { return value; }
};

}  // namespace tt::tt_metal
