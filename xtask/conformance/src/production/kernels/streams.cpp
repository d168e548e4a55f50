// Fills circular buffers from tensors, or, with DRAIN defined, writes what they bring to tensors: in the order of a list.
// Compile-time arguments: number of streams, then the accessor of every stream's tensor.
// Runtime arguments: for every stream its circular buffer, its tensor's address and its first page; then the number of
// steps, and for every step its stream and how many pages it takes.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t streams = get_compile_time_arg_val(0);
    constexpr auto args = make_tensor_accessor_args_tuple<streams, 1>();
    uint32_t buffers[streams];
    uint32_t addresses[streams];
    uint32_t pages[streams];
    int next = 0;
    for (uint32_t stream = 0; stream < streams; stream++) {
        buffers[stream] = get_arg_val<uint32_t>(next++);
        addresses[stream] = get_arg_val<uint32_t>(next++);
        pages[stream] = get_arg_val<uint32_t>(next++);
    }
    const auto accessors = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        return std::make_tuple(TensorAccessor(std::get<Index>(args), addresses[Index])...);
    }(std::make_index_sequence<streams>());
    const auto address = [&](uint32_t stream, uint32_t page) {
        uint64_t found = 0;
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            ((stream == Index ? (found = std::get<Index>(accessors).get_noc_addr(page), 0) : 0), ...);
        }(std::make_index_sequence<streams>());
        return found;
    };
    const uint32_t steps = get_arg_val<uint32_t>(next++);
    for (uint32_t step = 0; step < steps; step++) {
        const uint32_t stream = get_arg_val<uint32_t>(next++);
        const uint32_t count = get_arg_val<uint32_t>(next++);
        const uint32_t bytes = get_local_cb_interface(buffers[stream]).fifo_page_size;
        for (uint32_t page = 0; page < count; page++) {
#ifdef DRAIN
            cb_wait_front(buffers[stream], 1);
            noc_async_write(get_read_ptr(buffers[stream]), address(stream, pages[stream]++), bytes);
            noc_async_writes_flushed();
            cb_pop_front(buffers[stream], 1);
#else
            cb_reserve_back(buffers[stream], 1);
            noc_async_read(address(stream, pages[stream]++), get_write_ptr(buffers[stream]), bytes);
            noc_async_read_barrier();
            cb_push_back(buffers[stream], 1);
#endif
        }
    }
#ifdef DRAIN
    noc_async_write_barrier();
#endif
}
