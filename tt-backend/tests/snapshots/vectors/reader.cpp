// vectors: the reader kernel. Generated from assorted.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_row = tt::CBIndex::c_0;
constexpr uint32_t cb_q_block = tt::CBIndex::c_1;
constexpr uint32_t cb_a_block_in = tt::CBIndex::c_2;
constexpr uint32_t cb_a_block_in_2 = tt::CBIndex::c_3;
constexpr uint32_t cb_a_block_in_3 = tt::CBIndex::c_4;
constexpr uint32_t cb_zeros = tt::CBIndex::c_5;
constexpr uint32_t row_page_bytes = 2048;
constexpr uint32_t q_block_page_bytes = 2048;
constexpr uint32_t a_block_in_page_bytes = 2048;
constexpr uint32_t a_block_in_2_page_bytes = 2048;
constexpr uint32_t a_block_in_3_page_bytes = 2048;
constexpr uint32_t zeros_page_bytes = 2048;

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
    const uint32_t a_address = get_arg_val<uint32_t>(2);
    const uint32_t r_address = get_arg_val<uint32_t>(3);
    const uint32_t q_address = get_arg_val<uint32_t>(4);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(5);
    const int32_t N_tiles = get_arg_val<int32_t>(6);
    const int32_t M_tiles = get_arg_val<int32_t>(7);
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, a_address);
    constexpr auto r_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto r = TensorAccessor(r_args, r_address);
    constexpr auto q_args = TensorAccessorArgs<r_args.next_compile_time_args_offset()>();
    const auto q = TensorAccessor(q_args, q_address);

    cb_reserve_back(cb_zeros, 1);
    zero_page(get_write_ptr(cb_zeros), zeros_page_bytes);
    cb_push_back(cb_zeros, 1);

    for (int32_t block_id = start_id; block_id < start_id + count; ++block_id) {
        const int32_t bx = block_id % N_div_ceil_64;
        const int32_t by = block_id / N_div_ceil_64;
        // assorted.rs:91: T.copy(r[(bx * 64; 64)], row)
        cb_reserve_back(cb_row, 2);
        // assorted.rs:93: t[i] = ((q[(by * 64 + i, 0)] * 2.0) + 1.0)
        cb_reserve_back(cb_q_block, 2);
        {
            const int32_t first_row = 0;
            const int32_t first_column = bx * 2;
            uint32_t dst = get_write_ptr(cb_row);
            for (int32_t row = 0; row < 1; ++row) {
                for (int32_t column = 0; column < 2; ++column) {
                    if (first_column + column < N_tiles) {
                        noc_async_read_page((first_row + row) * N_tiles + first_column + column, r, dst);
                    } else {
                        zero_page(dst, row_page_bytes);
                    }
                    dst += row_page_bytes;
                }
            }
        }
        {
            const int32_t first_row = by * 2;
            const int32_t first_column = 0;
            uint32_t dst = get_write_ptr(cb_q_block);
            for (int32_t row = 0; row < 2; ++row) {
                for (int32_t column = 0; column < 1; ++column) {
                    if (first_row + row < M_tiles) {
                        noc_async_read_page(first_row + row + first_column + column, q, dst);
                    } else {
                        zero_page(dst, q_block_page_bytes);
                    }
                    dst += q_block_page_bytes;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_row, 2);
        cb_push_back(cb_q_block, 2);
        // assorted.rs:96: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
        cb_reserve_back(cb_a_block_in, 4);
        // assorted.rs:96: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
        cb_reserve_back(cb_a_block_in_2, 2);
        // assorted.rs:97: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
        cb_reserve_back(cb_a_block_in_3, 2);
        {
            const int32_t first_row = by * 2;
            const int32_t first_column = bx * 2;
            uint32_t dst = get_write_ptr(cb_a_block_in);
            for (int32_t row = 0; row < 2; ++row) {
                for (int32_t column = 0; column < 2; ++column) {
                    if (first_row + row < M_tiles && first_column + column < N_tiles) {
                        noc_async_read_page((first_row + row) * N_tiles + first_column + column, a, dst);
                    } else {
                        zero_page(dst, a_block_in_page_bytes);
                    }
                    dst += a_block_in_page_bytes;
                }
            }
        }
        {
            const int32_t first_row = by * 2;
            const int32_t first_column = 0;
            uint32_t dst = get_write_ptr(cb_a_block_in_2);
            for (int32_t row = 0; row < 2; ++row) {
                for (int32_t column = 0; column < 1; ++column) {
                    if (first_row + row < M_tiles) {
                        noc_async_read_page((first_row + row) * N_tiles + first_column + column, a, dst);
                    } else {
                        zero_page(dst, a_block_in_2_page_bytes);
                    }
                    dst += a_block_in_2_page_bytes;
                }
            }
        }
        {
            const int32_t first_row = 0;
            const int32_t first_column = bx * 2;
            uint32_t dst = get_write_ptr(cb_a_block_in_3);
            for (int32_t row = 0; row < 1; ++row) {
                for (int32_t column = 0; column < 2; ++column) {
                    if (first_column + column < N_tiles) {
                        noc_async_read_page((first_row + row) * N_tiles + first_column + column, a, dst);
                    } else {
                        zero_page(dst, a_block_in_3_page_bytes);
                    }
                    dst += a_block_in_3_page_bytes;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_a_block_in, 4);
        cb_push_back(cb_a_block_in_2, 2);
        cb_push_back(cb_a_block_in_3, 2);
    }
}
