using namespace tt::tt_metal;

namespace {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0 && (a < 0) == (b < 0)); }

// An integer argument of a kernel, which takes it with a sign.
uint32_t word(int64_t value) {
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
        throw std::out_of_range("the kernel argument " + std::to_string(value) + " does not fit in 32 bits with a sign");
    }
    return static_cast<uint32_t>(value);
}

uint32_t bits(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

// bf16 is the upper half of an f32, rounded to nearest even.
uint16_t to_element(float value, uint16_t) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    return static_cast<uint16_t>((word + 0x7fff + ((word >> 16) & 1)) >> 16);
}
uint32_t to_element(float value, uint32_t) { return std::bit_cast<uint32_t>(value); }
float from_element(uint16_t element) { return std::bit_cast<float>(static_cast<uint32_t>(element) << 16); }
float from_element(uint32_t element) { return std::bit_cast<float>(element); }
