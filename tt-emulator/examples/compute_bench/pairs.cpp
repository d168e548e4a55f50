// Eight tiles of A, eight of B, in turn. runtime: addresses of A and B, first tile, tiles.
#include "api/dataflow/dataflow_api.h"

template <typename A>
inline void eight(uint32_t cb, const A& pages, uint32_t first) {
    cb_reserve_back(cb, 8);
    const uint32_t bytes = get_tile_size(cb);
    uint32_t to = get_write_ptr(cb);
    for (uint32_t i = 0; i < 8; ++i, to += bytes) {
        noc_async_read_page(first + i, pages, to);
    }
}

void kernel_main() {
    constexpr auto args_a = TensorAccessorArgs<4>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(args_a, get_arg_val<uint32_t>(0));
    const auto b = TensorAccessor(args_b, get_arg_val<uint32_t>(1));
    const uint32_t first = get_arg_val<uint32_t>(2), tiles = get_arg_val<uint32_t>(3);
    for (uint32_t t = first; t < first + tiles; t += 8) {
        eight(0, a, t);
        eight(1, b, t);
        noc_async_read_barrier();
        cb_push_back(0, 8);
        cb_push_back(1, 8);
    }
}
