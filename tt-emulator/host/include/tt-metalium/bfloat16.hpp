// The brain floating point type of the host.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

class bfloat16 {
public:
    constexpr bfloat16() = default;
    // Rounds to nearest, ties to even.
    template <typename T>
        requires std::is_arithmetic_v<T>
    constexpr bfloat16(T value) noexcept : bits_(rounded(static_cast<float>(value))) {}
    static constexpr bfloat16 truncate(float value) {
        bfloat16 result;
        result.bits_ = static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16);
        return result;
    }

    constexpr operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16); }

    // As numbers: zeros of both signs are equal, NaN is not equal to itself.
    constexpr bool operator==(bfloat16 other) const { return static_cast<float>(*this) == static_cast<float>(other); }
    constexpr std::partial_ordering operator<=>(bfloat16 other) const noexcept {
        return static_cast<float>(*this) <=> static_cast<float>(other);
    }

    bfloat16 operator+(bfloat16 other) const { return static_cast<float>(*this) + static_cast<float>(other); }
    bfloat16 operator-(bfloat16 other) const { return static_cast<float>(*this) - static_cast<float>(other); }
    bfloat16 operator*(bfloat16 other) const { return static_cast<float>(*this) * static_cast<float>(other); }
    bfloat16 operator/(bfloat16 other) const { return static_cast<float>(*this) / static_cast<float>(other); }
    bfloat16& operator+=(bfloat16 other) noexcept { return *this = *this + other; }
    bfloat16& operator-=(bfloat16 other) noexcept { return *this = *this - other; }
    bfloat16& operator*=(bfloat16 other) noexcept { return *this = *this * other; }
    bfloat16& operator/=(bfloat16 other) noexcept { return *this = *this / other; }

private:
    static constexpr uint16_t rounded(float value) {
        const uint32_t bits = std::bit_cast<uint32_t>(value);
        if ((bits & 0x7FFFFFFF) > 0x7F800000) {
            return 0x7FC0;
        }
        return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }

    uint16_t bits_ = 0;
};

static_assert(sizeof(bfloat16) == 2);

// Writes the bits as a number.
std::ostream& operator<<(std::ostream& os, const bfloat16& bfp16);
// Compares bits.
bool operator==(const std::vector<bfloat16>& lhs, const std::vector<bfloat16>& rhs);

// Two values in a word, the first in the low half.
uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> two_bfloats);
std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(uint32_t packed);
std::vector<uint32_t> pack_bfloat16_vec_into_uint32_vec(const std::vector<bfloat16>& data);
bfloat16 bfloat16_identity_transform(const bfloat16& input);
std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(
    const std::vector<std::uint32_t>& data,
    const std::function<bfloat16(const bfloat16&)>& transform = bfloat16_identity_transform);

// `num_bytes` bytes of numbers between `offset` and `offset + rand_max_float`, the same for the same seed.
std::vector<bfloat16> create_random_vector_of_bfloat16_native(
    std::size_t num_bytes, float rand_max_float, int seed, float offset = 0.0f);
std::vector<std::uint32_t> create_random_vector_of_bfloat16(
    std::size_t num_bytes, int rand_max_float, int seed, float offset = 0.0f);
// One number over and over; where there is room for one alone, the high half of its word is zero.
std::vector<std::uint32_t> create_constant_vector_of_bfloat16(std::size_t num_bytes, float value);
// Ones on the first `num_ones` places of the diagonal.
std::vector<bfloat16> create_identity_matrix(int rows, int cols, int num_ones);

// Whether two numbers agree: in `n` digits as printed; within a tolerance, relative to the larger or absolute.
bool equal_within_n_sig_figs(float a, float b, int n);
bool is_close(float a, float b, float rtol = 0.01f, float atol = 0.001f);
