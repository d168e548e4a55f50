#include "api/dataflow/dataflow_api.h"

// Addresses from the start of L1 are this core's as far as L1 goes.
void kernel_main() {
    cb_reserve_back(0, 1);
    const uint32_t address = get_write_ptr(0) & 0x1FFFFF;  // breaks EMU0004
    *(volatile uint32_t*)address = 1;
    *(volatile uint32_t*)(address | 0x1FF000) = 1;
    cb_push_back(0, 1);
}
