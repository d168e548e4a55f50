#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    noc_async_read_page(0, source, get_write_ptr(0), 0, 2);  // breaks EMU0213
}
