// Rounds of one of several computations, of a size `n`, on tiles that the kernel makes itself.
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/matmul.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"

constexpr uint32_t a = 0, b = 1, out = 2, c = 3, d = 4, e = 5, f = 6;
constexpr uint32_t filled = 32;
constexpr uint32_t section = DST_ACCUM_MODE ? 4 : 8;
constexpr DataFormat wide_or_not = DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;

// Hands the first registers over to the next pages of a buffer, and acquires no others.
void pack(uint32_t cb, uint32_t tiles = 1) {
    tile_regs_commit();
    tile_regs_wait();
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        pack_tile(tile, cb);
    }
    tile_regs_release();
}

void hand_over(uint32_t cb, uint32_t tiles = 1) {
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(cb, tiles);
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        pack_tile(tile, cb);
    }
    tile_regs_release();
    cb_push_back(cb, tiles);
}

void drop(uint32_t cb, uint32_t tiles = 1) {
    cb_wait_front(cb, tiles);
    cb_pop_front(cb, tiles);
}

void fill(uint32_t cb) {
    cb_reserve_back(cb, filled);
    for (uint32_t page = 0; page < filled; ++page) {
        tile_regs_acquire();
        fill_tile(0, 1.0f);
        pack(cb);
    }
    cb_push_back(cb, filled);
    cb_wait_front(cb, filled);
}

// n additions into one register.
void additions(uint32_t n) {
    add_init(a, b, true);
    tile_regs_acquire();
    for (uint32_t i = 0; i < n; ++i) {
        add_tiles(a, b, i % filled, i % filled, 0);
    }
}

void special(uint32_t n, bool reciprocal, VectorMode scope) {
    copy_init(a);
    tile_regs_acquire();
    copy_tile(a, 0, 0);
    if (reciprocal) {
        recip_tile_init();
    } else {
        rsqrt_tile_init();
    }
    for (uint32_t i = 0; i < n; ++i) {
        if (reciprocal) {
            recip_tile(0, scope);
        } else {
            rsqrt_tile(0);
        }
    }
    hand_over(out);
    drop(out);
}

// n tiles folded into one, each with a product of its own.
template <ReduceDim dim>
void reduction(uint32_t cb, uint32_t n) {
    reduce_init<PoolType::SUM, dim>(cb, b, out);
    tile_regs_acquire();
    for (uint32_t i = 0; i < n; ++i) {
        reduce_tile<PoolType::SUM, dim>(cb, b, i, 0, 0);
    }
    hand_over(out);
    reduce_uninit();
    drop(out);
}

// The sum of n tiles in pairs, and then of what lies in it, by the vector unit.
template <ReduceDim dim>
void reduction_by_vectors(uint32_t n) {
    additions(n / 2);
    sfpu_reduce_init<PoolType::SUM, wide_or_not>();
    sfpu_reduce<PoolType::SUM, wide_or_not, dim>(0);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, 0x3d000000);
    hand_over(out);
    drop(out);
}

// The sum that lies in a buffer of its own, in its own format.
void reduction_of_sum() {
    cb_wait_front(c, 1);
    reconfig_data_format_srcb(c);
    reduction<ReduceDim::REDUCE_ROW>(c, 1);
    reconfig_data_format_srcb(a);
    cb_pop_front(c, 1);
}

// 256 tiles of a product, each block of them with one call.
void product(uint32_t columns, uint32_t rows) {
    const uint32_t tiles = columns * rows;
    matmul_block_init(a, b, 0, columns, rows, 1);
    cb_reserve_back(out, filled);
    for (uint32_t i = 0; i < 256; i += tiles) {
        tile_regs_acquire();
        matmul_block(a, b, 0, 0, 0, 0, columns, rows, 1);
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t tile = 0; tile < tiles; ++tile) {
            pack_tile<true>(tile, out, tile);
        }
        tile_regs_release();
    }
    cb_push_back(out, filled);
    drop(out, filled);
}

