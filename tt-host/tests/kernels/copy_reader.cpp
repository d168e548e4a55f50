// Brings `count` tiles of a tensor into circular buffer 0, one by one: from `first` on, `step` apart.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t count = get_arg_val<uint32_t>(2);
    const uint32_t step = get_arg_val<uint32_t>(3);
    constexpr auto tensor_args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(tensor_args, address);
    for (uint32_t tile = first; tile < first + count * step; tile += step) {
        cb_reserve_back(0, 1);
        noc_async_read_page(tile, tensor, get_write_ptr(0));
        noc_async_read_barrier();
        cb_push_back(0, 1);
    }
}
