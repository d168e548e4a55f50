#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    cb_push_back(0, 1);
    cb_wait_front(0, 1);
    noc_async_write_page(0, source, get_read_ptr(0));
    cb_pop_front(0, 1);  // breaks EMU0115
    noc_async_write_barrier();
}
