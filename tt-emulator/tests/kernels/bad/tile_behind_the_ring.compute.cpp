#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 2);
    copy_init(0);
    cb_wait_front(0, 3);
    cb_pop_front(0, 3);
    cb_wait_front(0, 2);
    tile_regs_acquire();
    copy_tile(0, 1, 0);  // breaks EMU0113
}
