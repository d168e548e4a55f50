// linear_gelu: the writer kernel. Generated from classic.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_acc_out = tt::CBIndex::c_16;
constexpr uint32_t acc_out_page_bytes = 2048;

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
    const uint32_t y_address = get_arg_val<uint32_t>(11);
    const int32_t N_div_ceil_64 = get_arg_val<int32_t>(12);
    const int32_t M_div_ceil_64 = get_arg_val<int32_t>(13);
    const int32_t N_tiles = get_arg_val<int32_t>(14);
    const int32_t M_tiles = get_arg_val<int32_t>(15);
    const int32_t y_page = get_arg_val<int32_t>(16);
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, y_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t across = (N_div_ceil_64 + row_cores - 1) / row_cores;
        const int32_t down = (M_div_ceil_64 + column_cores - 1) / column_cores;
        const int32_t column_at = place_in_row + block_id / row_every % across * row_cores;
        const int32_t row_at = place_in_column + block_id / column_every % down * column_cores;
        const int32_t is_own = column_at < N_div_ceil_64 && row_at < M_div_ceil_64;
        const int32_t bx = column_at < N_div_ceil_64 - 1 ? column_at : N_div_ceil_64 - 1;
        const int32_t by = row_at < M_div_ceil_64 - 1 ? row_at : M_div_ceil_64 - 1;
        // classic.rs:72: T.copy(acc, y[(by * 64; 64, bx * 64; 64)])
        if (is_own) {
            const int32_t first_row = by * 2;
            const int32_t first_column = bx * 2;
            const int32_t columns_within = N_tiles - first_column < 2 ? N_tiles - first_column : 2;
            uint32_t src = get_read_ptr(cb_acc_out);
            for (int32_t row = 0; row < 2; ++row) {
                cb_wait_front(cb_acc_out, (row + 1) * 2);
                int32_t column = 0;
                if (first_row + row < M_tiles) {
                    for (; column < columns_within; ++column) {
                        noc_async_write_page(y_page + (first_row + row) * N_tiles + first_column + column, y, src);
                        src += acc_out_page_bytes;
                    }
                }
                for (; column < 2; ++column) {
                    src += acc_out_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_wait_front(cb_acc_out, 4);
        cb_pop_front(cb_acc_out, 4);
    }
    noc_async_write_barrier();
}
