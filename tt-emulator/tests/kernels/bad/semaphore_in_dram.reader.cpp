#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_semaphore_inc(get_noc_addr(0, source), 1);  // breaks EMU0311
}
