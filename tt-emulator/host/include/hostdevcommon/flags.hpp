// Sets of the bits of an enum.
#pragma once

#include <type_traits>

template <typename E>
class Flags {
public:
    using Underlying = std::underlying_type_t<E>;

    constexpr Flags() noexcept = default;
    constexpr Flags(E value) noexcept : bits_(static_cast<Underlying>(value)) {}
    constexpr explicit Flags(Underlying bits) noexcept : bits_(bits) {}

    constexpr Flags operator|(E other) const noexcept { return Flags(static_cast<Underlying>(bits_ | static_cast<Underlying>(other))); }
    constexpr Flags operator|(Flags other) const noexcept { return Flags(static_cast<Underlying>(bits_ | other.bits_)); }
    constexpr Flags operator&(E other) const noexcept { return Flags(static_cast<Underlying>(bits_ & static_cast<Underlying>(other))); }
    constexpr bool test(E all) const noexcept { return (bits_ & static_cast<Underlying>(all)) == static_cast<Underlying>(all); }
    constexpr void set(E bits, bool value = true) noexcept {
        const auto mask = static_cast<Underlying>(bits);
        bits_ = static_cast<Underlying>(value ? bits_ | mask : bits_ & ~mask);
    }
    constexpr Underlying raw() const noexcept { return bits_; }

private:
    Underlying bits_ = 0;
};
