// matmul_256: the reader kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_a_tile = tt::CBIndex::c_0;
constexpr uint32_t cb_b_tile = tt::CBIndex::c_1;
constexpr uint32_t a_tile_page_bytes = 2048;
constexpr uint32_t b_tile_page_bytes = 2048;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const uint32_t a_address = get_arg_val<uint32_t>(2);
    const uint32_t b_address = get_arg_val<uint32_t>(3);
    constexpr auto a_args = TensorAccessorArgs<0>();
    const auto a = TensorAccessor(a_args, a_address);
    constexpr auto b_args = TensorAccessorArgs<a_args.next_compile_time_args_offset()>();
    const auto b = TensorAccessor(b_args, b_address);

    for (int32_t block_id = start_id; block_id < start_id + count; ++block_id) {
        const int32_t bx = block_id % 8;
        const int32_t by = block_id / 8;
        // classic.rs:29: for step in 0..8
        for (int32_t step = 0; step < 8; ++step) {
            // classic.rs:30: T.copy(a[(by * 32; 32, step * 32; 32)], a_tile)
            cb_reserve_back(cb_a_tile, 1);
            // classic.rs:31: T.copy(b[(step * 32; 32, bx * 32; 32)], b_tile)
            cb_reserve_back(cb_b_tile, 1);
            {
                const int32_t first_row = by;
                const int32_t first_column = step;
                uint32_t dst = get_write_ptr(cb_a_tile);
                for (int32_t row = 0; row < 1; ++row) {
                    for (int32_t column = 0; column < 1; ++column) {
                        noc_async_read_page((first_row + row) * 8 + first_column + column, a, dst);
                        dst += a_tile_page_bytes;
                    }
                }
            }
            {
                const int32_t first_row = step;
                const int32_t first_column = bx;
                uint32_t dst = get_write_ptr(cb_b_tile);
                for (int32_t row = 0; row < 1; ++row) {
                    for (int32_t column = 0; column < 1; ++column) {
                        noc_async_read_page((first_row + row) * 8 + first_column + column, b, dst);
                        dst += b_tile_page_bytes;
                    }
                }
            }
            noc_async_read_barrier();
            cb_push_back(cb_a_tile, 1);
            cb_push_back(cb_b_tile, 1);
        }
    }
}
