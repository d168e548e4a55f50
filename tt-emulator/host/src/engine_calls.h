// What the engine (Rust, src/host/) exports to this shim, and how to call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <tt_emulator.h>

// Made by the build script of src/abi/host_calls.rs. What the engine is given lives during the call.
#include "engine_tables.h"

namespace tt::tt_metal::emulator {

using Fact = uint32_t;

template <typename Values>
auto slice(const Values& values) -> tt_emulator_slice<typename Values::value_type> {
    return {values.data(), values.size()};
}

inline tt_emulator_text text(const std::string& text) { return {{reinterpret_cast<const uint8_t*>(text.data()), text.size()}}; }

[[noreturn]] inline void fail() { throw std::runtime_error(tt_emulator_last_error()); }

// Turns a negative result into an exception.
template <typename T>
T checked(T result) {
    if (result < 0) {
        fail();
    }
    return result;
}

template <typename T>
T* checked(T* result) {
    if (result == nullptr) {
        fail();
    }
    return result;
}

template <typename T>
tt_emulator_lent<T> checked(tt_emulator_lent<T> result) {
    checked(result.start);
    return result;
}

}  // namespace tt::tt_metal::emulator
