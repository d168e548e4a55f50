#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    noc_async_read_with_state(0x10000, get_write_ptr(0), 32);  // breaks EMU0214
}
