// two: the reader kernel. Generated from assorted.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_x = tt::CBIndex::c_0;
constexpr uint32_t x_page_bytes = 2048;

// Zeros in rows first_row .. 32 of a tile. A row is 16 elements in each of two faces.
template <uint32_t element_bytes>
inline void zero_tile_rows(uint32_t address, uint32_t first_row) {
    static_assert(element_bytes == 2 || element_bytes == 4, "tiles of 16-bit or 32-bit elements");
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address));
    constexpr uint32_t row_words = 16 * element_bytes / 4;
    for (uint32_t row = first_row; row < 32; ++row) {
        for (uint32_t half = 0; half < 2; ++half) {
            const uint32_t first = (((row >> 4) * 2 + half) * 16 + (row & 15)) * row_words;
            for (uint32_t word = first; word < first + row_words; ++word) {
                words[word] = 0;
            }
        }
    }
}

// Zeros in columns first_column .. 32 of a tile, element by element: a column may begin inside a word.
template <uint32_t element_bytes>
inline void zero_tile_columns(uint32_t address, uint32_t first_column) {
    static_assert(element_bytes == 2 || element_bytes == 4, "tiles of 16-bit or 32-bit elements");
    for (uint32_t row = 0; row < 32; ++row) {
        for (uint32_t column = first_column; column < 32; ++column) {
            const uint32_t element = (((row >> 4) * 2 + (column >> 4)) * 16 + (row & 15)) * 16 + (column & 15);
            if constexpr (element_bytes == 2) {
                reinterpret_cast<volatile tt_l1_ptr uint16_t*>(static_cast<uintptr_t>(address))[element] = 0;
            } else {
                reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address))[element] = 0;
            }
        }
    }
}

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const uint32_t a_address = get_arg_val<uint32_t>(2);
    const int32_t N_tiles = get_arg_val<int32_t>(3);
    const int32_t M = get_arg_val<int32_t>(4);
    const int32_t M_tiles = get_arg_val<int32_t>(5);
    const int32_t N = get_arg_val<int32_t>(6);
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
            {
                const int32_t filled = M % 32;
                const int32_t edge = M_tiles - 1 - first_row;
                if (filled != 0 && edge >= 0 && edge < 1) {
                    for (int32_t column = 0; column < 1; ++column) {
                        zero_tile_rows<2>(get_write_ptr(cb_x) + (edge + column) * x_page_bytes, filled);
                    }
                }
            }
            {
                const int32_t filled = N % 32;
                const int32_t edge = N_tiles - 1 - first_column;
                if (filled != 0 && edge >= 0 && edge < 1) {
                    for (int32_t row = 0; row < 1; ++row) {
                        zero_tile_columns<2>(get_write_ptr(cb_x) + (row + edge) * x_page_bytes, filled);
                    }
                }
            }
        }
        cb_push_back(cb_x, 1);
    }
}
