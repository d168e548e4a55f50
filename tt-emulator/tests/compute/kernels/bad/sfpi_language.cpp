#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"

// Adds the second register to the first, in the language of the vector unit.
inline void add_registers() {
    for (int i = 0; i < 32; ++i) {
        vFloat sum = dst_reg[i] + dst_reg[32 + i];  // breaks EMU0713
        dst_reg[i] = sum;
    }
}

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 2);
    copy_init(0);
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    copy_tile(0, 1, 1);
    add_registers();
    tile_regs_commit();
    tile_regs_wait();
    tile_regs_release();
}
