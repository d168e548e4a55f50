// Writes pages of its L1 to other cores: by turns to pages of a buffer in their L1; or to one core, with a word that follows each, in step
// with what comes from another.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t pages = get_arg_val<uint32_t>(0);
    const uint32_t bytes = get_arg_val<uint32_t>(1);
    const uint32_t address = get_arg_val<uint32_t>(2);
    const uint32_t receivers = get_arg_val<uint32_t>(3);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, address);
    volatile tt_l1_ptr uint32_t* arrived = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    const uint32_t from = get_write_ptr(0), to = get_write_ptr(1);
    for (uint32_t page = 0; page < pages; ++page) {
        if (address != 0) {
            noc_async_write_page(get_arg_val<uint32_t>(4 + page % receivers), tensor, from);
            continue;
        }
        const uint32_t x = get_arg_val<uint32_t>(4), y = get_arg_val<uint32_t>(5);
        noc_async_write(from, get_noc_addr(x, y, to), bytes);
        noc_async_write_barrier();
        noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
        noc_semaphore_wait_min(arrived, page + 1);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
