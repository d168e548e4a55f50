// bfloat16 as the patterns that kernels handle.
#pragma once

#include <cstdint>

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xFF80;
inline constexpr uint16_t POS_INF_BFLOAT16 = 0x7F80;
inline constexpr uint16_t NAN_BFLOAT16 = 0x7FFF;
inline constexpr uint16_t BFLOAT16_SIGN_MASK = 0x8000;
inline constexpr uint16_t BFLOAT16_EXPONENT_MASK = 0x7F80;
inline constexpr uint16_t BFLOAT16_MANTISSA_MASK = 0x007F;
inline constexpr uint16_t BFLOAT16_MAGNITUDE_MASK = 0x7FFF;

inline float bf16_to_fp32(std::uint16_t bf16) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(bf16) << 16); }

// To nearest, halves to even; a NaN may become an infinity, as in the real header.
inline std::uint16_t fp32_to_bf16(float x) {
    const auto bits = __builtin_bit_cast(std::uint32_t, x);
    return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline std::uint16_t fp32_to_bf16_truncate(float x) { return static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, x) >> 16); }

// The two halves of a float.
struct FloatBits {
    std::uint16_t high16;
    std::uint16_t low16;
    explicit FloatBits(float value) :
        high16(fp32_to_bf16_truncate(value)), low16(static_cast<std::uint16_t>(__builtin_bit_cast(std::uint32_t, value))) {}
};

// Orders patterns by sign and magnitude: zeros of different sign differ, and NaNs lie beyond the infinities.
inline bool bfloat16_greater(uint16_t bf16_a, uint16_t bf16_b) {
    const bool negative = (bf16_a & BFLOAT16_SIGN_MASK) != 0;
    if (((bf16_a ^ bf16_b) & BFLOAT16_SIGN_MASK) != 0) {
        return !negative;
    }
    return negative ? bf16_a < bf16_b : bf16_a > bf16_b;
}
