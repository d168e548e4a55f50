#include "api/dataflow/dataflow_api.h"

// L1 addresses as the host knows them are offsets; on the emulator a pointer needs the core's own base.
void kernel_main() {
    cb_reserve_back(0, 1);
    const uint32_t offset = get_write_ptr(0) & 0x1FFFFF;  // breaks EMU0004
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(offset)) = 1;
    cb_push_back(0, 1);
}
