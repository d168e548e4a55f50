#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    noc_async_read(get_noc_addr(get_write_ptr(0)), 1464 * 1024 - 16, 32);  // breaks EMU0202
}
