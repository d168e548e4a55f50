//! One operation on one simulated chip: its kernels, its launch, its results.
//!
//! Inputs and results are words of pages, so no conversion of the host or of the unpackers touches a bit. No chip's simulator
//! unpacks all of fp32 into a wide register: it is put together there of two halves.

use crate::simulator::npy;
use crate::simulator::oracle::{Failure, Oracle};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tt_emulator::ArchName;
use tt_emulator::vector_unit::{COUNT, Case, fed, name, packed};
use xtask::project;

const READER: &str = include_str!("kernels/reader.cpp");
const COMPUTE: &str = include_str!("kernels/compute.cpp");
const WRITER: &str = include_str!("kernels/writer.cpp");

/// Tiles per input.
const TILES: usize = COUNT / tt_device::TILE_ELEMENTS as usize;

/// Bytes of a page of 16-bit values.
const PAGE: usize = tt_device::DataFormat::Float16B.tile_bytes() as usize;

/// Launches at once: what an interrupted run has finished is not lost.
const BATCH: usize = 48;

/// A case on a chip, in a width of its registers.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    pub case: &'a Case,
    pub chip: ArchName,
    pub wide: bool,
}

impl Run<'_> {
    fn name(&self) -> String {
        name(self.case, self.chip, self.wide)
    }

    fn results(&self, out: &Path) -> PathBuf {
        out.join(format!("{}.bin", self.name()))
    }

    /// The simulator's results are there.
    pub fn is_done(&self, out: &Path) -> bool {
        self.results(out).is_file()
    }

    /// The simulator's results, as bit patterns.
    pub fn read(&self, out: &Path) -> Result<Vec<u32>, String> {
        let path = self.results(out);
        let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let values: Vec<u32> = if self.wide {
            bytes
                .as_chunks()
                .0
                .iter()
                .map(|word| u32::from_le_bytes(*word))
                .collect()
        } else {
            let halves = bytes.as_chunks().0.iter();
            halves.map(|half| u32::from(u16::from_le_bytes(*half)) << 16).collect()
        };
        if values.len() != COUNT || bytes.len() != COUNT * self.bytes() {
            return Err(format!("{} does not hold {COUNT} values; delete it", path.display()));
        }
        Ok(values.into_iter().map(|bits| packed(bits, self.wide)).collect())
    }

    /// Of a result.
    fn bytes(&self) -> usize {
        if self.wide { 4 } else { 2 }
    }

    /// Writes the launch below `folder`, with every function put in line or not.
    fn write(&self, folder: &Path, in_line: bool) -> Result<(), String> {
        let save = |file: &str, text: &str| project::write(&folder.join(file), text);
        let pages = self.pages();
        npy::write_words(&folder.join("in.npy"), &[pages.len() / PAGE, PAGE / 4], &pages)?;
        let compute = COMPUTE
            .replace("@HEADER@", &format!("api/compute/{}", self.case.header))
            .replace("@INIT@", self.case.init)
            .replace("@CALL@", self.case.call)
            .replace("@IN_LINE@", if in_line { "1" } else { "0" })
            .replace(
                "@INPUT@",
                if self.case.input_f32 {
                    "#define INP_FLOAT32 1"
                } else {
                    ""
                },
            )
            .replace("@WIDE@", if self.wide { "1" } else { "0" });
        save("reader.cpp", READER)?;
        save("compute.cpp", &compute)?;
        save("writer.cpp", WRITER)?;
        save("spec.json", &self.spec(pages.len() / PAGE / TILES).to_string())
    }

    /// The halves of the inputs that registers have, as pages: all of one input's upper halves, then its lower ones, then
    /// those of the next.
    fn pages(&self) -> Vec<u8> {
        let half = |shift: u32| move |bits: &u32| ((bits >> shift) as u16).to_le_bytes();
        let mut pages = Vec::new();
        for input in fed(self.case, self.wide) {
            pages.extend(input.iter().flat_map(half(16)));
            if self.wide {
                pages.extend(input.iter().flat_map(half(0)));
            }
        }
        pages
    }

    /// Keeps the results of the launch in `folder`.
    fn keep(&self, folder: &Path, out: &Path) -> Result<(), String> {
        let bytes = npy::read_words(&folder.join("out.npy"), COUNT * self.bytes() / 4)?;
        project::write(&self.results(out), bytes)
    }

    fn spec(&self, streams: usize) -> Value {
        let core = [0, 0];
        let (read, written, bytes) = if self.wide {
            ("uint16", "float32", 2 * PAGE)
        } else {
            ("bfloat16", "bfloat16", PAGE)
        };
        let words = |pages: usize, bytes: usize| json!({ "shape": [pages, bytes / 4], "dtype": "uint32", "layout": "row_major" });
        let mut buffers = json!({ "in": words(TILES * streams, PAGE), "out": words(TILES, bytes) });
        buffers["in"]["init"] = json!("in.npy");
        buffers["out"]["out"] = json!("out.npy");
        json!({
            "arch": self.chip.to_string(),
            "buffers": buffers,
            "cbs": [
                { "index": 0, "data_format": read, "page_size": PAGE, "num_pages": 2 * streams, "cores": core },
                { "index": 16, "data_format": written, "page_size": bytes, "num_pages": 2, "cores": core },
            ],
            "kernels": [
                { "path": "reader.cpp", "kind": "reader", "cores": core, "compile_args": [streams, "accessor:in"],
                  "runtime_args": ["addr:in"] },
                { "path": "writer.cpp", "kind": "writer", "cores": core, "compile_args": ["accessor:out"],
                  "runtime_args": ["addr:out"] },
                { "path": "compute.cpp", "kind": "compute", "cores": core,
                  "compile_args": [self.case.inputs], "runtime_args": [],
                  "fp32_dest_acc_en": self.wide, "math_approx_mode": self.case.approximate },
            ],
        })
    }
}

/// Runs what is missing and keeps the results in `out`; what the stand-in for the device's compiler cannot build, with every
/// function put in line once more. What is beyond the simulator comes back by name, with the
/// reason; a launch that fails otherwise is an error.
pub fn simulate(missing: &[Run], out: &Path, oracle: &Oracle, jobs: &str) -> Result<BTreeMap<String, Failure>, String> {
    let launches = out.join("launches");
    let clear = || match std::fs::remove_dir_all(&launches) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("cannot empty {}: {error}", launches.display()))
        }
        _ => Ok(()),
    };
    let (mut refused, mut failed) = (BTreeMap::new(), Vec::new());
    let mut left = missing.to_vec();
    for in_line in [false, true] {
        let mut again = Vec::new();
        for batch in left.chunks(BATCH) {
            clear()?;
            for run in batch {
                run.write(&launches.join(run.name()), in_line)?;
            }
            oracle.run(&launches, jobs, None)?;
            for run in batch {
                let folder = launches.join(run.name());
                match oracle.failure(&folder) {
                    None => run.keep(&folder, out)?,
                    Some(Failure::Launch(why)) => failed.push(format!("{}: {why}", run.name())),
                    Some(Failure::Compiler) if !in_line => again.push(*run),
                    Some(limit) => {
                        refused.insert(run.name(), limit);
                    }
                }
            }
        }
        left = again;
    }
    clear()?;
    if failed.is_empty() {
        Ok(refused)
    } else {
        Err(format!("{} launches did not run:\n{}", failed.len(), failed.join("\n")))
    }
}
