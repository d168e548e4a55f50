#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(3)), 1);  // breaks EMU0310
}
