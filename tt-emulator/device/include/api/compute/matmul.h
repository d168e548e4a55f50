// Tile products: in0 is SrcB, in1 is SrcA, results are added to the destination registers.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

ALWI void matmul_init(uint32_t in0_cb_id, uint32_t in1_cb_id, const uint32_t transpose = 0, TT_CALL_LINE) {
    tt_emulator_compute()->matmul_init(in0_cb_id, in1_cb_id, transpose, 1, 1, 1, line);
}

// Transposes in1 if the init said so.
ALWI void matmul_tiles(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst, TT_CALLER_LINE) {
    tt_emulator_compute()->matmul(in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, TT_EMULATOR_TRANSPOSITION_OF_INIT, 1, 1, 1, line);
}

ALWI void matmul_block_init(
    uint32_t in0_cb_id, uint32_t in1_cb_id, const uint32_t transpose = 0, uint32_t ct_dim = 1, uint32_t rt_dim = 1,
    uint32_t kt_dim = 1, TT_CALL_LINE) {
    tt_emulator_compute()->matmul_init(in0_cb_id, in1_cb_id, transpose, ct_dim, rt_dim, kt_dim, line);
}

// One step along k: rt_dim tiles of in0, kt_dim apart, by ct_dim tiles of in1.
ALWI void matmul_block(
    uint32_t in0_cb_id, uint32_t in1_cb_id, uint32_t in0_tile_index, uint32_t in1_tile_index, uint32_t idst,
    const uint32_t transpose, uint32_t ct_dim, uint32_t rt_dim, uint32_t kt_dim, TT_CALL_LINE) {
    tt_emulator_compute()->matmul(
        in0_cb_id, in1_cb_id, in0_tile_index, in1_tile_index, idst, transpose != 0, ct_dim, rt_dim, kt_dim, line);
}

}  // namespace ckernel
