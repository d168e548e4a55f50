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

// Tells the sender of a line that there is room for a version here.
inline void expect_version(uint32_t, uint32_t ready, uint32_t sender_x, uint32_t sender_y) {
    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, get_semaphore(ready)), 1);
}

// Sends a version to the other cores of a line, once all of them have said as often that they have room as there were versions, and
// then its number. What is linked arrives in this order. It has left when writes are flushed.
inline void send_version(
    uint32_t address, uint32_t bytes, uint32_t number, uint32_t others, uint32_t ready, uint32_t sent,
    uint32_t first_x, uint32_t first_y, uint32_t last_x, uint32_t last_y) {
    const uint32_t count = get_semaphore(ready);
    const uint32_t mark = get_semaphore(sent);
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(mark)), number);
    if (others == 0) {
        return;
    }
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(count)), number * others);
    noc_async_write_multicast(
        address, get_noc_multicast_addr(first_x, first_y, last_x, last_y, address), bytes, others, true);
    noc_semaphore_set_multicast(mark, get_noc_multicast_addr(first_x, first_y, last_x, last_y, mark), others);
}

// Waits until a version is there, which the sender of a line sends to where it is there too.
inline void receive_version(uint32_t, uint32_t number, uint32_t sent) {
    const uint32_t mark = get_semaphore(sent);
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(mark)), number);
}

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t place_in_row = get_arg_val<int32_t>(3);
    const int32_t row_cores = get_arg_val<int32_t>(4);
    const int32_t row_sender = get_arg_val<int32_t>(5);
    const int32_t place_in_column = get_arg_val<int32_t>(6);
    const int32_t column_cores = get_arg_val<int32_t>(7);
    const int32_t column_sender = get_arg_val<int32_t>(8);
    const int32_t row_every = get_arg_val<int32_t>(9);
    const int32_t column_every = get_arg_val<int32_t>(10);
    const uint32_t row_sender_x = get_arg_val<uint32_t>(11);
    const uint32_t row_sender_y = get_arg_val<uint32_t>(12);
    const uint32_t row_first_x = get_arg_val<uint32_t>(13);
    const uint32_t row_first_y = get_arg_val<uint32_t>(14);
    const uint32_t row_last_x = get_arg_val<uint32_t>(15);
    const uint32_t row_last_y = get_arg_val<uint32_t>(16);
    const uint32_t column_sender_x = get_arg_val<uint32_t>(17);
    const uint32_t column_sender_y = get_arg_val<uint32_t>(18);
    const uint32_t column_first_x = get_arg_val<uint32_t>(19);
    const uint32_t column_first_y = get_arg_val<uint32_t>(20);
    const uint32_t column_last_x = get_arg_val<uint32_t>(21);
    const uint32_t column_last_y = get_arg_val<uint32_t>(22);
    const uint32_t a_address = get_arg_val<uint32_t>(23);
    const uint32_t r_address = get_arg_val<uint32_t>(24);
    const uint32_t q_address = get_arg_val<uint32_t>(25);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(26);
    const int32_t M_div_ceil_64 = get_arg_val<int32_t>(27);
    const int32_t N_tiles = get_arg_val<int32_t>(28);
    const int32_t r_page = get_arg_val<int32_t>(29);
    const int32_t M_tiles = get_arg_val<int32_t>(30);
    const int32_t q_page = get_arg_val<int32_t>(31);
    const int32_t a_page = get_arg_val<int32_t>(32);
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, a_address);
    constexpr auto r_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto r = TensorAccessor(r_args, r_address);
    constexpr auto q_args = TensorAccessorArgs<r_args.next_compile_time_args_offset()>();
    const auto q = TensorAccessor(q_args, q_address);

    uint32_t column_versions = 0;
    uint32_t row_versions = 0;
    cb_reserve_back(cb_zeros, 1);
    zero_page(get_write_ptr(cb_zeros), zeros_page_bytes);
    cb_push_back(cb_zeros, 1);
    cb_reserve_back(cb_row, 2);
    cb_push_back(cb_row, 2);
    cb_reserve_back(cb_q_block, 2);
    cb_push_back(cb_q_block, 2);
    cb_reserve_back(cb_a_block_in_2, 2);
    cb_push_back(cb_a_block_in_2, 2);
    cb_reserve_back(cb_a_block_in_3, 2);
    cb_push_back(cb_a_block_in_3, 2);
    int32_t bx_before = -1;
    int32_t by_before = -1;

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (N_div_ceil_64 + row_cores - 1) / row_cores;
        const int32_t down = (M_div_ceil_64 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id / row_every % across * row_cores;
        const int32_t row_at = place_in_column + block_id / column_every % down * column_cores;
        const int32_t is_own = column_at < N_div_ceil_64 && row_at < M_div_ceil_64;
        const int32_t bx = column_at < N_div_ceil_64 - 1 ? column_at : N_div_ceil_64 - 1;
        const int32_t by = row_at < M_div_ceil_64 - 1 ? row_at : M_div_ceil_64 - 1;
        // assorted.rs:91: T.copy(r[(bx * 64; 64)], row)
        if (bx != bx_before) {
            // assorted.rs:91: T.copy(r[(bx * 64; 64)], row)
            cb_reserve_back(cb_row, 2);
            column_versions += 1;
            if (place_in_column == column_sender) {
                const int32_t first_row = 0;
                const int32_t first_column = bx * 2;
                const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
                uint32_t dst = get_write_ptr(cb_row);
                for (int32_t row = 0; row < 1; ++row) {
                    int32_t column = 0;
                    for (; column < columns_within; ++column) {
                        noc_async_read_page(r_page + (first_row + row) * N_tiles + first_column + column, r, dst);
                        dst += row_page_bytes;
                    }
                    for (; column < 2; ++column) {
                        zero_page(dst, row_page_bytes);
                        dst += row_page_bytes;
                    }
                }
            } else {
                expect_version(get_write_ptr(cb_row), 2, column_sender_x, column_sender_y);
            }
            noc_async_read_barrier();
            if (place_in_column == column_sender) {
                send_version(get_write_ptr(cb_row), 2 * row_page_bytes, column_versions, column_cores - 1, 2, 3, column_first_x, column_first_y, column_last_x, column_last_y);
            }
            noc_async_writes_flushed();
            receive_version(get_write_ptr(cb_row), column_versions, 3);
            cb_push_back(cb_row, 2);
        }
        // assorted.rs:93: t[i] = ((q[(by * 64 + i, 0)] * 2.0) + 1.0)
        if (by != by_before) {
            // assorted.rs:93: t[i] = ((q[(by * 64 + i, 0)] * 2.0) + 1.0)
            cb_reserve_back(cb_q_block, 2);
            row_versions += 1;
            if (place_in_row == row_sender) {
                const int32_t first_row = by * 2;
                const int32_t first_column = 0;
                const int32_t rows_within = M_tiles - first_row < 2 ? M_tiles - first_row : 2;
                uint32_t dst = get_write_ptr(cb_q_block);
                for (int32_t column = 0; column < 1; ++column) {
                    int32_t row = 0;
                    for (; row < rows_within; ++row) {
                        noc_async_read_page(q_page + first_row + row + first_column + column, q, dst);
                        dst += q_block_page_bytes;
                    }
                    for (; row < 2; ++row) {
                        zero_page(dst, q_block_page_bytes);
                        dst += q_block_page_bytes;
                    }
                }
            } else {
                expect_version(get_write_ptr(cb_q_block), 0, row_sender_x, row_sender_y);
            }
            noc_async_read_barrier();
            if (place_in_row == row_sender) {
                send_version(get_write_ptr(cb_q_block), 2 * q_block_page_bytes, row_versions, row_cores - 1, 0, 1, row_first_x, row_first_y, row_last_x, row_last_y);
            }
            noc_async_writes_flushed();
            receive_version(get_write_ptr(cb_q_block), row_versions, 1);
            cb_push_back(cb_q_block, 2);
        }
        // assorted.rs:96: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
        if (by != by_before) {
            // assorted.rs:96: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
            cb_reserve_back(cb_a_block_in_2, 2);
            row_versions += 1;
            if (place_in_row == row_sender) {
                const int32_t first_row = by * 2;
                const int32_t first_column = 0;
                const int32_t rows_within = M_tiles - first_row < 2 ? M_tiles - first_row : 2;
                uint32_t dst = get_write_ptr(cb_a_block_in_2);
                for (int32_t column = 0; column < 1; ++column) {
                    int32_t row = 0;
                    for (; row < rows_within; ++row) {
                        noc_async_read_page(a_page + (first_row + row) * N_tiles + first_column + column, a, dst);
                        dst += a_block_in_2_page_bytes;
                    }
                    for (; row < 2; ++row) {
                        zero_page(dst, a_block_in_2_page_bytes);
                        dst += a_block_in_2_page_bytes;
                    }
                }
            } else {
                expect_version(get_write_ptr(cb_a_block_in_2), 0, row_sender_x, row_sender_y);
            }
            noc_async_read_barrier();
            if (place_in_row == row_sender) {
                send_version(get_write_ptr(cb_a_block_in_2), 2 * a_block_in_2_page_bytes, row_versions, row_cores - 1, 0, 1, row_first_x, row_first_y, row_last_x, row_last_y);
            }
            noc_async_writes_flushed();
            receive_version(get_write_ptr(cb_a_block_in_2), row_versions, 1);
            cb_push_back(cb_a_block_in_2, 2);
        }
        // assorted.rs:97: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
        if (bx != bx_before) {
            // assorted.rs:97: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
            cb_reserve_back(cb_a_block_in_3, 2);
            column_versions += 1;
            if (place_in_column == column_sender) {
                const int32_t first_row = 0;
                const int32_t first_column = bx * 2;
                const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
                uint32_t dst = get_write_ptr(cb_a_block_in_3);
                for (int32_t row = 0; row < 1; ++row) {
                    int32_t column = 0;
                    for (; column < columns_within; ++column) {
                        noc_async_read_page(a_page + (first_row + row) * N_tiles + first_column + column, a, dst);
                        dst += a_block_in_3_page_bytes;
                    }
                    for (; column < 2; ++column) {
                        zero_page(dst, a_block_in_3_page_bytes);
                        dst += a_block_in_3_page_bytes;
                    }
                }
            } else {
                expect_version(get_write_ptr(cb_a_block_in_3), 2, column_sender_x, column_sender_y);
            }
            noc_async_read_barrier();
            if (place_in_column == column_sender) {
                send_version(get_write_ptr(cb_a_block_in_3), 2 * a_block_in_3_page_bytes, column_versions, column_cores - 1, 2, 3, column_first_x, column_first_y, column_last_x, column_last_y);
            }
            noc_async_writes_flushed();
            receive_version(get_write_ptr(cb_a_block_in_3), column_versions, 3);
            cb_push_back(cb_a_block_in_3, 2);
        }
        // assorted.rs:96: o[(by * 64 + i, bx * 64 + j)] = (((a[(by * 64 + i, bx * 64 + j)] * row[j]) - t[i]).max(a[(by * 64 + i, 0)]) / (1.0 + (row[j] - a[(0, bx * 64 + j)]).abs()))
        cb_reserve_back(cb_a_block_in, 4);
        {
            const int32_t first_row = by * 2;
            const int32_t first_column = bx * 2;
            const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
            uint32_t dst = get_write_ptr(cb_a_block_in);
            for (int32_t row = 0; row < 2; ++row) {
                int32_t column = 0;
                if (first_row + row < M_tiles) {
                    for (; column < columns_within; ++column) {
                        noc_async_read_page(a_page + (first_row + row) * N_tiles + first_column + column, a, dst);
                        dst += a_block_in_page_bytes;
                    }
                }
                for (; column < 2; ++column) {
                    zero_page(dst, a_block_in_page_bytes);
                    dst += a_block_in_page_bytes;
                }
            }
        }
        noc_async_read_barrier();
        cb_push_back(cb_a_block_in, 4);
        bx_before += bx - bx_before;
        by_before += by - by_before;
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
