#include "api/dataflow/dataflow_api.h"
#include <cstdlib>

void kernel_main() {
    if (get_arg_val<uint32_t>(1) == 7) {  // breaks EMU0020
        std::abort();
    }
}
