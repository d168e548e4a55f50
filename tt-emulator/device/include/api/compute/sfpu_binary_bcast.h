// A register with column 0 or row 0 of another spread over it, in place.
#pragma once

#include "api/compute/common_globals.h"

namespace ckernel {

template <BroadcastType Dim>
ALWI void sfpu_bcast_init(TT_CALLER_LINE) {
    static_assert(Dim == BroadcastType::COL || Dim == BroadcastType::ROW, "a column or a row is spread");
    tt_emulator::sfpu_init(TT_NAME("sfpu_bcast_init"), line, static_cast<uint32_t>(Dim));
}

template <BroadcastType Dim, EltwiseBinaryType Op, TT_WIDTH>
ALWI void sfpu_bcast(uint32_t dst_data_idx, uint32_t dst_bcast_idx, TT_CALLER_LINE) {
    constexpr uint64_t name = Op == EltwiseBinaryType::ELWADD   ? TT_NAME("sfpu_add_bcast")
                              : Op == EltwiseBinaryType::ELWSUB ? TT_NAME("sfpu_sub_bcast")
                                                                : TT_NAME("sfpu_mul_bcast");
    static_assert(Op == EltwiseBinaryType::ELWADD || Op == EltwiseBinaryType::ELWSUB || Op == EltwiseBinaryType::ELWMUL);
    tt_emulator_sfpu_call call = tt_emulator::sfpu_call(name, dst_data_idx);
    call.variant = static_cast<uint32_t>(Dim);
    call.inputs[1] = dst_bcast_idx;
    call.how[0] = static_cast<uint32_t>(Dim);
    tt_emulator_compute()->sfpu(&call, line);
}

ALWI void sfpu_bcast_col_init(TT_CALLER_LINE) { sfpu_bcast_init<BroadcastType::COL>(line); }

ALWI void sfpu_sub_bcast_col_init(TT_CALLER_LINE) { sfpu_bcast_init<BroadcastType::COL>(line); }

template <TT_WIDTH>
ALWI void sfpu_sub_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx, TT_CALLER_LINE) {
    sfpu_bcast<BroadcastType::COL, EltwiseBinaryType::ELWSUB>(dst_data_idx, dst_col_vec_idx, line);
}

ALWI void sfpu_add_bcast_col_init(TT_CALLER_LINE) { sfpu_bcast_init<BroadcastType::COL>(line); }

template <TT_WIDTH>
ALWI void sfpu_add_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx, TT_CALLER_LINE) {
    sfpu_bcast<BroadcastType::COL, EltwiseBinaryType::ELWADD>(dst_data_idx, dst_col_vec_idx, line);
}

ALWI void sfpu_mul_bcast_col_init(TT_CALLER_LINE) { sfpu_bcast_init<BroadcastType::COL>(line); }

template <TT_WIDTH>
ALWI void sfpu_mul_bcast_col(uint32_t dst_data_idx, uint32_t dst_col_vec_idx, TT_CALLER_LINE) {
    sfpu_bcast<BroadcastType::COL, EltwiseBinaryType::ELWMUL>(dst_data_idx, dst_col_vec_idx, line);
}

ALWI void sfpu_bcast_row_init(TT_CALLER_LINE) { sfpu_bcast_init<BroadcastType::ROW>(line); }

ALWI void sfpu_sub_bcast_row_init(TT_CALLER_LINE) { sfpu_bcast_init<BroadcastType::ROW>(line); }

template <TT_WIDTH>
ALWI void sfpu_sub_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx, TT_CALLER_LINE) {
    sfpu_bcast<BroadcastType::ROW, EltwiseBinaryType::ELWSUB>(dst_data_idx, dst_row_vec_idx, line);
}

ALWI void sfpu_add_bcast_row_init(TT_CALLER_LINE) { sfpu_bcast_init<BroadcastType::ROW>(line); }

template <TT_WIDTH>
ALWI void sfpu_add_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx, TT_CALLER_LINE) {
    sfpu_bcast<BroadcastType::ROW, EltwiseBinaryType::ELWADD>(dst_data_idx, dst_row_vec_idx, line);
}

ALWI void sfpu_mul_bcast_row_init(TT_CALLER_LINE) { sfpu_bcast_init<BroadcastType::ROW>(line); }

template <TT_WIDTH>
ALWI void sfpu_mul_bcast_row(uint32_t dst_data_idx, uint32_t dst_row_vec_idx, TT_CALLER_LINE) {
    sfpu_bcast<BroadcastType::ROW, EltwiseBinaryType::ELWMUL>(dst_data_idx, dst_row_vec_idx, line);
}

}  // namespace ckernel
