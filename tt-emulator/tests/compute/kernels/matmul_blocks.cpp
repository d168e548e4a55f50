// C += A B over MxN tiles: K in blocks of KB tiles, partial sums accumulated by the packer in fp32, 2x2 subblocks.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/matmul.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t a = 0, b = 1, partial = 24, out = 16;
constexpr uint32_t M = get_compile_time_arg_val(0), N = get_compile_time_arg_val(1);
constexpr uint32_t KB = get_compile_time_arg_val(2), blocks = get_compile_time_arg_val(3);

void kernel_main() {
    compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, partial);
    cb_reserve_back(partial, M * N);
    for (uint32_t block = 0; block < blocks; ++block) {
        cb_wait_front(a, M * KB);
        cb_wait_front(b, KB * N);
        matmul_block_init(a, b, 0, 2, 2, KB);
        pack_reconfig_l1_acc(block > 0);
        for (uint32_t r = 0; r < M; r += 2) {
            for (uint32_t c = 0; c < N; c += 2) {
                tile_regs_acquire();
                for (uint32_t k = 0; k < KB; ++k) {
                    matmul_block(a, b, r * KB + k, k * N + c, 0, 0, 2, 2, KB);
                }
                tile_regs_commit();
                tile_regs_wait();
                for (uint32_t t = 0; t < 4; ++t) {
                    pack_tile<true>(t, partial, (r + t / 2) * N + c + t % 2);
                }
                tile_regs_release();
            }
        }
        cb_pop_front(a, M * KB);
        cb_pop_front(b, KB * N);
    }
    cb_push_back(partial, M * N);
    pack_reconfig_l1_acc(0);
    reconfig_data_format_srca(b, partial);
    pack_reconfig_data_format(partial, out);
    copy_init(partial);
    cb_wait_front(partial, M * N);
    for (uint32_t i = 0; i < M * N; i += 2) {
        tile_regs_acquire();
        copy_block(partial, i, 0, 2);
        tile_regs_commit();
        cb_reserve_back(out, 2);
        tile_regs_wait();
        pack_block(0, out, 2);
        tile_regs_release();
        cb_push_back(out, 2);
    }
    cb_pop_front(partial, M * N);
}
