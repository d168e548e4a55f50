// Compile-time arguments, by position and by name.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#ifndef KERNEL_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS
#endif

template <class T, class... Ts>
constexpr std::array<T, sizeof...(Ts)> make_array(Ts... values) {
    return {T(values)...};
}

constexpr auto kernel_compile_time_args = make_array<std::uint32_t>(KERNEL_COMPILE_TIME_ARGS);

template <uint32_t Idx>
constexpr uint32_t get_ct_arg() {
    static_assert(Idx < kernel_compile_time_args.size(), "Index out of range");
    return kernel_compile_time_args[Idx];
}

#define get_compile_time_arg_val(arg_idx) get_ct_arg<arg_idx>()

#ifdef KERNEL_COMPILE_TIME_ARG_MAP
struct tt_emulator_named_arg {
    const char* name;
    uint32_t value;
};

// The first entry only keeps the array from being empty.
constexpr tt_emulator_named_arg tt_emulator_named_args[] = {{"", 0}, KERNEL_COMPILE_TIME_ARG_MAP};

inline void tt_emulator_no_such_named_compile_time_arg() {}

constexpr uint32_t get_named_compile_time_arg_val(const char* name) {
    for (const auto& [known, value] : tt_emulator_named_args) {
        const char* a = known;
        const char* b = name;
        while (*a != 0 && *a == *b) {
            ++a;
            ++b;
        }
        if (*a == *b && *name != 0) {
            return value;
        }
    }
    tt_emulator_no_such_named_compile_time_arg();
    return 0;
}
#endif
