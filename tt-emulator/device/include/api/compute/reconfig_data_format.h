// Data formats of SrcA, SrcB and the packer. Inits leave them alone. The forms with an old buffer do nothing where its
// format is the new one's.
#pragma once

#include "api/compute/common_globals.h"
#include "api/compute/src_order.h"

namespace ckernel {

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format(const uint32_t icb0_new_operand, const uint32_t icb1_new_operand, TT_CALLER_LINE) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, TT_EMULATOR_NO_BUFFER, reverse ? icb1_new_operand : icb0_new_operand, line);
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_B, TT_EMULATOR_NO_BUFFER, reverse ? icb0_new_operand : icb1_new_operand, line);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format(
    const uint32_t icb0_old_operand, const uint32_t icb0_new_operand, const uint32_t icb1_old_operand,
    const uint32_t icb1_new_operand, TT_CALLER_LINE) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    tt_emulator_compute()->reconfigure(
        TT_EMULATOR_SRC_A, reverse ? icb1_old_operand : icb0_old_operand, reverse ? icb1_new_operand : icb0_new_operand, line);
    tt_emulator_compute()->reconfigure(
        TT_EMULATOR_SRC_B, reverse ? icb0_old_operand : icb1_old_operand, reverse ? icb0_new_operand : icb1_new_operand, line);
}

ALWI void reconfig_data_format_srca(const uint32_t srca_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, TT_EMULATOR_NO_BUFFER, srca_new_operand, line);
}

ALWI void reconfig_data_format_srca(const uint32_t srca_old_operand, const uint32_t srca_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, srca_old_operand, srca_new_operand, line);
}

ALWI void reconfig_data_format_srcb(const uint32_t srcb_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_B, TT_EMULATOR_NO_BUFFER, srcb_new_operand, line);
}

ALWI void reconfig_data_format_srcb(const uint32_t srcb_old_operand, const uint32_t srcb_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_B, srcb_old_operand, srcb_new_operand, line);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_full_operand(const uint32_t icb0_new_operand, const uint32_t icb1_new_operand, TT_CALLER_LINE) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, TT_EMULATOR_NO_BUFFER, reverse ? icb1_new_operand : icb0_new_operand, line);
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_B, TT_EMULATOR_NO_BUFFER, reverse ? icb0_new_operand : icb1_new_operand, line);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_full_operand(
    const uint32_t icb0_old_operand, const uint32_t icb0_new_operand, const uint32_t icb1_old_operand,
    const uint32_t icb1_new_operand, TT_CALLER_LINE) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    tt_emulator_compute()->reconfigure(
        TT_EMULATOR_SRC_A, reverse ? icb1_old_operand : icb0_old_operand, reverse ? icb1_new_operand : icb0_new_operand, line);
    tt_emulator_compute()->reconfigure(
        TT_EMULATOR_SRC_B, reverse ? icb0_old_operand : icb1_old_operand, reverse ? icb0_new_operand : icb1_new_operand, line);
}

ALWI void reconfig_full_operand_srca(const uint32_t srca_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, TT_EMULATOR_NO_BUFFER, srca_new_operand, line);
}

ALWI void reconfig_full_operand_srca(const uint32_t srca_old_operand, const uint32_t srca_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, srca_old_operand, srca_new_operand, line);
}

ALWI void reconfig_full_operand_srcb(const uint32_t srcb_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_B, TT_EMULATOR_NO_BUFFER, srcb_new_operand, line);
}

ALWI void reconfig_full_operand_srcb(const uint32_t srcb_old_operand, const uint32_t srcb_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_B, srcb_old_operand, srcb_new_operand, line);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format_skip_int8(const uint32_t icb0_new_operand, const uint32_t icb1_new_operand, TT_CALLER_LINE) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, TT_EMULATOR_NO_BUFFER, reverse ? icb1_new_operand : icb0_new_operand, line);
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_B, TT_EMULATOR_NO_BUFFER, reverse ? icb0_new_operand : icb1_new_operand, line);
}

template <SrcOrder src_order = SrcOrder::Regular>
ALWI void reconfig_data_format_skip_int8(
    const uint32_t icb0_old_operand, const uint32_t icb0_new_operand, const uint32_t icb1_old_operand,
    const uint32_t icb1_new_operand, TT_CALLER_LINE) {
    constexpr bool reverse = src_order == SrcOrder::Reverse;
    tt_emulator_compute()->reconfigure(
        TT_EMULATOR_SRC_A, reverse ? icb1_old_operand : icb0_old_operand, reverse ? icb1_new_operand : icb0_new_operand, line);
    tt_emulator_compute()->reconfigure(
        TT_EMULATOR_SRC_B, reverse ? icb0_old_operand : icb1_old_operand, reverse ? icb0_new_operand : icb1_new_operand, line);
}

ALWI void reconfig_data_format_srca_skip_int8(const uint32_t srca_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, TT_EMULATOR_NO_BUFFER, srca_new_operand, line);
}

ALWI void reconfig_data_format_srca_skip_int8(const uint32_t srca_old_operand, const uint32_t srca_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_A, srca_old_operand, srca_new_operand, line);
}

ALWI void reconfig_data_format_srcb_skip_int8(const uint32_t srcb_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_B, TT_EMULATOR_NO_BUFFER, srcb_new_operand, line);
}

ALWI void reconfig_data_format_srcb_skip_int8(const uint32_t srcb_old_operand, const uint32_t srcb_new_operand, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_SRC_B, srcb_old_operand, srcb_new_operand, line);
}

template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(const uint32_t new_cb_id, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_PACKER, TT_EMULATOR_NO_BUFFER, new_cb_id, line);
}

template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(const uint32_t old_cb_id, const uint32_t new_cb_id, TT_CALLER_LINE) {
    tt_emulator_compute()->reconfigure(TT_EMULATOR_PACKER, old_cb_id, new_cb_id, line);
}

}  // namespace ckernel
