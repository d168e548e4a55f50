#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_wait_front(2, 2);
    cb_wait_front(3, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
    tile_regs_wait();
    tile_regs_wait();  // breaks EMU0504
}
