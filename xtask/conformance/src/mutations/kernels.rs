//! The kernels that every mutant is judged on: together they use every call, loop and branch that the passes make.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tt_lang::ir::{Kernel, WherePaying};
use tt_plan::DeviceGrid;
use xtask::kernels::{Selection, emitted};
use xtask::project;

/// A kernel with what it is run on.
#[derive(Debug)]
pub struct Sample {
    /// The file of the repository it is in.
    file: &'static str,
    /// Its name.
    name: &'static str,
    /// The values of its extents, run after run.
    shapes: &'static [&'static [usize]],
    /// What its scalar parameters are given: numbers, integers.
    pub scalars: (f32, i64),
    /// How large the elements of its inputs are at most.
    pub scale: f32,
    /// How far from the source's real numbers an element may be, as a share of 1 + |expected|: the bound that the
    /// repository's tests have for this kernel.
    tolerance: f32,
    /// The same with the adders of the device (`TT_EMULATOR_FPU=exact`).
    exact_tolerance: f32,
}

const ASSORTED: &str = "tt-backend/tests/kernels/assorted.rs";
const UNUSUAL: &str = "tt-backend/tests/kernels/unusual.rs";
const STATES: &str = "tt-backend/tests/kernels/states.rs";
const MIXED: &str = "tt-backend/tests/kernels/mixed.rs";
const CLASSIC: &str = "tt-backend/tests/kernels/classic.rs";
const ELEMENTWISE: &str = "examples/elementwise.rs";
const DIGITS: &str = "examples/digits/main.rs";
const KEPT: &str = "tests/kept.rs";

