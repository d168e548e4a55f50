// matmul_256: the compute kernel. Generated from classic.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"

constexpr uint32_t cb_a_tile = tt::CBIndex::c_0;
constexpr uint32_t cb_b_tile = tt::CBIndex::c_1;
constexpr uint32_t cb_c_tile_out = tt::CBIndex::c_16;

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

    compute_kernel_hw_startup<SrcOrder::Reverse>(cb_a_tile, cb_b_tile, cb_c_tile_out);
    matmul_block_init(cb_a_tile, cb_b_tile, 0, 1, 1, 1);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (8 + row_cores - 1) / row_cores;
        const int32_t down = (8 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id % across * row_cores;
        const int32_t row_at = place_in_column + block_id / across * column_cores;
        const int32_t is_own = column_at < 8 && row_at < 8;
        const int32_t bx = column_at < 8 - 1 ? column_at : 8 - 1;
        const int32_t by = row_at < 8 - 1 ? row_at : 8 - 1;
        // classic.rs:29: for step in 0..8
        cb_reserve_back(cb_c_tile_out, 1);
        tile_regs_acquire();
        // classic.rs:29: for step in 0..8
        for (int32_t step = 0; step < 8; ++step) {
            cb_wait_front(cb_a_tile, 1);
            cb_wait_front(cb_b_tile, 1);
            // classic.rs:32: T.gemm(a_tile, b_tile, c_tile)
            matmul_block(cb_a_tile, cb_b_tile, 0, 0, 0, 0, 1, 1, 1);
            cb_pop_front(cb_a_tile, 1);
            cb_pop_front(cb_b_tile, 1);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb_c_tile_out, 0);
        tile_regs_release();
        cb_push_back(cb_c_tile_out, 1);
    }
}
