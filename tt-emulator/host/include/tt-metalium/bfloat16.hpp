// The brain floating point type of the host.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

class bfloat16 {
public:
    bfloat16() = default;
    // Rounds to nearest, ties to even.
    bfloat16(float value) {
        uint32_t bits = std::bit_cast<uint32_t>(value);
        if ((bits & 0x7FFFFFFF) > 0x7F800000) {
            bits_ = static_cast<uint16_t>(bits >> 16 | 0x40);
        } else {
            bits_ = static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
        }
    }
    static constexpr bfloat16 truncate(float value) { return from_bits(static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16)); }

    operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16); }
    bool operator==(const bfloat16& other) const = default;

private:
    static constexpr bfloat16 from_bits(uint16_t bits) {
        bfloat16 value;
        value.bits_ = bits;
        return value;
    }

    uint16_t bits_ = 0;
};

static_assert(sizeof(bfloat16) == 2);

// Two values in a word, the first in the low half.
inline uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> two) {
    return std::bit_cast<uint16_t>(two.first) | static_cast<uint32_t>(std::bit_cast<uint16_t>(two.second)) << 16;
}
