#pragma once

#include <cstddef>

namespace tt::tt_metal {

class Shape2D {
public:
    constexpr Shape2D(std::size_t height, std::size_t width) : height_(height), width_(width) {}
    constexpr std::size_t height() const { return height_; }
    constexpr std::size_t width() const { return width_; }

private:
    std::size_t height_;
    std::size_t width_;
};

}  // namespace tt::tt_metal
