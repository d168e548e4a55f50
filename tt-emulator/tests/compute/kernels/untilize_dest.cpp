// Four registers become a row-major block.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 16);
    copy_init(0);
    pack_untilize_dest_init<4>(16);
    cb_wait_front(0, 4);
    tile_regs_acquire();
    copy_block(0, 0, 0, 4);
    tile_regs_commit();
    cb_reserve_back(16, 4);
    tile_regs_wait();
    pack_untilize_dest<4>(16);
    tile_regs_release();
    cb_push_back(16, 4);
    cb_pop_front(0, 4);
    pack_untilize_uninit(16);
}
