#include "api/dataflow/dataflow_api.h"

// Waits for a word of the host's own memory, as no kernel of a chip could, then writes a page of it.
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto results = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const uint64_t address = get_arg_val<uint32_t>(1) | static_cast<uint64_t>(get_arg_val<uint32_t>(2)) << 32;
    const auto* go = reinterpret_cast<const volatile uint32_t*>(address);
    const uint32_t value = get_arg_val<uint32_t>(3);
    while (*go == 0) {
    }
    cb_reserve_back(0, 1);
    const uint32_t page = get_write_ptr(0);
    auto* out = reinterpret_cast<volatile uint32_t*>(page);
    for (uint32_t i = 0; i < 512; ++i) {
        out[i] = value;
    }
    noc_async_write_page(0, results, page);
    noc_async_write_barrier();
    cb_push_back(0, 1);
}
