#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    auto* words = reinterpret_cast<volatile uint32_t*>(get_write_ptr(0));  // breaks EMU0004
    for (uint32_t i = 0; i < (1 << 21) / 4; ++i) {
        words[i] = i;
    }
}
