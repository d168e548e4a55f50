// A token goes round a ring of cores; each adds its number to a word of the next one's L1 and writes what it saw.
#include "api/core_local_mem.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/noc.h"
#include "api/dataflow/noc_semaphore.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t index = get_arg_val<uint32_t>(1);
    const uint32_t next_x = get_arg_val<uint32_t>(2);
    const uint32_t next_y = get_arg_val<uint32_t>(3);
    const uint32_t rounds = get_arg_val<uint32_t>(4);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto target = TensorAccessor(args, address);
    Noc noc;
    CircularBuffer cb(0);
    Semaphore<> turn(0);
    cb.reserve_back(1);
    CoreLocalMem<volatile uint32_t> words(cb.get_write_ptr());
    noc.async_write_zeros(cb, 64);
    noc.write_zeros_l1_barrier();
    for (uint32_t round = 0; round < rounds; ++round) {
        if (index != 0 || round != 0) {
            turn.down(1);
        }
        words[0] = words[0] + index + 1;
        // The word that the next core will add to; a plain write to another core's memory.
        noc.async_write(words, UnicastEndpoint{}, 16, {.offset_bytes = 0}, {.noc_x = next_x, .noc_y = next_y, .addr = words.get_address()});
        noc.async_write_barrier();
        turn.up(noc, next_x, next_y, 1);
        noc.async_atomic_barrier();
    }
    if (index == 0) {
        turn.down(1);
    }
    noc.async_write(words, target, 16, {}, {.page_id = index});
    noc.async_write_barrier();
    cb.push_back(1);
}
