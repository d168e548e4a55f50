// Blocks of A (M x KB tiles) and B (KB x N tiles) of one core, read row by row of tiles.
// compile: M, N, KB, blocks, accessors of A and B. runtime: addresses of A and B, first row and column of tiles, tiles
// of a row of A and of B.
#include "api/dataflow/dataflow_api.h"

template <typename A>
inline void block(uint32_t cb, const A& pages, uint32_t first, uint32_t rows, uint32_t columns, uint32_t stride) {
    cb_reserve_back(cb, rows * columns);
    const uint32_t bytes = get_tile_size(cb);
    uint32_t to = get_write_ptr(cb);
    for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < columns; ++c, to += bytes) {
            noc_async_read_page(first + r * stride + c, pages, to);
        }
    }
    noc_async_read_barrier();
    cb_push_back(cb, rows * columns);
}

void kernel_main() {
    constexpr uint32_t M = get_compile_time_arg_val(0), N = get_compile_time_arg_val(1);
    constexpr uint32_t KB = get_compile_time_arg_val(2), blocks = get_compile_time_arg_val(3);
    constexpr auto args_a = TensorAccessorArgs<4>();
    constexpr auto args_b = TensorAccessorArgs<args_a.next_compile_time_args_offset()>();
    const auto a = TensorAccessor(args_a, get_arg_val<uint32_t>(0));
    const auto b = TensorAccessor(args_b, get_arg_val<uint32_t>(1));
    const uint32_t row = get_arg_val<uint32_t>(2), column = get_arg_val<uint32_t>(3);
    const uint32_t width_a = get_arg_val<uint32_t>(4), width_b = get_arg_val<uint32_t>(5);
    for (uint32_t k = 0; k < blocks; ++k) {
        block(0, a, row * width_a + k * KB, M, KB, width_a);
        block(1, b, k * KB * width_b + column, KB, N, width_b);
    }
}
