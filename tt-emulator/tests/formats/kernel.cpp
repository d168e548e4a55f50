// One operation of the matrix engine, its unpackers or the packer on four tiles; which one is runtime argument 0.
// Buffers 0 and 1 hold the operands, 2 the scalers (tile 0 of ones, tile 1 of fractions), 16 takes four tiles.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/bcast.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"
#include "api/compute/transpose.h"
#include "api/compute/transpose_dest.h"

constexpr uint32_t A = 0, B = 1, S = 2, O = 16, TILES = 4;

template <typename F>
ALWI void each(F math) {
    for (uint32_t i = 0; i < TILES; ++i) {
        tile_regs_acquire();
        math(i);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, O);
        tile_regs_release();
    }
}

template <EltwiseBinaryType op, BroadcastType how>
ALWI void broadcast() {
    bcast_init<op, how>(A, B);
    each([](uint32_t i) { any_tiles_bcast<op, how>(A, B, i, i, 0); });
}

template <EltwiseBinaryReuseDestType how>
ALWI void reuse(uint32_t op) {
    each([=](uint32_t i) {
        reconfig_data_format_srca(A);
        copy_init(A);
        copy_tile(A, i, 0);
        if (how == EltwiseBinaryReuseDestType::DEST_TO_SRCB) {
            reconfig_data_format_srca(B);
        } else {
            reconfig_data_format_srcb(B);
        }
        if (op == 0) {
            add_reuse_dest_init<how>(B);
            add_reuse_dest_tiles<how>(B, i, 0);
        } else if (op == 1) {
            sub_reuse_dest_init<how>(B);
            sub_reuse_dest_tiles<how>(B, i, 0);
        } else {
            mul_reuse_dest_init<how>(B);
            mul_reuse_dest_tiles<how>(B, i, 0);
        }
    });
}

template <PoolType pool, ReduceDim dim>
ALWI void reduction() {
    if (pool != PoolType::MAX && dim == ReduceDim::REDUCE_ROW) {
        reconfig_data_format(S, A);
    } else {
        reconfig_data_format(A, S);
    }
    constexpr uint32_t scaler = pool == PoolType::MAX ? 0 : 1;
    reduce_init<pool, dim>(A, S, O);
    each([](uint32_t i) {
        reduce_tile<pool, dim>(A, S, i, scaler, 0);
        reduce_tile<pool, dim>(A, S, (i + 1) % TILES, scaler, 0);
    });
    reduce_uninit();
}

template <BroadcastType how>
ALWI void spread() {
    unary_bcast_init<how>(A);
    each([](uint32_t i) { unary_bcast<how>(A, i, 0); });
    unary_bcast_uninit<how>(A);
}

ALWI void product(uint32_t transpose) {
    reconfig_data_format<SrcOrder::Reverse>(A, B);
    matmul_init(A, B, transpose);
    each([](uint32_t i) {
        matmul_tiles(A, B, i, i, 0);
        matmul_tiles(A, B, (i + 1) % TILES, (i + 1) % TILES, 0);
    });
}

