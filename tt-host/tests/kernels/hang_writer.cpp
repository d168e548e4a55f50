// Takes one tile more than the reader brings.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(2);
    for (uint32_t tile = 0; tile < count + 1; ++tile) {
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
    }
}
