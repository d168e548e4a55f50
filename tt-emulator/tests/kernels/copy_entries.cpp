// copy_writer.cpp with a DataflowBuffer, one entry at a time, and tagged writes.
#include "api/dataflow/dataflow_buffer.h"
#include "api/dataflow/noc.h"
#include "api/tensor/noc_traits.h"

void kernel_main() {
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t pages = get_arg_val<uint32_t>(2);
    constexpr auto args = TensorAccessorArgs<1>();
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(0));
    DataflowBuffer buffer(0);
    Noc noc;
    for (uint32_t page = first; page < first + pages; ++page) {
        buffer.wait_front(1);
        noc.async_write<NocOptions::TXN_ID>(buffer, target, buffer.get_entry_size(), {.offset_bytes = 0}, {.page_id = page}, {.trid = 3});
        noc.async_write_barrier<NocOptions::TXN_ID>({.trid = 3});
        buffer.pop_front(1);
    }
    noc.async_write_barrier();
}
