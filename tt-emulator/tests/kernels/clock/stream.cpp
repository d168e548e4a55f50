// Tiles from one circular buffer, or from two, into another, `block` at a time: ReLU of each, their products, or nothing; or tilized.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/relu.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"

constexpr uint32_t a = 0, b = 1, out = 2;

void kernel_main() {
    const uint32_t blocks = get_arg_val<uint32_t>(0);
    const uint32_t block = get_arg_val<uint32_t>(1);
    const uint32_t pages_in = get_arg_val<uint32_t>(2);
    constexpr uint32_t work = get_compile_time_arg_val(0);
    constexpr bool relu = work == 0, multiplies = work == 1, tilizes = work == 3, is_of_two = work == 1 || work == 2;
    compute_kernel_hw_startup(a, is_of_two ? b : a, out);
    if constexpr (relu) {
        copy_init(a);
    } else if constexpr (multiplies) {
        mul_init(a, b);
    } else if constexpr (tilizes) {
        tilize_init(a, block, out);
    }
    for (uint32_t at = 0; at < blocks; ++at) {
        cb_wait_front(a, pages_in);
        if constexpr (is_of_two) {
            cb_wait_front(b, pages_in);
        }
        cb_reserve_back(out, block);
        if constexpr (tilizes) {
            tilize_block(a, block, out);
        } else {
            for (uint32_t tile = 0; tile < block; ++tile) {
                tile_regs_acquire();
                if constexpr (relu) {
                    copy_tile(a, tile, 0);
                    relu_tile_init();
                    relu_tile(0);
                } else if constexpr (multiplies) {
                    mul_tiles(a, b, tile, tile, 0);
                }
                tile_regs_commit();
                tile_regs_wait();
                pack_tile(0, out);
                tile_regs_release();
            }
        }
        cb_push_back(out, block);
        cb_pop_front(a, pages_in);
        if constexpr (is_of_two) {
            cb_pop_front(b, pages_in);
        }
    }
}
