// matmul_256: the writer kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_c_tile_out = tt::CBIndex::c_16;
constexpr uint32_t c_tile_out_page_bytes = 2048;

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
    const uint32_t c_address = get_arg_val<uint32_t>(9);
    const int32_t c_page = get_arg_val<int32_t>(10);
    constexpr auto c_args = TensorAccessorArgs<0>();
    const auto c = TensorAccessor(c_args, c_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (8 + row_cores - 1) / row_cores;
        const int32_t down = (8 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id % across * row_cores;
        const int32_t row_at = place_in_column + block_id / across * column_cores;
        const int32_t is_own = column_at < 8 && row_at < 8;
        const int32_t bx = column_at < 8 - 1 ? column_at : 8 - 1;
        const int32_t by = row_at < 8 - 1 ? row_at : 8 - 1;
        cb_wait_front(cb_c_tile_out, 1);
        // classic.rs:34: T.copy(c_tile, c[(by * 32; 32, bx * 32; 32)])
        if (is_own) {
            const int32_t first_row = by;
            const int32_t first_column = bx;
            uint32_t src = get_read_ptr(cb_c_tile_out);
            for (int32_t row = 0; row < 1; ++row) {
                for (int32_t column = 0; column < 1; ++column) {
                    noc_async_write_page(c_page + (first_row + row) * 8 + first_column + column, c, src);
                    src += c_tile_out_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_c_tile_out, 1);
    }
    noc_async_write_barrier();
}
