// add: the compute kernel. Generated from classic.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_y = tt::CBIndex::c_1;
constexpr uint32_t cb_z = tt::CBIndex::c_16;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t M_div_ceil_128 = get_arg_val<int32_t>(3);

    compute_kernel_hw_startup(cb_x, cb_y, cb_z);
    add_init(cb_x, cb_y);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id / M_div_ceil_128;
        const int32_t by = block_id % M_div_ceil_128;
        cb_wait_front(cb_x, 16);
        cb_wait_front(cb_y, 16);
        // classic.rs:107: z[(i, j)] = (x[(i, j)] + y[(i, j)])
        cb_reserve_back(cb_z, 16);
        for (int32_t tile_row = 0; tile_row < 4; tile_row += 2) {
            tile_regs_acquire();
            for (int32_t row = 0; row < 2; ++row) {
                for (int32_t column = 0; column < 4; ++column) {
                    add_tiles(cb_x, cb_y, (tile_row + row) * 4 + column, (tile_row + row) * 4 + column, row * 4 + column);
                }
            }
            tile_regs_commit();
            tile_regs_wait();
            for (int32_t row = 0; row < 2; ++row) {
                for (int32_t column = 0; column < 4; ++column) {
                    pack_tile<true>(row * 4 + column, cb_z, row * 4 + column);
                }
            }
            tile_regs_release();
            cb_push_back(cb_z, 8);
        }
        cb_pop_front(cb_x, 16);
        cb_pop_front(cb_y, 16);
    }
}
