// Writes pages to an interleaved buffer, `block` of them before a barrier: from a circular buffer, or the same place of L1 again and again.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t cb = get_arg_val<uint32_t>(0);
    const uint32_t address = get_arg_val<uint32_t>(1);
    const uint32_t block = get_arg_val<uint32_t>(2);
    const uint32_t stride = get_arg_val<uint32_t>(3);
    const uint32_t blocks = get_arg_val<uint32_t>(4);
    const uint32_t first = get_arg_val<uint32_t>(5);
    const uint32_t until_there = get_arg_val<uint32_t>(6);
    const uint32_t rotated = get_arg_val<uint32_t>(7);
    const uint32_t wrap = get_arg_val<uint32_t>(8);
    const uint32_t takes = get_arg_val<uint32_t>(9);
    constexpr uint32_t bytes = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto tensor = TensorAccessor(args, address);
    if (!takes) {
        cb_reserve_back(cb, block);
    }
    for (uint32_t k = 0; k < blocks; ++k) {
        const uint32_t page = (wrap == 0 ? k : k / wrap * wrap + (rotated + k) % wrap) * block;
        if (takes) {
            cb_wait_front(cb, block);
        }
        const uint32_t from = takes ? get_read_ptr(cb) : get_write_ptr(cb);
        for (uint32_t i = 0; i < block; ++i) {
            noc_async_write_page(first + (page + i) * stride, tensor, from + i * bytes);
        }
        if (until_there) {
            noc_async_write_barrier();
        } else {
            noc_async_writes_flushed();
        }
        if (takes) {
            cb_pop_front(cb, block);
        }
    }
    noc_async_write_barrier();
    if (!takes) {
        cb_push_back(cb, block);
    }
}
