//! The matrix of experiments: operation, formats, width of the destination, fidelity, chip.

use tt_emulator::ArchName;
use tt_emulator::DataFormat::{self, *};
use tt_emulator::kernel_config::MathFidelity;

use crate::operands;
use crate::operation::{self, Kind, Operation};

/// What is special about an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// Nothing.
    Plain,
    /// Operand A goes straight to the destination registers.
    Direct,
    /// The packer keeps all bits until the shared exponent is known.
    Precise,
    /// The scalers are fp32.
    WideScaler,
    /// Sums of products cancel to a few units in the last place.
    Cancelling,
}

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
    pub variant: Variant,
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
    (Bfp8_b, Bfp8_b, Float16_b, Scope::Fidelities),
    (Float16_b, Float16_b, Bfp8_b, Scope::Operations),
    (Float16_b, Float16_b, Float32, Scope::Operations),
    (Bfp4_b, Bfp4_b, Float16_b, Scope::Fidelities),
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
            match self.variant {
                Variant::Plain => "",
                Variant::Direct => ".direct",
                Variant::Precise => ".precise",
                Variant::WideScaler => ".wide_scaler",
                Variant::Cancelling => ".cancelling",
            },
            self.fidelity,
        )
        .to_lowercase()
    }

    /// The code of the emulator's refusal, if it refuses what a chip would run: rows of 16-bit values spread into 32-bit
    /// registers, which both chips spread wrongly; 32-bit integers in 16-bit registers, where neighbouring tiles overlap.
    pub fn refusal(&self) -> Option<&'static str> {
        let refused = [
            (
                "EMU0705",
                self.operation.name == "unary_bcast_row" && self.wide && self.a != Float32,
            ),
            ("EMU0701", !self.wide && matches!(self.a, Int32 | UInt32)),
        ];
        refused.into_iter().find_map(|(code, holds)| holds.then_some(code))
    }

    /// Format of the scalers: of the family of the operands.
    pub fn scaler_format(&self) -> DataFormat {
        match (self.variant, self.a, self.out) {
            (Variant::WideScaler, ..) => Float32,
            (_, Float16 | Bfp8 | Int8, _) | (_, _, Float16) => Float16,
            _ => Float16_b,
        }
    }

    fn pages(&self, format: DataFormat, seed: u64) -> Vec<u8> {
        match self.variant {
            Variant::Cancelling => operands::cancelling(seed == 1),
            _ => operands::pages(format, seed),
        }
    }

    /// The formats of the inputs, in the order of their buffers.
    pub fn formats(&self) -> [DataFormat; 3] {
        [self.a, self.b, self.scaler_format()]
    }

    /// The inputs' formats and pages, in the order of their buffers.
    pub fn inputs(&self) -> [(DataFormat, Vec<u8>); 3] {
        let [a, b, scaler] = self.formats();
        [
            (a, self.pages(a, 1)),
            (b, self.pages(b, 2)),
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
            if !wanted
                || (operation.name.ends_with("tilize") && !operation.name.starts_with("pack") && !rows(a))
                || (operation.name == "pack_untilize" && !rows(out))
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
                        variant: Variant::Plain,
                        fidelity,
                        arch,
                    };
                    all.push(experiment);
                    all.extend(variants(&experiment).map(|variant| Experiment { variant, ..experiment }));
                }
            }
        }
    }
    all
}

/// The variants of an experiment that may differ from it.
fn variants(plain: &Experiment) -> impl Iterator<Item = Variant> {
    let Experiment {
        operation,
        a,
        out,
        wide,
        ..
    } = *plain;
    // Only copies can take a buffer that unpacks to the destination.
    let copies = [
        "copy",
        "relu_max",
        "transpose_dest",
        "pack_untilize",
        "mul_dest_to_srca",
    ]
    .contains(&operation.name);
    let reduces = ["sum", "max"].iter().any(|pool| operation.name.starts_with(pool));
    let block = matches!(out, Bfp8_b | Bfp4_b | Bfp2_b);
    [
        (Variant::Direct, wide && a == Float32 && copies),
        (
            Variant::Precise,
            block && ["copy", "mul", "relu_max"].contains(&operation.name),
        ),
        (Variant::WideScaler, a == Float32 && out == Float32 && reduces),
        (
            Variant::Cancelling,
            operation.name == "matmul" && (a, out) == (Float16_b, Float32),
        ),
    ]
    .into_iter()
    .filter_map(|(variant, wanted)| wanted.then_some(variant))
}
