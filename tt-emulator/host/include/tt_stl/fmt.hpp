// Metalium's types in `fmt::print` and `fmt::format`, which host programs use. The library fmt is the machine's; where it
// has none, there is nothing here.
#pragma once

#if __has_include(<fmt/core.h>)

#include <string_view>

#include <fmt/core.h>
#include <fmt/format.h>

// Formats `Type` as the text that `expression` gives for its `value`.
#define TT_FMT_AS_TEXT(Type, expression)                                  \
    template <>                                                           \
    struct fmt::formatter<Type> : fmt::formatter<std::string_view> {      \
        template <typename Context>                                       \
        auto format(const Type& value, Context& context) const {          \
            return fmt::formatter<std::string_view>::format(expression, context); \
        }                                                                 \
    };

#else

#define TT_FMT_AS_TEXT(Type, expression)

#endif
