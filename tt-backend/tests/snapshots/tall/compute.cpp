// tall: the compute kernel. Generated from assorted.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"

constexpr uint32_t cb_acc = tt::CBIndex::c_24;
constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_y = tt::CBIndex::c_1;
constexpr uint32_t cb_acc_out = tt::CBIndex::c_16;
constexpr uint32_t cb_x_t = tt::CBIndex::c_25;

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
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(9);
    const int32_t M_div_ceil_96 = get_arg_val<int32_t>(10);
    const int32_t K_div_ceil_64 = get_arg_val<int32_t>(11);

    compute_kernel_hw_startup(cb_acc, cb_acc, cb_acc);
    reconfig_data_format(cb_x, cb_x_t);
    fill_tile_init();

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (N_div_ceil_64 + row_cores - 1) / row_cores;
        const int32_t down = (M_div_ceil_96 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id % across * row_cores;
        const int32_t row_at = place_in_column + block_id / across * column_cores;
        const int32_t is_own = column_at < N_div_ceil_64 && row_at < M_div_ceil_96;
        const int32_t bx = column_at < N_div_ceil_64 - 1 ? column_at : N_div_ceil_64 - 1;
        const int32_t by = row_at < M_div_ceil_96 - 1 ? row_at : M_div_ceil_96 - 1;
        cb_reserve_back(cb_acc, 6);
        // assorted.rs:15: for k in T.Pipelined(0..K.div_ceil(64), num_stages = 3)
        pack_reconfig_l1_acc(0);
        for (int32_t tile_column = 0; tile_column < 2; ++tile_column) {
            tile_regs_acquire();
            for (int32_t row = 0; row < 3; ++row) {
                fill_tile_bitcast(row, 0x40200000u /* 2.5 */);
            }
            tile_regs_commit();
            tile_regs_wait();
            for (int32_t row = 0; row < 3; ++row) {
                pack_tile<true>(row, cb_acc, row * 2 + tile_column);
            }
            tile_regs_release();
        }
        // assorted.rs:15: for k in T.Pipelined(0..K.div_ceil(64), num_stages = 3)
        for (int32_t k = 0; k < K_div_ceil_64; ++k) {
            cb_wait_front(cb_x, 6);
            cb_wait_front(cb_y, 4);
            // assorted.rs:18: T.gemm(x, y, acc, transpose_a = true)
            cb_reserve_back(cb_x_t, 6);
            pack_reconfig_l1_acc(0);
            transpose_init(cb_x);
            pack_reconfig_data_format(cb_x_t);
            for (int32_t tile_column = 0; tile_column < 2; ++tile_column) {
                tile_regs_acquire();
                for (int32_t row = 0; row < 3; ++row) {
                    transpose_tile(cb_x, tile_column * 3 + row, row);
                }
                tile_regs_commit();
                tile_regs_wait();
                for (int32_t row = 0; row < 3; ++row) {
                    pack_tile<true>(row, cb_x_t, row * 2 + tile_column);
                }
                tile_regs_release();
            }
            cb_push_back(cb_x_t, 6);
            cb_wait_front(cb_x_t, 6);
            cb_pop_front(cb_x, 6);
            if (k + 1 < K_div_ceil_64) {
                // assorted.rs:18: T.gemm(x, y, acc, transpose_a = true)
                pack_reconfig_l1_acc(1);
                matmul_block_init(cb_x_t, cb_y, 0, 1, 3, 2);
                pack_reconfig_data_format(cb_acc);
                for (int32_t tile_column = 0; tile_column < 2; ++tile_column) {
                    tile_regs_acquire();
                    for (int32_t inner = 0; inner < 2; ++inner) {
                        matmul_block(cb_x_t, cb_y, inner, inner * 2 + tile_column, 0, 0, 1, 3, 2);
                    }
                    tile_regs_commit();
                    tile_regs_wait();
                    for (int32_t row = 0; row < 3; ++row) {
                        pack_tile<true>(row, cb_acc, row * 2 + tile_column);
                    }
                    tile_regs_release();
                }
            } else {
                // assorted.rs:20: T.copy(acc, c[(by * 96; 96, bx * 64; 64)])
                cb_push_back(cb_acc, 6);
                cb_wait_front(cb_acc, 6);
                cb_reserve_back(cb_acc_out, 6);
                pack_reconfig_data_format(cb_acc_out);
                for (int32_t tile_column = 0; tile_column < 2; ++tile_column) {
                    tile_regs_acquire();
                    reconfig_data_format_srca(cb_acc);
                    copy_init(cb_acc);
                    for (int32_t row = 0; row < 3; ++row) {
                        copy_tile(cb_acc, row * 2 + tile_column, row);
                    }
                    reconfig_data_format_srca(cb_y);
                    matmul_block_init(cb_x_t, cb_y, 0, 1, 3, 2);
                    for (int32_t inner = 0; inner < 2; ++inner) {
                        matmul_block(cb_x_t, cb_y, inner, inner * 2 + tile_column, 0, 0, 1, 3, 2);
                    }
                    tile_regs_commit();
                    tile_regs_wait();
                    for (int32_t row = 0; row < 3; ++row) {
                        pack_tile<true>(row, cb_acc_out, row * 2 + tile_column);
                    }
                    tile_regs_release();
                }
                cb_push_back(cb_acc_out, 6);
            }
            cb_pop_front(cb_y, 4);
            cb_pop_front(cb_x_t, 6);
        }
        cb_pop_front(cb_acc, 6);
    }
}
