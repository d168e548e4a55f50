//! The matrix of experiments: operation, formats, width of the destination, fidelity, chip.

use tt_emulator::ArchName;
use tt_emulator::DataFormat::{self, *};
use tt_emulator::kernel_config::MathFidelity;

use crate::operands;
use crate::operation::{self, Kind, Operation};

/// One run of the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    pub operation: Operation,
    /// Formats of the operands and of the result.
    pub a: DataFormat,
    pub b: DataFormat,
    pub out: DataFormat,
    /// Destination registers of 32 bits.
    pub wide: bool,
    /// Operand A goes straight to the destination registers.
    pub direct: bool,
    pub fidelity: MathFidelity,
    pub arch: ArchName,
}

/// What is run for a triple of formats.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Every operation, what multiplies in every fidelity.
    Fidelities,
    /// Every operation.
    Operations,
    /// What shows how the formats are unpacked and packed.
    Conversions,
    /// What moves tiles, which is all there is for integers.
    Movement,
}

const TRIPLES: [(DataFormat, DataFormat, DataFormat, Scope); 33] = [
    (Float16_b, Float16_b, Float16_b, Scope::Fidelities),
    (Float32, Float32, Float32, Scope::Fidelities),
    (Bfp8_b, Bfp8_b, Float16_b, Scope::Operations),
    (Float16_b, Float16_b, Bfp8_b, Scope::Operations),
    (Float16_b, Float16_b, Float32, Scope::Operations),
    (Bfp4_b, Bfp4_b, Float16_b, Scope::Operations),
    (Float16, Float16, Float16, Scope::Fidelities),
    (Float32, Float32, Float16_b, Scope::Conversions),
    (Float32, Float32, Bfp8_b, Scope::Conversions),
    (Float32, Float32, Bfp4_b, Scope::Conversions),
    (Float32, Float32, Bfp2_b, Scope::Conversions),
    (Float16_b, Float16_b, Bfp4_b, Scope::Conversions),
    (Float16_b, Float16_b, Bfp2_b, Scope::Conversions),
    (Bfp8_b, Bfp8_b, Bfp8_b, Scope::Conversions),
    (Bfp8_b, Bfp8_b, Float32, Scope::Conversions),
    (Bfp4_b, Bfp4_b, Bfp4_b, Scope::Conversions),
    (Bfp2_b, Bfp2_b, Float16_b, Scope::Conversions),
    (Bfp2_b, Bfp2_b, Bfp2_b, Scope::Conversions),
    (Float32, Float16_b, Float32, Scope::Conversions),
    (Float16_b, Float32, Float16_b, Scope::Conversions),
    (Float16_b, Bfp8_b, Float16_b, Scope::Conversions),
    (Bfp4_b, Float16_b, Bfp8_b, Scope::Conversions),
    (Float16, Float16, Float16_b, Scope::Conversions),
    (Float16, Float16, Float32, Scope::Conversions),
    (Float16_b, Float16_b, Float16, Scope::Conversions),
    (Float32, Float32, Float16, Scope::Conversions),
    (Bfp8, Bfp8, Float16, Scope::Conversions),
    (Float16, Float16, Bfp8, Scope::Conversions),
    (Int32, Int32, Int32, Scope::Movement),
    (UInt32, UInt32, UInt32, Scope::Movement),
    (UInt16, UInt16, UInt16, Scope::Movement),
    (UInt8, UInt8, UInt8, Scope::Movement),
    (Int8, Int8, Int8, Scope::Movement),
];

const CONVERSIONS: [&str; 10] = [
    "copy",
    "add",
    "mul",
    "matmul",
    "sum_row",
    "max_col",
    "mul_dest_to_srca",
    "add_dest_to_srcb",
    "l1_accumulate",
    "relu_max",
];

const MOVEMENT: [&str; 8] = [
    "copy",
    "transpose",
    "transpose_dest",
    "relu_zero",
    "pack_untilize",
    "tilize",
    "add",
    "matmul",
];

/// The formats, as they are called in names.
fn short(format: DataFormat) -> String {
    format!("{format:?}").to_lowercase().replace("float", "f")
}

impl Experiment {
    /// Name, unique.
    pub fn name(&self) -> String {
        format!(
            "{}.{}.{}-{}-{}.{}{}.{:?}",
            if self.arch == ArchName::Blackhole { "bh" } else { "wh" },
            self.operation.name,
            short(self.a),
            short(self.b),
            short(self.out),
            if self.wide { "dst32" } else { "dst16" },
            if self.direct { ".direct" } else { "" },
            self.fidelity,
        )
        .to_lowercase()
    }

    /// Format of the scalers: of the family of the operands.
    pub fn scaler_format(&self) -> DataFormat {
        match self.a {
            Float16 | Bfp8 => Float16,
            _ => Float16_b,
        }
    }

    /// Pages of the three inputs.
    pub fn inputs(&self) -> [(DataFormat, Vec<u8>); 3] {
        let scaler = self.scaler_format();
        [
            (self.a, operands::pages(self.a, 1)),
            (self.b, operands::pages(self.b, 2)),
            (scaler, operands::scalers(scaler)),
        ]
    }
}

/// All experiments of a chip.
pub fn matrix(arch: ArchName) -> Vec<Experiment> {
    let mut all = Vec::new();
    for (a, b, out, scope) in TRIPLES {
        for operation in operation::all() {
            let wanted = match scope {
                Scope::Fidelities | Scope::Operations => true,
                Scope::Conversions => CONVERSIONS.contains(&operation.name),
                Scope::Movement => MOVEMENT.contains(&operation.name),
            };
            // Rows of a row-major block have no shared exponents.
            let rows = |format: DataFormat| format.tile_bytes(32, 32).is_multiple_of(1024);
            if !wanted || (operation.name == "tilize" && !rows(a)) || (operation.name == "pack_untilize" && !rows(out))
            {
                continue;
            }
            let fidelities: &[MathFidelity] = if scope == Scope::Fidelities && operation.kind == Kind::Multiplies {
                &[
                    MathFidelity::LoFi,
                    MathFidelity::HiFi2,
                    MathFidelity::HiFi3,
                    MathFidelity::HiFi4,
                ]
            } else {
                &[MathFidelity::HiFi4]
            };
            for &fidelity in fidelities {
                for wide in [false, true] {
                    let experiment = Experiment {
                        operation,
                        a,
                        b,
                        out,
                        wide,
                        direct: false,
                        fidelity,
                        arch,
                    };
                    all.push(experiment);
                    // Only copies can take a buffer that unpacks to the destination.
                    let copies = [
                        "copy",
                        "relu_max",
                        "transpose_dest",
                        "pack_untilize",
                        "mul_dest_to_srca",
                    ];
                    if wide && a == Float32 && copies.contains(&operation.name) {
                        all.push(Experiment {
                            direct: true,
                            ..experiment
                        });
                    }
                }
            }
        }
    }
    all
}
