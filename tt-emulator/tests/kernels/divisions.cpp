#include "api/dataflow/dataflow_api.h"

// Stores quotient and remainder, signed and unsigned, of every pair of numbers.
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto results = TensorAccessor(args, get_arg_val<uint32_t>(0), 2048);
    const volatile uint32_t numbers[] = {0, 1, 7, 0x7fffffff, 0x80000000, 0xfffffff9, 0xffffffff};
    cb_reserve_back(0, 1);
    const uint32_t page = get_write_ptr(0);
    auto* out = reinterpret_cast<volatile uint32_t*>(page);
    for (const uint32_t a : numbers) {
        for (const uint32_t b : numbers) {
            *out++ = a / b;
            *out++ = a % b;
            *out++ = static_cast<uint32_t>(static_cast<int32_t>(a) / static_cast<int32_t>(b));
            *out++ = static_cast<uint32_t>(static_cast<int32_t>(a) % static_cast<int32_t>(b));
        }
    }
    noc_async_write_page(0, results, page);
    noc_async_write_barrier();
    cb_push_back(0, 1);
}
