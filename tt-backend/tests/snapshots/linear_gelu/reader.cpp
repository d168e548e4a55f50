// linear_gelu: the reader kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_bias_row = tt::CBIndex::c_0;
constexpr uint32_t cb_x_block = tt::CBIndex::c_1;
constexpr uint32_t cb_w_block = tt::CBIndex::c_2;
constexpr uint32_t cb_zeros = tt::CBIndex::c_3;
constexpr uint32_t bias_row_page_bytes = 2048;
constexpr uint32_t x_block_page_bytes = 2048;
constexpr uint32_t w_block_page_bytes = 2048;
constexpr uint32_t zeros_page_bytes = 2048;

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
    const uint32_t x_address = get_arg_val<uint32_t>(23);
    const uint32_t w_address = get_arg_val<uint32_t>(24);
    const uint32_t bias_address = get_arg_val<uint32_t>(25);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(26);
    const int32_t M_div_ceil_64 = get_arg_val<int32_t>(27);
    const int32_t N_tiles = get_arg_val<int32_t>(28);
    const int32_t bias_page = get_arg_val<int32_t>(29);
    const int32_t K_tiles = get_arg_val<int32_t>(30);
    const int32_t M_tiles = get_arg_val<int32_t>(31);
    const int32_t x_page = get_arg_val<int32_t>(32);
    const int32_t w_page = get_arg_val<int32_t>(33);
    const int32_t M = get_arg_val<int32_t>(34);
    const int32_t K = get_arg_val<int32_t>(35);
    const int32_t N = get_arg_val<int32_t>(36);
    constexpr auto x_args = TensorAccessorArgs<0>();
    const auto x = TensorAccessor(x_args, x_address);
    constexpr auto w_args = TensorAccessorArgs<x_args.next_compile_time_args_offset()>();
    const auto w = TensorAccessor(w_args, w_address);
    constexpr auto bias_args = TensorAccessorArgs<w_args.next_compile_time_args_offset()>();
    const auto bias = TensorAccessor(bias_args, bias_address);

    uint32_t column_versions = 0;
    uint32_t row_versions = 0;
    cb_reserve_back(cb_zeros, 1);
    zero_page(get_write_ptr(cb_zeros), zeros_page_bytes);
    cb_push_back(cb_zeros, 1);
    cb_reserve_back(cb_bias_row, 2);
    cb_push_back(cb_bias_row, 2);
    int32_t bx_before = -1;

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (N_div_ceil_64 + row_cores - 1) / row_cores;
        const int32_t down = (M_div_ceil_64 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id / row_every % across * row_cores;
        const int32_t row_at = place_in_column + block_id / column_every % down * column_cores;
        const int32_t is_own = column_at < N_div_ceil_64 && row_at < M_div_ceil_64;
        const int32_t bx = column_at < N_div_ceil_64 - 1 ? column_at : N_div_ceil_64 - 1;
        const int32_t by = row_at < M_div_ceil_64 - 1 ? row_at : M_div_ceil_64 - 1;
        // classic.rs:62: T.copy(bias[(0; 1, bx * 64; 64)], bias_row)
        if (bx != bx_before) {
            // classic.rs:62: T.copy(bias[(0; 1, bx * 64; 64)], bias_row)
            cb_reserve_back(cb_bias_row, 2);
            column_versions += 1;
            if (place_in_column == column_sender) {
                const int32_t first_row = 0;
                const int32_t first_column = bx * 2;
                const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
                uint32_t dst = get_write_ptr(cb_bias_row);
                for (int32_t row = 0; row < 1; ++row) {
                    int32_t column = 0;
                    for (; column < columns_within; ++column) {
                        noc_async_read_page(bias_page + (first_row + row) * N_tiles + first_column + column, bias, dst);
                        dst += bias_row_page_bytes;
                    }
                    for (; column < 2; ++column) {
                        zero_page(dst, bias_row_page_bytes);
                        dst += bias_row_page_bytes;
                    }
                }
            } else {
                expect_version(get_write_ptr(cb_bias_row), 2, column_sender_x, column_sender_y);
            }
            noc_async_read_barrier();
            if (place_in_column == column_sender) {
                send_version(get_write_ptr(cb_bias_row), 2 * bias_row_page_bytes, column_versions, column_cores - 1, 2, 3, column_first_x, column_first_y, column_last_x, column_last_y);
            }
            noc_async_writes_flushed();
            receive_version(get_write_ptr(cb_bias_row), column_versions, 3);
            cb_push_back(cb_bias_row, 2);
        }
        // classic.rs:64: for k in T.Pipelined(0..K.div_ceil(32), num_stages = 3)
        if (0 < K_tiles) {
            const auto begin_x_block = [&](int32_t k) {
                // classic.rs:65: T.copy(x[(by * 64; 64, k * 32; 32)], x_block)
                cb_reserve_back(cb_x_block, 2);
                row_versions += 1;
                if (place_in_row == row_sender) {
                    const int32_t first_row = by * 2;
                    const int32_t first_column = k;
                    const int32_t rows_within = M_tiles - first_row < 2 ? M_tiles - first_row : 2;
                    uint32_t dst = get_write_ptr(cb_x_block);
                    for (int32_t column = 0; column < 1; ++column) {
                        int32_t row = 0;
                        for (; row < rows_within; ++row) {
                            noc_async_read_page(x_page + (first_row + row) * K_tiles + first_column + column, x, dst);
                            dst += x_block_page_bytes;
                        }
                        for (; row < 2; ++row) {
                            zero_page(dst, x_block_page_bytes);
                            dst += x_block_page_bytes;
                        }
                    }
                } else {
                    expect_version(get_write_ptr(cb_x_block), 0, row_sender_x, row_sender_y);
                }
            };
            const auto begin_w_block = [&](int32_t k) {
                // classic.rs:66: T.copy(w[(k * 32; 32, bx * 64; 64)], w_block)
                cb_reserve_back(cb_w_block, 2);
                column_versions += 1;
                if (place_in_column == column_sender) {
                    const int32_t first_row = k;
                    const int32_t first_column = bx * 2;
                    const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
                    uint32_t dst = get_write_ptr(cb_w_block);
                    for (int32_t row = 0; row < 1; ++row) {
                        int32_t column = 0;
                        for (; column < columns_within; ++column) {
                            noc_async_read_page(w_page + (first_row + row) * N_tiles + first_column + column, w, dst);
                            dst += w_block_page_bytes;
                        }
                        for (; column < 2; ++column) {
                            zero_page(dst, w_block_page_bytes);
                            dst += w_block_page_bytes;
                        }
                    }
                } else {
                    expect_version(get_write_ptr(cb_w_block), 2, column_sender_x, column_sender_y);
                }
            };
            begin_x_block(0);
            begin_w_block(0);
            for (int32_t k = 0; k < K_tiles; ++k) {
                noc_async_read_barrier();
                noc_async_writes_flushed();
                if (place_in_row == row_sender) {
                    {
                        const int32_t filled = M % 32;
                        const int32_t edge = M_tiles - 1 - by * 2;
                        if (filled != 0 && edge >= 0 && edge < 2) {
                            for (int32_t column = 0; column < 1; ++column) {
                                zero_tile_rows<2>(get_write_ptr(cb_x_block) + (edge + column) * x_block_page_bytes, filled);
                            }
                        }
                    }
                    {
                        const int32_t filled = K % 32;
                        const int32_t edge = K_tiles - 1 - k;
                        if (filled != 0 && edge >= 0 && edge < 1) {
                            for (int32_t row = 0; row < 2; ++row) {
                                zero_tile_columns<2>(get_write_ptr(cb_x_block) + (row + edge) * x_block_page_bytes, filled);
                            }
                        }
                    }
                    send_version(get_write_ptr(cb_x_block), 2 * x_block_page_bytes, row_versions, row_cores - 1, 0, 1, row_first_x, row_first_y, row_last_x, row_last_y);
                }
                if (place_in_column == column_sender) {
                    {
                        const int32_t filled = K % 32;
                        const int32_t edge = K_tiles - 1 - k;
                        if (filled != 0 && edge >= 0 && edge < 1) {
                            for (int32_t column = 0; column < 2; ++column) {
                                zero_tile_rows<2>(get_write_ptr(cb_w_block) + (edge * 2 + column) * w_block_page_bytes, filled);
                            }
                        }
                    }
                    {
                        const int32_t filled = N % 32;
                        const int32_t edge = N_tiles - 1 - bx * 2;
                        if (filled != 0 && edge >= 0 && edge < 2) {
                            for (int32_t row = 0; row < 1; ++row) {
                                zero_tile_columns<2>(get_write_ptr(cb_w_block) + (row * 2 + edge) * w_block_page_bytes, filled);
                            }
                        }
                    }
                    send_version(get_write_ptr(cb_w_block), 2 * w_block_page_bytes, column_versions, column_cores - 1, 2, 3, column_first_x, column_first_y, column_last_x, column_last_y);
                }
                receive_version(get_write_ptr(cb_x_block), row_versions, 1);
                cb_push_back(cb_x_block, 2);
                if (k + 1 < K_tiles) {
                    begin_x_block(k + 1);
                }
                receive_version(get_write_ptr(cb_w_block), column_versions, 3);
                cb_push_back(cb_w_block, 2);
                if (k + 1 < K_tiles) {
                    begin_w_block(k + 1);
                }
            }
        }
        noc_async_writes_flushed();
        bx_before += bx - bx_before;
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
