// Failed conditions become std::runtime_error.
#pragma once

// Metalium's header brings these too: host programs count on them.
#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <tt_stl/fmt.hpp>

namespace tt::assert::detail {

inline void format(std::ostringstream& out, std::string_view text) { out << text; }

template <typename First, typename... Rest>
void format(std::ostringstream& out, std::string_view text, const First& first, const Rest&... rest) {
    const std::size_t open = text.find('{');
    const std::size_t close = open == std::string_view::npos ? open : text.find('}', open);
    if (close == std::string_view::npos) {
        out << text;
        return;
    }
    out << text.substr(0, open) << first;
    format(out, text.substr(close + 1), rest...);
}

template <typename... Arguments>
[[noreturn]] void fail(const char* kind, const char* file, int line, std::string_view text, const Arguments&... arguments) {
    std::ostringstream out;
    out << kind << " @ " << file << ":" << line << ": ";
    format(out, text, arguments...);
    throw std::runtime_error(out.str());
}

}  // namespace tt::assert::detail

#define TT_THROW(...) ::tt::assert::detail::fail("TT_THROW", __FILE__, __LINE__, __VA_ARGS__)
#define TT_FATAL(condition, ...)                                                       \
    do {                                                                               \
        if (!(condition)) [[unlikely]] {                                               \
            ::tt::assert::detail::fail("TT_FATAL", __FILE__, __LINE__, __VA_ARGS__);   \
        }                                                                              \
    } while (0)
#define TT_ASSERT(condition, ...)
