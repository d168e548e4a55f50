#include "api/dataflow/dataflow_api.h"

// Each core waits for the other one to begin.
void kernel_main() {
    const uintptr_t semaphore = get_semaphore(0);
    noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(semaphore), 1);  // breaks EMU0003
    noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(2), my_y[0], semaphore), 1);
    noc_async_atomic_barrier();
}
