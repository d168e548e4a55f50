//! Runs a case on the emulator and judges what came out.

use super::case::{Arg, Case, CircularBuffer, Kernel};
use super::wheel::Wheel;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tt_emulator::kernel_object::KernelSource;
use tt_emulator::{
    Arch, ArchName, Buffer, BufferKind, CbIndex, CoreCoord, Device, Program, RunCounters, Sharding, default_threads,
    launch,
};

/// Runs all `cases` as [`run`] does, as many at a time as there are processors: most of the time goes to the C++
/// compiler. The outcomes stand in the order of the cases.
pub fn run_all(cases: &[Case], wheel: &Wheel, arch: ArchName) -> Vec<Result<Outcome, String>> {
    let outcomes: Vec<OnceLock<Result<Outcome, String>>> = cases.iter().map(|_| OnceLock::new()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(index) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < cases.len()) {
            outcomes[index].get_or_init(|| run(&cases[index], wheel, &Device::open_arch(0, arch)?));
        }
    };
    let threads = match default_threads() {
        Ok(threads) => threads,
        Err(error) => return cases.iter().map(|_| Err(error.to_string())).collect(),
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let missing = || Err("the case was not run".to_owned());
    outcomes
        .into_iter()
        .map(|outcome| outcome.into_inner().unwrap_or_else(missing))
        .collect()
}

/// What a run gave.
pub struct Outcome {
    /// How much of what they may be off the results are, as [`super::values::Expected::check`] gives it.
    pub share: f64,
    /// What it moved, computed and waited for.
    pub counters: RunCounters,
}

/// Runs `case` on an emulated device.
///
/// # Errors
/// What is wrong: with the case, the kernels, their course or their results.
pub fn run(case: &Case, wheel: &Wheel, device: &Arc<Device>) -> Result<Outcome, String> {
    check(case)?;
    let buffers = allocate(case, device)?;
    let program = build(case, wheel, device.arch(), &buffers)?;
    let threads = default_threads().map_err(|error| error.to_string())?;
    let counters = launch(device, &program, threads).map_err(|error| error.to_string())?;
    let mut most = 0.0f64;
    for (buffer, described) in buffers.values().zip(sorted(case)) {
        let Some(expected) = &described.expected else { continue };
        let mut found = vec![0; buffer.size() as usize];
        buffer.read(&mut found)?;
        let share = expected
            .check(&found)
            .map_err(|wrong| format!("buffer `{}`: {wrong}", described.name))?;
        most = most.max(share);
    }
    Ok(Outcome { share: most, counters })
}

/// Refuses a case that could not fail.
pub(super) fn check(case: &Case) -> Result<(), String> {
    let judged: Vec<_> = case
        .buffers
        .iter()
        .filter_map(|buffer| Some((buffer, buffer.expected.as_ref()?)))
        .collect();
    if judged.is_empty() {
        return Err("the case expects nothing".to_owned());
    }
    for (buffer, expected) in judged {
        if expected.check(&buffer.content).is_ok() {
            return Err(format!("`{}` is as expected before the run", buffer.name));
        }
    }
    Ok(())
}

/// The case's buffers in the order of their names.
fn sorted(case: &Case) -> Vec<&super::case::Buffer> {
    let mut buffers: Vec<_> = case.buffers.iter().collect();
    buffers.sort_by_key(|buffer| buffer.name);
    buffers
}

type Buffers = BTreeMap<&'static str, Buffer>;

fn allocate(case: &Case, device: &Arc<Device>) -> Result<Buffers, String> {
    let mut buffers = Buffers::new();
    for described in &case.buffers {
        let page_bytes = u64::from(described.page_bytes);
        let buffer = match &described.sharding {
            None => Buffer::allocate(device, described.memory, described.content.len() as u64, page_bytes),
            Some(sharding) => Buffer::allocate_sharded(device, described.memory, page_bytes, sharding),
        };
        let buffer = buffer.map_err(|error| format!("buffer `{}`: {error}", described.name))?;
        buffer
            .write(&described.content)
            .map_err(|error| format!("buffer `{}`: {error}", described.name))?;
        buffers.insert(described.name, buffer);
    }
    Ok(buffers)
}

fn build(case: &Case, wheel: &Wheel, arch: &'static Arch, buffers: &Buffers) -> Result<Program, String> {
    let mut program = Program::new();
    for described in &case.circular_buffers {
        let buffer = circular_buffer(described, buffers)?;
        program
            .create_circular_buffer(buffer)
            .map_err(|report| report.to_string())?;
    }
    for (cores, initial) in &case.semaphores {
        let id = program.create_semaphore(cores.clone(), *initial);
        id.map_err(|report| report.to_string())?;
    }
    let resolver = Resolver {
        arch,
        buffers,
        described: &case.buffers,
    };
    for kernel in &case.kernels {
        add(&mut program, kernel, wheel, &resolver).map_err(|error| format!("{}: {error}", kernel.path))?;
    }
    Ok(program)
}

