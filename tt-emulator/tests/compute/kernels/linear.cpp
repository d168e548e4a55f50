// relu(A B + bias) over 2x2 tiles: the bias row is put into the registers first, products add to it, the packer cuts.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/bcast.h"

constexpr uint32_t a = 0, b = 1, bias = 2, zero = 3, out = 16;

void kernel_main() {
    compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, out);
    cb_wait_front(a, 4);
    cb_wait_front(b, 4);
    cb_wait_front(bias, 2);
    cb_wait_front(zero, 1);
    tile_regs_acquire();
    reconfig_data_format(zero, bias);
    add_bcast_rows_init(zero, bias);
    for (uint32_t t = 0; t < 4; ++t) {
        add_tiles_bcast_rows(zero, bias, 0, t % 2, t);
    }
    reconfig_data_format(b, a);
    matmul_block_init(a, b, 0, 2, 2, 2);
    for (uint32_t k = 0; k < 2; ++k) {
        matmul_block(a, b, k, k * 2, 0, 0, 2, 2, 2);
    }
    tile_regs_commit();
    pack_relu_config(ReluConfig::zero());
    cb_reserve_back(out, 4);
    tile_regs_wait();
    pack_block(0, out, 4);
    tile_regs_release();
    cb_push_back(out, 4);
    pack_relu_config(ReluConfig::none());
    cb_pop_front(a, 4);
    cb_pop_front(b, 4);
    cb_pop_front(bias, 2);
    cb_pop_front(zero, 1);
}
