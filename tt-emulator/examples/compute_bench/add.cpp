// Adds tile by tile, eight at a time. runtime: tiles.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    const uint32_t tiles = get_arg_val<uint32_t>(0);
    compute_kernel_hw_startup(0, 1, 16);
    add_init(0, 1);
    for (uint32_t t = 0; t < tiles; t += 8) {
        cb_wait_front(0, 8);
        cb_wait_front(1, 8);
        tile_regs_acquire();
        add_block(0, 1, 0, 0, 0, 8);
        tile_regs_commit();
        cb_pop_front(0, 8);
        cb_pop_front(1, 8);
        cb_reserve_back(16, 8);
        tile_regs_wait();
        pack_block(0, 16, 8);
        tile_regs_release();
        cb_push_back(16, 8);
    }
}
