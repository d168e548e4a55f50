// two: the compute kernel. Generated from assorted.rs, do not edit.

#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/comp.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/where.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_y = tt::CBIndex::c_24;
constexpr uint32_t cb_z = tt::CBIndex::c_16;
constexpr uint32_t cb_y_out = tt::CBIndex::c_17;
constexpr uint32_t cb_x_valid = tt::CBIndex::c_25;
constexpr uint32_t cb_y_valid = tt::CBIndex::c_26;
constexpr uint32_t cb_z_valid = tt::CBIndex::c_27;
constexpr uint32_t cb_z_stored = tt::CBIndex::c_18;
constexpr uint32_t cb_tile_rows = tt::CBIndex::c_1;
constexpr uint32_t cb_tile_columns = tt::CBIndex::c_2;
constexpr DataFormat DST_FORMAT = DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;

// The bits as f32 of what is nearest to an integer between two others, rounded to even: the RISCs have no floating point.
inline uint32_t number_bits(int64_t wide_value, int32_t least, int32_t most) {
    const int32_t value = wide_value < least ? least : wide_value > most ? most : static_cast<int32_t>(wide_value);
    uint32_t size = value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
    if (size == 0) {
        return 0;
    }
    uint32_t exponent = 158;
    while ((size & 0x80000000u) == 0) {
        size <<= 1;
        --exponent;
    }
    uint32_t bits = exponent << 23 | (size >> 8 & 0x7fffff);
    const uint32_t cut = size & 0xff;
    bits += cut > 0x80 || (cut == 0x80 && (bits & 1) != 0) ? 1 : 0;
    return value < 0 ? bits | 0x80000000u : bits;
}

