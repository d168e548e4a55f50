// Reads blocks of pages and multicasts each to the receivers of a rectangle; handshake by semaphores.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t blocks = get_arg_val<uint32_t>(1);
    const uint32_t x_start = get_arg_val<uint32_t>(2);
    const uint32_t y_start = get_arg_val<uint32_t>(3);
    const uint32_t x_end = get_arg_val<uint32_t>(4);
    const uint32_t y_end = get_arg_val<uint32_t>(5);
    const uint32_t receivers = get_arg_val<uint32_t>(6);
    constexpr uint32_t cb = tt::CBIndex::c_0;
    constexpr uint32_t block = get_compile_time_arg_val(0);
    constexpr bool linked = get_compile_time_arg_val(1);
    constexpr bool counting = get_compile_time_arg_val(2);
    constexpr auto args = TensorAccessorArgs<3>();
    const auto source = TensorAccessor(args, address);
    const uint32_t page_bytes = get_tile_size(cb);
    volatile tt_l1_ptr uint32_t* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    volatile tt_l1_ptr uint32_t* valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    const uint64_t valid_address = get_noc_multicast_addr(x_start, y_start, x_end, y_end, get_semaphore(1));
    for (uint32_t i = 0; i < blocks; ++i) {
        cb_reserve_back(cb, block);
        const uint32_t to = get_write_ptr(cb);
        for (uint32_t page = 0; page < block; ++page) {
            noc_async_read_page(i * block + page, source, to + page * page_bytes);
        }
        noc_async_read_barrier();
        if constexpr (counting) {
            noc_semaphore_wait_min(ready, (i + 1) * receivers);
            noc_semaphore_set(valid, i + 1);
        } else {
            noc_semaphore_wait(ready, receivers);
            noc_semaphore_set(ready, 0);
            noc_semaphore_set(valid, VALID);
        }
        const uint64_t data_address = get_noc_multicast_addr(x_start, y_start, x_end, y_end, to);
        noc_async_write_multicast(to, data_address, block * page_bytes, receivers, linked);
        noc_semaphore_set_multicast(get_semaphore(1), valid_address, receivers);
        noc_async_writes_flushed();
        cb_push_back(cb, block);
    }
    noc_async_write_barrier();
}
