// Printing from device code is off, as without a debug server.
#pragma once

struct tt_emulator_silent_print {
    template <typename T>
    constexpr const tt_emulator_silent_print& operator<<(const T&) const {
        return *this;
    }
};

constexpr tt_emulator_silent_print tt_emulator_print{};

#define DPRINT if constexpr (true) {} else tt_emulator_print
#define ENDL() 0
