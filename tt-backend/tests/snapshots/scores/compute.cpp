// scores: the compute kernel. Generated from classic.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_q_block = tt::CBIndex::c_0;
constexpr uint32_t cb_k_block = tt::CBIndex::c_1;
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
    const int32_t R_div_ceil_64 = get_arg_val<int32_t>(9);
    const int32_t S_div_ceil_64 = get_arg_val<int32_t>(10);
    const int32_t D_div_ceil_64 = get_arg_val<int32_t>(11);
    const uint32_t scale = get_arg_val<uint32_t>(12);

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_q_block, cb_k_block, cb_acc_out);
    matmul_block_init(cb_q_block, cb_k_block, 1, 2, 2, 2);
    binop_with_scalar_tile_init();

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (R_div_ceil_64 + row_cores - 1) / row_cores;
        const int32_t down = (S_div_ceil_64 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id % across * row_cores;
        const int32_t row_at = place_in_column + block_id / across * column_cores;
        const int32_t is_own = column_at < R_div_ceil_64 && row_at < S_div_ceil_64;
        const int32_t bx = column_at < R_div_ceil_64 - 1 ? column_at : R_div_ceil_64 - 1;
        const int32_t by = row_at < S_div_ceil_64 - 1 ? row_at : S_div_ceil_64 - 1;
        // classic.rs:87: for d in T.Pipelined(0..D.div_ceil(64), num_stages = 2)
        cb_reserve_back(cb_acc_out, 4);
        tile_regs_acquire();
        // classic.rs:87: for d in T.Pipelined(0..D.div_ceil(64), num_stages = 2)
        for (int32_t d = 0; d < D_div_ceil_64; ++d) {
            cb_wait_front(cb_q_block, 4);
            cb_wait_front(cb_k_block, 4);
            // classic.rs:90: T.gemm(q_block, k_block, acc, transpose_b = true)
            for (int32_t inner = 0; inner < 2; ++inner) {
                matmul_block(cb_q_block, cb_k_block, inner, inner * 2, 0, 1, 2, 2, 2);
            }
            cb_pop_front(cb_q_block, 4);
            cb_pop_front(cb_k_block, 4);
        }
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t column = 0; column < 2; ++column) {
                mul_unary_tile(row * 2 + column, scale);
            }
        }
        tile_regs_commit();
        tile_regs_wait();
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t column = 0; column < 2; ++column) {
                pack_tile<true>(row * 2 + column, cb_acc_out, row * 2 + column);
            }
        }
        tile_regs_release();
        cb_push_back(cb_acc_out, 4);
    }
}
