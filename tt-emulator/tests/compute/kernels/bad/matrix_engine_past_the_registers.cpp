#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/reconfig_data_format.h"

// with fp32_dest_acc_en, unpack_to_dest_fp32 of buffer 2
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_wait_front(2, 2);
    cb_wait_front(3, 1);
    cb_reserve_back(16, 1);
    reconfig_data_format(2, 2);
    add_init(2, 2);
    tile_regs_acquire();
    add_tiles(2, 2, 0, 0, 0);  // breaks EMU0703
}
