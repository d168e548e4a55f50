// matmul: the compute kernel. Generated from classic.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_acc = tt::CBIndex::c_24;
constexpr uint32_t cb_a_block = tt::CBIndex::c_0;
constexpr uint32_t cb_b_block = tt::CBIndex::c_1;
constexpr uint32_t cb_acc_out = tt::CBIndex::c_16;

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
    const int32_t N_div_ceil_128 = get_arg_val<int32_t>(9);
    const int32_t M_div_ceil_128 = get_arg_val<int32_t>(10);
    const int32_t K_div_ceil_64 = get_arg_val<int32_t>(11);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a_block, cb_b_block, cb_acc);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (N_div_ceil_128 + row_cores - 1) / row_cores;
        const int32_t down = (M_div_ceil_128 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id % across * row_cores;
        const int32_t row_at = place_in_column + block_id / across * column_cores;
        const int32_t is_own = column_at < N_div_ceil_128 && row_at < M_div_ceil_128;
        const int32_t bx = column_at < N_div_ceil_128 - 1 ? column_at : N_div_ceil_128 - 1;
        const int32_t by = row_at < M_div_ceil_128 - 1 ? row_at : M_div_ceil_128 - 1;
        cb_reserve_back(cb_acc, 16);
        // classic.rs:14: for k in T.Pipelined(0..K.div_ceil(64), num_stages = 2)
        matmul_block_init(cb_a_block, cb_b_block, 0, 2, 2, 2);
        pack_reconfig_data_format(cb_acc);
        for (int32_t k = 0; k < K_div_ceil_64; ++k) {
            cb_wait_front(cb_a_block, 8);
            cb_wait_front(cb_b_block, 8);
            if (k + 1 < K_div_ceil_64) {
                // classic.rs:17: T.gemm(a_block, b_block, acc)
                pack_reconfig_l1_acc(k != 0);
                for (int32_t tile_row = 0; tile_row < 4; tile_row += 2) {
                    for (int32_t tile_column = 0; tile_column < 4; tile_column += 2) {
                        tile_regs_acquire();
                        for (int32_t inner = 0; inner < 2; ++inner) {
                            matmul_block(cb_a_block, cb_b_block, tile_row * 2 + inner, inner * 4 + tile_column, 0, 0, 2, 2, 2);
                        }
                        tile_regs_commit();
                        tile_regs_wait();
                        for (int32_t row = 0; row < 2; ++row) {
                            for (int32_t column = 0; column < 2; ++column) {
                                pack_tile<true>(row * 2 + column, cb_acc, (tile_row + row) * 4 + tile_column + column);
                            }
                        }
                        tile_regs_release();
                    }
                }
            } else {
                // classic.rs:19: T.copy(acc, c[(by * 128; 128, bx * 128; 128)])
                cb_push_back(cb_acc, 16);
                cb_wait_front(cb_acc, 16);
                cb_reserve_back(cb_acc_out, 16);
                pack_reconfig_data_format(cb_acc_out);
                pack_reconfig_l1_acc(0);
                for (int32_t tile_row = 0; tile_row < 4; tile_row += 2) {
                    for (int32_t tile_column = 0; tile_column < 4; tile_column += 2) {
                        tile_regs_acquire();
                        if (k != 0) {
                            reconfig_data_format_srca(cb_acc);
                            copy_init(cb_acc);
                            for (int32_t row = 0; row < 2; ++row) {
                                for (int32_t column = 0; column < 2; ++column) {
                                    copy_tile(cb_acc, (tile_row + row) * 4 + tile_column + column, row * 2 + column);
                                }
                            }
                        }
                        reconfig_data_format_srca(cb_b_block);
                        matmul_block_init(cb_a_block, cb_b_block, 0, 2, 2, 2);
                        for (int32_t inner = 0; inner < 2; ++inner) {
                            matmul_block(cb_a_block, cb_b_block, tile_row * 2 + inner, inner * 4 + tile_column, 0, 0, 2, 2, 2);
                        }
                        tile_regs_commit();
                        tile_regs_wait();
                        for (int32_t row = 0; row < 2; ++row) {
                            for (int32_t column = 0; column < 2; ++column) {
                                pack_tile<true>(row * 2 + column, cb_acc_out, row * 4 + tile_column + column);
                            }
                        }
                        tile_regs_release();
                    }
                    cb_push_back(cb_acc_out, 8);
                }
            }
            cb_pop_front(cb_a_block, 8);
            cb_pop_front(cb_b_block, 8);
        }
        cb_pop_front(cb_acc, 16);
    }
}
