#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_wait_front(2, 2);
    cb_wait_front(3, 1);
    cb_reserve_back(16, 1);
    reconfig_data_format(6, 6);
    add_init(6, 6);
    tile_regs_acquire();
    add_tiles(6, 6, 0, 0, 0);  // breaks EMU0701
}
