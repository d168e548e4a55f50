// Destination registers: acquire, commit, wait, release.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

[[deprecated("Use tile_regs_acquire() instead")]]
ALWI void acquire_dst(TT_CALLER_LINE) { tt_emulator_compute()->registers(4, line); }

ALWI void tile_regs_acquire(TT_CALLER_LINE) { tt_emulator_compute()->registers(0, line); }

ALWI void tile_regs_wait(TT_CALLER_LINE) { tt_emulator_compute()->registers(2, line); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
[[deprecated("Use tile_regs_release() instead")]]
ALWI void release_dst(TT_CALLER_LINE) { tt_emulator_compute()->registers(5, line); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tile_regs_commit(TT_CALLER_LINE) { tt_emulator_compute()->registers(1, line); }

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void tile_regs_release(TT_CALLER_LINE) { tt_emulator_compute()->registers(3, line); }

}  // namespace ckernel
