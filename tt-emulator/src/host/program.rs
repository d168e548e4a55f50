//! Programs for the C++ host API.

use super::{CbIndex, Core, Device, Kernel, Lent, Program, Slice};
use crate::arch::NOCS;
use crate::data_format::DataFormat;
use crate::engine::device::take_expected_stores;
use crate::engine::program::{self, CircularBuffer, CoreCoord};
use crate::engine::queue::launch_after;
use crate::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole, MathFidelity};
use crate::kernel_object::KernelSource;
use crate::settings::default_threads;

fn cores(cores: &Slice<Core>) -> Vec<CoreCoord> {
    cores.get().iter().map(coordinates).collect()
}

fn coordinates(core: &Core) -> CoreCoord {
    (core.x as usize, core.y as usize)
}

pub(super) fn tt_emulator_program_create() -> Result<Option<Box<Program>>, String> {
    Ok(Some(Box::new(Program::new())))
}

pub(super) fn tt_emulator_program_destroy(program: Box<Program>) -> Result<(), String> {
    drop(program);
    Ok(())
}

fn source_of(kernel: &Kernel) -> Result<KernelSource, String> {
    let source = kernel.source.get().into_owned();
    if source.contains('\0') {
        return Err("the source of a kernel contains NUL".to_owned());
    }
    let named = kernel.named_args.get().iter();
    let defines = kernel.defines.get().iter();
    Ok(KernelSource {
        file: kernel.file.get().into_owned(),
        source,
        directory: (!kernel.directory.is_none()).then(|| kernel.directory.get().into_owned().into()),
        include_directories: Vec::new(),
        compile_args: kernel.compile_args.get().to_vec(),
        named_compile_args: named.map(|arg| (arg.name.get().into_owned(), arg.value)).collect(),
        defines: defines
            .map(|define| (define.name.get().into_owned(), define.value.get().into_owned()))
            .collect(),
    })
}

fn role_of(kernel: &Kernel) -> Result<KernelRole, String> {
    if kernel.is_compute {
        let fidelity = MathFidelity::from_id(kernel.math_fidelity);
        let unpack = kernel.unpack_to_dest_fp32.get().iter();
        return Ok(KernelRole::Compute(ComputeOptions {
            math_fidelity: fidelity.ok_or_else(|| format!("no math fidelity has id {}", kernel.math_fidelity))?,
            fp32_dest_acc_en: kernel.fp32_dest_acc_en,
            dst_full_sync_en: kernel.dst_full_sync_en,
            math_approx_mode: kernel.math_approx_mode,
            bfp8_pack_precise: kernel.bfp8_pack_precise,
            unpack_to_dest_fp32: unpack.map(|flag| *flag != 0).collect(),
        }));
    }
    let processor = DataMovementProcessor::from_id(kernel.processor)
        .ok_or_else(|| format!("no data movement processor {}", kernel.processor))?;
    if kernel.noc as usize >= NOCS {
        return Err(format!("no NoC {}", kernel.noc));
    }
    Ok(KernelRole::DataMovement {
        processor,
        noc: kernel.noc as u8,
    })
}

pub(super) fn tt_emulator_create_kernel(program: &mut Program, kernel: &Kernel) -> Result<i64, String> {
    let created = program.create_kernel(source_of(kernel)?, role_of(kernel)?, cores(&kernel.cores));
    created.map(|handle| handle as i64).map_err(|report| report.to_string())
}

pub(super) fn tt_emulator_create_circular_buffer(
    program: &mut Program,
    on: Slice<Core>,
    total_bytes: u32,
    indices: Slice<CbIndex>,
    global_address: i64,
) -> Result<i64, String> {
    let created = program.create_circular_buffer(CircularBuffer {
        cores: cores(&on),
        total_bytes,
        indices: read_cb_indices(indices.get())?,
        global_address: u64::try_from(global_address).ok(),
    });
    created.map(|handle| handle as i64).map_err(|report| report.to_string())
}

fn read_cb_indices(indices: &[CbIndex]) -> Result<Vec<program::CbIndex>, String> {
    let read = |index: &CbIndex| {
        let format = DataFormat::from_id(index.format);
        let format =
            format.ok_or_else(|| format!("circular buffer {}: no data format has id {}", index.id, index.format))?;
        Ok(program::CbIndex {
            id: u8::try_from(index.id).map_err(|_| format!("there is no circular buffer {}", index.id))?,
            format,
            page_bytes: index.page_bytes,
            tile: (index.tile_rows, index.tile_columns),
        })
    };
    indices.iter().map(read).collect()
}

pub(super) fn tt_emulator_change_circular_buffer(
    program: &mut Program,
    buffer: u64,
    total_bytes: u32,
    indices: Slice<CbIndex>,
    global_address: i64,
) -> Result<i32, String> {
    let indices = read_cb_indices(indices.get())?;
    let global_address = u64::try_from(global_address).ok();
    let changed = program.change_circular_buffer(buffer as usize, total_bytes, indices, global_address);
    changed.map(|()| 0).map_err(|report| report.to_string())
}

pub(super) fn tt_emulator_create_semaphore(
    program: &mut Program,
    on: Slice<Core>,
    initial: u32,
) -> Result<i64, String> {
    let created = program.create_semaphore(cores(&on), initial);
    created.map(i64::from).map_err(|report| report.to_string())
}

pub(super) fn tt_emulator_set_runtime_args(
    program: &mut Program,
    kernel: u32,
    core: Core,
    words: Slice<u32>,
) -> Result<i32, String> {
    let set = program.set_runtime_args(kernel as usize, coordinates(&core), words.get());
    set.map(|()| 0).map_err(|report| report.to_string())
}

pub(super) fn tt_emulator_set_common_runtime_args(
    program: &mut Program,
    kernel: u32,
    words: Slice<u32>,
) -> Result<i32, String> {
    let set = program.set_common_runtime_args(kernel as usize, words.get());
    set.map(|()| 0).map_err(|report| report.to_string())
}

pub(super) fn tt_emulator_runtime_args(program: &mut Program, kernel: u32, core: Core) -> Result<Lent<u32>, String> {
    let words = program.runtime_args(kernel as usize, coordinates(&core));
    words.map(Lent::new).map_err(|report| report.to_string())
}

pub(super) fn tt_emulator_common_runtime_args(program: &mut Program, kernel: u32) -> Result<Lent<u32>, String> {
    let words = program.common_runtime_args(kernel as usize);
    words.map(Lent::new).map_err(|report| report.to_string())
}

pub(super) fn tt_emulator_launch(device: &Device, program: &mut Program, blocking: bool) -> Result<i32, String> {
    let threads = default_threads().map_err(|error| error.to_string())?;
    program.expect_stores(take_expected_stores(device.id()));
    let launched = if blocking {
        launch_after(device, program, threads)
    } else {
        device.enqueue(program, threads)
    };
    launched.map(|()| 0).map_err(|error| error.to_string())
}

pub(super) fn tt_emulator_finish(device: &Device) -> Result<i32, String> {
    device.finish().map(|()| 0).map_err(|error| error.to_string())
}
