#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    cb_wait_front(0, 5);  // breaks EMU0103
}
