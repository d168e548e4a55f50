// A row-major block of four tiles becomes tiles.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tilize.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    tilize_init(0, 4, 16);
    cb_wait_front(0, 4);
    cb_reserve_back(16, 4);
    tilize_block(0, 4, 16);
    cb_push_back(16, 4);
    cb_pop_front(0, 4);
    tilize_uninit(0, 16);
}