fn circular_buffer(described: &CircularBuffer, buffers: &Buffers) -> Result<tt_emulator::CircularBuffer, String> {
    let global_address = match described.on {
        None => None,
        Some(name) => Some(found(buffers, name)?.address()),
    };
    let index = |id: &u8| CbIndex {
        id: *id,
        format: described.format,
        page_bytes: described.page_bytes,
        tile: described.tile,
    };
    Ok(tt_emulator::CircularBuffer {
        cores: described.cores.clone(),
        total_bytes: described.page_bytes * described.pages,
        indices: described.ids.iter().map(index).collect(),
        global_address,
    })
}

fn add(program: &mut Program, kernel: &Kernel, wheel: &Wheel, resolver: &Resolver) -> Result<(), String> {
    let text = match kernel.text {
        Some(text) => text.to_owned(),
        None => wheel.read(&kernel.path)?,
    };
    let source = match kernel.tokens.header() {
        header if header.is_empty() => text,
        header => format!("{header}#line 1 {:?}\n{text}", kernel.path),
    };
    let source = KernelSource {
        file: kernel.path.clone(),
        source,
        directory: wheel.directory(&kernel.path),
        include_directories: wheel.include_directories(),
        compile_args: resolver.words(&kernel.compile_args)?,
        named_compile_args: kernel.named_compile_args.iter().cloned().collect(),
        defines: kernel.defines.iter().cloned().collect(),
    };
    let handle = program.create_kernel(source, kernel.role.clone(), kernel.cores.clone());
    let handle = handle.map_err(|report| report.to_string())?;
    for (core, arguments) in &kernel.args {
        let set = program.set_runtime_args(handle, *core, &resolver.words(arguments)?);
        set.map_err(|report| report.to_string())?;
    }
    Ok(())
}

fn found<'a>(buffers: &'a Buffers, name: &str) -> Result<&'a Buffer, String> {
    buffers
        .get(name)
        .ok_or_else(|| format!("the case has no buffer `{name}`"))
}

/// Makes words of named arguments.
struct Resolver<'a> {
    arch: &'static Arch,
    buffers: &'a Buffers,
    described: &'a [super::case::Buffer],
}

impl Resolver<'_> {
    fn words(&self, arguments: &[Arg]) -> Result<Vec<u32>, String> {
        let mut words = Vec::new();
        for argument in arguments {
            match argument {
                Arg::Word(word) => words.push(*word),
                Arg::Address(name) => words.push(found(self.buffers, name)?.address() as u32),
                Arg::Accessor(name) => words.extend(self.accessor(name)?),
                Arg::NocX(core) => words.push(self.virtual_core(*core)?.0.into()),
                Arg::NocY(core) => words.push(self.virtual_core(*core)?.1.into()),
            }
        }
        Ok(words)
    }

    fn virtual_core(&self, (x, y): CoreCoord) -> Result<(u8, u8), String> {
        let (columns, rows) = self.arch.grid;
        if x >= columns || y >= rows {
            return Err(format!("{} has no core ({x},{y})", self.arch.text));
        }
        Ok(self.arch.virtual_core(x, y))
    }

    /// Words of `TensorAccessorArgs`: for an interleaved tensor its flags and the size of its pages; for a sharded one also
    /// rank, number of banks, shapes of tensor and shard, and the coordinates of the banks, two to a word
    /// (`tt_metal/hw/inc/api/tensor/tensor_accessor_args.h`, `tt_metal/hw/inc/internal/tensor/array_wrapper.h`).
    fn accessor(&self, name: &str) -> Result<Vec<u32>, String> {
        const SHARDED: u32 = 1;
        const IS_DRAM: u32 = 2;
        let buffer = found(self.buffers, name)?;
        let sharding = self.described.iter().find(|described| described.name == name);
        let sharding = sharding.and_then(|described| described.sharding.as_ref());
        let memory = match buffer.kind() {
            BufferKind::Dram => IS_DRAM,
            BufferKind::L1 => 0,
        };
        let page = buffer.aligned_page_bytes();
        let Some(sharding) = sharding else {
            return Ok(vec![memory, page]);
        };
        let rank = sharding.tensor.len() as u32;
        let mut words = vec![memory | SHARDED, page, rank, sharding.banks.len() as u32];
        words.extend(sharding.tensor.iter().chain(&sharding.shard));
        words.extend(self.bank_coordinates(buffer.kind(), sharding));
        Ok(words)
    }

    fn bank_coordinates(&self, kind: BufferKind, sharding: &Sharding) -> Vec<u32> {
        let coordinate = |bank: &u32| {
            let (x, y) = match kind {
                // DRAM banks are named by their number.
                BufferKind::Dram => (*bank, 0),
                BufferKind::L1 => {
                    let columns = self.arch.grid.0;
                    let (x, y) = self
                        .arch
                        .virtual_core(*bank as usize % columns, *bank as usize / columns);
                    (x.into(), y.into())
                }
            };
            x << 8 | y
        };
        let coordinates: Vec<u32> = sharding.banks.iter().map(coordinate).collect();
        coordinates
            .chunks(2)
            .map(|pair| pair[0] | pair.get(1).copied().unwrap_or(0) << 16)
            .collect()
    }
}
