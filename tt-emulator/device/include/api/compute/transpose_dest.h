// Transposition of a 32x32 tile inside the destination registers.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest_init([[maybe_unused]] uint32_t operand = 0, TT_CALLER_LINE) {
    static_assert(transpose_of_faces, "the emulator transposes whole tiles");
    static_assert(is_32bit == DST_ACCUM_MODE, "is_32bit is the width of the destination registers");
    tt_emulator_compute()->transpose_dest_init(line);
}

template <bool is_32bit = false, bool transpose_of_faces = true>
ALWI void transpose_dest(uint32_t idst, TT_CALLER_LINE) {
    static_assert(transpose_of_faces, "the emulator transposes whole tiles");
    tt_emulator_compute()->transpose_dest(idst, line);
}

}  // namespace ckernel
