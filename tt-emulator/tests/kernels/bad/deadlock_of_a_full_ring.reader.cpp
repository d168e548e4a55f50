#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    for (uint32_t i = 0; i < 5; ++i) {
        cb_reserve_back(0, 1);  // breaks EMU0003
        cb_push_back(0, 1);
    }
}
