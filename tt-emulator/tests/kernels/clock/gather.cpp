// Reads tiles that lie in L1 of other cores, eight of each, in `parts` and with a barrier: `share` of each eight; and writes what it and another read.
#include "api/dataflow/dataflow_api.h"

void kernel_main() {
    const uint32_t cb = get_arg_val<uint32_t>(0);
    const uint32_t first = get_arg_val<uint32_t>(1);
    const uint32_t share = get_arg_val<uint32_t>(2);
    const uint32_t parts = get_arg_val<uint32_t>(3);
    const uint32_t other = get_arg_val<uint32_t>(4);
    const uint32_t address = get_arg_val<uint32_t>(5);
    const uint32_t cores = get_arg_val<uint32_t>(6);
    constexpr uint32_t shard = 3, tiles = 8;
    constexpr auto args = TensorAccessorArgs<0>();
    const auto tensor = TensorAccessor(args, address);
    const uint32_t bytes = get_tile_size(shard);
    for (uint32_t core = 0; core < cores; ++core) {
        if (share != 0) {
            cb_reserve_back(cb, share);
            const uint32_t to = get_write_ptr(cb);
            const uint32_t x = get_arg_val<uint32_t>(7 + 2 * core), y = get_arg_val<uint32_t>(8 + 2 * core);
            for (uint32_t tile = 0; tile < share * bytes; tile += bytes) {
                for (uint32_t offset = tile; offset < tile + bytes; offset += bytes / parts) {
                    noc_async_read(get_noc_addr(x, y, get_write_ptr(shard) + first * bytes + offset), to + offset, bytes / parts);
                }
                noc_async_read_barrier();
            }
            cb_push_back(cb, share);
        }
        if (address == 0) {
            continue;
        }
        for (uint32_t own = 0; own < 2; ++own) {
            const uint32_t pages = own ? share : tiles - share;
            const uint32_t from = own ? cb : other;
            if (pages == 0) {
                continue;
            }
            cb_wait_front(from, pages);
            for (uint32_t i = 0; i < pages; ++i) {
                noc_async_write_page(core * tiles + own * (tiles - share) + i, tensor, get_read_ptr(from) + i * bytes);
            }
            noc_async_write_barrier();
            cb_pop_front(from, pages);
        }
    }
}
