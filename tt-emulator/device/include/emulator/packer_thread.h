// What a kernel writes around calls of the vector unit by the packer's thread, in instructions: the compute API has no names for it.
// `bmm_fused_activation.hpp` of the wheel does it so, and nothing else of these instructions is known here.
//
//   PACK(TTI_SEMWAIT(p_stall::STALL_TDMA | p_stall::STALL_CFG, semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_ZERO));
//   PACK(TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, ckernel::packer::get_packer_dest_offset()));
//   silu_tile_pack(0);
//   PACK(TTI_STALLWAIT(p_stall::STALL_PACK, p_stall::WAIT_SFPU));
//   pack_tile(0, cb);
#pragma once

#include "emulator/api.h"

namespace tt_emulator {

// The registers of the section that the packer is at. A number on a chip.
struct PackerDestination {};

}  // namespace tt_emulator

namespace ckernel {

struct p_stall {
    static constexpr uint32_t STALL_TDMA = 0x1;
    static constexpr uint32_t STALL_PACK = 0x4;
    static constexpr uint32_t STALL_CFG = 0x80;
    static constexpr uint32_t STALL_ON_ZERO = 0x1;
    // Of Blackhole; 0x4000 on Wormhole.
    static constexpr uint32_t WAIT_SFPU = 0x800;
};

struct semaphore {
    static constexpr uint32_t MATH_PACK = 1;
    static constexpr uint16_t t6_sem(const uint8_t sem_index) { return 1 << sem_index; }
};

namespace packer {
inline tt_emulator::PackerDestination get_packer_dest_offset() { return {}; }
}  // namespace packer

}  // namespace ckernel

namespace tt_emulator {

// The thread goes on once math has handed the section over: its packs, and what sets registers of its own.
template <uint32_t held, uint32_t of, uint32_t condition>
inline void wait_for_semaphore(TT_LINE_PARAM) {
    using namespace ckernel;
    static_assert(held == (p_stall::STALL_TDMA | p_stall::STALL_CFG) && of == semaphore::t6_sem(semaphore::MATH_PACK) &&
                      condition == p_stall::STALL_ON_ZERO,
                  "of TTI_SEMWAIT the emulator knows the wait for math that bmm_fused_activation.hpp has");
    tt_emulator_compute()->registers(TT_EMULATOR_REGISTERS_HOLD, line);
}

// The vector unit takes the registers of the packer's section.
template <uint32_t setting>
inline void set_destination(PackerDestination, TT_LINE_PARAM) {
    static_assert(setting == 1, "of TT_SETC16 the emulator knows DEST_TARGET_REG_CFG_MATH_Offset_ADDR32");
    tt_emulator_compute()->registers(TT_EMULATOR_REGISTERS_AIM, line);
}

// Packs wait for the vector unit.
template <uint32_t held, uint32_t until>
inline void wait_for_unit(TT_LINE_PARAM) {
    using namespace ckernel;
    static_assert(held == p_stall::STALL_PACK && until == p_stall::WAIT_SFPU,
                  "of TTI_STALLWAIT the emulator knows the wait of packs for the vector unit");
    tt_emulator_compute()->registers(TT_EMULATOR_REGISTERS_VECTOR_DONE, line);
}

}  // namespace tt_emulator

#define DEST_TARGET_REG_CFG_MATH_Offset_ADDR32 1
#define TTI_SEMWAIT(stall_res, sem_sel, wait_sem_cond) tt_emulator::wait_for_semaphore<(stall_res), (sem_sel), (wait_sem_cond)>()
#define TT_SETC16(setc16_reg, setc16_value) tt_emulator::set_destination<(setc16_reg)>(setc16_value)
#define TTI_STALLWAIT(stall_res, wait_res) tt_emulator::wait_for_unit<(stall_res), (wait_res)>()
