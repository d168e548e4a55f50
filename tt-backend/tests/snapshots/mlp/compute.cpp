// mlp: the compute kernel. Generated from assorted.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_acc = tt::CBIndex::c_24;
constexpr uint32_t cb_xb = tt::CBIndex::c_0;
constexpr uint32_t cb_wb = tt::CBIndex::c_1;
constexpr uint32_t cb_g = tt::CBIndex::c_25;
constexpr uint32_t cb_vb = tt::CBIndex::c_2;
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
    const int32_t M_tiles = get_arg_val<int32_t>(9);
    const int32_t H_div_ceil_64 = get_arg_val<int32_t>(10);
    const int32_t K_div_ceil_64 = get_arg_val<int32_t>(11);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_xb, cb_wb, cb_g);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t row_at = place_in_column + block_id * column_cores;
        const int32_t block_at = place_in_row + row_at * row_cores;
        const int32_t is_own = block_at < M_tiles;
        const int32_t by = block_at < M_tiles - 1 ? block_at : M_tiles - 1;
        cb_reserve_back(cb_acc, 4);
        // assorted.rs:66: for j in 0..H.div_ceil(64)
        for (int32_t j = 0; j < H_div_ceil_64; ++j) {
            // assorted.rs:68: for k in T.Pipelined(0..K.div_ceil(64), num_stages = 2)
            cb_reserve_back(cb_g, 2);
            pack_reconfig_l1_acc(0);
            pack_relu_config(ReluConfig::zero());
            tile_regs_acquire();
            // assorted.rs:68: for k in T.Pipelined(0..K.div_ceil(64), num_stages = 2)
            matmul_block_init(cb_xb, cb_wb, 0, 2, 1, 2);
            for (int32_t k = 0; k < K_div_ceil_64; ++k) {
                cb_wait_front(cb_xb, 2);
                cb_wait_front(cb_wb, 4);
                // assorted.rs:71: T.gemm(xb, wb, h)
                for (int32_t inner = 0; inner < 2; ++inner) {
                    matmul_block(cb_xb, cb_wb, inner, inner * 2, 0, 0, 2, 1, 2);
                }
                cb_pop_front(cb_xb, 2);
                cb_pop_front(cb_wb, 4);
            }
            tile_regs_commit();
            tile_regs_wait();
            pack_reconfig_data_format(cb_g);
            for (int32_t column = 0; column < 2; ++column) {
                pack_tile<true>(column, cb_g, column);
            }
            tile_regs_release();
            cb_push_back(cb_g, 2);
            cb_wait_front(cb_g, 2);
            cb_wait_front(cb_vb, 8);
            if (j + 1 < H_div_ceil_64) {
                // assorted.rs:77: T.gemm(g, vb, acc)
                pack_reconfig_l1_acc(j != 0);
                pack_relu_config(ReluConfig::none());
                tile_regs_acquire();
                matmul_block_init(cb_g, cb_vb, 0, 4, 1, 2);
                for (int32_t inner = 0; inner < 2; ++inner) {
                    matmul_block(cb_g, cb_vb, inner, inner * 4, 0, 0, 4, 1, 2);
                }
                tile_regs_commit();
                tile_regs_wait();
                pack_reconfig_data_format(cb_acc);
                for (int32_t column = 0; column < 4; ++column) {
                    pack_tile<true>(column, cb_acc, column);
                }
                tile_regs_release();
            } else {
                // assorted.rs:79: T.copy(acc, y[(by * 32; 32, 0; 128)])
                cb_push_back(cb_acc, 4);
                cb_wait_front(cb_acc, 4);
                cb_reserve_back(cb_acc_out, 4);
                pack_relu_config(ReluConfig::none());
                tile_regs_acquire();
                if (j != 0) {
                    reconfig_data_format_srca(cb_acc);
                    copy_init(cb_acc);
                    for (int32_t column = 0; column < 4; ++column) {
                        copy_tile(cb_acc, column, column);
                    }
                }
                reconfig_data_format_srca(cb_vb);
                matmul_block_init(cb_g, cb_vb, 0, 4, 1, 2);
                for (int32_t inner = 0; inner < 2; ++inner) {
                    matmul_block(cb_g, cb_vb, inner, inner * 4, 0, 0, 4, 1, 2);
                }
                tile_regs_commit();
                tile_regs_wait();
                for (int32_t column = 0; column < 4; ++column) {
                    pack_tile<true>(column, cb_acc_out, column);
                }
                tile_regs_release();
                cb_push_back(cb_acc_out, 4);
            }
            cb_pop_front(cb_g, 2);
            cb_pop_front(cb_vb, 8);
        }
        cb_pop_front(cb_acc, 4);
    }
}
