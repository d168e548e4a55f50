// A height and a width.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace tt::tt_metal {

namespace emulator {
// Where host/src/layout.cpp reads the offsets of private members.
struct Layout;
}  // namespace emulator

class Shape2D final {
public:
    Shape2D(std::size_t height, std::size_t width);
    Shape2D(const std::pair<std::size_t, std::size_t>& size);
    Shape2D(const std::array<std::size_t, 2>& size);
    Shape2D(const std::array<std::uint32_t, 2>& size);

    operator std::pair<std::size_t, std::size_t>() const;
    operator std::array<std::size_t, 2>() const;
    operator std::array<std::uint32_t, 2>() const;

    Shape2D operator*(std::size_t scalar) const;
    bool operator==(const Shape2D& rhs) const;
    std::size_t height() const;
    std::size_t width() const;

    // For `auto [height, width]`.
    template <std::size_t I>
    std::size_t get() const {
        static_assert(I < 2, "a Shape2D has a height and a width");
        return I == 0 ? height_ : width_;
    }

private:
    friend struct emulator::Layout;

    std::size_t height_ = 0;
    std::size_t width_ = 0;
};

}  // namespace tt::tt_metal

template <>
struct std::tuple_size<tt::tt_metal::Shape2D> : std::integral_constant<std::size_t, 2> {};

template <std::size_t I>
struct std::tuple_element<I, tt::tt_metal::Shape2D> {
    using type = std::size_t;
};
