// Four tiles become a row-major block, two tiles at a time.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack_untilize.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    pack_untilize_init<2, 4>(0, 16);
    cb_wait_front(0, 4);
    cb_reserve_back(16, 4);
    for (uint32_t block = 0; block < 2; ++block) {
        pack_untilize_block<2, 4>(0, 1, 16, block);
        cb_pop_front(0, 2);
    }
    cb_push_back(16, 4);
    pack_untilize_uninit(16);
}