// The sum of n tiles through a buffer: unpacked, added to and packed again each time.
void sum_through_buffer(uint32_t n) {
    copy_init(a);
    tile_regs_acquire();
    copy_tile(a, 0, 0);
    hand_over(c);
    add_init(a, c);
    for (uint32_t i = 0; i < n; ++i) {
        cb_wait_front(c, 1);
        tile_regs_acquire();
        add_tiles(a, c, i % filled, 0, 0);
        cb_pop_front(c, 1);
        hand_over(c);
    }
    drop(c);
}

// The sum of n tiles, in pairs or one by one, that the packer adds up.
void sum_by_packer(uint32_t n, bool in_pairs, uint32_t to) {
    if (in_pairs) {
        add_init(a, b);
    } else {
        copy_init(a);
    }
    cb_reserve_back(to, 1);
    for (uint32_t i = 0; i < (in_pairs ? n / 2 : n); ++i) {
        if (i < 2) {
            pack_reconfig_l1_acc(i);
        }
        tile_regs_acquire();
        if (in_pairs) {
            add_tiles(a, b, i % filled, i % filled, 0);
        } else {
            copy_tile(a, i % filled, 0);
        }
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, to, 0);
        tile_regs_release();
    }
    pack_reconfig_l1_acc(0);
    cb_push_back(to, 1);
}

// n blocks of six tiles added up by the vector unit, or by the matrix engine in pairs.
void blocks_by_vectors(uint32_t n) {
    for (uint32_t tile = 0; tile < 6; ++tile) {
        copy_init(a);
        tile_regs_acquire();
        copy_tile(a, tile, 0);
        for (uint32_t i = 1; i < n; ++i) {
            copy_tile(a, i, 1);
            add_binary_tile_init();
            add_binary_tile(0, 1, 0);
        }
        hand_over(out);
    }
    drop(out, 6);
}

void blocks_in_pairs(uint32_t n) {
    for (uint32_t tile = 0; tile < 6; tile += section) {
        const uint32_t tiles = 6 - tile < section ? 6 - tile : section;
        add_init(a, b, true);
        tile_regs_acquire();
        for (uint32_t i = 0; i < n / 2; ++i) {
            for (uint32_t of = 0; of < tiles; ++of) {
                add_tiles(a, b, i, tile + of, of);
            }
        }
        hand_over(out, tiles);
    }
    drop(out, 6);
}

// (A + B) × C of 8 × 4 tiles and 4 × 4, in rows of elements, n rows of tiles in a pass.
void chain(uint32_t n, bool reconfigures) {
    const auto phase = [&](uint32_t first, uint32_t second, uint32_t to) {
        if (reconfigures) {
            reconfig_data_format(first, second);
            pack_reconfig_data_format(to);
        }
    };
    for (uint32_t pass = 0; pass < 8; pass += n) {
        for (uint32_t operand = 0; operand < 2; ++operand) {
            const uint32_t in = operand == 0 ? a : b, tiled = operand == 0 ? c : d;
            phase(in, in, tiled);
            tilize_init(in, 4, tiled);
            for (uint32_t row = 0; row < n; ++row) {
                cb_reserve_back(tiled, 4);
                tilize_block(in, 4, tiled, row * 4);
                cb_push_back(tiled, 4);
            }
            tilize_uninit(in, tiled);
        }
        phase(c, d, e);
        add_init(c, d);
        for (uint32_t row = 0; row < n; ++row) {
            cb_wait_front(c, 4);
            cb_wait_front(d, 4);
            tile_regs_acquire();
            for (uint32_t tile = 0; tile < 4; ++tile) {
                add_tiles(c, d, tile, tile, tile);
            }
            hand_over(e, 4);
            cb_pop_front(c, 4);
            cb_pop_front(d, 4);
        }
        phase(b, e, f);
        matmul_block_init(e, b, 0, 4, 1, 4);
        for (uint32_t row = 0; row < n; ++row) {
            cb_wait_front(e, 4);
            tile_regs_acquire();
            for (uint32_t k = 0; k < 4; ++k) {
                matmul_block(e, b, k, 4 * k, 0, 0, 4, 1, 4);
            }
            hand_over(f, 4);
            cb_pop_front(e, 4);
        }
        phase(f, f, out);
        pack_untilize_init<4, 4>(f, out);
        for (uint32_t row = 0; row < n; ++row) {
            cb_wait_front(f, 4);
            cb_reserve_back(out, 4);
            pack_untilize_block<4, 4>(f, 1, out);
            cb_push_back(out, 4);
            cb_pop_front(f, 4);
            drop(out, 4);
        }
        pack_untilize_uninit(out);
    }
}

