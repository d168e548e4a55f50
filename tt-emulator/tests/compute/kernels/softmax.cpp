// Softmax along rows of four tiles, one row of tiles at a time: maximum, exp(x - maximum), sum, times its reciprocal.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/reduce.h"
#include "api/compute/bcast.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"

constexpr uint32_t x = 0, one = 1, largest = 24, exps = 25, inverse = 26, out = 16, width = 4;

ALWI void put(uint32_t cb, uint32_t tiles) {
    tile_regs_commit();
    cb_reserve_back(cb, tiles);
    tile_regs_wait();
    pack_block(0, cb, tiles);
    tile_regs_release();
    cb_push_back(cb, tiles);
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(x, one, largest);
    cb_wait_front(one, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        cb_wait_front(x, width);
        reconfig_data_format(x, one);
        pack_reconfig_data_format(largest);
        reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(x, one, largest);
        tile_regs_acquire();
        for (uint32_t t = 0; t < width; ++t) {
            reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(x, one, t, 0, 0);
        }
        put(largest, 1);
        reduce_uninit();

        cb_wait_front(largest, 1);
        reconfig_data_format(x, largest);
        pack_reconfig_data_format(exps);
        sub_bcast_cols_init(x, largest);
        exp_tile_init();
        tile_regs_acquire();
        for (uint32_t t = 0; t < width; ++t) {
            sub_tiles_bcast_cols(x, largest, t, 0, t);
            exp_tile(t);
        }
        put(exps, width);
        cb_pop_front(x, width);
        cb_pop_front(largest, 1);

        cb_wait_front(exps, width);
        reconfig_data_format(one, exps);
        pack_reconfig_data_format(inverse);
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(exps, one, inverse);
        tile_regs_acquire();
        for (uint32_t t = 0; t < width; ++t) {
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(exps, one, t, 0, 0);
        }
        recip_tile_init();
        recip_tile(0, VectorMode::C);
        put(inverse, 1);
        reduce_uninit();

        cb_wait_front(inverse, 1);
        reconfig_data_format(exps, inverse);
        pack_reconfig_data_format(out);
        mul_bcast_cols_init(exps, inverse);
        tile_regs_acquire();
        for (uint32_t t = 0; t < width; ++t) {
            mul_tiles_bcast_cols(exps, inverse, t, 0, t);
        }
        put(out, width);
        cb_pop_front(exps, width);
        cb_pop_front(inverse, 1);
    }
    cb_pop_front(one, 1);
}
