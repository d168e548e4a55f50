// Circular buffers in compute kernels.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/circular_buffer_calls.h"

namespace ckernel {

// Address in L1 of a tile behind the read pointer.
ALWI uint32_t get_tile_l1_byte_address(uint32_t operand_id, uint32_t tile_index) {
    const LocalCBInterface& interface = get_local_cb_interface(operand_id);
    return (interface.fifo_rd_ptr + interface.fifo_page_size * tile_index) << tt_emulator::cb_unit_shift;
}

// The same for all three threads.
ALWI uint32_t get_tile_address(uint32_t cb_id, uint32_t tile_index) { return get_tile_l1_byte_address(cb_id, tile_index); }

// A word of a tile, for all three threads.
ALWI uint32_t read_tile_value(uint32_t cb_id, uint32_t tile_index, uint32_t element_offset) {
    return reinterpret_cast<volatile uint32_t*>(static_cast<uintptr_t>(get_tile_l1_byte_address(cb_id, tile_index)))[element_offset];
}

}  // namespace ckernel
