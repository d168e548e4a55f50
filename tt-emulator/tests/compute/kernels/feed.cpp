// Reads pages into circular buffers, step by step.
// compile: cb of stream 0 .. 3, then 4 accessors. runtime: 4 addresses, n, then n x (stream, first page, count).
#include "api/dataflow/dataflow_api.h"

template <typename A>
inline void feed(uint32_t cb, const A& pages, uint32_t first, uint32_t count) {
    cb_reserve_back(cb, count);
    const uint32_t bytes = get_tile_size(cb);
    uint32_t to = get_write_ptr(cb);
    for (uint32_t i = 0; i < count; ++i, to += bytes) {
        noc_async_read_page(first + i, pages, to);
    }
    noc_async_read_barrier();
    cb_push_back(cb, count);
}

void kernel_main() {
    constexpr auto a0 = TensorAccessorArgs<4>();
    constexpr auto a1 = TensorAccessorArgs<a0.next_compile_time_args_offset()>();
    constexpr auto a2 = TensorAccessorArgs<a1.next_compile_time_args_offset()>();
    constexpr auto a3 = TensorAccessorArgs<a2.next_compile_time_args_offset()>();
    const auto s0 = TensorAccessor(a0, get_arg_val<uint32_t>(0));
    const auto s1 = TensorAccessor(a1, get_arg_val<uint32_t>(1));
    const auto s2 = TensorAccessor(a2, get_arg_val<uint32_t>(2));
    const auto s3 = TensorAccessor(a3, get_arg_val<uint32_t>(3));
    const uint32_t steps = get_arg_val<uint32_t>(4);
    for (uint32_t step = 0; step < steps; ++step) {
        const uint32_t stream = get_arg_val<uint32_t>(5 + 3 * step);
        const uint32_t first = get_arg_val<uint32_t>(6 + 3 * step);
        const uint32_t count = get_arg_val<uint32_t>(7 + 3 * step);
        if (stream == 0) {
            feed(get_compile_time_arg_val(0), s0, first, count);
        } else if (stream == 1) {
            feed(get_compile_time_arg_val(1), s1, first, count);
        } else if (stream == 2) {
            feed(get_compile_time_arg_val(2), s2, first, count);
        } else {
            feed(get_compile_time_arg_val(3), s3, first, count);
        }
    }
}
