// matmul: the reader kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_a_block = tt::CBIndex::c_0;
constexpr uint32_t cb_b_block = tt::CBIndex::c_1;
constexpr uint32_t a_block_page_bytes = 2048;
constexpr uint32_t b_block_page_bytes = 2048;

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
    const uint32_t row_sender_x = get_arg_val<uint32_t>(9);
    const uint32_t row_sender_y = get_arg_val<uint32_t>(10);
    const uint32_t row_first_x = get_arg_val<uint32_t>(11);
    const uint32_t row_first_y = get_arg_val<uint32_t>(12);
    const uint32_t row_last_x = get_arg_val<uint32_t>(13);
    const uint32_t row_last_y = get_arg_val<uint32_t>(14);
    const uint32_t column_sender_x = get_arg_val<uint32_t>(15);
    const uint32_t column_sender_y = get_arg_val<uint32_t>(16);
    const uint32_t column_first_x = get_arg_val<uint32_t>(17);
    const uint32_t column_first_y = get_arg_val<uint32_t>(18);
    const uint32_t column_last_x = get_arg_val<uint32_t>(19);
    const uint32_t column_last_y = get_arg_val<uint32_t>(20);
    const uint32_t a_address = get_arg_val<uint32_t>(21);
    const uint32_t b_address = get_arg_val<uint32_t>(22);
    const int32_t N_div_ceil_128 = get_arg_val<int32_t>(23);
    const int32_t M_div_ceil_128 = get_arg_val<int32_t>(24);
    const int32_t K_div_ceil_64 = get_arg_val<int32_t>(25);
    const int32_t K_tiles = get_arg_val<int32_t>(26);
    const int32_t M_tiles = get_arg_val<int32_t>(27);
    const int32_t a_page = get_arg_val<int32_t>(28);
    const int32_t N_tiles = get_arg_val<int32_t>(29);
    const int32_t b_page = get_arg_val<int32_t>(30);
    const int32_t M = get_arg_val<int32_t>(31);
    const int32_t K = get_arg_val<int32_t>(32);
    const int32_t N = get_arg_val<int32_t>(33);
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, a_address);
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto b = TensorAccessor(b_args, b_address);

    uint32_t row_versions = 0;
    uint32_t column_versions = 0;

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (N_div_ceil_128 + row_cores - 1) / row_cores;
        const int32_t down = (M_div_ceil_128 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id % across * row_cores;
        const int32_t row_at = place_in_column + block_id / across * column_cores;
        const int32_t is_own = column_at < N_div_ceil_128 && row_at < M_div_ceil_128;
        const int32_t bx = column_at < N_div_ceil_128 - 1 ? column_at : N_div_ceil_128 - 1;
        const int32_t by = row_at < M_div_ceil_128 - 1 ? row_at : M_div_ceil_128 - 1;
        // classic.rs:14: for k in T.Pipelined(0..K.div_ceil(64), num_stages = 2)
        for (int32_t k = 0; k < K_div_ceil_64; ++k) {
            // classic.rs:15: T.copy(a[(by * 128; 128, k * 64; 64)], a_block)
            cb_reserve_back(cb_a_block, 8);
            // classic.rs:16: T.copy(b[(k * 64; 64, bx * 128; 128)], b_block)
            cb_reserve_back(cb_b_block, 8);
            row_versions += 1;
            if (place_in_row == row_sender) {
                const int32_t first_row = by * 4;
                const int32_t first_column = k * 2;
                const int32_t columns_within = K_tiles - first_column < 2 ? K_tiles - first_column : 2;
                uint32_t dst = get_write_ptr(cb_a_block);
                for (int32_t row = 0; row < 4; ++row) {
                    int32_t column = 0;
                    if (first_row + row < M_tiles) {
                        for (; column < columns_within; ++column) {
                            noc_async_read_page(a_page + (first_row + row) * K_tiles + first_column + column, a, dst);
                            dst += a_block_page_bytes;
                        }
                    }
                    for (; column < 2; ++column) {
                        zero_page(dst, a_block_page_bytes);
                        dst += a_block_page_bytes;
                    }
                }
            } else {
                expect_version(get_write_ptr(cb_a_block), 0, row_sender_x, row_sender_y);
            }
            column_versions += 1;
            if (place_in_column == column_sender) {
                const int32_t first_row = k * 2;
                const int32_t first_column = bx * 4;
                const int32_t columns_within = N_tiles - first_column < 4 ? N_tiles - first_column : 4;
                uint32_t dst = get_write_ptr(cb_b_block);
                for (int32_t row = 0; row < 2; ++row) {
                    int32_t column = 0;
                    if (first_row + row < K_tiles) {
                        for (; column < columns_within; ++column) {
                            noc_async_read_page(b_page + (first_row + row) * N_tiles + first_column + column, b, dst);
                            dst += b_block_page_bytes;
                        }
                    }
                    for (; column < 4; ++column) {
                        zero_page(dst, b_block_page_bytes);
                        dst += b_block_page_bytes;
                    }
                }
            } else {
                expect_version(get_write_ptr(cb_b_block), 2, column_sender_x, column_sender_y);
            }
            noc_async_read_barrier();
            if (place_in_row == row_sender) {
                {
                    const int32_t filled = M % 32;
                    const int32_t edge = M_tiles - 1 - by * 4;
                    if (filled != 0 && edge >= 0 && edge < 4) {
                        for (int32_t column = 0; column < 2; ++column) {
                            zero_tile_rows<2>(get_write_ptr(cb_a_block) + (edge * 2 + column) * a_block_page_bytes, filled);
                        }
                    }
                }
                {
                    const int32_t filled = K % 32;
                    const int32_t edge = K_tiles - 1 - k * 2;
                    if (filled != 0 && edge >= 0 && edge < 2) {
                        for (int32_t row = 0; row < 4; ++row) {
                            zero_tile_columns<2>(get_write_ptr(cb_a_block) + (row * 2 + edge) * a_block_page_bytes, filled);
                        }
                    }
                }
                send_version(get_write_ptr(cb_a_block), 8 * a_block_page_bytes, row_versions, row_cores - 1, 0, 1, row_first_x, row_first_y, row_last_x, row_last_y);
            }
            if (place_in_column == column_sender) {
                {
                    const int32_t filled = K % 32;
                    const int32_t edge = K_tiles - 1 - k * 2;
                    if (filled != 0 && edge >= 0 && edge < 2) {
                        for (int32_t column = 0; column < 4; ++column) {
                            zero_tile_rows<2>(get_write_ptr(cb_b_block) + (edge * 4 + column) * b_block_page_bytes, filled);
                        }
                    }
                }
                {
                    const int32_t filled = N % 32;
                    const int32_t edge = N_tiles - 1 - bx * 4;
                    if (filled != 0 && edge >= 0 && edge < 4) {
                        for (int32_t row = 0; row < 2; ++row) {
                            zero_tile_columns<2>(get_write_ptr(cb_b_block) + (row * 4 + edge) * b_block_page_bytes, filled);
                        }
                    }
                }
                send_version(get_write_ptr(cb_b_block), 8 * b_block_page_bytes, column_versions, column_cores - 1, 2, 3, column_first_x, column_first_y, column_last_x, column_last_y);
            }
            noc_async_writes_flushed();
            receive_version(get_write_ptr(cb_a_block), row_versions, 1);
            receive_version(get_write_ptr(cb_b_block), column_versions, 3);
            cb_push_back(cb_a_block, 8);
            cb_push_back(cb_b_block, 8);
        }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
