// What a header passes for one call of the vector unit, defined once: see `kernel_calls.rs`.

tables! {
    /// A call of the vector unit.
    structure SfpuCall {
        /// Hash of the operation's name.
        name: u64,
        /// Template parameters that the init had too.
        variant: u32,
        /// Input registers.
        inputs: [u32; 3],
        /// Output register.
        out: u32,
        /// Parameters.
        words: [u32; 3],
        /// Vector mode.
        mode: u32,
        /// Broadcast, or pool and dimension of a reduction.
        how: [u32; 2],
        /// Those of [`sfpu_flag`].
        flags: u32,
        /// Format that the call says the destination registers have, or [`sfpu_special::ANY_FORMAT`].
        format: u32,
    }

    /// What stands where a call names no format.
    numbers sfpu_special "TT_EMULATOR_SFPU_" {
        ANY_FORMAT = 0xffff_ffff,
    }

    /// Flags of a call: its parameters are those of the init; the packer's thread makes it, on registers that math has
    /// handed over; the kernel defines `INP_FLOAT32`.
    numbers sfpu_flag "TT_EMULATOR_SFPU_" {
        WORDS_FROM_INIT = 1,
        FROM_PACKER = 2,
        INPUT_F32 = 4,
    }
}
