// Named kernel arguments: constants that the host writes before the kernel's text, each saying where its value lies.
#pragma once

#include "api/dataflow/dfb_binding_token.h"
#ifdef COMPILE_FOR_TRISC
#include "api/compute/common.h"
#endif
#include "emulator/arguments.h"

#define TT_KERNEL static FORCE_INLINE

namespace experimental {

// A runtime argument of one core; the offset is in bytes.
template <typename T>
struct RtaArg {
    uint32_t byte_offset;
};

// A runtime argument of all cores.
template <typename T>
struct CrtaArg {
    uint32_t byte_offset;
};

// A compile-time argument.
template <typename T>
struct CtaVal {
    T value;
};

template <typename T>
FORCE_INLINE T get_arg(RtaArg<T> arg, TT_LINE_PARAM) {
    static_assert(sizeof(T) == 4, "Only uint32_t args are currently supported.");
    return get_arg_val<T>(static_cast<int>(arg.byte_offset / sizeof(uint32_t)), line);
}

template <typename T>
FORCE_INLINE T get_arg(CrtaArg<T> arg, TT_LINE_PARAM) {
    static_assert(sizeof(T) == 4, "Only uint32_t args are currently supported.");
    return get_common_arg_val<T>(static_cast<int>(arg.byte_offset / sizeof(uint32_t)), line);
}

template <typename T>
FORCE_INLINE constexpr T get_arg(CtaVal<T> arg) {
    return arg.value;
}

}  // namespace experimental
