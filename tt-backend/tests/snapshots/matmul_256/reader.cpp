// matmul_256: the reader kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_a_tile = tt::CBIndex::c_0;
constexpr uint32_t cb_b_tile = tt::CBIndex::c_1;
constexpr uint32_t a_tile_page_bytes = 2048;
constexpr uint32_t b_tile_page_bytes = 2048;

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
    const int32_t a_page = get_arg_val<int32_t>(23);
    const int32_t b_page = get_arg_val<int32_t>(24);
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, a_address);
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto b = TensorAccessor(b_args, b_address);

    uint32_t row_versions = 0;
    uint32_t column_versions = 0;

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (8 + row_cores - 1) / row_cores;
        const int32_t down = (8 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id % across * row_cores;
        const int32_t row_at = place_in_column + block_id / across * column_cores;
        const int32_t is_own = column_at < 8 && row_at < 8;
        const int32_t bx = column_at < 8 - 1 ? column_at : 8 - 1;
        const int32_t by = row_at < 8 - 1 ? row_at : 8 - 1;
        // classic.rs:29: for step in 0..8
        for (int32_t step = 0; step < 8; ++step) {
            // classic.rs:30: T.copy(a[(by * 32; 32, step * 32; 32)], a_tile)
            cb_reserve_back(cb_a_tile, 1);
            // classic.rs:31: T.copy(b[(step * 32; 32, bx * 32; 32)], b_tile)
            cb_reserve_back(cb_b_tile, 1);
            row_versions += 1;
            if (place_in_row == row_sender) {
                const int32_t first_row = by;
                const int32_t first_column = step;
                uint32_t dst = get_write_ptr(cb_a_tile);
                for (int32_t row = 0; row < 1; ++row) {
                    for (int32_t column = 0; column < 1; ++column) {
                        noc_async_read_page(a_page + (first_row + row) * 8 + first_column + column, a, dst);
                        dst += a_tile_page_bytes;
                    }
                }
            } else {
                expect_version(get_write_ptr(cb_a_tile), 0, row_sender_x, row_sender_y);
            }
            column_versions += 1;
            if (place_in_column == column_sender) {
                const int32_t first_row = step;
                const int32_t first_column = bx;
                uint32_t dst = get_write_ptr(cb_b_tile);
                for (int32_t row = 0; row < 1; ++row) {
                    for (int32_t column = 0; column < 1; ++column) {
                        noc_async_read_page(b_page + (first_row + row) * 8 + first_column + column, b, dst);
                        dst += b_tile_page_bytes;
                    }
                }
            } else {
                expect_version(get_write_ptr(cb_b_tile), 2, column_sender_x, column_sender_y);
            }
            noc_async_read_barrier();
            if (place_in_row == row_sender) {
                send_version(get_write_ptr(cb_a_tile), a_tile_page_bytes, row_versions, row_cores - 1, 0, 1, row_first_x, row_first_y, row_last_x, row_last_y);
            }
            if (place_in_column == column_sender) {
                send_version(get_write_ptr(cb_b_tile), b_tile_page_bytes, column_versions, column_cores - 1, 2, 3, column_first_x, column_first_y, column_last_x, column_last_y);
            }
            noc_async_writes_flushed();
            receive_version(get_write_ptr(cb_a_tile), row_versions, 1);
            receive_version(get_write_ptr(cb_b_tile), column_versions, 3);
            cb_push_back(cb_a_tile, 1);
            cb_push_back(cb_b_tile, 1);
        }
    }
    noc_async_write_barrier();
    noc_async_atomic_barrier();
}
