// Threads of a compute kernel, for headers that include them under LLK's own name.
#pragma once

#include "emulator/compute_enums.h"
#include "emulator/types.h"

namespace ckernel {

// A load that has arrived before anything else happens. Here every load has.
template <typename T>
inline T load_blocking(volatile T* ptr) {
    static_assert(sizeof(T) == sizeof(uint16_t) || sizeof(T) == sizeof(uint32_t), "load_blocking: operand must be 16-bit or 32-bit");
    return *ptr;
}

#ifndef COMPILE_FOR_TRISC
// A word for a thread of the compute kernel.
inline void mailbox_write(const uint8_t thread, const uint32_t data, TT_LINE_PARAM) {
    tt_emulator_compute()->mailbox_write(thread, data, line);
}
#endif

}  // namespace ckernel
