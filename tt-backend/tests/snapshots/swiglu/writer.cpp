// swiglu: the writer kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_out_block = tt::CBIndex::c_16;
constexpr uint32_t out_block_page_bytes = 2048;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t out_address = get_arg_val<uint32_t>(3);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(4);
    const int32_t N_tiles = get_arg_val<int32_t>(5);
    const int32_t M_tiles = get_arg_val<int32_t>(6);
    const int32_t out_page = get_arg_val<int32_t>(7);
    constexpr auto out_args = TensorAccessorArgs<0>();
    const auto out = TensorAccessor(out_args, out_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_div_ceil_64;
        const int32_t by = block_id / N_div_ceil_64;
        cb_wait_front(cb_out_block, 4);
        // classic.rs:121: out[(by * 64 + i, bx * 64 + j)] = ((gate[(by * 64 + i, bx * 64 + j)].silu() * up[(by * 64 + i, bx * 64 + j)]) * scale)
        {
            const int32_t first_row = by * 2;
            const int32_t first_column = bx * 2;
            const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
            uint32_t src = get_read_ptr(cb_out_block);
            for (int32_t row = 0; row < 2; ++row) {
                int32_t column = 0;
                if (first_row + row < M_tiles) {
                    for (; column < columns_within; ++column) {
                        noc_async_write_page(out_page + (first_row + row) * N_tiles + first_column + column, out, src);
                        src += out_block_page_bytes;
                    }
                }
                for (; column < 2; ++column) {
                    src += out_block_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_out_block, 4);
    }
    noc_async_write_barrier();
}
