//! What the compiler leaves: the sources of the three kernels and the host program, the plan, and the IR after each stage.

/// Everything emitted for one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// `reader.cpp`.
    pub reader: String,
    /// `compute.cpp`.
    pub compute: String,
    /// `writer.cpp`.
    pub writer: String,
    /// `main.cpp`, a stand-alone host program.
    pub main: String,
    /// `tt.plan.json`.
    pub plan: String,
    /// The IR after each pass, as text, in order.
    pub stages: Vec<Stage>,
}

/// The IR after one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The pass (`A1 infer_layout`).
    pub name: &'static str,
    /// The IR.
    pub text: String,
}

impl Artifact {
    /// A name for exactly this artifact: 32 hexadecimal digits over the sources and the plan (FNV-1a, 128 bits).
    pub fn digest(&self) -> String {
        let mut hash: u128 = 0x6c62272e07bb014262b821756295c58d;
        for part in [&self.reader, &self.compute, &self.writer, &self.main, &self.plan] {
            // The terminator keeps text from moving between parts unseen.
            for byte in part.bytes().chain([0xff]) {
                hash = (hash ^ u128::from(byte)).wrapping_mul(0x0000000001000000000000000000013b);
            }
        }
        format!("{hash:032x}")
    }
}
