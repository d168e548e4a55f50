// Enumerations of what a program says, with Metalium's numbers, defined once: see `../enumerations.rs`.
//
// `device` has the namespace and the head of the type that the device headers get; `host` the type of the host headers that is
// held to the rows. A row has our name, Metalium's, and the number. Rows that only C++ has are `others`.

enumerations! {
    /// The name of an architecture.
    enumeration ArchName host "tt::ARCH" {
        /// Wormhole B0 (n150, n300, galaxy).
        WormholeB0: WORMHOLE_B0 = 2,
        /// Blackhole (p100, p150).
        Blackhole: BLACKHOLE = 3,
    }

    /// A format of tile elements.
    #[allow(
        missing_docs,
        non_camel_case_types,
        reason = "the names are Metalium's own, and the documentation"
    )]
    enumeration DataFormat device "" "enum class DataFormat : uint8_t" host "tt::DataFormat" {
        Float32: Float32 = 0,
        Float16: Float16 = 1,
        Bfp8: Bfp8 = 2,
        Bfp4: Bfp4 = 3,
        Tf32: Tf32 = 4,
        Float16_b: Float16_b = 5,
        Bfp8_b: Bfp8_b = 6,
        Bfp4_b: Bfp4_b = 7,
        Int32: Int32 = 8,
        UInt16: UInt16 = 9,
        Lf8: Lf8 = 10,
        Bfp2: Bfp2 = 11,
        Int8: Int8 = 14,
        Bfp2_b: Bfp2_b = 15,
        UInt32: UInt32 = 24,
        Fp8_e4m3: Fp8_e4m3 = 26,
        UInt8: UInt8 = 30,
    } others {
        RawUInt8 = 0xf0,
        RawUInt16 = 0xf1,
        RawUInt32 = 0xf2,
        Invalid = 0xff,
    }

    /// Multiplier passes of the matrix engine.
    #[allow(missing_docs, reason = "the names are the documentation: Metalium's own")]
    enumeration MathFidelity device "ckernel" "enum class MathFidelity : uint8_t" host "tt::tt_metal::MathFidelity" {
        LoFi: LoFi = 0,
        HiFi2: HiFi2 = 2,
        HiFi3: HiFi3 = 3,
        HiFi4: HiFi4 = 4,
    }

    /// A data movement RISC of a core.
    enumeration DataMovementProcessor host "tt::tt_metal::DataMovementProcessor" {
        /// RISCV_0, by convention the writer.
        Brisc: RISCV_0 = 0,
        /// RISCV_1, by convention the reader.
        Ncrisc: RISCV_1 = 1,
    }
}
