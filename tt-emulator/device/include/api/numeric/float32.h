// float32 as the patterns that kernels handle.
#pragma once

#include <cstdint>

inline constexpr uint32_t NEG_INF_FLOAT32 = 0xFF800000;
inline constexpr uint32_t POS_INF_FLOAT32 = 0x7F800000;
inline constexpr uint32_t NAN_FLOAT32 = 0x7FFFFFFF;
inline constexpr uint32_t FLOAT32_SIGN_MASK = 0x80000000;
inline constexpr uint32_t FLOAT32_EXPONENT_MASK = 0x7F800000;
inline constexpr uint32_t FLOAT32_MANTISSA_MASK = 0x007FFFFF;
inline constexpr uint32_t FLOAT32_MAGNITUDE_MASK = 0x7FFFFFFF;

// As numbers compare: false with a NaN, zeros of either sign are equal.
inline bool float32_greater(uint32_t f32_a, uint32_t f32_b) {
    return __builtin_bit_cast(float, f32_a) > __builtin_bit_cast(float, f32_b);
}
