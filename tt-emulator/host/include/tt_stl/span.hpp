// ttsl::Span is std::span that also takes braced lists.
#pragma once

#include <cstddef>
#include <span>

namespace ttsl {

template <typename T, std::size_t Extent = std::dynamic_extent>
using Span = std::span<T, Extent>;

}  // namespace ttsl

namespace tt {
namespace stl = ::ttsl;
}  // namespace tt
