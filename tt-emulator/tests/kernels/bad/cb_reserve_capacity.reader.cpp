#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_reserve_back(0, 5);  // breaks EMU0102
}
