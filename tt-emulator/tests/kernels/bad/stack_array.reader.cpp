#include "api/dataflow/dataflow_api.h"

__attribute__((noinline)) uint32_t first_of_many(uint32_t start) {
    volatile uint32_t words[1 << 20];
    words[0] = start;
    return words[0];
}

void kernel_main() {
    uint32_t start = get_arg_val<uint32_t>(0);  // breaks EMU0004
    cb_reserve_back(0, first_of_many(start));
}
