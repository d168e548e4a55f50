// batched: the writer kernel. Generated from assorted.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_y = tt::CBIndex::c_16;
constexpr uint32_t y_page_bytes = 4096;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t c_address = get_arg_val<uint32_t>(3);
    const int32_t K_div_ceil_64_times_M_tiles = get_arg_val<int32_t>(4);
    const int32_t K_div_ceil_64_times_2 = get_arg_val<int32_t>(5);
    const int32_t M_tiles = get_arg_val<int32_t>(6);
    const int32_t K_div_ceil_64 = get_arg_val<int32_t>(7);
    const int32_t K_tiles = get_arg_val<int32_t>(8);
    const int32_t c_page = get_arg_val<int32_t>(9);
    constexpr auto c_args = TensorAccessorArgs<0>();
    const auto c = TensorAccessor(c_args, c_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bz = block_id / K_div_ceil_64_times_M_tiles;
        const int32_t plane_id = block_id % K_div_ceil_64_times_M_tiles;
        const int32_t band = plane_id / K_div_ceil_64_times_2;
        const int32_t band_row = band * 2;
        const int32_t rows_left = M_tiles - band_row > 1 ? M_tiles - band_row : 1;
        const int32_t rows = rows_left < 2 ? rows_left : 2;
        const int32_t within = plane_id % K_div_ceil_64_times_2;
        const int32_t group_blocks = rows * 4;
        const int32_t group_column = within / group_blocks * 4;
        const int32_t columns_left = K_div_ceil_64 - group_column > 1 ? K_div_ceil_64 - group_column : 1;
        const int32_t columns = columns_left < 4 ? columns_left : 4;
        const int32_t rest = within % group_blocks;
        const int32_t bx = group_column + rest % columns;
        const int32_t by = band_row + rest / columns;
        cb_wait_front(cb_y, 2);
        // assorted.rs:107: T.copy(y, c[(bz; 1, bx * 64; 64, by * 32; 32)])
        {
            const int32_t first_row = bx * 2;
            const int32_t first_column = by;
            const int32_t rows_within = K_tiles - first_row < 2 ? K_tiles - first_row : 2;
            uint32_t src = get_read_ptr(cb_y);
            for (int32_t column = 0; column < 1; ++column) {
                int32_t row = 0;
                for (; row < rows_within; ++row) {
                    noc_async_write_page(c_page + (bz * K_tiles + first_row + row) * M_tiles + first_column + column, c, src);
                    src += y_page_bytes;
                }
                for (; row < 2; ++row) {
                    src += y_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_y, 2);
    }
    noc_async_write_barrier();
}
