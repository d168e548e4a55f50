// Numbers that elements are compared with: subnormal ones count as 0.
float normal(double number) {
    const float value = static_cast<float>(number);
    return std::abs(value) < std::numeric_limits<float>::min() ? 0.0f : value;
}

// The bf16 that stands for a number in a comparison: the largest that is not above where `up` is unset, else the smallest
// that is not below.
[[maybe_unused]] double bf16_neighbour(double number, bool up) {
    const float value = normal(number);
    const uint32_t word = std::bit_cast<uint32_t>(value), toward_zero = word & 0xffff0000u;
    if (word == toward_zero || value != value) {
        return value;
    }
    return std::bit_cast<float>(std::signbit(value) == up ? toward_zero : toward_zero + 0x10000u);
}
[[maybe_unused]] double bf16_below(double number) { return bf16_neighbour(number, false); }
[[maybe_unused]] double bf16_above(double number) { return bf16_neighbour(number, true); }

// The number where it is one of bf16, else NaN, which equals nothing.
[[maybe_unused]] double bf16_same(double number) {
    return bf16_below(number) == bf16_above(number) ? normal(number) : std::numeric_limits<float>::quiet_NaN();
}
