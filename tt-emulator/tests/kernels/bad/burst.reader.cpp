#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 4);
    noc_async_read_one_packet(get_noc_addr(get_write_ptr(0)), get_write_ptr(0), 8224);  // breaks EMU0208
}
