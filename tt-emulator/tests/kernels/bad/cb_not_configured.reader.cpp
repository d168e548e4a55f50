#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(5, 1);  // breaks EMU0101
}