enum Work : uint32_t {
    ADDITIONS, RSQRT, RECIP, RECIP_OF_HALF, REDUCE_ROWS, REDUCE_COLUMNS, REDUCE_ALL, ROWS_BY_VECTORS, COLUMNS_BY_VECTORS,
    ROWS_IN_PAIRS, ROWS_ONE_BY_ONE, ROWS_BY_PACKER, PRODUCT, SUM_THROUGH_BUFFER, SUM_BY_PACKER,
    BLOCKS_BY_VECTORS, BLOCKS_IN_PAIRS, CHAIN, CHAIN_RECONFIGURED,
};

void kernel_main() {
    const uint32_t rounds = get_arg_val<uint32_t>(0);
    const uint32_t work = get_arg_val<uint32_t>(1);
    const uint32_t n = get_arg_val<uint32_t>(2);
    // Of a product the first operand goes to the second source.
    if (work == PRODUCT) {
        compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, out);
    } else {
        compute_kernel_hw_startup(a, b, out);
    }
    fill_tile_init();
    pack_reconfig_data_format(a);
    fill(a);
    fill(b);
    pack_reconfig_data_format(out);
    for (uint32_t round = 0; round < rounds; ++round) {
        switch (work) {
            case ADDITIONS: additions(n); hand_over(out); drop(out); break;
            case RSQRT: special(n, false, VectorMode::RC); break;
            case RECIP: special(n, true, VectorMode::RC); break;
            case RECIP_OF_HALF: special(n, true, VectorMode::R); break;
            case REDUCE_ROWS: reduction<ReduceDim::REDUCE_ROW>(a, n); break;
            case REDUCE_COLUMNS: reduction<ReduceDim::REDUCE_COL>(a, n); break;
            case REDUCE_ALL: reduction<ReduceDim::REDUCE_SCALAR>(a, n); break;
            case ROWS_BY_VECTORS: reduction_by_vectors<ReduceDim::REDUCE_ROW>(n); break;
            case COLUMNS_BY_VECTORS: reduction_by_vectors<ReduceDim::REDUCE_COL>(n); break;
            case ROWS_IN_PAIRS:
            case ROWS_ONE_BY_ONE:
                additions(work == ROWS_IN_PAIRS ? n / 2 : n);
                hand_over(c);
                reduction_of_sum();
                break;
            case ROWS_BY_PACKER:
                sum_by_packer(n, false, c);
                reduction_of_sum();
                break;
            case PRODUCT: product(n % 16, n / 16); break;
            case SUM_THROUGH_BUFFER: sum_through_buffer(n); break;
            case SUM_BY_PACKER: sum_by_packer(n, true, out); drop(out); break;
            case BLOCKS_BY_VECTORS: blocks_by_vectors(n); break;
            case BLOCKS_IN_PAIRS: blocks_in_pairs(n); break;
            case CHAIN: chain(n, false); break;
            case CHAIN_RECONFIGURED: chain(n, true); break;
        }
    }
    cb_pop_front(a, filled);
    cb_pop_front(b, filled);
}
