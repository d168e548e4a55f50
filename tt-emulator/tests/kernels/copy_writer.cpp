// Writes pages from circular buffer 0 to an interleaved buffer, with the object API.
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    const uint32_t address = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);
    constexpr uint32_t block = get_compile_time_arg_val(0);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto target = TensorAccessor(args, address);
    CircularBuffer cb(tt::CBIndex::c_0);
    Noc noc;
    for (uint32_t page = first; page < first + pages; page += block) {
        cb.wait_front(block);
        for (uint32_t i = 0; i < block; ++i) {
            noc.async_write(cb, target, cb.get_tile_size(), {.offset_bytes = i * cb.get_tile_size()}, {.page_id = page + i});
        }
        noc.async_writes_flushed();
        cb.pop_front(block);
    }
    noc.async_write_barrier();
}
