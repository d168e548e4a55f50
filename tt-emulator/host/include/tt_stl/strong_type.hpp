// A value whose type is told apart by a tag.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <utility>

namespace ttsl {

template <typename T, typename Tag>
class StrongType {
public:
    using value_type = T;
    using tag_type = Tag;

    constexpr StrongType() noexcept = default;
    constexpr explicit StrongType(T value) noexcept : value_(std::move(value)) {}

    constexpr const T& operator*() const { return value_; }
    constexpr const T& get() const { return value_; }
    constexpr auto operator<=>(const StrongType& other) const noexcept = default;

private:
    T value_{};
};

}  // namespace ttsl

template <typename T, typename Tag>
struct std::hash<ttsl::StrongType<T, Tag>> {
    std::size_t operator()(const ttsl::StrongType<T, Tag>& value) const noexcept { return std::hash<T>{}(*value); }
};
