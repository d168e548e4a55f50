// shrink: the writer kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_v_out = tt::CBIndex::c_16;
constexpr uint32_t v_out_page_bytes = 4096;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t y_address = get_arg_val<uint32_t>(3);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(4);
    const int32_t N_tiles = get_arg_val<int32_t>(5);
    const int32_t y_page = get_arg_val<int32_t>(6);
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, y_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_div_ceil_64;
        const int32_t by = block_id / N_div_ceil_64;
        cb_wait_front(cb_v_out, 2);
        // classic.rs:138: T.copy(v, y[(by * 32; 32, bx * 64; 64)])
        {
            const int32_t first_row = by;
            const int32_t first_column = bx * 2;
            const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
            uint32_t src = get_read_ptr(cb_v_out);
            for (int32_t row = 0; row < 1; ++row) {
                int32_t column = 0;
                for (; column < columns_within; ++column) {
                    noc_async_write_page(y_page + (first_row + row) * N_tiles + first_column + column, y, src);
                    src += v_out_page_bytes;
                }
                for (; column < 2; ++column) {
                    src += v_out_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_v_out, 2);
    }
    noc_async_write_barrier();
}
