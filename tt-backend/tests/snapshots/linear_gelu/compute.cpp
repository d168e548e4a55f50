// linear_gelu: the compute kernel. Generated from classic.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/gelu.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_bias_row = tt::CBIndex::c_0;
constexpr uint32_t cb_acc = tt::CBIndex::c_24;
constexpr uint32_t cb_x_block = tt::CBIndex::c_1;
constexpr uint32_t cb_w_block = tt::CBIndex::c_2;
constexpr uint32_t cb_acc_out = tt::CBIndex::c_16;
constexpr uint32_t cb_zeros = tt::CBIndex::c_3;

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
    const int32_t K_tiles = get_arg_val<int32_t>(13);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_x_block, cb_w_block, cb_acc);
    cb_wait_front(cb_zeros, 1);
    cb_wait_front(cb_bias_row, 2);
    int32_t bx_before = -1;

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (N_div_ceil_64 + row_cores - 1) / row_cores;
        const int32_t down = (M_div_ceil_64 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id / row_every % across * row_cores;
        const int32_t row_at = place_in_column + block_id / column_every % down * column_cores;
        const int32_t is_own = column_at < N_div_ceil_64 && row_at < M_div_ceil_64;
        const int32_t bx = column_at < N_div_ceil_64 - 1 ? column_at : N_div_ceil_64 - 1;
        const int32_t by = row_at < M_div_ceil_64 - 1 ? row_at : M_div_ceil_64 - 1;
        // classic.rs:62: T.copy(bias[(0; 1, bx * 64; 64)], bias_row)
        if (bx != bx_before) {
            cb_pop_front(cb_bias_row, 2);
            cb_wait_front(cb_bias_row, 2);
        }
        // classic.rs:64: for k in T.Pipelined(0..K.div_ceil(32), num_stages = 3)
        cb_reserve_back(cb_acc, 4);
        tile_regs_acquire();
        // classic.rs:64: for k in T.Pipelined(0..K.div_ceil(32), num_stages = 3)
        matmul_block_init(cb_x_block, cb_w_block, 0, 2, 2, 1);
        for (int32_t k = 0; k < K_tiles; ++k) {
            cb_wait_front(cb_x_block, 2);
            cb_wait_front(cb_w_block, 2);
            // classic.rs:67: T.gemm(x_block, w_block, acc)
            matmul_block(cb_x_block, cb_w_block, 0, 0, 0, 0, 2, 2, 1);
            cb_pop_front(cb_x_block, 2);
            cb_pop_front(cb_w_block, 2);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_acc);
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t column = 0; column < 2; ++column) {
                pack_tile<true>(row * 2 + column, cb_acc, row * 2 + column);
            }
        }
        tile_regs_release();
        cb_push_back(cb_acc, 4);
        cb_wait_front(cb_acc, 4);
        // classic.rs:70: acc[(i, j)] = (acc[(i, j)] + bias_row[(0, j)]).gelu()
        cb_reserve_back(cb_acc_out, 4);
        pack_reconfig_data_format(cb_acc_out);
        for (int32_t tile_row = 0; tile_row < 2; ++tile_row) {
            tile_regs_acquire();
            reconfig_data_format_srca(cb_acc);
            copy_init(cb_acc);
            for (int32_t column = 0; column < 2; ++column) {
                copy_tile(cb_acc, tile_row * 2 + column, column);
            }
            reconfig_data_format_srca(cb_zeros);
            add_bcast_rows_init(cb_zeros, cb_bias_row);
            for (int32_t column = 0; column < 2; ++column) {
                add_tiles_bcast_rows(cb_zeros, cb_bias_row, 0, column, column + 2);
            }
            add_binary_tile_init();
            for (int32_t column = 0; column < 2; ++column) {
                add_binary_tile(column, column + 2, column);
            }
            gelu_tile_init<false>();
            for (int32_t column = 0; column < 2; ++column) {
                gelu_tile<false>(column);
            }
            tile_regs_commit();
            tile_regs_wait();
            for (int32_t column = 0; column < 2; ++column) {
                pack_tile<true>(column, cb_acc_out, column);
            }
            tile_regs_release();
            cb_push_back(cb_acc_out, 2);
        }
        cb_pop_front(cb_acc, 4);
        bx_before += bx - bx_before;
    }
    cb_pop_front(cb_bias_row, 2);
    cb_pop_front(cb_zeros, 1);
}
