// Reads pages of an interleaved buffer, `block` at a time, into circular buffer 0.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb = tt::CBIndex::c_0;
    constexpr uint32_t block = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto source = TensorAccessor(args, address);
    const uint32_t page_bytes = get_tile_size(cb);
    // copy.rs:7
    for (uint32_t page = first; page < first + pages; page += block) {
        cb_reserve_back(cb, block);
        uint32_t to = get_write_ptr(cb);
        for (uint32_t i = 0; i < block; ++i) {
            noc_async_read_page(page + i, source, to);
            to += page_bytes;
        }
        noc_async_read_barrier();
        cb_push_back(cb, block);
    }
}
