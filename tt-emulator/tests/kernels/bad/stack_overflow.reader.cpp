#include "api/dataflow/dataflow_api.h"

uint32_t deeper(volatile uint32_t* words, uint32_t depth) {
    volatile uint32_t frame[64];
    frame[depth % 64] = words[0] + depth;
    return depth == 0 ? frame[0] : deeper(frame, depth - 1) + frame[depth % 64];
}

void kernel_main() {
    volatile uint32_t start = get_arg_val<uint32_t>(0);  // breaks EMU0004
    cb_reserve_back(0, deeper(&start, 1 << 20));
}
