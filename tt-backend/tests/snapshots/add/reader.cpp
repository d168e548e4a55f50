// add: the reader kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_y = tt::CBIndex::c_1;
constexpr uint32_t x_page_bytes = 2048;
constexpr uint32_t y_page_bytes = 2048;

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
    const uint32_t b_address = get_arg_val<uint32_t>(4);
    const int32_t M_div_ceil_128 = get_arg_val<int32_t>(5);
    const int32_t N_tiles = get_arg_val<int32_t>(6);
    const int32_t M_tiles = get_arg_val<int32_t>(7);
    const int32_t a_page = get_arg_val<int32_t>(8);
    const int32_t b_page = get_arg_val<int32_t>(9);
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, a_address);
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto b = TensorAccessor(b_args, b_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id / M_div_ceil_128;
        const int32_t by = block_id % M_div_ceil_128;
        // classic.rs:104: T.copy(a[(by * 128; 128, bx * 128; 128)], x)
        cb_reserve_back(cb_x, 16);
        // classic.rs:105: T.copy(b[(by * 128; 128, bx * 128; 128)], y)
        cb_reserve_back(cb_y, 16);
        {
            const int32_t first_row = by * 4;
            const int32_t first_column = bx * 4;
            const int32_t columns_within = N_tiles - first_column < 4 ? N_tiles - first_column : 4;
            uint32_t dst = get_write_ptr(cb_x);
            for (int32_t row = 0; row < 4; ++row) {
                int32_t column = 0;
                if (first_row + row < M_tiles) {
                    for (; column < columns_within; ++column) {
                        noc_async_read_page(a_page + (first_row + row) * N_tiles + first_column + column, a, dst);
                        dst += x_page_bytes;
                    }
                }
                for (; column < 4; ++column) {
                    zero_page(dst, x_page_bytes);
                    dst += x_page_bytes;
                }
            }
        }
        {
            const int32_t first_row = by * 4;
            const int32_t first_column = bx * 4;
            const int32_t columns_within = N_tiles - first_column < 4 ? N_tiles - first_column : 4;
            uint32_t dst = get_write_ptr(cb_y);
            for (int32_t row = 0; row < 4; ++row) {
                int32_t column = 0;
                if (first_row + row < M_tiles) {
                    for (; column < columns_within; ++column) {
                        noc_async_read_page(b_page + (first_row + row) * N_tiles + first_column + column, b, dst);
                        dst += y_page_bytes;
                    }
                }
                for (; column < 4; ++column) {
                    zero_page(dst, y_page_bytes);
                    dst += y_page_bytes;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_x, 16);
        cb_push_back(cb_y, 16);
    }
}
