#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(0, 2);
    cb_wait_front(1, 2);
    cb_wait_front(2, 2);
    cb_wait_front(3, 1);
    mailbox_write(ThreadId::MathThreadId, read_tile_value(0, 0, 0));
    uint32_t word = mailbox_read(ThreadId::UnpackThreadId);
    word = mailbox_read(ThreadId::UnpackThreadId);  // breaks EMU0711
}
