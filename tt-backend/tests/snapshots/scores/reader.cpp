// scores: the reader kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_q_block = tt::CBIndex::c_0;
constexpr uint32_t cb_k_block = tt::CBIndex::c_1;
constexpr uint32_t q_block_page_bytes = 2048;
constexpr uint32_t k_block_page_bytes = 2048;

// Zeros in a whole page.
inline void zero_page(uint32_t address, uint32_t bytes) {
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address));
    for (uint32_t word = 0; word < bytes / 4; ++word) {
        words[word] = 0;
    }
}

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
    const uint32_t q_address = get_arg_val<uint32_t>(2);
    const uint32_t k_address = get_arg_val<uint32_t>(3);
    const int32_t R_div_ceil_64 = get_arg_val<int32_t>(4);
    const int32_t D_div_ceil_64 = get_arg_val<int32_t>(5);
    const int32_t S_tiles = get_arg_val<int32_t>(6);
    const int32_t D_tiles = get_arg_val<int32_t>(7);
    const int32_t R_tiles = get_arg_val<int32_t>(8);
    const int32_t S = get_arg_val<int32_t>(9);
    const int32_t D = get_arg_val<int32_t>(10);
    const int32_t R = get_arg_val<int32_t>(11);
    constexpr auto q_args = TensorAccessorArgs<0>();
    const auto q = TensorAccessor(q_args, q_address);
    constexpr auto k_args = TensorAccessorArgs<q_args.next_compile_time_args_offset()>();
    const auto k = TensorAccessor(k_args, k_address);

    for (int32_t block_id = start_id; block_id < start_id + count; ++block_id) {
        const int32_t bx = block_id % R_div_ceil_64;
        const int32_t by = block_id / R_div_ceil_64;
        // classic.rs:87: for d in T.Pipelined(0..D.div_ceil(64), num_stages = 2)
        for (int32_t d = 0; d < D_div_ceil_64; ++d) {
            // classic.rs:88: T.copy(q[(by * 64; 64, d * 64; 64)], q_block)
            cb_reserve_back(cb_q_block, 4);
            // classic.rs:89: T.copy(k[(bx * 64; 64, d * 64; 64)], k_block)
            cb_reserve_back(cb_k_block, 4);
            {
                const int32_t first_row = by * 2;
                const int32_t first_column = d * 2;
                uint32_t dst = get_write_ptr(cb_q_block);
                for (int32_t row = 0; row < 2; ++row) {
                    for (int32_t column = 0; column < 2; ++column) {
                        if (first_row + row < S_tiles && first_column + column < D_tiles) {
                            noc_async_read_page((first_row + row) * D_tiles + first_column + column, q, dst);
                        } else {
                            zero_page(dst, q_block_page_bytes);
                        }
                        dst += q_block_page_bytes;
                    }
                }
            }
            {
                const int32_t first_row = bx * 2;
                const int32_t first_column = d * 2;
                uint32_t dst = get_write_ptr(cb_k_block);
                for (int32_t column = 0; column < 2; ++column) {
                    for (int32_t row = 0; row < 2; ++row) {
                        if (first_row + row < R_tiles && first_column + column < D_tiles) {
                            noc_async_read_page((first_row + row) * D_tiles + first_column + column, k, dst);
                        } else {
                            zero_page(dst, k_block_page_bytes);
                        }
                        dst += k_block_page_bytes;
                    }
                }
            }
            noc_async_read_barrier();
            {
                const int32_t first_row = by * 2;
                {
                    const int32_t filled = S % 32;
                    const int32_t edge = S_tiles - 1 - first_row;
                    if (filled != 0 && edge >= 0 && edge < 2) {
                        for (int32_t column = 0; column < 2; ++column) {
                            zero_tile_rows<2>(get_write_ptr(cb_q_block) + (edge * 2 + column) * q_block_page_bytes, filled);
                        }
                    }
                }
                const int32_t first_column = d * 2;
                {
                    const int32_t filled = D % 32;
                    const int32_t edge = D_tiles - 1 - first_column;
                    if (filled != 0 && edge >= 0 && edge < 2) {
                        for (int32_t row = 0; row < 2; ++row) {
                            zero_tile_columns<2>(get_write_ptr(cb_q_block) + (row * 2 + edge) * q_block_page_bytes, filled);
                        }
                    }
                }
            }
            {
                const int32_t first_row = bx * 2;
                {
                    const int32_t filled = R % 32;
                    const int32_t edge = R_tiles - 1 - first_row;
                    if (filled != 0 && edge >= 0 && edge < 2) {
                        for (int32_t column = 0; column < 2; ++column) {
                            zero_tile_rows<2>(get_write_ptr(cb_k_block) + (column * 2 + edge) * k_block_page_bytes, filled);
                        }
                    }
                }
                const int32_t first_column = d * 2;
                {
                    const int32_t filled = D % 32;
                    const int32_t edge = D_tiles - 1 - first_column;
                    if (filled != 0 && edge >= 0 && edge < 2) {
                        for (int32_t row = 0; row < 2; ++row) {
                            zero_tile_columns<2>(get_write_ptr(cb_k_block) + (edge * 2 + row) * k_block_page_bytes, filled);
                        }
                    }
                }
            }
            cb_push_back(cb_q_block, 4);
            cb_push_back(cb_k_block, 4);
        }
    }
}
