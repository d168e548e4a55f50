// Destination registers: acquire, commit, wait, release.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

[[deprecated("Use tile_regs_acquire() instead")]]
ALWI void acquire_dst(TT_CALLER_LINE) { tt_emulator_compute()->registers(TT_EMULATOR_REGISTERS_ACQUIRE_SHARED, line); }

ALWI void tile_regs_acquire(TT_CALLER_LINE) { tt_emulator_compute()->registers(TT_EMULATOR_REGISTERS_ACQUIRE, line); }

ALWI void tile_regs_wait(TT_CALLER_LINE) { tt_emulator_compute()->registers(TT_EMULATOR_REGISTERS_WAIT, line); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
[[deprecated("Use tile_regs_release() instead")]]
ALWI void release_dst(TT_CALLER_LINE) { tt_emulator_compute()->registers(TT_EMULATOR_REGISTERS_RELEASE_SHARED, line); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tile_regs_commit(TT_CALLER_LINE) { tt_emulator_compute()->registers(TT_EMULATOR_REGISTERS_COMMIT, line); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tile_regs_release(TT_CALLER_LINE) { tt_emulator_compute()->registers(TT_EMULATOR_REGISTERS_RELEASE, line); }

}  // namespace ckernel
