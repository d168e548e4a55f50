#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/where.h"

// with fp32_dest_acc_en
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_wait_front(2, 2);
    cb_wait_front(3, 1);
    cb_reserve_back(16, 1);
    fill_tile_init();
    tile_regs_acquire();
    fill_tile(0, 1.0f);
    fill_tile(1, 2.0f);
    fill_tile(2, 3.0f);
    where_tile_init();
    where_tile<DataFormat::Float16_b>(0, 1, 2, 0);  // breaks EMU0706
}
