// What device code prints, and its assertions that do not hold.
#pragma once

#include <type_traits>

#include "emulator/api.h"

// A bf16, as its bits.
struct bf16_t {
    uint16_t val;
    bf16_t(uint16_t bits) : val(bits) {}
};

// A value to be printed: what it is, one of TT_EMULATOR_PRINTED_.., and its bits.
struct tt_emulator_printed {
    uint32_t kind;
    uint64_t bits;

    template <typename Value>
    static tt_emulator_printed of(Value value) {
        if constexpr (std::is_enum_v<Value>) {
            return of(static_cast<std::underlying_type_t<Value>>(value));
        } else if constexpr (std::is_same_v<Value, bool>) {
            return {TT_EMULATOR_PRINTED_TRUTH, value};
        } else if constexpr (std::is_same_v<Value, char>) {
            return {TT_EMULATOR_PRINTED_LETTER, static_cast<uint8_t>(value)};
        } else if constexpr (std::is_same_v<Value, bf16_t>) {
            return {TT_EMULATOR_PRINTED_FLOAT, static_cast<uint32_t>(value.val) << 16};
        } else if constexpr (std::is_same_v<Value, float>) {
            return {TT_EMULATOR_PRINTED_FLOAT, __builtin_bit_cast(uint32_t, value)};
        } else if constexpr (std::is_same_v<Value, double>) {
            return {TT_EMULATOR_PRINTED_DOUBLE, __builtin_bit_cast(uint64_t, value)};
        } else if constexpr (std::is_integral_v<Value>) {
            constexpr uint32_t kind = std::is_signed_v<Value> ? TT_EMULATOR_PRINTED_SIGNED : TT_EMULATOR_PRINTED_UNSIGNED;
            return {kind, static_cast<uint64_t>(value)};
        } else if constexpr (std::is_convertible_v<Value, const char*>) {
            return {TT_EMULATOR_PRINTED_TEXT, reinterpret_cast<uintptr_t>(static_cast<const char*>(value))};
        } else if constexpr (std::is_pointer_v<Value>) {
            return {TT_EMULATOR_PRINTED_UNSIGNED, reinterpret_cast<uintptr_t>(value)};
        } else {
            return {TT_EMULATOR_PRINTED_OTHER, 0};
        }
    }
};

template <typename... Values>
inline void tt_emulator_print(int line, const char* format, Values... values) {
    const tt_emulator_printed all[] = {tt_emulator_printed::of(values)..., {TT_EMULATOR_PRINTED_OTHER, 0}};
    constexpr uint32_t count = sizeof...(Values);
    uint32_t kinds[count + 1];
    uint64_t bits[count + 1];
    for (uint32_t at = 0; at < count; ++at) {
        kinds[at] = all[at].kind;
        bits[at] = all[at].bits;
    }
    tt_emulator_dataflow()->print(format, kinds, bits, count, line);
}
