#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    if (cb_pages_available_at_front(0, 1)) {
        cb_wait_front(0, 1);
        cb_pop_front(0, 1);
    }
}
