// Calls of LLK that production kernels and their helper headers make directly, beside the public API. Each belongs to one
// of the three threads of silicon; what one thread's call programs here for all is said at the call.
#pragma once

#include "emulator/caller_line.h"
#include "emulator/compute_enums.h"

namespace ckernel {

template <bool is_fp32_dest_acc_en, p_dim_stride_target dim_stride_target = p_dim_stride_target::IGNORE>
ALWI void llk_unpack_reconfig_data_format_srca(const uint32_t srca_old_operand, const uint32_t srca_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, srca_old_operand, srca_new_operand, line);
}

// The format of math follows that of the unpacker.
template <bool is_fp32_dest_acc_en>
ALWI void llk_math_reconfig_data_format_srca(const uint32_t, const uint32_t) {}

// Programs the unpackers too.
template <EltwiseBinaryType type, BroadcastType broadcast, MathFidelity fidelity>
ALWI void llk_math_eltwise_binary_init(const uint32_t operand_a, const uint32_t operand_b, const bool acc_to_dest = false, TT_CALLER_LINE) {
    tt_emulator_compute()->binary_init(
        static_cast<uint32_t>(type), static_cast<uint32_t>(broadcast), operand_a, operand_b, acc_to_dest, 1, line);
}

// The unpackers' half of an element-wise init, which math's call does.
template <BroadcastType broadcast = BroadcastType::NONE>
ALWI void llk_unpack_AB_init(const uint32_t, const uint32_t, const uint32_t = 0) {}

// Programs the unpackers too, and leaves the packer's mask.
template <PoolType type, ReduceDim dim, bool is_fp32_dest_acc_en, MathFidelity fidelity>
ALWI void llk_math_reduce_init(const uint32_t operand_a, const uint32_t operand_b, TT_CALLER_LINE) {
    tt_emulator_compute()->reduce_init(
        static_cast<uint32_t>(type), static_cast<uint32_t>(dim), operand_a, operand_b, TT_EMULATOR_NO_BUFFER, line);
}

// The unpackers' half of a reduce init, which math's call does.
template <PoolType type, ReduceDim dim>
ALWI void llk_unpack_AB_reduce_init(const uint32_t, const uint32_t) {}

template <ReduceDim dim, PackMode mode = PackMode::Default>
ALWI void llk_pack_reduce_mask_config(const uint32_t, TT_CALLER_LINE) {
    static_assert(mode == PackMode::Default, "the emulator masks tiles");
    tt_emulator_compute()->reduce_mask(static_cast<uint32_t>(dim), line);
}

ALWI void llk_pack_reduce_mask_clear(TT_CALLER_LINE) { tt_emulator_compute()->reduce_mask(TT_EMULATOR_NO_DIMENSION, line); }

ALWI void llk_pack_reconfig_l1_acc(const uint32_t enable, TT_CALLER_LINE) { tt_emulator_compute()->pack_l1_acc(enable, line); }

// Words between the threads of a compute kernel. All three run in line here, so what was written first is read first.
ALWI void mailbox_write(const uint8_t thread, const uint32_t data, TT_CALLER_LINE) {
    tt_emulator_compute()->mailbox_write(thread, data, line);
}

ALWI uint32_t mailbox_read(const uint8_t thread, TT_CALLER_LINE) { return tt_emulator_compute()->mailbox_read(thread, line); }

}  // namespace ckernel
