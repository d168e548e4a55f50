// Runtime arguments and the core's coordinates, for all kernels.
#pragma once

#include "emulator/types.h"

inline uintptr_t get_arg_addr(int arg_idx, TT_LINE_PARAM) {
    return reinterpret_cast<uintptr_t>(tt_emulator_dataflow()->argument(static_cast<uint32_t>(arg_idx), line));
}

inline uintptr_t get_common_arg_addr(int arg_idx, TT_LINE_PARAM) {
    return reinterpret_cast<uintptr_t>(tt_emulator_dataflow()->common_argument(static_cast<uint32_t>(arg_idx), line));
}

template <typename T>
inline T get_arg_val(int arg_idx, TT_LINE_PARAM) {
    static_assert(sizeof(T) == 4, "Error: only 4B args are supported");
    return __builtin_bit_cast(T, *tt_emulator_dataflow()->argument(static_cast<uint32_t>(arg_idx), line));
}

template <typename T>
inline T get_common_arg_val(int arg_idx, TT_LINE_PARAM) {
    static_assert(sizeof(T) == 4, "Error: only 4B args are supported");
    return __builtin_bit_cast(T, *tt_emulator_dataflow()->common_argument(static_cast<uint32_t>(arg_idx), line));
}

inline uint8_t get_absolute_logical_x() { return static_cast<uint8_t>(tt_emulator_dataflow()->core_fact(TT_EMULATOR_ABSOLUTE_LOGICAL_X, 0)); }
inline uint8_t get_absolute_logical_y() { return static_cast<uint8_t>(tt_emulator_dataflow()->core_fact(TT_EMULATOR_ABSOLUTE_LOGICAL_Y, 0)); }
inline uint8_t get_relative_logical_x() { return static_cast<uint8_t>(tt_emulator_dataflow()->core_fact(TT_EMULATOR_RELATIVE_LOGICAL_X, 0)); }
inline uint8_t get_relative_logical_y() { return static_cast<uint8_t>(tt_emulator_dataflow()->core_fact(TT_EMULATOR_RELATIVE_LOGICAL_Y, 0)); }
