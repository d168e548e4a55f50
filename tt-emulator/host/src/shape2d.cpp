// Heights and widths.
#include <tt-metalium/shape2d.hpp>

namespace tt::tt_metal {

Shape2D::Shape2D(std::size_t height, std::size_t width) : height_(height), width_(width) {}
Shape2D::Shape2D(const std::pair<std::size_t, std::size_t>& size) : Shape2D(size.first, size.second) {}
Shape2D::Shape2D(const std::array<std::size_t, 2>& size) : Shape2D(size[0], size[1]) {}
Shape2D::Shape2D(const std::array<std::uint32_t, 2>& size) : Shape2D(size[0], size[1]) {}

Shape2D::operator std::pair<std::size_t, std::size_t>() const { return {height_, width_}; }
Shape2D::operator std::array<std::size_t, 2>() const { return {height_, width_}; }
Shape2D::operator std::array<std::uint32_t, 2>() const {
    return {static_cast<std::uint32_t>(height_), static_cast<std::uint32_t>(width_)};
}

Shape2D Shape2D::operator*(std::size_t scalar) const { return {height_ * scalar, width_ * scalar}; }
bool Shape2D::operator==(const Shape2D& rhs) const { return height_ == rhs.height_ && width_ == rhs.width_; }
std::size_t Shape2D::height() const { return height_; }
std::size_t Shape2D::width() const { return width_; }

}  // namespace tt::tt_metal
