// add: the writer kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_z = tt::CBIndex::c_16;
constexpr uint32_t z_page_bytes = 2048;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t c_address = get_arg_val<uint32_t>(3);
    const int32_t M_div_ceil_128 = get_arg_val<int32_t>(4);
    const int32_t N_tiles = get_arg_val<int32_t>(5);
    const int32_t M_tiles = get_arg_val<int32_t>(6);
    const int32_t c_page = get_arg_val<int32_t>(7);
    constexpr auto c_args = TensorAccessorArgs<0>();
    const auto c = TensorAccessor(c_args, c_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id / M_div_ceil_128;
        const int32_t by = block_id % M_div_ceil_128;
        // classic.rs:109: T.copy(z, c[(by * 128; 128, bx * 128; 128)])
        {
            const int32_t first_row = by * 4;
            const int32_t first_column = bx * 4;
            const int32_t columns_within = N_tiles - first_column < 4 ? N_tiles - first_column : 4;
            uint32_t src = get_read_ptr(cb_z);
            for (int32_t row = 0; row < 4; ++row) {
                cb_wait_front(cb_z, (row + 1) * 4);
                int32_t column = 0;
                if (first_row + row < M_tiles) {
                    for (; column < columns_within; ++column) {
                        noc_async_write_page(c_page + (first_row + row) * N_tiles + first_column + column, c, src);
                        src += z_page_bytes;
                    }
                }
                for (; column < 4; ++column) {
                    src += z_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_wait_front(cb_z, 16);
        cb_pop_front(cb_z, 16);
    }
    noc_async_write_barrier();
}
