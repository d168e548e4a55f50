#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"

// with fp32_dest_acc_en
void kernel_main() {
    compute_kernel_hw_startup<SrcOrder::Reverse>(0, 2, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_wait_front(2, 2);
    cb_wait_front(3, 1);
    cb_reserve_back(16, 1);
    matmul_block_init(2, 0);  // breaks EMU0607
}
