// checkerboard: the writer kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_block_out = tt::CBIndex::c_16;
constexpr uint32_t block_out_page_bytes = 2048;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t y_address = get_arg_val<uint32_t>(3);
    const int32_t N_tiles = get_arg_val<int32_t>(4);
    const int32_t M_tiles = get_arg_val<int32_t>(5);
    const int32_t y_page = get_arg_val<int32_t>(6);
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, y_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_tiles;
        const int32_t by = block_id / N_tiles;
        // classic.rs:145: for half in T.unroll(0..2)
        #pragma GCC unroll 64
        for (int32_t half = 0; half < 2; ++half) {
            cb_wait_front(cb_block_out, 1);
            // classic.rs:151: T.copy(block, y[(by * 64 + half * 32; 32, bx * 32; 32)])
            {
                const int32_t first_row = by * 2 + half;
                const int32_t first_column = bx;
                uint32_t src = get_read_ptr(cb_block_out);
                for (int32_t row = 0; row < 1; ++row) {
                    for (int32_t column = 0; column < 1; ++column) {
                        if (first_row + row < M_tiles) {
                            noc_async_write_page(y_page + (first_row + row) * N_tiles + first_column + column, y, src);
                        }
                        src += block_out_page_bytes;
                    }
                }
                noc_async_writes_flushed();
            }
            cb_pop_front(cb_block_out, 1);
        }
    }
    noc_async_write_barrier();
}
