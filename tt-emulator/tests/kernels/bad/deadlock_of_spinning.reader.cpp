#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* semaphore = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));  // breaks EMU0003
    while (*semaphore == 0) {
    }
}
