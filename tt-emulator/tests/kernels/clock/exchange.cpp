// The cores of a row take turns: each sends chunks to the others, one by one or to all at once, as soon as all are ready for it.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t rounds = get_arg_val<uint32_t>(0);
    const uint32_t bytes = get_arg_val<uint32_t>(1);
    const uint32_t chunks = get_arg_val<uint32_t>(2);
    const uint32_t to_all = get_arg_val<uint32_t>(3);
    const uint32_t own = get_arg_val<uint32_t>(4);
    const uint32_t cores = get_arg_val<uint32_t>(5);
    const uint32_t y = get_arg_val<uint32_t>(6);
    const auto column = [](uint32_t core) { return get_arg_val<uint32_t>(7 + core); };
    volatile tt_l1_ptr uint32_t* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(0));
    volatile tt_l1_ptr uint32_t* valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1));
    const uint32_t from = get_write_ptr(0), to = get_write_ptr(1);
    uint32_t sent = 0, sent_by_all = 0, received = 0;
    for (uint32_t round = 0; round < rounds * cores; ++round) {
        const uint32_t sender = round % cores;
        for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
            ++sent_by_all;
            if (sender != own) {
                ++received;
                noc_semaphore_inc(get_noc_addr(column(sender), y, get_semaphore(0)), 1);
                noc_semaphore_wait_min(valid, to_all ? sent_by_all : received);
                continue;
            }
            ++sent;
            noc_semaphore_wait_min(ready, sent * (cores - 1));
            if (to_all) {
                noc_semaphore_set(valid, sent_by_all);
                const uint32_t first = column(0), last = column(cores - 1);
                noc_async_write_multicast(from, get_noc_multicast_addr(first, y, last, y, to), bytes, cores - 1);
                noc_semaphore_set_multicast(get_semaphore(1), get_noc_multicast_addr(first, y, last, y, get_semaphore(1)), cores - 1);
            } else {
                for (uint32_t core = 0; core < cores; ++core) {
                    if (core != own) {
                        noc_async_write(from, get_noc_addr(column(core), y, to), bytes);
                        noc_semaphore_inc(get_noc_addr(column(core), y, get_semaphore(1)), 1);
                    }
                }
            }
            noc_async_writes_flushed();
        }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
