// mlp: the writer kernel. Generated from assorted.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_acc_out = tt::CBIndex::c_16;
constexpr uint32_t acc_out_page_bytes = 2048;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const uint32_t y_address = get_arg_val<uint32_t>(3);
    const int32_t N_tiles = get_arg_val<int32_t>(4);
    const int32_t y_page = get_arg_val<int32_t>(5);
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, y_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t by = block_id;
        cb_wait_front(cb_acc_out, 4);
        // assorted.rs:79: T.copy(acc, y[(by * 32; 32, 0; 128)])
        {
            const int32_t first_row = by;
            const int32_t first_column = 0;
            uint32_t src = get_read_ptr(cb_acc_out);
            for (int32_t row = 0; row < 1; ++row) {
                for (int32_t column = 0; column < 4; ++column) {
                    if (first_column + column < N_tiles) {
                        noc_async_write_page(y_page + (first_row + row) * N_tiles + first_column + column, y, src);
                    }
                    src += acc_out_page_bytes;
                }
            }
            noc_async_writes_flushed();
        }
        cb_pop_front(cb_acc_out, 4);
    }
    noc_async_write_barrier();
}
