// Coordinates of a core.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <tt_stl/fmt.hpp>

namespace tt {

struct xy_pair {
    std::size_t x = 0;
    std::size_t y = 0;

    constexpr xy_pair() = default;
    constexpr xy_pair(std::size_t x, std::size_t y) : x(x), y(y) {}

    std::string str() const { return "(x=" + std::to_string(x) + ",y=" + std::to_string(y) + ")"; }
};

constexpr bool operator==(const xy_pair& a, const xy_pair& b) { return a.x == b.x && a.y == b.y; }
constexpr bool operator!=(const xy_pair& a, const xy_pair& b) { return !(a == b); }
constexpr bool operator<(const xy_pair& a, const xy_pair& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); }

}  // namespace tt

using tt_xy_pair = tt::xy_pair;

template <>
struct std::hash<tt::xy_pair> {
    std::size_t operator()(const tt::xy_pair& pair) const { return pair.x * 0x9E3779B97F4A7C15ull ^ pair.y; }
};

TT_FMT_AS_TEXT(tt::xy_pair, value.str())
