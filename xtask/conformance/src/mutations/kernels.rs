//! The kernels that every mutant is judged on: together they use every call, loop and branch that the passes make.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tt_lang::ir::Kernel;
use xtask::project;

/// A kernel with what it is run on.
#[derive(Debug)]
pub struct Sample {
    /// The file of the repository it is in.
    file: &'static str,
    /// Its name.
    name: &'static str,
    /// The values of its extents, run after run.
    pub shapes: &'static [&'static [usize]],
    /// What its scalar parameters are given: numbers, integers.
    pub scalars: (f32, i64),
    /// How large the elements of its inputs are at most.
    pub scale: f32,
    /// Whether its inputs hold numbers past their edges.
    pub padded: bool,
    /// How far from the source's real numbers an element may be, as a share of 1 + |expected|: the bound that the
    /// repository's tests have for this kernel.
    pub tolerance: f32,
}

const ASSORTED: &str = "tt-backend/tests/kernels/assorted.rs";
const UNUSUAL: &str = "tt-backend/tests/kernels/unusual.rs";
const STATES: &str = "tt-backend/tests/kernels/states.rs";
const MIXED: &str = "tt-backend/tests/kernels/mixed.rs";
const CLASSIC: &str = "tt-backend/tests/kernels/classic.rs";

macro_rules! samples {
    ($(#[$doc:meta])* $table:ident: $($file:ident $name:ident $shapes:expr, $scalars:expr, $scale:literal, $padded:literal, $tolerance:literal;)*) => {
        $(#[$doc])*
        pub const $table: &[Sample] = &[$(Sample {
            file: $file, name: stringify!($name), shapes: &$shapes, scalars: $scalars, scale: $scale, padded: $padded, tolerance: $tolerance,
        }),*];
    };
}

samples! {
    /// The kernels, those that show most first.
    SAMPLES:
    ASSORTED two [&[33, 65]], (0.75, 3), 1.0, false, 1e-2;
    ASSORTED vectors [&[100, 70]], (0.0, 0), 1.0, false, 2e-2;
    ASSORTED mlp [&[70, 100, 130, 128]], (0.0, 0), 0.25, true, 2e-2;
    ASSORTED tall [&[100, 70, 130]], (0.0, 0), 1.0, true, 1e-4;
    ASSORTED batched [&[3, 33, 70]], (0.0, 0), 1.0, false, 1e-3;
    CLASSIC linear_gelu [&[70, 100, 130]], (0.0, 0), 1.0, true, 2e-2;
    CLASSIC shrink [&[40, 70]], (0.5, 0), 1.0, false, 1e-2;
    CLASSIC scores [&[70, 100, 130]], (0.125, 0), 1.0, true, 2e-2;
    CLASSIC add [&[130, 70]], (0.0, 0), 1.0, false, 1e-2;
    CLASSIC swiglu [&[70, 33]], (0.75, 0), 1.0, false, 5e-2;
    CLASSIC checkerboard [&[128, 64]], (0.0, 0), 1.0, false, 1e-2;
    UNUSUAL gemm_in_if [&[70, 100, 65]], (0.0, 0), 1.0, true, 1e-4;
    UNUSUAL two_accumulators [&[33, 70, 100]], (0.0, 0), 0.5, true, 2e-2;
    UNUSUAL big_expression [&[70, 33]], (0.5, 0), 1.0, false, 1e-5;
    UNUSUAL long_polynomials [&[70, 33]], (0.0, 0), 1.0, false, 4.5e-5;
    UNUSUAL options [&[100, 64, 130]], (0.0, 0), 0.25, false, 5e-2;
    UNUSUAL loop_carried [&[40, 200]], (0.0, 0), 1.0, false, 2e-2;
    UNUSUAL resident [&[40, 200]], (0.0, 0), 1.0, true, 1e-2;
    STATES branches [&[33, 65]], (0.0, 0), 1.0, false, 1e-2;
    STATES branches [&[33, 65]], (0.0, 2), 1.0, false, 1e-2;
    ASSORTED two [&[33, 65]], (0.25, 0), 1.0, false, 1e-2;
    MIXED mixed_product [&[150, 84, 70]], (0.0, 0), 1.0, true, 1e-3;
    MIXED product_or_copy [&[70, 84, 70]], (0.0, 0), 1.0, true, 1e-3;
    MIXED product_or_copy [&[70, 84, 70]], (0.0, 1), 1.0, true, 1e-3;
    MIXED either [&[40, 70]], (0.0, 2), 1.0, false, 1e-2;
    MIXED either [&[40, 70]], (0.0, 3), 1.0, false, 1e-2;
    MIXED in_place [&[100, 70]], (0.0, 0), 1.0, false, 1e-3;
}

samples! {
    /// What mutants of the program are run on besides: the other kernels of the files, several blocks along every axis of the
    /// grid, and more blocks than cores.
    MORE:
    ASSORTED two [&[300, 330]], (0.75, 3), 1.0, false, 1e-2;
    CLASSIC matmul [&[130, 100, 150]], (0.0, 0), 1.0, true, 2e-2;
    CLASSIC matmul_256 [&[]], (0.0, 0), 0.25, false, 5e-2;
    CLASSIC contraction [&[]], (0.0, 0), 1.0, false, 2e-2;
    CLASSIC add [&[130, 270]], (0.0, 0), 1.0, false, 1e-2;
    CLASSIC swiglu [&[70, 130]], (0.75, 0), 1.0, false, 5e-2;
    UNUSUAL nothing [&[40, 70]], (0.0, 0), 1.0, false, 1e-2;
    UNUSUAL two_accumulators [&[70, 100, 130]], (0.0, 0), 0.5, true, 2e-2;
    UNUSUAL big_expression [&[100, 130]], (0.5, 0), 1.0, false, 1e-5;
    UNUSUAL options [&[100, 130, 130]], (0.0, 0), 0.25, false, 5e-2;
    CLASSIC scores [&[520, 520, 70]], (0.125, 0), 1.0, true, 1e-2;
    UNUSUAL loop_carried [&[2100, 130]], (0.0, 0), 1.0, false, 2e-2;
    MIXED in_place [&[300, 330]], (0.0, 0), 1.0, false, 1e-3;
}

/// The sample of this number: of [`SAMPLES`], then of [`MORE`].
pub fn sample(number: usize) -> Option<&'static Sample> {
    SAMPLES.iter().chain(MORE).nth(number)
}

/// The Tile IR of every sample, in the order of [`SAMPLES`].
///
/// # Errors
/// Where one is missing or does not parse.
pub fn parsed() -> Result<Vec<Kernel>, String> {
    SAMPLES.iter().map(|sample| parse(&project::root(), sample)).collect()
}

/// A kernel with the samples of it.
pub struct Subject {
    /// Its Tile IR.
    pub kernel: Kernel,
    /// The numbers of its samples.
    pub samples: Vec<usize>,
}

/// Every kernel of the files that the samples are in.
///
/// # Errors
/// Where one does not compile, or has no sample.
pub fn subjects() -> Result<Vec<Subject>, String> {
    let files: BTreeSet<&str> = SAMPLES.iter().map(|sample| sample.file).collect();
    let mut subjects = Vec::new();
    for file in files {
        for emitted in tt_build::kernels_of_crate(&project::root().join(file)) {
            let (kernel, _) = emitted
                .outcome
                .map_err(|errors| format!("`{}` does not compile:\n{}", emitted.path, errors.join("\n")))?;
            let all = SAMPLES.iter().chain(MORE).enumerate();
            let samples: Vec<usize> = all
                .filter(|(_, sample)| sample.file == file && sample.name == kernel.name)
                .map(|(at, _)| at)
                .collect();
            if samples.is_empty() {
                return Err(format!("`{}` of {file} is not run on anything", kernel.name));
            }
            subjects.push(Subject { kernel, samples });
        }
    }
    Ok(subjects)
}

/// The text of the files that the samples are in.
///
/// # Errors
/// Where one cannot be read.
pub fn sources() -> Result<String, String> {
    let files: BTreeSet<_> = SAMPLES.iter().map(|sample| project::root().join(sample.file)).collect();
    let read = |path: &PathBuf| {
        std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    files.iter().map(read).collect()
}

fn parse(root: &Path, sample: &Sample) -> Result<Kernel, String> {
    let path = root.join(sample.file);
    tt_build::kernels_of_crate(&path)
        .into_iter()
        .find(|emitted| emitted.path.rsplit("::").next() == Some(sample.name))
        .ok_or_else(|| format!("there is no kernel `{}` in {}", sample.name, path.display()))?
        .outcome
        .map(|(kernel, _)| kernel)
        .map_err(|errors| format!("`{}` does not compile:\n{}", sample.name, errors.join("\n")))
}
