// Takes `count` tiles of a tensor out of circular buffer 0, one by one: from `first` on, `step` apart.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const uint32_t step = get_arg_val<uint32_t>(3);
    constexpr auto tensor_args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(tensor_args, address);
    for (uint32_t tile = first; tile < first + count * step; tile += step) {
        cb_wait_front(0, 1);
        noc_async_write_page(tile, tensor, get_read_ptr(0));
        noc_async_write_barrier();
        cb_pop_front(0, 1);
    }
}
