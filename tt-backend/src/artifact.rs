//! What the compiler leaves: the sources of the three kernels and the host program, the plan, and the IR after each stage.

use tt_plan::Role;

/// The file of a kernel of the stage number `stage`, counted from 0.
pub(crate) fn file(role: Role, stage: usize) -> String {
    match stage {
        0 => format!("{}.cpp", role.name()),
        later => format!("{}_{}.cpp", role.name(), later.saturating_add(1)),
    }
}

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
    /// The sources of the kernel's stages after the first, which `reader`, `compute` and `writer` are.
    pub later: Vec<Programs>,
    /// The IR after each pass, as text, in order.
    pub stages: Vec<Stage>,
}

/// The sources of a stage of the kernel after the first: `reader_2.cpp` and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Programs {
    /// The reader.
    pub reader: String,
    /// The compute kernel.
    pub compute: String,
    /// The writer.
    pub writer: String,
}

/// The IR after one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The pass (`A1 infer_layout`), and the stage of a kernel that has several (`A1 infer_layout, stage 2`).
    pub name: String,
    /// The IR.
    pub text: String,
}

impl Artifact {
    /// The sources of every stage, in order: those of reader, compute and writer, each under its name in the plan.
    pub fn sources(&self) -> Vec<[(Role, String, &str); 3]> {
        let first = [&self.reader, &self.compute, &self.writer];
        let later = self.later.iter();
        let later = later.map(|programs| [&programs.reader, &programs.compute, &programs.writer]);
        let stages = std::iter::once(first).chain(later).enumerate();
        stages
            .map(|(stage, [reader, compute, writer])| {
                [(Role::Reader, reader), (Role::Compute, compute), (Role::Writer, writer)]
                    .map(|(role, text)| (role, file(role, stage), text.as_str()))
            })
            .collect()
    }

    /// A name for exactly this artifact: 32 hexadecimal digits over the sources and the plan. As FNV-1a, but 16 bytes at a time,
    /// for which what multiplying moves up is moved down again.
    pub fn digest(&self) -> String {
        let mut hash: u128 = 0x6c62272e07bb014262b821756295c58d;
        let later = self.later.iter();
        let later = later.flat_map(|programs| [&programs.reader, &programs.compute, &programs.writer]);
        let first = [&self.reader, &self.compute, &self.writer, &self.main, &self.plan];
        for part in first.into_iter().chain(later) {
            let mut mix = |word: u128| {
                hash = (hash ^ word).wrapping_mul(0x0000000001000000000000000000013b);
                hash ^= hash >> 61;
            };
            for chunk in part.as_bytes().chunks(16) {
                let mut word = [0; 16];
                word[..chunk.len()].copy_from_slice(chunk);
                mix(u128::from_le_bytes(word));
            }
            // The length keeps text from moving between parts unseen.
            mix(part.len() as u128);
        }
        format!("{hash:032x}")
    }
}
