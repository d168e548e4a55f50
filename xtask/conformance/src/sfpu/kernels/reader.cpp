#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr uint32_t streams = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto tensor = TensorAccessor(args, get_arg_val<uint32_t>(0));
    for (uint32_t tile = 0; tile < 64; tile++) {
        cb_reserve_back(0, streams);
        uint32_t to = get_write_ptr(0);
        for (uint32_t s = 0; s < streams; s++, to += 2048) noc_async_read_page(s * 64 + tile, tensor, to);
        noc_async_read_barrier();
        cb_push_back(0, streams);
    }
}
