#include "api/dataflow/dataflow_api.h"
#include <cstdlib>
#include <unistd.h>

void kernel_main() {
    uint32_t code = get_arg_val<uint32_t>(1);  // breaks EMU0020
    if (code == 7) {
        std::exit(3);
    }
    _exit(code);
}
