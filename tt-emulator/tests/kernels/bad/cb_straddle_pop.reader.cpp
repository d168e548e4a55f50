#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    for (uint32_t i = 0; i < 5; ++i) {
        cb_reserve_back(0, 1);
        cb_push_back(0, 1);
        if (i == 2) {
            cb_wait_front(0, 3);
            cb_pop_front(0, 3);
        }
    }
    cb_wait_front(0, 2);
    cb_pop_front(0, 2);  // breaks EMU0106
}
