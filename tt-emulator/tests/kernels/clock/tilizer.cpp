// Tilizes rows of tiles, round after round: with a handshake of its circular buffers for every row, or of all of it before and after.
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tilize.h"

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    const uint32_t width = get_arg_val<uint32_t>(1);
    const uint32_t rounds = get_arg_val<uint32_t>(2);
    const uint32_t shakes_hands = get_arg_val<uint32_t>(3);
    compute_kernel_hw_startup(0, 0, 2);
    tilize_init(0, width, 2);
    if (!shakes_hands) {
        cb_wait_front(0, rows * width);
        cb_reserve_back(2, rows * width);
    }
    for (uint32_t round = 0; round < rounds; ++round) {
        for (uint32_t row = 0; row < rows; ++row) {
            if (shakes_hands) {
                cb_wait_front(0, width);
                cb_reserve_back(2, width);
                tilize_block(0, width, 2);
                cb_push_back(2, width);
                cb_pop_front(0, width);
            } else {
                tilize_block(0, width, 2, row * width, row * width);
            }
        }
    }
    if (!shakes_hands) {
        cb_push_back(2, rows * width);
        cb_pop_front(0, rows * width);
    }
}
