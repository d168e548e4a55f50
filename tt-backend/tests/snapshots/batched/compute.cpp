// batched: the compute kernel. Generated from assorted.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose_dest.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_y = tt::CBIndex::c_16;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t K_div_ceil_64_times_M_tiles = get_arg_val<int32_t>(3);
    const int32_t K_div_ceil_64_times_2 = get_arg_val<int32_t>(4);
    const int32_t M_tiles = get_arg_val<int32_t>(5);
    const int32_t K_div_ceil_64 = get_arg_val<int32_t>(6);

    compute_kernel_hw_startup(cb_x, cb_x, cb_y);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bz = block_id / K_div_ceil_64_times_M_tiles;
        const int32_t plane_id = block_id % K_div_ceil_64_times_M_tiles;
        const int32_t band = plane_id / K_div_ceil_64_times_2;
        const int32_t band_row = band * 2;
        const int32_t rows_left = M_tiles - band_row > 1 ? M_tiles - band_row : 1;
        const int32_t rows = rows_left < 2 ? rows_left : 2;
        const int32_t within = plane_id % K_div_ceil_64_times_2;
        const int32_t group_blocks = rows * 4;
        const int32_t group_column = within / group_blocks * 4;
        const int32_t columns_left = K_div_ceil_64 - group_column > 1 ? K_div_ceil_64 - group_column : 1;
        const int32_t columns = columns_left < 4 ? columns_left : 4;
        const int32_t rest = within % group_blocks;
        const int32_t bx = group_column + rest % columns;
        const int32_t by = band_row + rest / columns;
        cb_wait_front(cb_x, 2);
        // assorted.rs:106: T.transpose(x, y)
        cb_reserve_back(cb_y, 2);
        tile_regs_acquire();
        copy_init(cb_x);
        for (int32_t row = 0; row < 2; ++row) {
            copy_tile(cb_x, row, row);
        }
        transpose_dest_init<true>();
        for (int32_t row = 0; row < 2; ++row) {
            transpose_dest<true>(row);
        }
        tile_regs_commit();
        tile_regs_wait();
        for (int32_t row = 0; row < 2; ++row) {
            pack_tile<true>(row, cb_y, row);
        }
        tile_regs_release();
        cb_push_back(cb_y, 2);
        cb_pop_front(cb_x, 2);
    }
}
