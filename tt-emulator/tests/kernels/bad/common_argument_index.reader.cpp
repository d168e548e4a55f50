#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t missing = get_common_arg_val<uint32_t>(0);  // breaks EMU0002
    cb_reserve_back(0, missing);
}
