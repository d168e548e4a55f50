// batched: the reader kernel. Generated from assorted.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t x_page_bytes = 4096;

// Zeros in a whole page.
inline void zero_page(uint32_t address, uint32_t bytes) {
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address));
    for (uint32_t word = 0; word < bytes / 4; ++word) {
        words[word] = 0;
    }
}

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t a_address = get_arg_val<uint32_t>(3);
    const int32_t K_div_ceil_64_times_M_tiles = get_arg_val<int32_t>(4);
    const int32_t K_div_ceil_64_times_2 = get_arg_val<int32_t>(5);
    const int32_t M_tiles = get_arg_val<int32_t>(6);
    const int32_t K_div_ceil_64 = get_arg_val<int32_t>(7);
    const int32_t K_tiles = get_arg_val<int32_t>(8);
    const int32_t a_page = get_arg_val<int32_t>(9);
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, a_address);

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
        // assorted.rs:105: T.copy(a[(bz; 1, by * 32; 32, bx * 64; 64)], x)
        cb_reserve_back(cb_x, 2);
        {
            const int32_t first_row = by;
            const int32_t first_column = bx * 2;
            const int32_t columns_within = K_tiles - first_column < 2 ? K_tiles - first_column : 2;
            uint32_t dst = get_write_ptr(cb_x);
            for (int32_t row = 0; row < 1; ++row) {
                int32_t column = 0;
                for (; column < columns_within; ++column) {
                    noc_async_read_page(a_page + (bz * M_tiles + first_row + row) * K_tiles + first_column + column, a, dst);
                    dst += x_page_bytes;
                }
                for (; column < 2; ++column) {
                    zero_page(dst, x_page_bytes);
                    dst += x_page_bytes;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_x, 2);
    }
}