macro_rules! samples {
    ($(#[$doc:meta])* $table:ident: $($file:ident $name:ident $shapes:expr, $scalars:expr, $scale:literal, $tolerance:literal $(or $adders:literal)?;)*) => {
        $(#[$doc])*
        pub const $table: &[Sample] = &[$(Sample {
            file: $file,
            name: stringify!($name),
            shapes: &$shapes,
            scalars: $scalars,
            scale: $scale,
            tolerance: $tolerance,
            exact_tolerance: [$($adders,)? $tolerance][0],
        }),*];
    };
}

samples! {
    /// The kernels, those that show most first. Their shapes have several blocks along every axis of the grid, and along each
    /// axis one that ends with its tiles, one that ends in the first row or column of a tile, and one that ends elsewhere; odd
    /// and even numbers of tiles. Last the bound, `or` another one for the adders of the device.
    SAMPLES:
    ASSORTED two [&[33, 65], &[96, 100], &[64, 97], &[70, 20]], (0.75, 3), 1.0, 1e-2;
    ASSORTED vectors [&[100, 70], &[65, 192], &[160, 97], &[20, 70]], (0.0, 0), 1.0, 2e-2;
    ASSORTED mlp [&[70, 100, 70, 70], &[64, 96, 64, 128], &[33, 97, 97, 97]], (0.0, 0), 0.25, 2e-2;
    ASSORTED tall [&[100, 70, 130], &[192, 128, 64], &[161, 97, 97]], (0.0, 0), 1.0, 1e-4 or 1e-2;
    ASSORTED batched [&[2, 97, 260], &[2, 64, 128], &[1, 65, 97]], (0.0, 0), 1.0, 1e-3;
    CLASSIC linear_gelu [&[70, 100, 130], &[97, 65, 97], &[128, 96, 64]], (0.0, 0), 1.0, 2e-2;
    CLASSIC shrink [&[40, 70], &[96, 128], &[33, 97]], (0.75, 0), 1.0, 1e-2;
    CLASSIC scores [&[70, 100, 130], &[128, 96, 64], &[97, 65, 97]], (0.125, 0), 1.0, 2e-2;
    CLASSIC add [&[130, 300], &[256, 96], &[161, 97]], (0.0, 0), 1.0, 1e-2;
    CLASSIC swiglu [&[70, 130], &[128, 96], &[33, 97]], (0.75, 0), 1.0, 5e-2;
    CLASSIC checkerboard [&[128, 64], &[70, 97], &[192, 96]], (0.0, 0), 1.0, 1e-2;
    UNUSUAL gemm_in_if [&[70, 100, 65], &[128, 64, 96], &[97, 97, 97]], (0.0, 0), 1.0, 1e-4 or 1e-2;
    UNUSUAL two_accumulators [&[70, 70, 130], &[128, 64, 64], &[33, 97, 97]], (0.0, 0), 0.5, 2e-2;
    UNUSUAL big_expression [&[70, 130], &[128, 96], &[33, 97]], (0.5, 0), 1.0, 1e-5;
    UNUSUAL long_polynomials [&[70, 130], &[128, 96], &[33, 97]], (0.0, 0), 1.0, 4.5e-5;
    UNUSUAL options [&[70, 70, 130], &[128, 64, 64], &[33, 97, 97]], (0.0, 0), 0.25, 5e-2;
    UNUSUAL loop_carried [&[70, 200], &[96, 128], &[33, 97]], (0.0, 0), 1.0, 2e-2;
    UNUSUAL shifted [&[]], (0.0, 0), 1.0, 1e-2;
    UNUSUAL resident [&[140, 200], &[128, 96], &[97, 97]], (0.0, 0), 1.0, 1e-2;
    STATES branches [&[33, 65], &[64, 96]], (0.0, 0), 1.0, 1e-2;
    STATES branches [&[33, 65], &[70, 97]], (0.0, 2), 1.0, 1e-2;
    ASSORTED two [&[33, 65], &[70, 96]], (0.25, 0), 1.0, 1e-2;
    MIXED mixed_product [&[150, 84, 70], &[256, 64, 64], &[97, 97, 97]], (0.0, 0), 1.0, 1e-3 or 1e-2;
    MIXED product_or_copy [&[70, 84, 70], &[64, 64, 96]], (0.0, 0), 1.0, 1e-3 or 1e-2;
    MIXED product_or_copy [&[70, 84, 70], &[64, 96, 128], &[97, 97, 97]], (0.0, 1), 1.0, 1e-3 or 1e-2;
    MIXED either [&[40, 70], &[64, 96]], (0.0, 2), 1.0, 1e-2;
    MIXED either [&[40, 70], &[97, 33]], (0.0, 3), 1.0, 1e-2;
    MIXED in_place [&[100, 70], &[64, 96], &[33, 97]], (0.0, 0), 1.0, 1e-3;
    UNUSUAL gemm_in_if [&[70, 100, 65]], (0.0, 1), 1.0, 1e-4 or 1e-2;
    UNUSUAL nothing [&[40, 70], &[64, 97]], (0.0, 0), 1.0, 1e-2;
    CLASSIC matmul [&[130, 70, 300], &[128, 64, 256], &[97, 97, 97]], (0.0, 0), 1.0, 2e-2;
    CLASSIC matmul_256 [&[]], (0.0, 0), 0.25, 5e-2;
    CLASSIC contraction [&[]], (0.0, 0), 1.0, 2e-2;
}

samples! {
    /// Kernels of the examples, and of what blocks read alike, of which mutants of the program are made besides. That of
    /// `examples/matmul.rs` is `matmul` above.
    EXAMPLES:
    ELEMENTWISE swiglu [&[70, 130], &[128, 96], &[33, 97]], (0.75, 0), 1.0, 5e-2;
    ELEMENTWISE affine [&[70, 300], &[33, 161], &[128, 128]], (0.0, 0), 1.0, 1e-2;
    DIGITS linear_relu [&[70, 100, 130], &[97, 97, 97], &[128, 64, 64]], (0.0, 0), 1.0, 2e-2;
    DIGITS linear [&[70, 100, 97], &[128, 64, 64], &[97, 97, 33]], (0.0, 0), 1.0, 2e-2;
    KEPT with_weights [&[70], &[128], &[97]], (0.0, 0), 1.0, 2e-2;
}

/// All samples, each with its number.
pub fn samples() -> impl Iterator<Item = (usize, &'static Sample)> {
    SAMPLES.iter().chain(EXAMPLES).enumerate()
}

impl Sample {
    /// The runs of it: the extents, and the cores that the blocks are given to. There are so few that several fall to one.
    pub fn runs(&self) -> impl Iterator<Item = (&'static [usize], DeviceGrid)> {
        let cores = [DeviceGrid { x: 3, y: 1 }, DeviceGrid { x: 1, y: 1 }];
        self.shapes.iter().copied().zip(cores.into_iter().cycle())
    }

    /// How far from the source's real numbers an element may be in this process, as a share of 1 + |expected|.
    pub fn bound(&self) -> f32 {
        match std::env::var("TT_EMULATOR_FPU").as_deref() {
            Ok("exact") => self.exact_tolerance,
            _ => self.tolerance,
        }
    }
}

/// The Tile IR of every sample, in the order of [`SAMPLES`].
///
/// # Errors
/// Where one is missing or does not parse.
pub fn parsed() -> Result<Vec<Kernel>, String> {
    SAMPLES.iter().map(|sample| parse(&project::root(), sample)).collect()
}

/// A kernel of which mutants are made.
pub struct Subject {
    /// What it is called: the function, and by its path where it has no samples.
    pub name: String,
    /// Its Tile IR.
    pub kernel: Kernel,
    /// The numbers of its samples among [`samples`]; none has one of [`others`].
    pub samples: Vec<usize>,
    /// The digest of what is written of it.
    digest: String,
}

/// Every kernel of the files that the samples are in, whose cores all read for themselves: with so few cores and blocks, rounds that go along
/// and operands that come by another core change nothing whatever is wrong with them. As they are written, those whose cores share
/// are among [`others`].
///
/// # Errors
/// Where one does not compile, or has no sample.
pub fn subjects() -> Result<Vec<Subject>, String> {
    let files: BTreeSet<&str> = samples().map(|(_, sample)| sample.file).collect();
    let mut subjects = Vec::new();
    for file in files {
        for emitted in tt_build::kernels_of_crate(&project::root().join(file)) {
            let (mut kernel, _) = emitted
                .outcome
                .map_err(|errors| format!("`{}` does not compile:\n{}", emitted.path, errors.join("\n")))?;
            kernel.options.multicast = WherePaying::Off;
            let alone = tt_backend::compile(&kernel);
            let artifact = alone.map_err(|_| format!("`{}` does not compile with `multicast = off`", emitted.path))?;
            let samples: Vec<usize> = samples()
                .filter(|(_, sample)| sample.file == file && sample.name == kernel.name)
                .map(|(at, _)| at)
                .collect();
            if samples.is_empty() {
                return Err(format!("`{}` of {file} is not run on anything", kernel.name));
            }
            subjects.push(Subject {
                name: kernel.name.clone(),
                kernel,
                samples,
                digest: artifact.digest(),
            });
        }
    }
    Ok(subjects)
}

/// Every kernel of the examples, the tests and the programs but `subjects`. Their lines are counted from their own first, so that what
/// stands before them in their files changes none.
///
/// # Errors
/// Where one does not compile.
pub fn others(subjects: &[Subject]) -> Result<Vec<Subject>, String> {
    let others = emitted(&Selection::default())?
        .into_iter()
        .map(|(name, mut kernel, artifact)| {
            let first = kernel.location(kernel.span).line;
            for location in &mut kernel.locations {
                location.line = location.line.saturating_sub(first);
            }
            Subject {
                name,
                kernel,
                samples: Vec::new(),
                digest: artifact.digest(),
            }
        });
    Ok(others
        .filter(|other| subjects.iter().all(|subject| subject.digest != other.digest))
        .collect())
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
