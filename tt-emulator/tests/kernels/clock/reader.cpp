// Reads pages of one interleaved buffer, or of two, into circular buffers: `block` pages before they are handed on. Each barrier waits
// for `ahead` blocks; or blocks have transactions of their own, `ids` of them on their way. A page is read in `parts`, or in none:
// to another place, from which the processor moves it.
#include <cstring>

#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t cb = get_arg_val<uint32_t>(0);
    const uint32_t address = get_arg_val<uint32_t>(1);
    const uint32_t other = get_arg_val<uint32_t>(2);
    const uint32_t block = get_arg_val<uint32_t>(3);
    const uint32_t stride = get_arg_val<uint32_t>(4);
    const uint32_t depth = get_arg_val<uint32_t>(5);
    const uint32_t ahead = get_arg_val<uint32_t>(6);
    const uint32_t ids = get_arg_val<uint32_t>(7);
    const uint32_t parts = get_arg_val<uint32_t>(8);
    const uint32_t hands_on = get_arg_val<uint32_t>(9);
    const uint32_t blocks = get_arg_val<uint32_t>(10);
    const uint32_t first = get_arg_val<uint32_t>(11);
    const uint32_t step = get_arg_val<uint32_t>(12);
    const uint32_t rotated = get_arg_val<uint32_t>(13);
    const uint32_t wrap = get_arg_val<uint32_t>(14);
    const uint32_t carry = get_arg_val<uint32_t>(15);
    const uint32_t total = get_arg_val<uint32_t>(16);
    constexpr uint32_t bytes = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto tensor = TensorAccessor(args, address);
    const auto second = TensorAccessor(args, other);
    const uint32_t operands = other != 0 ? 2 : 1;
    for (uint32_t operand = 0; operand < operands; ++operand) {
        cb_reserve_back(cb + operand, block);
    }
    const uint32_t start[2] = {get_write_ptr(cb), other != 0 ? get_write_ptr(cb + 1) : 0};
    uint32_t pushed = 0;
    const auto hand_on = [&] {
        for (uint32_t operand = 0; operand < operands && hands_on; ++operand) {
            cb_push_back(cb + operand, block);
        }
        ++pushed;
    };
    for (uint32_t k = 0; k < blocks; ++k) {
        // A barrier's blocks have their places before the first is read.
        const uint32_t places = ids != 0 ? k - pushed + 1 : ahead;
        for (uint32_t operand = 0; operand < operands && hands_on && (ids != 0 || k == pushed); ++operand) {
            cb_reserve_back(cb + operand, (places > blocks - pushed ? blocks - pushed : places) * block);
        }
        if (ids != 0) {
            noc_async_read_set_trid(k % ids + 1);
        }
        const uint32_t begin = first + (wrap == 0 ? k * step : (rotated + k) % wrap + k / wrap * carry);
        for (uint32_t i = 0; i < block; ++i) {
            for (uint32_t operand = 0; operand < operands; ++operand) {
                const uint32_t to = start[operand] + (k % depth * block + i) * bytes;
                // A walk beyond the last page begins again, one page on where it would come to the same.
                const uint32_t at = begin + i * stride;
                const uint32_t page = at % total + (total % stride == 0 ? at / total : 0);
                if (parts == 0) {
                    const uint32_t scratch = get_write_ptr(1);
                    noc_async_read(tensor.get_noc_addr(page), scratch, bytes);
                    noc_async_read_barrier();
                    memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(scratch), bytes);
                    continue;
                }
                if (parts == 1) {
                    noc_async_read_page(page, operand == 0 ? tensor : second, to);
                    continue;
                }
                for (uint32_t part = 0; part < parts; ++part) {
                    const uint32_t offset = part * (bytes / parts);
                    const uint64_t from = (operand == 0 ? tensor : second).get_noc_addr(page, offset);
                    noc_async_read(from, to + offset, bytes / parts);
                }
            }
        }
        if (ids != 0 && k + 1 - pushed == ids) {
            noc_async_read_barrier_with_trid(pushed % ids + 1);
            hand_on();
        } else if (ids == 0 && (k + 1 - pushed == ahead || k + 1 == blocks)) {
            noc_async_read_barrier();
            while (pushed <= k) {
                hand_on();
            }
        }
    }
    while (pushed < blocks) {
        noc_async_read_barrier_with_trid(pushed % ids + 1);
        hand_on();
    }
    if (!hands_on) {
        cb_push_back(cb, block);
    }
}
