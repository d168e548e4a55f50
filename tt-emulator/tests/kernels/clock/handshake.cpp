// Hands pages on to a compute kernel that nobody has to read, or takes its pages that nobody has to write.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t cb = get_arg_val<uint32_t>(0);
    const uint32_t pages = get_arg_val<uint32_t>(1);
    const uint32_t rounds = get_arg_val<uint32_t>(2);
    const uint32_t fills = get_arg_val<uint32_t>(3);
    for (uint32_t round = 0; round < rounds; ++round) {
        if (fills) {
            cb_reserve_back(cb, pages);
            cb_push_back(cb, pages);
        } else {
            cb_wait_front(cb, pages);
            cb_pop_front(cb, pages);
        }
    }
}
