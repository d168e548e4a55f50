// vectors: the compute kernel. Generated from assorted.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/bcast.h"
#include "api/compute/binary_max_min.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_row = tt::CBIndex::c_0;
constexpr uint32_t cb_q_block = tt::CBIndex::c_1;
constexpr uint32_t cb_t = tt::CBIndex::c_24;
constexpr uint32_t cb_a_block_in = tt::CBIndex::c_2;
constexpr uint32_t cb_a_block_in_2 = tt::CBIndex::c_3;
constexpr uint32_t cb_a_block_in_3 = tt::CBIndex::c_4;
constexpr uint32_t cb_o_block = tt::CBIndex::c_16;
constexpr uint32_t cb_zeros = tt::CBIndex::c_5;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t place_in_row = get_arg_val<int32_t>(3);
    const int32_t row_cores = get_arg_val<int32_t>(4);
    const int32_t row_sender = get_arg_val<int32_t>(5);
    const int32_t place_in_column = get_arg_val<int32_t>(6);
    const int32_t column_cores = get_arg_val<int32_t>(7);
    const int32_t column_sender = get_arg_val<int32_t>(8);
    const int32_t row_every = get_arg_val<int32_t>(9);
    const int32_t column_every = get_arg_val<int32_t>(10);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(11);
    const int32_t M_div_ceil_64 = get_arg_val<int32_t>(12);

    compute_kernel_hw_startup(cb_q_block, cb_q_block, cb_t);
    cb_wait_front(cb_zeros, 1);
    cb_wait_front(cb_row, 2);
    cb_wait_front(cb_q_block, 2);
    cb_wait_front(cb_a_block_in_2, 2);
    cb_wait_front(cb_a_block_in_3, 2);
    int32_t bx_before = -1;
    int32_t by_before = -1;

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (N_div_ceil_64 + row_cores - 1) / row_cores;
        const int32_t down = (M_div_ceil_64 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id / row_every % across * row_cores;
        const int32_t row_at = place_in_column + block_id / column_every % down * column_cores;
        const int32_t is_own = column_at < N_div_ceil_64 && row_at < M_div_ceil_64;
        const int32_t bx = column_at < N_div_ceil_64 - 1 ? column_at : N_div_ceil_64 - 1;
        const int32_t by = row_at < M_div_ceil_64 - 1 ? row_at : M_div_ceil_64 - 1;
        // assorted.rs:91: T.copy(r[(bx * 64; 64)], row)
        if (bx != bx_before) {
            cb_pop_front(cb_row, 2);
            cb_wait_front(cb_row, 2);
        }
        // assorted.rs:93: t[i] = ((q[(by * 64 + i, 0)] * 2.0) + 1.0)
        if (by != by_before) {
            cb_pop_front(cb_q_block, 2);
            cb_wait_front(cb_q_block, 2);
        }
        // assorted.rs:93: t[i] = ((q[(by * 64 + i, 0)] * 2.0) + 1.0)
        cb_reserve_back(cb_t, 2);
        tile_regs_acquire();
        copy_init(cb_q_block);
        for (int32_t row = 0; row < 2; ++row) {
            copy_tile(cb_q_block, row, row);
        }
        binop_with_scalar_tile_init();
        for (int32_t row = 0; row < 2; ++row) {
            mul_unary_tile(row, 0x40000000u /* 2.0 */);
        }
        for (int32_t row = 0; row < 2; ++row) {
            add_unary_tile(row, 0x3f800000u /* 1.0 */);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_t);
        for (int32_t row = 0; row < 2; ++row) {
            pack_tile<true>(row, cb_t, row);
        }
        tile_regs_release();
        cb_push_back(cb_t, 2);
        cb_wait_front(cb_t, 2);
        // assorted.rs:96: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
        if (by != by_before) {
            cb_pop_front(cb_a_block_in_2, 2);
            cb_wait_front(cb_a_block_in_2, 2);
        }
        // assorted.rs:97: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
        if (bx != bx_before) {
            cb_pop_front(cb_a_block_in_3, 2);
            cb_wait_front(cb_a_block_in_3, 2);
        }
        cb_wait_front(cb_a_block_in, 4);
        // assorted.rs:96: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
        cb_reserve_back(cb_o_block, 4);
        pack_reconfig_data_format(cb_o_block);
        for (int32_t tile_row = 0; tile_row < 2; ++tile_row) {
            for (int32_t tile_column = 0; tile_column < 2; ++tile_column) {
                tile_regs_acquire();
                mul_bcast_rows_init(cb_a_block_in, cb_row);
                mul_tiles_bcast_rows(cb_a_block_in, cb_row, tile_row * 2 + tile_column, tile_column, 0);
                reconfig_data_format_srca(cb_t);
                unary_bcast_init<BroadcastType::COL>(cb_t);
                unary_bcast<BroadcastType::COL>(cb_t, tile_row, 1);
                unary_bcast_uninit<BroadcastType::COL>(cb_t);
                sub_binary_tile_init();
                sub_binary_tile(0, 1, 0);
                reconfig_data_format_srca(cb_zeros);
                add_bcast_cols_init(cb_zeros, cb_a_block_in_2);
                add_tiles_bcast_cols(cb_zeros, cb_a_block_in_2, 0, tile_row, 1);
                binary_max_tile_init();
                binary_max_tile(0, 1, 0);
                add_bcast_rows_init(cb_zeros, cb_row);
                add_tiles_bcast_rows(cb_zeros, cb_row, 0, tile_column, 1);
                add_tiles_bcast_rows(cb_zeros, cb_a_block_in_3, 0, tile_column, 2);
                sub_binary_tile_init();
                sub_binary_tile(1, 2, 1);
                abs_tile_init();
                abs_tile(1);
                binop_with_scalar_tile_init();
                add_unary_tile(1, 0x3f800000u /* 1.0 */);
                div_binary_tile_init();
                div_binary_tile(0, 1, 0);
                tile_regs_commit();
                tile_regs_wait();
                pack_tile<true>(0, cb_o_block, tile_column);
                tile_regs_release();
            }
            cb_push_back(cb_o_block, 2);
        }
        cb_pop_front(cb_t, 2);
        cb_pop_front(cb_a_block_in, 4);
        bx_before += bx - bx_before;
        by_before += by - by_before;
    }
    cb_pop_front(cb_row, 2);
    cb_pop_front(cb_q_block, 2);
    cb_pop_front(cb_a_block_in_2, 2);
    cb_pop_front(cb_a_block_in_3, 2);
    cb_pop_front(cb_zeros, 1);
}
