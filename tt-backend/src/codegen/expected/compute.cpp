// exponential: the compute kernel. Generated from exponential.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x_block = tt::CBIndex::c_0;
constexpr uint32_t cb_y_block = tt::CBIndex::c_1;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t K_blocks = get_arg_val<int32_t>(3);
    const uint32_t alpha_bits = get_arg_val<uint32_t>(4);

    compute_kernel_hw_startup(cb_x_block, cb_x_block, cb_y_block);
    copy_init(cb_x_block);
    exp_tile_init<false>();

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t by = block_id;
        for (int32_t k = 0; k < K_blocks; ++k) {
            // exponential.rs:7: T.fill(x_block, 1.0)
            cb_wait_front(cb_x_block, 4);
            for (int32_t tile_column = 0; tile_column < 4; tile_column += 2) {
                cb_reserve_back(cb_y_block, 2);
                tile_regs_acquire();
                copy_tile(cb_x_block, tile_column, 0);
                copy_tile(cb_x_block, tile_column + 1, 1);
                exp_tile<false>(0);
                exp_tile<false>(1);
                tile_regs_commit();
                tile_regs_wait();
                pack_tile<true>(0, cb_y_block, 0);
                pack_tile<true>(1, cb_y_block, 1);
                tile_regs_release();
                cb_push_back(cb_y_block, 2);
            }
            cb_pop_front(cb_x_block, 4);
        }
    }
}
