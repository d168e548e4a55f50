// shrink: the compute kernel. Generated from classic.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/clamp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/where.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_v_in = tt::CBIndex::c_0;
constexpr uint32_t cb_v_out = tt::CBIndex::c_16;
constexpr DataFormat DST_FORMAT = DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(3);
    const uint32_t threshold = get_arg_val<uint32_t>(4);

    compute_kernel_hw_startup(cb_v_in, cb_v_in, cb_v_out);
    copy_init(cb_v_in);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_div_ceil_64;
        const int32_t by = block_id / N_div_ceil_64;
        cb_wait_front(cb_v_in, 2);
        // classic.rs:132: v[(i, j)] = if (v[(i, j)].abs() > threshold) { v[(i, j)] } else { ((v[(i, j)] * 3.0) - 0.5).tanh().clamp(-0.9, 0.9) }
        cb_reserve_back(cb_v_out, 2);
        for (int32_t tile_column = 0; tile_column < 2; ++tile_column) {
            tile_regs_acquire();
            copy_tile(cb_v_in, tile_column, 0);
            abs_tile_init();
            abs_tile(0);
            fill_tile_init();
            fill_tile_bitcast(1, threshold);
            gt_binary_tile_init();
            gt_binary_tile(0, 1, 0);
            copy_tile(cb_v_in, tile_column, 1);
            copy_tile(cb_v_in, tile_column, 2);
            binop_with_scalar_tile_init();
            mul_unary_tile(2, 0x40400000u /* 3.0 */);
            sub_unary_tile(2, 0x3f000000u /* 0.5 */);
            tanh_tile_init<false>();
            tanh_tile<false>(2);
            clamp_tile_init();
            clamp_tile(2, 0xbf666666u /* -0.9 */, 0x3f666666u /* 0.9 */);
            where_tile_init();
            where_tile<DST_FORMAT>(0, 1, 2, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile<true>(0, cb_v_out, tile_column);
            tile_regs_release();
        }
        cb_push_back(cb_v_out, 2);
        cb_pop_front(cb_v_in, 2);
    }
}
