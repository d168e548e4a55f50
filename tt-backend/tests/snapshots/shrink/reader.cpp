// shrink: the reader kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_v_in = tt::CBIndex::c_0;
constexpr uint32_t v_in_page_bytes = 4096;

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
    const uint32_t x_address = get_arg_val<uint32_t>(3);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(4);
    const int32_t N_tiles = get_arg_val<int32_t>(5);
    const int32_t x_page = get_arg_val<int32_t>(6);
    constexpr auto x_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(x_args, x_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t bx = block_id % N_div_ceil_64;
        const int32_t by = block_id / N_div_ceil_64;
        // classic.rs:130: T.copy(x[(by * 32; 32, bx * 64; 64)], v)
        cb_reserve_back(cb_v_in, 2);
        {
            const int32_t first_row = by;
            const int32_t first_column = bx * 2;
            const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
            uint32_t dst = get_write_ptr(cb_v_in);
            for (int32_t row = 0; row < 1; ++row) {
                int32_t column = 0;
                for (; column < columns_within; ++column) {
                    noc_async_read_page(x_page + (first_row + row) * N_tiles + first_column + column, x, dst);
                    dst += v_in_page_bytes;
                }
                for (; column < 2; ++column) {
                    zero_page(dst, v_in_page_bytes);
                    dst += v_in_page_bytes;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_v_in, 2);
    }
}
