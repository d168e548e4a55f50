#include "api/dataflow/dataflow_api.h"

// An address of a page beyond the buffer may be taken; reading there may not.
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0));
    cb_reserve_back(0, 1);
    const uint64_t beyond = source.get_noc_addr(12);
    noc_async_read(source.get_noc_addr(11), get_write_ptr(0), 2048);
    noc_async_read(beyond, get_write_ptr(0), 2048);  // breaks EMU0204
}
