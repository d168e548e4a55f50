#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    const uint32_t from = get_write_ptr(0);
    noc_async_write_multicast(from, get_noc_multicast_addr(21, 19, 18, 18, from), 64, 7);  // breaks EMU0301
}
