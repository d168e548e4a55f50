#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    noc_semaphore_inc(get_noc_addr(18, 18, get_semaphore(0)), 1);  // breaks EMU0212
}
