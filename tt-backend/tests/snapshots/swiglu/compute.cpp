// swiglu: the compute kernel. Generated from classic.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_gate_block = tt::CBIndex::c_0;
constexpr uint32_t cb_up_block = tt::CBIndex::c_1;
constexpr uint32_t cb_out_block = tt::CBIndex::c_16;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(3);
    const uint32_t scale = get_arg_val<uint32_t>(4);

    compute_kernel_hw_startup(cb_gate_block, cb_gate_block, cb_out_block);
    copy_init(cb_gate_block);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_div_ceil_64;
        const int32_t by = block_id / N_div_ceil_64;
        cb_wait_front(cb_gate_block, 4);
        cb_wait_front(cb_up_block, 4);
        // classic.rs:121: out[(by * 64 + i, bx * 64 + j)] = ((gate[(by * 64 + i, bx * 64 + j)].silu() * up[(by * 64 + i, bx * 64 + j)]) * scale)
        cb_reserve_back(cb_out_block, 4);
        tile_regs_acquire();
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t column = 0; column < 2; ++column) {
                copy_tile(cb_gate_block, row * 2 + column, row * 2 + column);
            }
        }
        silu_tile_init();
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t column = 0; column < 2; ++column) {
                silu_tile(row * 2 + column);
            }
        }
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t column = 0; column < 2; ++column) {
                copy_tile(cb_up_block, row * 2 + column, row * 2 + column + 4);
            }
        }
        mul_binary_tile_init();
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t column = 0; column < 2; ++column) {
                mul_binary_tile(row * 2 + column, row * 2 + column + 4, row * 2 + column);
            }
        }
        binop_with_scalar_tile_init();
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t column = 0; column < 2; ++column) {
                mul_unary_tile(row * 2 + column, scale);
            }
        }
        tile_regs_commit();
        tile_regs_wait();
        for (int32_t row = 0; row < 2; ++row) {
            for (int32_t column = 0; column < 2; ++column) {
                pack_tile<true>(row * 2 + column, cb_out_block, row * 2 + column);
            }
        }
        tile_regs_release();
        cb_push_back(cb_out_block, 4);
        cb_pop_front(cb_gate_block, 4);
        cb_pop_front(cb_up_block, 4);
    }
}
