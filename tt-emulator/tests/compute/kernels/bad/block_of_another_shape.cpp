#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"

void kernel_main() {
    compute_kernel_hw_startup<SrcOrder::Reverse>(0, 1, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    matmul_block_init(0, 1, 0, 2, 1, 1);
    tile_regs_acquire();
    matmul_block(0, 1, 0, 0, 0, 0, 1, 2, 1);  // breaks EMU0605
}
