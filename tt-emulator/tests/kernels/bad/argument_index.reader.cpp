#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t missing = get_arg_val<uint32_t>(9);  // breaks EMU0002
    cb_reserve_back(0, missing);
}
