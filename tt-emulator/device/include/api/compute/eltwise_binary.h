// Element-wise operations of the matrix engine. Multiplication adds to the destination registers, the others overwrite
// unless their init asked to accumulate.
#pragma once

#include "api/compute/common.h"

namespace ckernel {

template <bool full_init, EltwiseBinaryType eltwise_binary_type>
ALWI void binary_tiles_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TT_CALL_LINE) {
    tt_emulator_compute()->binary_init(
        static_cast<uint32_t>(eltwise_binary_type), 0, icb0, icb1, acc_to_dest, full_init, line);
}

ALWI void add_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TT_CALL_LINE) {
    binary_tiles_init<true, EltwiseBinaryType::ELWADD>(icb0, icb1, acc_to_dest, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TT_CALLER_LINE) {
    tt_emulator_compute()->binary(
        static_cast<uint32_t>(EltwiseBinaryType::ELWADD), 0, icb0, icb1, itile0, itile1, idst, 0, 1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_block(
    uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, uint32_t ntiles,
    TT_CALLER_LINE) {
    tt_emulator_compute()->binary(
        static_cast<uint32_t>(EltwiseBinaryType::ELWADD), 0, icb0, icb1, start_itile0, start_itile1, start_idst, 0, ntiles, line);
}

// One operand is the destination register, cut to the precision of the buffer's format; the result overwrites it.
template <EltwiseBinaryReuseDestType reuse_dest>
ALWI void add_reuse_dest_init(uint32_t icb, TT_CALL_LINE) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "reuse_dest must be DEST_TO_SRCA or DEST_TO_SRCB");
    tt_emulator_compute()->reuse_init(
        static_cast<uint32_t>(EltwiseBinaryType::ELWADD), static_cast<uint32_t>(reuse_dest), icb, line);
}

template <EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void add_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TT_CALLER_LINE) {
    tt_emulator_compute()->reuse(
        static_cast<uint32_t>(EltwiseBinaryType::ELWADD), static_cast<uint32_t>(reuse_dest), in_cb_id, in_tile_index,
        dst_tile_index, line);
}

ALWI void sub_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = false, TT_CALL_LINE) {
    binary_tiles_init<true, EltwiseBinaryType::ELWSUB>(icb0, icb1, acc_to_dest, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TT_CALLER_LINE) {
    tt_emulator_compute()->binary(
        static_cast<uint32_t>(EltwiseBinaryType::ELWSUB), 0, icb0, icb1, itile0, itile1, idst, 0, 1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_block(
    uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, uint32_t ntiles,
    TT_CALLER_LINE) {
    tt_emulator_compute()->binary(
        static_cast<uint32_t>(EltwiseBinaryType::ELWSUB), 0, icb0, icb1, start_itile0, start_itile1, start_idst, 0, ntiles, line);
}

// The same for an operation that is a parameter.
template <EltwiseBinaryType eltwise_binary_type, EltwiseBinaryReuseDestType reuse_dest>
ALWI void binary_reuse_dest_init(uint32_t icb0, TT_CALL_LINE) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "reuse_dest must be DEST_TO_SRCA or DEST_TO_SRCB");
    tt_emulator_compute()->reuse_init(
        static_cast<uint32_t>(eltwise_binary_type), static_cast<uint32_t>(reuse_dest), icb0, static_cast<int>(line));
}

template <
    EltwiseBinaryType eltwise_binary_type, EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void binary_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TT_CALLER_LINE) {
    tt_emulator_compute()->reuse(
        static_cast<uint32_t>(eltwise_binary_type), static_cast<uint32_t>(reuse_dest), in_cb_id, in_tile_index, dst_tile_index, line);
}

// One operand is the destination register, cut to the precision of the buffer's format; the result overwrites it.
template <EltwiseBinaryReuseDestType reuse_dest>
ALWI void sub_reuse_dest_init(uint32_t icb, TT_CALL_LINE) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "reuse_dest must be DEST_TO_SRCA or DEST_TO_SRCB");
    tt_emulator_compute()->reuse_init(
        static_cast<uint32_t>(EltwiseBinaryType::ELWSUB), static_cast<uint32_t>(reuse_dest), icb, line);
}

template <EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void sub_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TT_CALLER_LINE) {
    tt_emulator_compute()->reuse(
        static_cast<uint32_t>(EltwiseBinaryType::ELWSUB), static_cast<uint32_t>(reuse_dest), in_cb_id, in_tile_index,
        dst_tile_index, line);
}

ALWI void mul_init(uint32_t icb0, uint32_t icb1, bool acc_to_dest = true, TT_CALL_LINE) {
    binary_tiles_init<true, EltwiseBinaryType::ELWMUL>(icb0, icb1, acc_to_dest, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_tiles(uint32_t icb0, uint32_t icb1, uint32_t itile0, uint32_t itile1, uint32_t idst, TT_CALLER_LINE) {
    tt_emulator_compute()->binary(
        static_cast<uint32_t>(EltwiseBinaryType::ELWMUL), 0, icb0, icb1, itile0, itile1, idst, 0, 1, line);
}

template <bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_block(
    uint32_t icb0, uint32_t icb1, uint32_t start_itile0, uint32_t start_itile1, uint32_t start_idst, uint32_t ntiles,
    TT_CALLER_LINE) {
    tt_emulator_compute()->binary(
        static_cast<uint32_t>(EltwiseBinaryType::ELWMUL), 0, icb0, icb1, start_itile0, start_itile1, start_idst, 0, ntiles, line);
}

// One operand is the destination register, cut to the precision of the buffer's format; the result overwrites it.
template <EltwiseBinaryReuseDestType reuse_dest>
ALWI void mul_reuse_dest_init(uint32_t icb, TT_CALL_LINE) {
    static_assert(reuse_dest != EltwiseBinaryReuseDestType::NONE, "reuse_dest must be DEST_TO_SRCA or DEST_TO_SRCB");
    tt_emulator_compute()->reuse_init(
        static_cast<uint32_t>(EltwiseBinaryType::ELWMUL), static_cast<uint32_t>(reuse_dest), icb, line);
}

template <EltwiseBinaryReuseDestType reuse_dest, bool is_fp32_dest_acc_en = DST_ACCUM_MODE>
ALWI void mul_reuse_dest_tiles(uint32_t in_cb_id, uint32_t in_tile_index, uint32_t dst_tile_index, TT_CALLER_LINE) {
    tt_emulator_compute()->reuse(
        static_cast<uint32_t>(EltwiseBinaryType::ELWMUL), static_cast<uint32_t>(reuse_dest), in_cb_id, in_tile_index,
        dst_tile_index, line);
}

}  // namespace ckernel
