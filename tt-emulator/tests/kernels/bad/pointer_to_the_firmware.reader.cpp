#include "api/dataflow/dataflow_api.h"

// The first kilobytes of L1 are the firmware's.
void kernel_main() {
    cb_reserve_back(0, 1);
    const uint32_t mailbox = get_write_ptr(0) & 0x70;  // breaks EMU0004
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(mailbox + 16) = 1;
    cb_push_back(0, 1);
}
