// Waits for a word of its L1 by reading it, with no call in the loop; then hands over a page.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    volatile tt_l1_ptr uint32_t* word = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    while (*word != 5) {
    }
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    noc_async_read_page(0, tensor, get_write_ptr(0));
    noc_async_read_barrier();
    cb_push_back(0, 1);
}
