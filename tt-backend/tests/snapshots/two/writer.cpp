// two: the writer kernel. Generated from assorted.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_z = tt::CBIndex::c_16;
constexpr uint32_t cb_y_out = tt::CBIndex::c_17;
constexpr uint32_t z_page_bytes = 2048;
constexpr uint32_t y_out_page_bytes = 4096;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const uint32_t c_address = get_arg_val<uint32_t>(2);
    const uint32_t d_address = get_arg_val<uint32_t>(3);
    const int32_t N_tiles = get_arg_val<int32_t>(4);
    const int32_t s_above = get_arg_val<int32_t>(5);
    constexpr auto c_args = TensorAccessorArgs<0>();
    const auto c = TensorAccessor(c_args, c_address);
    constexpr auto d_args = TensorAccessorArgs<c_args.next_compile_time_args_offset()>();
    const auto d = TensorAccessor(d_args, d_address);

    for (int32_t block_id = start_id; block_id < start_id + count; ++block_id) {
        const int32_t bx = block_id % N_tiles;
        const int32_t by = block_id / N_tiles;
        // assorted.rs:41: if (bx == 0 && s > 0.5)
        if (bx == 0 && s_above != 0) {
            cb_wait_front(cb_z, 1);
        } else {
            cb_wait_front(cb_z, 1);
        }
        // assorted.rs:48: T.copy(z, c[(by * 32; 32, bx * 32; 32)])
        {
            const int32_t first_row = by;
            const int32_t first_column = bx;
            uint32_t src = get_read_ptr(cb_z);
            for (int32_t row = 0; row < 1; ++row) {
                for (int32_t column = 0; column < 1; ++column) {
                    noc_async_write_page((first_row + row) * N_tiles + first_column + column, c, src);
                    src += z_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_z, 1);
        cb_wait_front(cb_y_out, 1);
        // assorted.rs:49: T.copy(y, d[(by * 32; 32, bx * 32; 32)])
        {
            const int32_t first_row = by;
            const int32_t first_column = bx;
            uint32_t src = get_read_ptr(cb_y_out);
            for (int32_t row = 0; row < 1; ++row) {
                for (int32_t column = 0; column < 1; ++column) {
                    noc_async_write_page((first_row + row) * N_tiles + first_column + column, d, src);
                    src += y_out_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_y_out, 1);
    }
    noc_async_write_barrier();
}
