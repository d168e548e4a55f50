// Writes pages of a circular buffer in order. compile: cb, accessor. runtime: address, pages, pages at a time.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t cb = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint32_t pages = get_arg_val<uint32_t>(1), step = get_arg_val<uint32_t>(2);
    const uint32_t bytes = get_tile_size(cb);
    for (uint32_t page = 0; page < pages; page += step) {
        cb_wait_front(cb, step);
        uint32_t from = get_read_ptr(cb);
        for (uint32_t i = 0; i < step; ++i, from += bytes) {
            noc_async_write_page(page + i, out, from);
        }
        noc_async_writes_flushed();
        cb_pop_front(cb, step);
    }
    noc_async_write_barrier();
}
