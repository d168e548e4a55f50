// two: the reader kernel. Generated from assorted.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t x_page_bytes = 2048;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const uint32_t a_address = get_arg_val<uint32_t>(2);
    const int32_t N_tiles = get_arg_val<int32_t>(3);
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, a_address);

    for (int32_t block_id = start_id; block_id < start_id + count; ++block_id) {
        const int32_t bx = block_id % N_tiles;
        const int32_t by = block_id / N_tiles;
        // assorted.rs:34: T.copy(a[(by * 32; 32, bx * 32; 32)], x)
        cb_reserve_back(cb_x, 1);
        {
            const int32_t first_row = by;
            const int32_t first_column = bx;
            uint32_t dst = get_write_ptr(cb_x);
            for (int32_t row = 0; row < 1; ++row) {
                for (int32_t column = 0; column < 1; ++column) {
                    noc_async_read_page((first_row + row) * N_tiles + first_column + column, a, dst);
                    dst += x_page_bytes;
                }
            }
            noc_async_read_barrier();
        }
        cb_push_back(cb_x, 1);
    }
}
