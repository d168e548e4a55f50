#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    const uint64_t firmware = get_noc_addr(my_x[0], my_y[0], 0x100);
    noc_async_write(get_write_ptr(0), firmware, 32);  // breaks EMU0202
}
