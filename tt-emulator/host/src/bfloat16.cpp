// Vectors of bfloat16 for host programs.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iostream>
#include <random>

#include <tt-metalium/bfloat16.hpp>
#include <tt_stl/assert.hpp>

std::ostream& operator<<(std::ostream& os, const bfloat16& bfp16) { return os << std::bit_cast<uint16_t>(bfp16); }

bool operator==(const std::vector<bfloat16>& lhs, const std::vector<bfloat16>& rhs) {
    return lhs.size() == rhs.size() && (lhs.empty() || std::memcmp(lhs.data(), rhs.data(), lhs.size() * sizeof(bfloat16)) == 0);
}

uint32_t pack_two_bfloat16_into_uint32(std::pair<bfloat16, bfloat16> two_bfloats) {
    const auto high = static_cast<uint32_t>(std::bit_cast<uint16_t>(two_bfloats.second));
    return high << 16 | std::bit_cast<uint16_t>(two_bfloats.first);
}

std::pair<bfloat16, bfloat16> unpack_two_bfloat16_from_uint32(uint32_t packed) {
    return {
        std::bit_cast<bfloat16>(static_cast<uint16_t>(packed)), std::bit_cast<bfloat16>(static_cast<uint16_t>(packed >> 16))};
}

std::vector<uint32_t> pack_bfloat16_vec_into_uint32_vec(const std::vector<bfloat16>& data) {
    TT_FATAL(data.size() % 2 == 0, "{} numbers do not fill words of two", data.size());
    std::vector<uint32_t> words;
    words.reserve(data.size() / 2);
    for (std::size_t index = 0; index < data.size(); index += 2) {
        words.push_back(pack_two_bfloat16_into_uint32({data[index], data[index + 1]}));
    }
    return words;
}

bfloat16 bfloat16_identity_transform(const bfloat16& input) { return input; }

std::vector<bfloat16> unpack_uint32_vec_into_bfloat16_vec(
    const std::vector<std::uint32_t>& data, const std::function<bfloat16(const bfloat16&)>& transform) {
    std::vector<bfloat16> numbers;
    numbers.reserve(data.size() * 2);
    for (const uint32_t word : data) {
        const auto [low, high] = unpack_two_bfloat16_from_uint32(word);
        numbers.push_back(transform(low));
        numbers.push_back(transform(high));
    }
    return numbers;
}

std::vector<bfloat16> create_random_vector_of_bfloat16_native(
    std::size_t num_bytes, float rand_max_float, int seed, float offset) {
    std::mt19937 generator(static_cast<std::mt19937::result_type>(seed));
    std::uniform_real_distribution<float> distribution(0, rand_max_float);
    std::vector<bfloat16> numbers(num_bytes / sizeof(bfloat16));
    for (bfloat16& number : numbers) {
        number = distribution(generator) + offset;
    }
    return numbers;
}

std::vector<std::uint32_t> create_random_vector_of_bfloat16(std::size_t num_bytes, int rand_max_float, int seed, float offset) {
    const std::size_t words = num_bytes / sizeof(uint32_t);
    return pack_bfloat16_vec_into_uint32_vec(
        create_random_vector_of_bfloat16_native(words * sizeof(uint32_t), static_cast<float>(rand_max_float), seed, offset));
}

std::vector<std::uint32_t> create_constant_vector_of_bfloat16(std::size_t num_bytes, float value) {
    const std::size_t words = std::max<std::size_t>(1, num_bytes / sizeof(uint32_t));
    const bfloat16 second = words == 1 ? 0.0f : value;
    return std::vector<uint32_t>(words, pack_two_bfloat16_into_uint32({value, second}));
}

std::vector<bfloat16> create_identity_matrix(int rows, int cols, int num_ones) {
    TT_FATAL(
        num_ones >= 0 && num_ones <= rows && num_ones <= cols, "{} ones on the diagonal of {} x {}", num_ones, rows, cols);
    std::vector<bfloat16> matrix(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    for (int index = 0; index < num_ones; ++index) {
        matrix[static_cast<std::size_t>(index) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(index)] = 1.0f;
    }
    return matrix;
}

bool equal_within_n_sig_figs(float a, float b, int n) {
    const std::string left = std::to_string(a);
    const std::string right = std::to_string(b);
    const std::size_t length = std::min(left.size(), right.size());
    std::size_t place = 0;
    while (place < length && (left[place] == '0' || left[place] == '.')) {
        ++place;
    }
    for (int agreed = 0; place < length && agreed < n; ++place) {
        if (left[place] != right[place]) {
            std::cout << "Floats being compared: A: " << a << ", B: " << b << std::endl;
            return false;
        }
        agreed += left[place] != '.';
    }
    return true;
}

bool is_close(float a, float b, float rtol, float atol) {
    const float difference = std::abs(a - b);
    if (difference <= atol || difference <= rtol * std::max(std::abs(a), std::abs(b))) {
        return true;
    }
    std::cout << "Discrepancy: A = " << a << " B = " << b << ", difference " << difference << std::endl;
    return false;
}
