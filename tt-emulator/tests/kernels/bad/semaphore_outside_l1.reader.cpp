#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    static uint32_t flag = 0;
    noc_semaphore_wait(&flag, 1);  // breaks EMU0311
}
