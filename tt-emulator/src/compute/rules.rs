//! The rules of the compute engines.

use crate::rules::rules;

rules! {
    /// The rules of destination registers, engine state, formats and operands.
    RULES:
    DST_ACQUIRED_TWICE = "EMU0501", "tile_regs_acquire while the registers are in use",
        "A section is acquired, committed, waited for and released, in this order, before the next acquire.",
        "metalium.md 2.2; wheel tt_metal/hw/inc/api/compute/reg_api.h";
    DST_NOT_ACQUIRED = "EMU0502", "math on destination registers that are not acquired",
        "Math may touch destination registers between tile_regs_acquire and tile_regs_commit only.",
        "metalium.md 2.2; wheel tt_metal/hw/inc/api/compute/reg_api.h";
    DST_COMMIT = "EMU0503", "tile_regs_commit without tile_regs_acquire",
        "Only an acquired section can be handed to the packer.",
        "metalium.md 2.2; wheel tt_metal/hw/inc/api/compute/reg_api.h";
    DST_WAIT = "EMU0504", "tile_regs_wait without a section to come",
        "The packer waits, once, for a section that math has acquired or committed; without one it waits for ever.",
        "metalium.md 2.2; wheel tt_metal/hw/inc/api/compute/reg_api.h";
    DST_PACK = "EMU0505", "pack outside tile_regs_wait and tile_regs_release",
        "Before tile_regs_commit and tile_regs_wait math may still be writing the registers that are packed.",
        "metalium.md 2.2; wheel tt_metal/hw/inc/api/compute/reg_api.h";
    DST_RELEASE = "EMU0506", "tile_regs_release without tile_regs_wait",
        "The packer gives back a section that it has waited for.",
        "metalium.md 2.2; wheel tt_metal/hw/inc/api/compute/reg_api.h";
    DST_CAPACITY = "EMU0507", "destination register that the section does not have",
        "A section holds 8 tiles, 4 with fp32_dest_acc_en, twice as many with dst_full_sync_en; beyond lies the other section.",
        "metalium.md 2.2, tiles per acquire; hazards.md F 17";
    DST_UNWRITTEN = "EMU0508", "SFPU read of a destination register not written in this acquire",
        "Matrix engine and packer see zeros there, the SFPU sees what earlier work left.",
        "patterns.md 0, surprise 12; metalium.md 2.2";
    DST_AT_END = "EMU0509", "kernel ended with destination registers in use",
        "The next kernel on this core finds a section that nobody releases.",
        "metalium.md 2.2; wheel tt_metal/hw/inc/api/compute/reg_api.h";
    DST_NOT_HELD = "EMU0510", "SFPU call of the packer that is not held until math is done",
        "tile_regs_wait holds packs back, not the vector unit: it would begin while math writes. Wait by TTI_SEMWAIT, then set the section's \
         offset by TT_SETC16, in this order.",
        "wheel ttnn/cpp/ttnn/operations/matmul/device/kernels/compute/bmm_fused_activation.hpp, apply_activation_from_pack";
    DST_VECTOR_BUSY = "EMU0511", "pack of a section in which the vector unit may still work",
        "After SFPU calls of the packer `TTI_STALLWAIT(p_stall::STALL_PACK, p_stall::WAIT_SFPU)` comes before its packs.",
        "wheel ttnn/cpp/ttnn/operations/matmul/device/kernels/compute/bmm_fused_activation.hpp, apply_activation_from_pack";
    VECTOR_SHARED = "EMU0512", "SFPU used by math and by the packer at the same time",
        "There is one vector unit, with one set of registers and constants: while the packer uses it for a section, math is at the next one.",
        "wheel tt_metal/hw/inc/api/compute/eltwise_unary/gelu.h, gelu_tile_pack; tt_metal/tt-llk/tt_llk_*/llk_lib/llk_math_eltwise_unary_sfpu.h";

    STARTUP_MISSING = "EMU0601", "compute call before compute_kernel_hw_startup",
        "compute_kernel_hw_startup programs unpackers, math and packer; it must come first.",
        "metalium.md 2.3; wheel tt_metal/hw/inc/api/compute/compute_kernel_hw_startup.h";
    STARTUP_TWICE = "EMU0602", "second compute_kernel_hw_startup",
        "It writes registers that must not change while the engines run; use inits and reconfig_data_format.",
        "metalium.md 2.3; wheel tt_metal/hw/inc/api/compute/compute_kernel_hw_startup.h";
    STARTUP_ORDER = "EMU0603", "matmul after a startup in the regular source order",
        "Matmul takes in0 from SrcB and in1 from SrcA: start with `compute_kernel_hw_startup<SrcOrder::Reverse>(in0, in1, out)`.",
        "metalium.md 2.3; wheel tt_metal/hw/inc/api/compute/compute_kernel_hw_startup.h";
    INIT_MISSING = "EMU0604", "operation without its init",
        "Unpackers and math are still set for another operation; call the operation's init first.",
        "metalium.md 2.3; hazards.md F 5 and F 8";
    INIT_PARAMETERS = "EMU0605", "operation that differs from its init",
        "The init fixed transposition, block shape, broadcast or reduction; the call asks for others.",
        "metalium.md 2.4; wheel tt_metal/tt-llk/tt_llk_*/llk_lib/llk_math_matmul.h and llk_unpack_AB_matmul.h";
    SFPU_INIT_MISSING = "EMU0606", "SFPU operation without its init",
        "Inits load the constants and tables of one operation; another operation's init overwrote them, or none was called. \
         The init of a fill loads none: it overwrites nothing, and a fill needs no more than any init.",
        "metalium.md 2.6; wheel tt_metal/hw/inc/api/compute/eltwise_unary/fill.h, \
         ttnn/cpp/ttnn/kernel_lib/eltwise/core/chain.inl (is_sfpu_op_v)";
    FORMAT_SRC_A = "EMU0607", "SrcA is set for another data format",
        "An init does not change formats: call reconfig_data_format or reconfig_data_format_srca first.",
        "metalium.md 2.3; patterns.md 7; wheel tt_metal/hw/ckernels/*/metal/llk_api/llk_unpack_AB_matmul_api.h, are_unpackers_AB_configured_correctly";
    FORMAT_SRC_B = "EMU0608", "SrcB is set for another data format",
        "An init does not change formats: call reconfig_data_format or reconfig_data_format_srcb first.",
        "metalium.md 2.3; patterns.md 7; wheel tt_metal/hw/ckernels/*/metal/llk_api/llk_unpack_AB_matmul_api.h, are_unpackers_AB_configured_correctly";
    FORMAT_PACK = "EMU0609", "the packer is set for another data format",
        "Packing under another format's configuration writes garbage: call pack_reconfig_data_format first.",
        "metalium.md 2.3; patterns.md 7";
    REDUCE_MASK = "EMU0610", "pack through the mask of a reduction",
        "Until reduce_uninit the packer writes only what the reduction defines and zeros elsewhere; this register holds no reduction.",
        "patterns.md 0, surprise 5";
    REDUCE_PRELOADED = "EMU0611", "maximum continued from a value that was not reduced",
        "The row maximum keeps its running value outside column 0: combine with binary_max_tile after the reduction.",
        "patterns.md 0, surprise 6";
    REDUCE_SCALER = "EMU0612", "maximum with a scaler that is not one",
        "The pooling unit scales by the exponent of the scaler: fill row 0 of every face with 1.0.",
        "metalium.md 2.4, reductions; wheel tt_metal/tt-llk/tt_llk_*/llk_lib/llk_math_reduce.h";
    UNTILIZE_MODE = "EMU0613", "pack in another mode than the packer is set for",
        "pack_untilize_init and pack_untilize_dest_init change the packer until pack_untilize_uninit.",
        "metalium.md 2.4, untilize; wheel tt_metal/hw/inc/api/compute/pack_untilize.h";
    L1_ACC_UNWRITTEN = "EMU0614", "L1 accumulation onto a page that nothing has written",
        "The packer adds to whatever an earlier program left there: pack the first time without pack_reconfig_l1_acc(1).",
        "metalium.md 2.5, pack_reconfig_l1_acc; patterns.md 0, surprise 2";

    FORMAT_UNSUPPORTED = "EMU0701", "data format that this operation does not have here",
        "The matrix engine computes with bf16, fp32, fp16 and Bfp8_b, Bfp4_b, Bfp2_b; integers are moved, and those of 8 bits added and multiplied; \
         integers of 8 and 32 bits need a 32-bit destination, and formats of five and of eight exponent bits do not mix.",
        "data_format.cpp of the runtime; ttsim";
    TILE_SHAPE = "EMU0702", "page that is not one 32×32 tile",
        "Compute calls index tiles: the page size of the circular buffer must be the size of a 32×32 tile of its format.",
        "metalium.md 4, bytes of a tile";
    OPERAND_UNPACK_TO_DEST = "EMU0703", "matrix engine on a buffer that unpacks to the destination",
        "With UnpackToDestFp32 a buffer goes to the destination registers and never to SrcA or SrcB: only copies can take it.",
        "metalium.md 4, numeric rules, UnpackToDestFp32";
    L1_ACC_FORMAT = "EMU0704", "L1 accumulation into a format that cannot",
        "The packer adds in fp32, bf16 and fp16 only.",
        "metalium.md 2.5, pack_reconfig_l1_acc";
    UNARY_BCAST_ROW = "EMU0705", "row unary_bcast of a 16-bit buffer with 32-bit destination",
        "Both chips give wrong rows: use add_tiles_bcast_rows or the SFPU broadcast.",
        "patterns.md 0, surprise 11";
    WHERE_FORMAT = "EMU0706", "SFPU operation told another format than that of the destination registers",
        "The format of where_tile and sfpu_reduce is that of the destination: Float32 with fp32_dest_acc_en, else Float16_b.",
        "patterns.md 0, surprise 3";
    ENUMERATOR = "EMU0708", "argument outside its enumeration",
        "The value is none that the call knows.",
        "wheel tt_metal/tt-llk/tt_llk_*/llk_lib/llk_defs.h";
    BLOCK_DIMENSIONS = "EMU0709", "block of tiles with a dimension of zero or too large",
        "Each dimension is at least one and the block fits the destination registers.",
        "metalium.md 2.4, matmul_block; wheel tt_metal/hw/inc/api/compute/matmul.h";
    BROADCAST_ROW = "EMU0710", "broadcast of a row that a tile does not have",
        "bcast_row_idx counts the 32 rows of a tile.",
        "metalium.md 2.4, bcast; wheel tt_metal/hw/inc/api/compute/bcast.h";
    MAILBOX = "EMU0711", "word from a thread that sent none",
        "mailbox_read takes what another thread of the same compute kernel wrote before; data movement kernels send none here.",
        "wheel tt_metal/tt-llk/tt_llk_*/common/inc/ckernel.h, mailbox_read";
    SFPI = "EMU0713", "kernel in the SFPI language",
        "vFloat, dst_reg, v_if and their kin are compiled for the vector unit by Tenstorrent's own compiler. The emulator runs \
         what kernels call of the compute API; programs of the vector unit need a chip or its simulator.",
        "wheel runtime/sfpi, the compiler; tt_metal/tt-llk/tt_llk_*/common/inc/sfpu, programs in the language";
    REFUSED = "EMU0712", "operation that the emulator does not compute",
        "The call is part of the compute API and this kernel compiles for a chip; the emulator has no arithmetic for it.",
        "the emulator";
}
