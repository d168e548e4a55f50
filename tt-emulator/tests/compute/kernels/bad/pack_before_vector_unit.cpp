#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/gelu.h"
#include "api/compute/tile_move_copy.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_wait_front(2, 2);
    cb_wait_front(3, 1);
    cb_reserve_back(16, 1);
    copy_init(0);
    gelu_tile_init_pack();
    tile_regs_acquire();
    copy_tile(0, 0, 0);
    tile_regs_commit();
    PACK(TTI_SEMWAIT(p_stall::STALL_TDMA | p_stall::STALL_CFG, semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_ZERO));
    PACK(TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, ckernel::packer::get_packer_dest_offset()));
    gelu_tile_pack(0);
    pack_tile(0, 16);  // breaks EMU0511
}
