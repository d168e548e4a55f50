// two: the compute kernel. Generated from assorted.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_y = tt::CBIndex::c_24;
constexpr uint32_t cb_z = tt::CBIndex::c_16;
constexpr uint32_t cb_y_out = tt::CBIndex::c_17;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t N_tiles = get_arg_val<int32_t>(2);
    const int32_t n = get_arg_val<int32_t>(3);
    const uint32_t s = get_arg_val<uint32_t>(4);
    const int32_t s_above = get_arg_val<int32_t>(5);

    compute_kernel_hw_startup(cb_y, cb_y, cb_y);
    copy_init(cb_y);

    for (int32_t block_id = start_id; block_id < start_id + count; ++block_id) {
        const int32_t bx = block_id % N_tiles;
        const int32_t by = block_id / N_tiles;
        cb_wait_front(cb_x, 1);
        // assorted.rs:35: T.fill(y, 0.0)
        cb_reserve_back(cb_y, 1);
        tile_regs_acquire();
        fill_tile_init();
        fill_tile_bitcast(0, 0x00000000u /* 0.0 */);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb_y, 0);
        tile_regs_release();
        cb_push_back(cb_y, 1);
        cb_wait_front(cb_y, 1);
        // assorted.rs:36: for i in 0..n
        for (int32_t i = 0; i < n; ++i) {
            // assorted.rs:38: y[(i, j)] = ((y[(i, j)] * s) + x[(i, j)])
            cb_reserve_back(cb_y, 1);
            tile_regs_acquire();
            reconfig_data_format_srca(cb_y);
            copy_init(cb_y);
            copy_tile(cb_y, 0, 0);
            binop_with_scalar_tile_init();
            mul_unary_tile(0, s);
            reconfig_data_format_srca(cb_x);
            copy_init(cb_x);
            copy_tile(cb_x, 0, 1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile<true>(0, cb_y, 0);
            tile_regs_release();
            cb_push_back(cb_y, 1);
            cb_pop_front(cb_y, 1);
            cb_wait_front(cb_y, 1);
        }
        // assorted.rs:41: if (bx == 0 && s > 0.5)
        if (bx == 0 && s_above != 0) {
            // assorted.rs:43: z[(i, j)] = (y[(i, j)].exp() + (x[(j, i)] * 2.0))
            cb_reserve_back(cb_z, 1);
            tile_regs_acquire();
            reconfig_data_format_srca(cb_y);
            copy_init(cb_y);
            copy_tile(cb_y, 0, 0);
            exp_tile_init<false>();
            exp_tile<false>(0);
            reconfig_data_format_srca(cb_x);
            transpose_init(cb_x);
            transpose_tile(cb_x, 0, 1);
            binop_with_scalar_tile_init();
            mul_unary_tile(1, 0x40000000u /* 2.0 */);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_reconfig_data_format(cb_z);
            pack_tile<true>(0, cb_z, 0);
            tile_regs_release();
            cb_push_back(cb_z, 1);
            cb_pop_front(cb_x, 1);
        } else {
            cb_pop_front(cb_x, 1);
            // assorted.rs:46: T.copy(y, z)
            cb_reserve_back(cb_z, 1);
            tile_regs_acquire();
            reconfig_data_format_srca(cb_y);
            copy_init(cb_y);
            copy_tile(cb_y, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_reconfig_data_format(cb_z);
            pack_tile<true>(0, cb_z, 0);
            tile_regs_release();
            cb_push_back(cb_z, 1);
        }
        // assorted.rs:49: T.copy(y, d[(by * 32; 32, bx * 32; 32)])
        cb_reserve_back(cb_y_out, 1);
        tile_regs_acquire();
        reconfig_data_format_srca(cb_y);
        copy_init(cb_y);
        copy_tile(cb_y, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_y_out);
        pack_tile<true>(0, cb_y_out, 0);
        tile_regs_release();
        cb_push_back(cb_y_out, 1);
        cb_pop_front(cb_y, 1);
    }
}
