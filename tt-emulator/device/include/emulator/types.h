// Words that all device code uses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/api.h"
// Bursts, circular buffers, banks, alignments, and where L1 has zeros.
#include "emulator/figures.h"
#include "emulator/pointers.h"

#define FORCE_INLINE inline __attribute__((always_inline))
#define tt_l1_ptr
#define tt_reg_ptr

constexpr uint32_t NOC_UNICAST_WRITE_VC = 1;
constexpr uint32_t NOC_MULTICAST_WRITE_VC = 4;
constexpr uint32_t NOC_DISPATCH_MULTICAST_WRITE_VC = 5;

// Waits some cycles of the core's clock. The emulator has no clock: time passes in what kernels wait for.
inline void riscv_wait(uint32_t) {}

enum class ProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2, COUNT = 3 };
