#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    while (*reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)) == 0) {
        invalidate_l1_cache();  // breaks EMU0003
    }
}
