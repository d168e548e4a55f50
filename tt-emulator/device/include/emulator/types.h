// Words that all device code uses.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/api.h"
#include "emulator/pointers.h"

#define FORCE_INLINE inline __attribute__((always_inline))
#define tt_l1_ptr
#define tt_reg_ptr

#if defined(ARCH_BLACKHOLE)
constexpr uint32_t NOC_MAX_BURST_SIZE = 16384;
constexpr uint32_t NUM_CIRCULAR_BUFFERS = 64;
constexpr uint32_t NUM_DRAM_BANKS = 8;
#else
constexpr uint32_t NOC_MAX_BURST_SIZE = 8192;
constexpr uint32_t NUM_CIRCULAR_BUFFERS = 32;
constexpr uint32_t NUM_DRAM_BANKS = 12;
#endif

constexpr uint32_t L1_ALIGNMENT = 16;
constexpr uint32_t NUM_NOCS = 2;
constexpr uint32_t NOC_UNICAST_WRITE_VC = 1;
constexpr uint32_t NOC_MULTICAST_WRITE_VC = 4;
constexpr uint32_t NOC_DISPATCH_MULTICAST_WRITE_VC = 5;

// L1 words that hold zero, as an offset that get_noc_addr takes.
constexpr uint32_t MEM_ZEROS_BASE = 0x2000;
constexpr uint32_t MEM_ZEROS_SIZE = 512;

// Waits some cycles of the core's clock. The emulator has no clock: time passes in what kernels wait for.
inline void riscv_wait(uint32_t) {}

enum class ProgrammableCoreType { TENSIX = 0, ACTIVE_ETH = 1, IDLE_ETH = 2, COUNT = 3 };