// An integer in 64 bits, for sums that 32 bits may not hold.
inline int64_t wide(int32_t value) { return value; }

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t N_tiles = get_arg_val<int32_t>(3);
    const int32_t M = get_arg_val<int32_t>(4);
    const int32_t N = get_arg_val<int32_t>(5);
    const int32_t n = get_arg_val<int32_t>(6);
    const uint32_t s = get_arg_val<uint32_t>(7);
    const int32_t s_above = get_arg_val<int32_t>(8);

    compute_kernel_hw_startup(cb_x_valid, cb_x_valid, cb_x_valid);
    cb_wait_front(cb_tile_columns, 1);
    cb_wait_front(cb_tile_rows, 1);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_tiles;
        const int32_t by = block_id / N_tiles;
        cb_wait_front(cb_x, 1);
        // assorted.rs:34: T.copy(a[(by * 32; 32, bx * 32; 32)], x)
        cb_reserve_back(cb_x_valid, 1);
        tile_regs_acquire();
        fill_tile_init();
        fill_tile_bitcast(0, 0x3f800000u /* 1.0 */);
        if (wide(by) * 32 - wide(M) + 31 >= 0) {
            reconfig_data_format_srca(cb_tile_rows);
            copy_init(cb_tile_rows);
            copy_tile(cb_tile_rows, 0, 1);
            unary_lt_tile_init();
            unary_lt_tile(1, number_bits(wide(M) - wide(by) * 32, 0, 32));
            fill_tile_init();
            fill_tile_bitcast(2, 0x00000000u /* 0.0 */);
            where_tile_init();
            where_tile<DST_FORMAT>(1, 0, 2, 0);
        }
        if (wide(bx) * 32 - wide(N) + 31 >= 0) {
            reconfig_data_format_srca(cb_tile_columns);
            copy_init(cb_tile_columns);
            copy_tile(cb_tile_columns, 0, 1);
            unary_lt_tile_init();
            unary_lt_tile(1, number_bits(wide(N) - wide(bx) * 32, 0, 32));
            fill_tile_init();
            fill_tile_bitcast(2, 0x00000000u /* 0.0 */);
            where_tile_init();
            where_tile<DST_FORMAT>(1, 0, 2, 0);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_x_valid);
        pack_tile<true>(0, cb_x_valid, 0);
        tile_regs_release();
        cb_push_back(cb_x_valid, 1);
        cb_wait_front(cb_x_valid, 1);
        // assorted.rs:35: T.fill(y, 0.0)
        cb_reserve_back(cb_y, 1);
        tile_regs_acquire();
        fill_tile_init();
        fill_tile_bitcast(0, 0x00000000u /* 0.0 */);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_y);
        pack_tile<true>(0, cb_y, 0);
        tile_regs_release();
        cb_push_back(cb_y, 1);
        cb_wait_front(cb_y, 1);
        // assorted.rs:35: T.fill(y, 0.0)
        cb_reserve_back(cb_y_valid, 1);
        tile_regs_acquire();
        fill_tile_bitcast(0, 0x3f800000u /* 1.0 */);
        tile_regs_commit();
        tile_regs_wait();
        pack_reconfig_data_format(cb_y_valid);
        pack_tile<true>(0, cb_y_valid, 0);
        tile_regs_release();
        cb_push_back(cb_y_valid, 1);
        cb_wait_front(cb_y_valid, 1);
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
            pack_reconfig_data_format(cb_y);
            pack_tile<true>(0, cb_y, 0);
            tile_regs_release();
            cb_push_back(cb_y, 1);
            cb_pop_front(cb_y, 1);
            cb_wait_front(cb_y, 1);
            // assorted.rs:38: y[(i, j)] = ((y[(i, j)] * s) + x[(i, j)])
            cb_reserve_back(cb_y_valid, 1);
            tile_regs_acquire();
            copy_tile(cb_y_valid, 0, 0);
            copy_tile(cb_x_valid, 0, 1);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_reconfig_data_format(cb_y_valid);
            pack_tile<true>(0, cb_y_valid, 0);
            tile_regs_release();
            cb_push_back(cb_y_valid, 1);
            cb_pop_front(cb_y_valid, 1);
            cb_wait_front(cb_y_valid, 1);
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
            pack_tile<true>(0, cb_z, 0);
            tile_regs_release();
            cb_push_back(cb_z, 1);
            cb_pop_front(cb_x, 1);
            // assorted.rs:43: z[(i, j)] = (y[(i, j)].exp() + (x[(j, i)] * 2.0))
            cb_reserve_back(cb_z_valid, 1);
            tile_regs_acquire();
            copy_init(cb_y_valid);
            copy_tile(cb_y_valid, 0, 0);
            transpose_init(cb_x_valid);
            transpose_tile(cb_x_valid, 0, 1);
            mul_binary_tile_init();
            mul_binary_tile(0, 1, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile<true>(0, cb_z_valid, 0);
            tile_regs_release();
            cb_push_back(cb_z_valid, 1);
            cb_wait_front(cb_z_valid, 1);
            cb_pop_front(cb_x_valid, 1);
            cb_pop_front(cb_y_valid, 1);
        } else {
            cb_pop_front(cb_x, 1);
            cb_pop_front(cb_x_valid, 1);
            // assorted.rs:46: T.copy(y, z)
            cb_reserve_back(cb_z, 1);
            tile_regs_acquire();
            reconfig_data_format_srca(cb_y);
            copy_init(cb_y);
            copy_tile(cb_y, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile<true>(0, cb_z, 0);
            tile_regs_release();
            cb_push_back(cb_z, 1);
            // assorted.rs:46: T.copy(y, z)
            cb_reserve_back(cb_z_valid, 1);
            tile_regs_acquire();
            reconfig_data_format_srca(cb_y_valid);
            copy_init(cb_y_valid);
            copy_tile(cb_y_valid, 0, 0);
            tile_regs_commit();
            tile_regs_wait();
            pack_tile<true>(0, cb_z_valid, 0);
            tile_regs_release();
            cb_push_back(cb_z_valid, 1);
            cb_wait_front(cb_z_valid, 1);
            cb_pop_front(cb_y_valid, 1);
        }
        // assorted.rs:48: T.copy(z, c[(by * 32; 32, bx * 32; 32)])
        cb_reserve_back(cb_z_stored, 1);
        tile_regs_acquire();
        copy_init(cb_z_valid);
        copy_tile(cb_z_valid, 0, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, cb_z_stored, 0);
        tile_regs_release();
        cb_push_back(cb_z_stored, 1);
        cb_pop_front(cb_z_valid, 1);
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
    cb_pop_front(cb_tile_rows, 1);
    cb_pop_front(cb_tile_columns, 1);
}
