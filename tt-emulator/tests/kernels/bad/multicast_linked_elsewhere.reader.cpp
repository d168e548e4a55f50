#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 1);
    const uint32_t from = get_write_ptr(0);
    noc_async_write_multicast(from, get_noc_multicast_addr(18, 18, 21, 19, from), 64, 7, true);
    noc_async_write_multicast(from, get_noc_multicast_addr(18, 18, 21, 18, from), 64, 4);  // breaks EMU0304
}
