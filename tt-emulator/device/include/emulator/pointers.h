// Pointers made of integers.
//
// On the device an L1 address is a pointer. Here every core's L1 lies elsewhere; circular buffers and semaphores give kernels
// addresses that are pointers, but what the host knows of L1, the address of a buffer, counts from the start of L1. So an
// integer that a kernel casts to a pointer is looked at: an address that counts from the start becomes this core's, any other
// stays. `reinterpret_cast` does so by the macro below, a cast in parentheses by what the emulator puts behind it in the text of
// a kernel: `(uint32_t*)x` is compiled as `(uint32_t*)(tt_emulator_pointer)x`.
#pragma once

#include <cstdint>
#include <type_traits>

#include "emulator/api.h"
#include "emulator/figures.h"

// What the address leads to. Null is no address.
template <typename Address>
inline uintptr_t tt_emulator_address(Address address) {
    // What is made of an enumeration or of an object that converts to an integer.
    const auto value = (uintptr_t)address;
    // Only such addresses are worth a call.
    return value - 1 < TT_EMULATOR_L1_SLOT_BYTES ? tt_emulator_dataflow()->l1_pointer(static_cast<uint32_t>(value)) : value;
}

// What a cast in parentheses goes through: any value, and any pointer of it.
class tt_emulator_pointer {
public:
    template <typename From>
    explicit tt_emulator_pointer(From from) {
        if constexpr (std::is_pointer_v<From> || std::is_null_pointer_v<From>) {
            value_ = (uintptr_t)from;
        } else {
            value_ = tt_emulator_address(from);
        }
    }

    template <typename To>
    operator To*() const {
        return (To*)value_;
    }

private:
    uintptr_t value_;
};

template <typename To, typename From>
    requires(!std::is_reference_v<To>)
inline To tt_emulator_reinterpret_cast(From from) {
    if constexpr (std::is_pointer_v<To> && !std::is_pointer_v<From>) {
        return reinterpret_cast<To>(tt_emulator_address(from));
    } else {
        return reinterpret_cast<To>(from);
    }
}

template <typename To, typename From>
    requires std::is_reference_v<To>
inline To tt_emulator_reinterpret_cast(From&& from) {
    return reinterpret_cast<To>(from);
}

#define reinterpret_cast tt_emulator_reinterpret_cast
