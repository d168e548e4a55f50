#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(1, 2);
    cb_wait_front(2, 2);
    cb_wait_front(3, 1);
    cb_wait_front(0, 2), get_local_cb_interface(0).fifo_rd_ptr = 16;  // breaks EMU0113
}
