// Reduces a block of 2x4 tiles: all tiles of a row, or column, of tiles into one register, one tile out for each.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/reduce.h"

constexpr uint32_t data = 0, scaler = 1, out = 16, rows = 2, columns = 4;
constexpr bool along_rows = DIM == ReduceDim::REDUCE_ROW;
// Sums along rows are a matmul: the scaler is SrcA.
constexpr bool swapped = along_rows && POOL != PoolType::MAX;

void kernel_main() {
    compute_kernel_hw_startup(swapped ? scaler : data, swapped ? data : scaler, out);
    cb_wait_front(scaler, 1);
    cb_wait_front(data, rows * columns);
    reduce_init<POOL, DIM>(data, scaler, out);
    for (uint32_t o = 0; o < (along_rows ? rows : columns); ++o) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < (along_rows ? columns : rows); ++k) {
            reduce_tile<POOL, DIM>(data, scaler, along_rows ? o * columns + k : k * columns + o, 0, 0);
        }
        tile_regs_commit();
        cb_reserve_back(out, 1);
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
    }
    reduce_uninit();
    cb_pop_front(data, rows * columns);
    cb_pop_front(scaler, 1);
}
