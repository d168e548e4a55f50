// Figures of the network on chip.
#pragma once

#include "emulator/types.h"

#define NOC_L1_READ_ALIGNMENT_BYTES 16
#define NOC_L1_WRITE_ALIGNMENT_BYTES 16
#if defined(ARCH_BLACKHOLE)
#define NOC_DRAM_READ_ALIGNMENT_BYTES 64
#else
#define NOC_DRAM_READ_ALIGNMENT_BYTES 32
#endif
#define NOC_DRAM_WRITE_ALIGNMENT_BYTES 16
// Names of the preprocessor; the engine's figures are the same.
static_assert(NOC_L1_READ_ALIGNMENT_BYTES == L1_ALIGNMENT && NOC_L1_WRITE_ALIGNMENT_BYTES == L1_ALIGNMENT);
static_assert(NOC_DRAM_READ_ALIGNMENT_BYTES == TT_EMULATOR_DRAM_READ_ALIGNMENT);
static_assert(NOC_DRAM_WRITE_ALIGNMENT_BYTES == TT_EMULATOR_DRAM_WRITE_ALIGNMENT);
#define DRAM_ALIGNMENT static_cast<uint32_t>(NOC_DRAM_READ_ALIGNMENT_BYTES)
#define NOC_MAX_TRANSACTION_ID 0xF
