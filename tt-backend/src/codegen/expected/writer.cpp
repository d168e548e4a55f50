// exponential: the writer kernel. Generated from exponential.rs, do not edit.

#include "api/dataflow/dataflow_api.h"

constexpr uint32_t cb_y_block = tt::CBIndex::c_1;
constexpr uint32_t y_block_page_bytes = 2048;

void kernel_main() {
    const int32_t start_id = get_arg_val<int32_t>(0);
    const int32_t count = get_arg_val<int32_t>(1);
    const int32_t block_step = get_arg_val<int32_t>(2);
    const int32_t K_blocks = get_arg_val<int32_t>(3);
    const uint32_t y_address = get_arg_val<uint32_t>(4);
    constexpr auto y_args = TensorAccessorArgs<0>();
    const auto y = TensorAccessor(y_args, y_address);

    for (int32_t block_id = start_id; block_id < start_id + count * block_step; block_id += block_step) {
        const int32_t by = block_id;
        for (int32_t k = 0; k < K_blocks; ++k) {
            cb_wait_front(cb_y_block, 4);
            {
                uint32_t dst = get_read_ptr(cb_y_block);
                for (int32_t column = 0; column < 4; ++column) {
                    noc_async_write_page(by * 2 + column, y, dst);
                    dst += y_block_page_bytes;
                }
            }
            noc_async_writes_flushed();
            cb_pop_front(cb_y_block, 4);
        }
    }
    noc_async_write_barrier();
}
