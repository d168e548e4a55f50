// Tells the reader, in the same way, and writes the page that comes.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0)) = 5;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_wait_front(0, 1);
    noc_async_write_page(0, tensor, get_read_ptr(0));
    noc_async_write_barrier();
    cb_pop_front(0, 1);
}
