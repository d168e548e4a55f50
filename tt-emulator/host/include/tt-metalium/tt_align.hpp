// Rounding up.
#pragma once

#include <type_traits>

namespace tt {

// `alignment` must be a power of two.
template <typename T1, typename T2>
constexpr std::common_type_t<T1, T2> align(T1 addr, T2 alignment) {
    static_assert(std::is_integral_v<T1> && std::is_integral_v<T2>, "align() requires integral types");
    using T = std::common_type_t<T1, T2>;
    return ((static_cast<T>(addr) - 1) | (static_cast<T>(alignment) - 1)) + 1;
}

}  // namespace tt
