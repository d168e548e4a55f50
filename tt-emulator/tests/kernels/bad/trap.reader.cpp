#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    if (get_arg_val<uint32_t>(1) == 7) {  // breaks EMU0020
        __builtin_trap();
    }
}
