// Takes the blocks that multicast_sender.cpp sends.
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"

void kernel_main() {
    const uint32_t blocks = get_arg_val<uint32_t>(0);
    const uint32_t sender_x = get_arg_val<uint32_t>(1);
    const uint32_t sender_y = get_arg_val<uint32_t>(2);
    constexpr uint32_t block = get_compile_time_arg_val(0);
    constexpr bool counting = get_compile_time_arg_val(1);
    CircularBuffer cb(tt::CBIndex::c_0);
    Noc noc;
    Semaphore<> ready(0);
    Semaphore<> valid(1);
    for (uint32_t i = 0; i < blocks; ++i) {
        cb.reserve_back(block);
        if constexpr (!counting) {
            valid.set(INVALID);
        }
        ready.up(noc, sender_x, sender_y, 1);
        if constexpr (counting) {
            valid.wait_min(i + 1);
        } else {
            valid.wait(VALID);
        }
        cb.push_back(block);
    }
    noc.async_atomic_barrier();
}
