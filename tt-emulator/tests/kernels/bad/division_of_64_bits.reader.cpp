#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile uint64_t none = 0;
    uint64_t share = 100 / (none + get_arg_val<uint32_t>(1) - 7);  // breaks EMU0021
    cb_reserve_back(0, static_cast<uint32_t>(share) & 1);
}
