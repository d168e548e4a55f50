// A tile of x is multiplied by A again and again in one page, which is packed or stored to in between.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/cb_api.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"

constexpr uint32_t a = 0, first = 1, x = 24, out = 16;

// A times a tile, to a page of another buffer.
void multiply(uint32_t from, uint32_t to) {
    cb_wait_front(from, 1);
    tile_regs_acquire();
    matmul_tiles(a, from, 0, 0, 0);
#ifdef STORED
    // Changes the sign of all numbers, and adds the product to the one before.
#if STORED == 1
    auto* words = reinterpret_cast<volatile uint32_t*>(get_tile_address(from, 0));
#else
    // A cast that nobody sees.
    using Words = volatile uint32_t*;
    Words words = Words(uintptr_t(get_tile_address(from, 0)));
#endif
    for (uint32_t i = 0; i < 512; ++i) {
        words[i] ^= 0x80008000u;
    }
    matmul_tiles(a, from, 0, 0, 0);
#endif
    tile_regs_commit();
    cb_pop_front(from, 1);
    cb_reserve_back(to, 1);
    tile_regs_wait();
    pack_tile(0, to);
    tile_regs_release();
    cb_push_back(to, 1);
}

void kernel_main() {
    compute_kernel_hw_startup<SrcOrder::Reverse>(a, first, out);
    matmul_init(a, first);
    cb_wait_front(a, 1);
    multiply(first, x);
    for (uint32_t time = 0; time < TIMES; ++time) {
        multiply(x, x);
    }
    multiply(x, out);
    cb_pop_front(a, 1);
}
