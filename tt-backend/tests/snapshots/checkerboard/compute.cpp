// checkerboard: the compute kernel. Generated from classic.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_block = tt::CBIndex::c_24;
constexpr uint32_t cb_block_in = tt::CBIndex::c_0;
constexpr uint32_t cb_block_out = tt::CBIndex::c_16;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t N_tiles = get_arg_val<int32_t>(3);

    compute_kernel_hw_startup(cb_block_in, cb_block_in, cb_block);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_tiles;
        const int32_t by = block_id / N_tiles;
        // classic.rs:145: for half in T.unroll(0..2)
        #pragma GCC unroll 64
        for (int32_t half = 0; half < 2; ++half) {
            // classic.rs:146: if (bx + by + half) % 2 == 0
            if ((bx + by + half) % 2 == 0) {
                cb_wait_front(cb_block_in, 1);
                // classic.rs:147: T.copy(x[(by * 64 + half * 32; 32, bx * 32; 32)], block)
                cb_reserve_back(cb_block, 1);
                tile_regs_acquire();
                reconfig_data_format_srca(cb_block_in);
                copy_init(cb_block_in);
                copy_tile(cb_block_in, 0, 0);
                tile_regs_commit();
                tile_regs_wait();
                pack_tile<true>(0, cb_block, 0);
                tile_regs_release();
                cb_push_back(cb_block, 1);
                cb_wait_front(cb_block, 1);
                cb_pop_front(cb_block_in, 1);
            } else {
                // classic.rs:149: T.fill(block, 1.5)
                cb_reserve_back(cb_block, 1);
                tile_regs_acquire();
                fill_tile_init();
                fill_tile_bitcast(0, 0x3fc00000u /* 1.5 */);
                tile_regs_commit();
                tile_regs_wait();
                pack_tile<true>(0, cb_block, 0);
                tile_regs_release();
                cb_push_back(cb_block, 1);
                cb_wait_front(cb_block, 1);
            }
            // classic.rs:151: T.copy(block, y[(by * 64 + half * 32; 32, bx * 32; 32)])
            cb_reserve_back(cb_block_out, 1);
            tile_regs_acquire();
            reconfig_data_format_srca(cb_block);
            copy_init(cb_block);
            copy_tile(cb_block, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile<true>(0, cb_block_out, 0);
            tile_regs_release();
            cb_push_back(cb_block_out, 1);
            cb_pop_front(cb_block, 1);
        }
    }
}
