// two: the reader kernel. Generated from assorted.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t cb_tile_rows = tt::CBIndex::c_1;
constexpr uint32_t cb_tile_columns = tt::CBIndex::c_2;
constexpr uint32_t x_page_bytes = 2048;

// A tile of bf16 in which every element is the number of its row, or of its column.
template <bool of_rows>
inline void number_tile(uint32_t address) {
    volatile tt_l1_ptr uint16_t* elements = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(static_cast<uintptr_t>(address));
    for (uint32_t element = 0; element < 1024; ++element) {
        uint32_t number = of_rows ? (element >> 9) * 16 + (element >> 4 & 15) : (element >> 8 & 1) * 16 + (element & 15);
        uint32_t exponent = 134;
        while (exponent > 126 && (number & 128) == 0) {
            number <<= 1;
            --exponent;
        }
        elements[element] = exponent > 126 ? exponent << 7 | (number & 127) : 0;
    }
}

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t a_address = get_arg_val<uint32_t>(3);
    const int32_t N_tiles = get_arg_val<int32_t>(4);
    const int32_t a_page = get_arg_val<int32_t>(5);
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, a_address);

    cb_reserve_back(cb_tile_columns, 1);
    number_tile<false>(get_write_ptr(cb_tile_columns));
    cb_push_back(cb_tile_columns, 1);
    cb_reserve_back(cb_tile_rows, 1);
    number_tile<true>(get_write_ptr(cb_tile_rows));
    cb_push_back(cb_tile_rows, 1);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
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
                    noc_async_read_page(a_page + (first_row + row) * N_tiles + first_column + column, a, dst);
                    dst += x_page_bytes;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_x, 1);
    }
}
