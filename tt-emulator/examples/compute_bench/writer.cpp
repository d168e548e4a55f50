// The M x N tiles of one core, row by row of tiles. compile: M, N, accessor. runtime: address, first row and column,
// tiles of a row.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr uint32_t M = get_compile_time_arg_val(0), N = get_compile_time_arg_val(1);
    constexpr auto args = TensorAccessorArgs<2>();
    const auto out = TensorAccessor(args, get_arg_val<uint32_t>(0));
    const uint32_t row = get_arg_val<uint32_t>(1), column = get_arg_val<uint32_t>(2), width = get_arg_val<uint32_t>(3);
    const uint32_t bytes = get_tile_size(16);
    for (uint32_t r = 0; r < M; ++r) {
        cb_wait_front(16, N);
        uint32_t from = get_read_ptr(16);
        for (uint32_t c = 0; c < N; ++c, from += bytes) {
            noc_async_write_page((row + r) * width + column + c, out, from);
        }
        noc_async_writes_flushed();
        cb_pop_front(16, N);
    }
    noc_async_write_barrier();
}
