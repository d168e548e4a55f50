// One operation over 64 tiles. A tile of a 16-bit register is one page; of a 32-bit one, two: the upper and the lower halves
// of its bits, put together by integer operations, which change none of them.
#define IN_LINE @IN_LINE@
@INPUT@

#if IN_LINE
// The stand-in for the device's compiler has real numbers in the vector unit only. What kernels compare of their parameters
// has to be constant by then, and is once every function is put in line.
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include "sfpi.h"
#define inline __attribute__((always_inline)) inline
#endif
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/binary_bitwise_sfpu.h"
#include "api/compute/eltwise_unary/bitwise.h"
#include "api/compute/eltwise_unary/shift.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/pack.h"
#include "api/compute/reg_api.h"
#include "api/compute/cb_api.h"
#include "@HEADER@"

#define WIDE @WIDE@

void kernel_main() {
    constexpr uint32_t inputs = get_compile_time_arg_val(0), pages = WIDE ? 2 * inputs : inputs;
    compute_kernel_hw_startup(0, 16);
    for (uint32_t tile = 0; tile < 64; tile++) {
        cb_wait_front(0, pages);
        tile_regs_acquire();
        copy_init(0);
        for (uint32_t i = 0; i < inputs; i++) {
#if WIDE
            copy_tile(0, 2 * i, i);
            left_shift_tile_init();
            left_shift_tile<DataFormat::UInt32>(i, 16);
            copy_tile(0, 2 * i + 1, 3);
            bitwise_and_tile_init();
            bitwise_and_tile<DataFormat::UInt32>(3, 0xffff);
            binary_bitwise_tile_init();
            bitwise_or_binary_tile<DataFormat::UInt32>(i, 3, i);
#else
            copy_tile(0, i, i);
#endif
        }
        @INIT@;
        @CALL@;
        tile_regs_commit();
        cb_pop_front(0, pages);
        cb_reserve_back(16, 1);
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
    }
}