void kernel_main() {
    const uint32_t op = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(A, B, O);
    cb_wait_front(A, TILES);
    cb_wait_front(B, TILES);
    cb_wait_front(S, 2);
    cb_reserve_back(O, TILES);
    constexpr auto ADD = EltwiseBinaryType::ELWADD, SUB = EltwiseBinaryType::ELWSUB, MUL = EltwiseBinaryType::ELWMUL;
    constexpr auto ROW = ReduceDim::REDUCE_ROW, COL = ReduceDim::REDUCE_COL, ALL = ReduceDim::REDUCE_SCALAR;
    constexpr uint32_t threshold = 0x3fc0;  // 1.5
    switch (op) {
        case 0:
            copy_init(A);
            each([](uint32_t i) { copy_tile(A, i, 0); });
            break;
        case 1:
            add_init(A, B);
            each([](uint32_t i) { add_tiles(A, B, i, i, 0); });
            break;
        case 2:
            sub_init(A, B);
            each([](uint32_t i) { sub_tiles(A, B, i, i, 0); });
            break;
        case 3:
            mul_init(A, B);
            each([](uint32_t i) { mul_tiles(A, B, i, i, 0); });
            break;
        case 4: broadcast<ADD, BroadcastType::COL>(); break;
        case 5: broadcast<SUB, BroadcastType::ROW>(); break;
        case 6: broadcast<MUL, BroadcastType::SCALAR>(); break;
        case 7: broadcast<MUL, BroadcastType::COL>(); break;
        case 8: broadcast<MUL, BroadcastType::ROW>(); break;
        case 9: broadcast<SUB, BroadcastType::SCALAR>(); break;
        case 10: product(0); break;
        case 11: product(1); break;
        case 12: reduction<PoolType::SUM, ROW>(); break;
        case 13: reduction<PoolType::SUM, COL>(); break;
        case 14: reduction<PoolType::SUM, ALL>(); break;
        case 15: reduction<PoolType::AVG, ROW>(); break;
        case 16: reduction<PoolType::AVG, COL>(); break;
        case 17: reduction<PoolType::AVG, ALL>(); break;
        case 18: reduction<PoolType::MAX, ROW>(); break;
        case 19: reduction<PoolType::MAX, COL>(); break;
        case 20: reduction<PoolType::MAX, ALL>(); break;
        case 21:
            transpose_init(A);
            each([](uint32_t i) { transpose_tile(A, i, 0); });
            break;
        case 22:
            each([](uint32_t i) {
                copy_init(A);
                copy_tile(A, i, 0);
                transpose_dest_init<DST_ACCUM_MODE>(A);
                transpose_dest<DST_ACCUM_MODE>(0);
            });
            break;
        case 23: spread<BroadcastType::COL>(); break;
        case 24: spread<BroadcastType::ROW>(); break;
        case 25: spread<BroadcastType::SCALAR>(); break;
        case 26:
        case 27:
        case 28: reuse<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(op - 26); break;
        case 29:
        case 30:
        case 31: reuse<EltwiseBinaryReuseDestType::DEST_TO_SRCB>(op - 29); break;
        case 32:
            mul_init(A, B);
            each([](uint32_t i) {
                mul_tiles(A, B, i, i, 0);
                mul_tiles(A, B, (i + 1) % TILES, (i + 1) % TILES, 0);
            });
            break;
        case 33:
            add_init(A, B, true);
            each([](uint32_t i) {
                add_tiles(A, B, i, i, 0);
                add_tiles(A, B, (i + 1) % TILES, (i + 1) % TILES, 0);
            });
            break;
        case 34:  // the packer adds B to A in L1
            for (uint32_t i = 0; i < TILES; ++i) {
                for (uint32_t addend = 0; addend < 2; ++addend) {
                    const uint32_t from = addend ? B : A;
                    reconfig_data_format_srca(from);
                    copy_init(from);
                    tile_regs_acquire();
                    copy_tile(from, i, 0);
                    tile_regs_commit();
                    tile_regs_wait();
                    pack_reconfig_l1_acc(addend);
                    pack_tile<true>(0, O, i);
                    tile_regs_release();
                }
            }
            pack_reconfig_l1_acc(0);
            break;
        case 35:
        case 36:
        case 37:
            pack_relu_config(
                op == 35 ? ReluConfig::zero() : op == 36 ? ReluConfig::min_threshold(threshold) : ReluConfig::max_threshold(threshold));
            copy_init(A);
            each([](uint32_t i) { copy_tile(A, i, 0); });
            pack_relu_config(ReluConfig::none());
            break;
        case 38:
            pack_untilize_init<TILES>(A, O);
            pack_untilize_block<TILES>(A, 1, O);
            pack_untilize_uninit(O);
            break;
        case 39:
            tilize_init(A, TILES, O);
            tilize_block(A, TILES, O);
            tilize_uninit(A, O);
            break;
        case 40:
            copy_init(A, 1, 1);
            each([](uint32_t i) { copy_tile(A, i, 0); });
            break;
        case 41:
            fast_tilize_init(A, TILES, O);
            fast_tilize_block(A, TILES, O);
            fast_tilize_uninit(A, O, TILES);
            break;
    }
    cb_push_back(O, TILES);
    cb_pop_front(S, 2);
    cb_pop_front(B, TILES);
    cb_pop_front(A, TILES);
}
