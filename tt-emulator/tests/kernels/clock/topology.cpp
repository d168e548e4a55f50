// Tiles of two operands for every core of a rectangle: each core reads all of its own, or one core of a line reads them and sends them on.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t probes = get_arg_val<uint32_t>(21);
    const uint32_t first_probe = get_arg_val<uint32_t>(22);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, address);
    const uint32_t bytes = get_tile_size(0);
    for (uint32_t phase = 0; phase < 2; ++phase) {
        const auto argument = [phase](uint32_t at) { return get_arg_val<uint32_t>(1 + phase * 10 + at); };
        const uint32_t first = argument(0), count = argument(1), run = argument(2), step = argument(3), receivers = argument(4);
        const uint32_t is_reader = argument(5);
        const uint32_t x = argument(6), y = argument(7), end_x = argument(8), end_y = argument(9);
        const uint32_t ready_id = get_semaphore(2 * phase), valid_id = get_semaphore(2 * phase + 1);
        volatile tt_l1_ptr uint32_t* ready = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(ready_id);
        volatile tt_l1_ptr uint32_t* valid = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(valid_id);
        cb_reserve_back(phase, count);
        const uint32_t to = get_write_ptr(phase);
        if (is_reader) {
            for (uint32_t tile = 0; tile < count; ++tile) {
                noc_async_read_page(first + tile / run * step + tile % run, tensor, to + tile * bytes);
            }
            noc_async_read_barrier();
            if (receivers != 0) {
                noc_semaphore_wait(ready, receivers);
                noc_async_write_multicast(to, get_noc_multicast_addr(x, y, end_x, end_y, to), count * bytes, receivers);
                noc_semaphore_set(valid, VALID);
                noc_semaphore_set_multicast(valid_id, get_noc_multicast_addr(x, y, end_x, end_y, valid_id), receivers);
            }
        } else {
            noc_semaphore_inc(get_noc_addr(x, y, ready_id), 1);
            noc_semaphore_wait(valid, VALID);
        }
        cb_push_back(phase, count);
    }
    for (uint32_t probe = 0; probe < 3; ++probe) {
        noc_async_write_page(first_probe + probe, TensorAccessor(args, probes), get_read_ptr(1) + probe * bytes);
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
