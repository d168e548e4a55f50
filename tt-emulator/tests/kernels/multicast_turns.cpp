// Cores of a row take turns: one reads a page and multicasts it to all, itself among them, then resets its flag for the next.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t own = get_arg_val<uint32_t>(1);
    const uint32_t y = get_arg_val<uint32_t>(2);
    constexpr uint32_t cb = tt::CBIndex::c_0;
    constexpr uint32_t scratch = tt::CBIndex::c_1;
    constexpr uint32_t cores = get_compile_time_arg_val(0);
    constexpr uint32_t pages = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const auto source = TensorAccessor(args, address);
    const uint32_t page_bytes = get_tile_size(cb);
    volatile tt_l1_ptr uint32_t* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    volatile tt_l1_ptr uint32_t* valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    const uint32_t x_start = get_arg_val<uint32_t>(3);
    const uint32_t x_end = get_arg_val<uint32_t>(3 + cores - 1);
    for (uint32_t page = 0; page < pages; ++page) {
        cb_reserve_back(cb, 1);
        noc_semaphore_set(valid, INVALID);
        const uint32_t sender = page % cores;
        if (sender == own) {
            const uint32_t from = get_write_ptr(scratch);
            noc_async_read_page(page, source, from);
            noc_async_read_barrier();
            noc_semaphore_wait(ready, cores - 1);
            noc_semaphore_set(ready, 0);
            const uint64_t data_address = get_noc_multicast_addr(x_start, y, x_end, y, get_write_ptr(cb));
            noc_async_write_multicast_loopback_src(from, data_address, page_bytes, cores, true);
            noc_semaphore_set(valid, VALID);
            const uint64_t valid_address = get_noc_multicast_addr(x_start, y, x_end, y, get_semaphore(1));
            noc_semaphore_set_multicast_loopback_src(get_semaphore(1), valid_address, cores);
            noc_async_writes_flushed();
        } else {
            noc_semaphore_inc(get_noc_addr(get_arg_val<uint32_t>(3 + sender), y, get_semaphore(0)), 1);
        }
        noc_semaphore_wait(valid, VALID);
        cb_push_back(cb, 1);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
