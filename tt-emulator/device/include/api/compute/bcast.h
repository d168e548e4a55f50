// Element-wise operations with the second operand spread over the tile: COL repeats its column 0, ROW one of its rows,
// SCALAR its element [0, 0].
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void unary_bcast_init(uint32_t icb, TT_CALLER_LINE) {
    tt_emulator_compute()->unary_bcast_init(static_cast<uint32_t>(bcast_type), icb, line);
}

template <BroadcastType bcast_type, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void unary_bcast(uint32_t icb, uint32_t in_tile_index, uint32_t dst_tile_index, TT_CALLER_LINE) {
    tt_emulator_compute()->unary_bcast(static_cast<uint32_t>(bcast_type), icb, in_tile_index, dst_tile_index, line);
}

template <BroadcastType bcast_type>
ALWI void unary_bcast_uninit(uint32_t icb, TT_CALLER_LINE) {
    tt_emulator_compute()->unary_bcast_uninit(static_cast<uint32_t>(bcast_type), icb, line);
}

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim>
ALWI void bcast_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    tt_emulator_compute()->binary_init(
        static_cast<uint32_t>(tBcastOp), static_cast<uint32_t>(tBcastDim), icb0, icb1, 0, 1, line);
}

template <EltwiseBinaryType tBcastOp, BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void any_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0,
    TT_CALLER_LINE) {
    tt_emulator_compute()->binary(
        static_cast<uint32_t>(tBcastOp), static_cast<uint32_t>(tBcastDim), icb0, icb1, itile0, itile1, idst, bcast_row_idx, 1,
        line);
}

template <BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0,
    TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWADD, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, line);
}

ALWI void add_bcast_rows_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::ROW>(icb0, icb1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles_bcast_rows(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0, TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWADD, BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, line);
}

ALWI void add_bcast_cols_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::COL>(icb0, icb1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles_bcast_cols(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWADD, BroadcastType::COL>(icb0, icb1, itile0, itile1, idst, 0, line);
}

ALWI void add_bcast_scalar_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    bcast_init<EltwiseBinaryType::ELWADD, BroadcastType::SCALAR>(icb0, icb1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles_bcast_scalar(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWADD, BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst, 0, line);
}

template <BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0,
    TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWSUB, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, line);
}

ALWI void sub_bcast_rows_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    bcast_init<EltwiseBinaryType::ELWSUB, BroadcastType::ROW>(icb0, icb1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles_bcast_rows(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0, TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWSUB, BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, line);
}

ALWI void sub_bcast_cols_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    bcast_init<EltwiseBinaryType::ELWSUB, BroadcastType::COL>(icb0, icb1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles_bcast_cols(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWSUB, BroadcastType::COL>(icb0, icb1, itile0, itile1, idst, 0, line);
}

ALWI void sub_bcast_scalar_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    bcast_init<EltwiseBinaryType::ELWSUB, BroadcastType::SCALAR>(icb0, icb1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles_bcast_scalar(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWSUB, BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst, 0, line);
}

template <BroadcastType tBcastDim, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles_bcast(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0,
    TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWMUL, tBcastDim>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, line);
}

ALWI void mul_bcast_rows_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    bcast_init<EltwiseBinaryType::ELWMUL, BroadcastType::ROW>(icb0, icb1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles_bcast_rows(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, uint32_t bcast_row_idx = 0, TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWMUL, BroadcastType::ROW>(icb0, icb1, itile0, itile1, idst, bcast_row_idx, line);
}

ALWI void mul_bcast_cols_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    bcast_init<EltwiseBinaryType::ELWMUL, BroadcastType::COL>(icb0, icb1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles_bcast_cols(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWMUL, BroadcastType::COL>(icb0, icb1, itile0, itile1, idst, 0, line);
}

ALWI void mul_bcast_scalar_init(uint32_t icb0, uint32_t icb1, TT_CALL_LINE) {
    bcast_init<EltwiseBinaryType::ELWMUL, BroadcastType::SCALAR>(icb0, icb1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles_bcast_scalar(
    uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TT_CALLER_LINE) {
    any_tiles_bcast<EltwiseBinaryType::ELWMUL, BroadcastType::SCALAR>(icb0, icb1, itile0, itile1, idst, 0, line);
}

}  // namespace ckernel
