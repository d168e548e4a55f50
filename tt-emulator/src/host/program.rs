//! Programs for the C++ host API.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use super::device::{CCore, device};
use super::error::call;
use crate::data_format::DataFormat;
use crate::engine::device::take_expected_stores;
use crate::engine::program::{CbIndex, CircularBuffer, CoreCoord, Program};
use crate::engine::queue::launch_after;
use crate::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole, MathFidelity};
use crate::kernel_object::KernelSource;
use crate::settings::default_threads;

/// A kernel as C++ describes it; mirror of `tt_emulator_kernel` in `host/src/engine_calls.h`.
#[repr(C)]
struct CKernel {
    file: *const c_char,
    source: *const u8,
    source_bytes: usize,
    directory: *const c_char,
    is_compute: u32,
    processor: u32,
    noc: u32,
    math_fidelity: u32,
    fp32_dest_acc_en: u32,
    dst_full_sync_en: u32,
    bfp8_pack_precise: u32,
    math_approx_mode: u32,
    unpack_to_dest_fp32: *const u8,
    unpack_to_dest_count: usize,
    compile_args: *const u32,
    compile_arg_count: usize,
    named_arg_names: *const *const c_char,
    named_arg_values: *const u32,
    named_arg_count: usize,
    define_names: *const *const c_char,
    define_values: *const *const c_char,
    define_count: usize,
    cores: *const CCore,
    core_count: usize,
}

/// An index of a circular buffer as C++ describes it.
#[repr(C)]
struct CCbIndex {
    id: u32,
    format: u32,
    page_bytes: u32,
    tile_rows: u32,
    tile_columns: u32,
}

/// A slice of what C++ passes; nothing for a null pointer.
///
/// # Safety
/// `data` must be null or valid for reads of `count` elements.
unsafe fn slice<'a, T>(data: *const T, count: usize) -> &'a [T] {
    // SAFETY: by the contract of the call.
    if data.is_null() {
        &[]
    } else {
        unsafe { std::slice::from_raw_parts(data, count) }
    }
}

/// # Safety
/// `text` must be null or a C string.
unsafe fn text(text: *const c_char) -> String {
    // SAFETY: by the contract of the call.
    if text.is_null() {
        String::new()
    } else {
        unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }
}

/// # Safety
/// As for [`slice`].
unsafe fn cores(data: *const CCore, count: usize) -> Vec<CoreCoord> {
    // SAFETY: by the contract of the call.
    unsafe { slice(data, count) }
        .iter()
        .map(|core| (core.x as usize, core.y as usize))
        .collect()
}

/// # Safety
/// `program` must be a live program that nobody else uses at the same time.
unsafe fn program<'a>(program: *mut c_void) -> &'a mut Program {
    // SAFETY: by the contract of the call.
    unsafe { &mut *program.cast::<Program>() }
}

#[unsafe(no_mangle)]
extern "C" fn tt_emulator_program_create() -> *mut c_void {
    call(null_mut(), || Ok(Box::into_raw(Box::new(Program::new())).cast()))
}

/// # Safety
/// `handle` must be a live program and not be used afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_program_destroy(handle: *mut c_void) {
    call((), || {
        // SAFETY: by the contract of the call.
        drop(unsafe { Box::from_raw(handle.cast::<Program>()) });
        Ok(())
    });
}

/// # Safety
/// `kernel` and all it points to must be as `engine_calls.h` says.
unsafe fn read_kernel(kernel: &CKernel) -> Result<(KernelSource, KernelRole, Vec<CoreCoord>), String> {
    // SAFETY: by the contract of the call, for all of this block.
    unsafe {
        let source = String::from_utf8_lossy(slice(kernel.source, kernel.source_bytes)).into_owned();
        if source.contains('\0') {
            return Err("the source of a kernel contains NUL".to_owned());
        }
        let names = slice(kernel.named_arg_names, kernel.named_arg_count)
            .iter()
            .map(|name| text(*name));
        let values = slice(kernel.named_arg_values, kernel.named_arg_count).iter().copied();
        let define_names = slice(kernel.define_names, kernel.define_count)
            .iter()
            .map(|name| text(*name));
        let define_values = slice(kernel.define_values, kernel.define_count)
            .iter()
            .map(|value| text(*value));
        let request = KernelSource {
            file: text(kernel.file),
            source,
            directory: (!kernel.directory.is_null()).then(|| text(kernel.directory).into()),
            include_directories: Vec::new(),
            compile_args: slice(kernel.compile_args, kernel.compile_arg_count).to_vec(),
            named_compile_args: names.zip(values).collect(),
            defines: define_names.zip(define_values).collect(),
        };
        let role = if kernel.is_compute != 0 {
            let fidelity = MathFidelity::from_id(kernel.math_fidelity as u8);
            KernelRole::Compute(ComputeOptions {
                math_fidelity: fidelity.ok_or_else(|| format!("no math fidelity has id {}", kernel.math_fidelity))?,
                fp32_dest_acc_en: kernel.fp32_dest_acc_en != 0,
                dst_full_sync_en: kernel.dst_full_sync_en != 0,
                math_approx_mode: kernel.math_approx_mode != 0,
                bfp8_pack_precise: kernel.bfp8_pack_precise != 0,
                unpack_to_dest_fp32: slice(kernel.unpack_to_dest_fp32, kernel.unpack_to_dest_count)
                    .iter()
                    .map(|flag| *flag != 0)
                    .collect(),
            })
        } else {
            let processor = match kernel.processor {
                0 => DataMovementProcessor::Brisc,
                1 => DataMovementProcessor::Ncrisc,
                other => return Err(format!("no data movement processor {other}")),
            };
            if kernel.noc > 1 {
                return Err(format!("no NoC {}", kernel.noc));
            }
            KernelRole::DataMovement {
                processor,
                noc: kernel.noc as u8,
            }
        };
        Ok((request, role, cores(kernel.cores, kernel.core_count)))
    }
}

/// # Safety
/// `handle` must be a live program, `kernel` as `engine_calls.h` says.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_create_kernel(handle: *mut c_void, kernel: *const CKernel) -> i64 {
    call(-1, || {
        // SAFETY: by the contract of the call.
        let (request, role, cores) = unsafe { read_kernel(&*kernel)? };
        // SAFETY: as above.
        let created = unsafe { program(handle) }.create_kernel(request, role, cores);
        created.map(|handle| handle as i64).map_err(|report| report.to_string())
    })
}

/// # Safety
/// `handle` must be a live program, the arrays valid for reads of their counts.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_create_circular_buffer(
    handle: *mut c_void,
    core_data: *const CCore,
    core_count: usize,
    total_bytes: u32,
    indices: *const CCbIndex,
    index_count: usize,
    global_address: i64,
) -> i64 {
    call(-1, || {
        // SAFETY: by the contract of the call.
        let (cores, indices) = unsafe { (cores(core_data, core_count), slice(indices, index_count)) };
        let indices = read_cb_indices(indices)?;
        let global_address = u64::try_from(global_address).ok();
        let buffer = CircularBuffer {
            cores,
            total_bytes,
            indices,
            global_address,
        };
        // SAFETY: as above.
        let created = unsafe { program(handle) }.create_circular_buffer(buffer);
        created.map(|handle| handle as i64).map_err(|report| report.to_string())
    })
}

fn read_cb_indices(indices: &[CCbIndex]) -> Result<Vec<CbIndex>, String> {
    let read = |index: &CCbIndex| {
        let format = u8::try_from(index.format).ok().and_then(DataFormat::from_id);
        let format =
            format.ok_or_else(|| format!("circular buffer {}: no data format has id {}", index.id, index.format))?;
        Ok(CbIndex {
            id: u8::try_from(index.id).map_err(|_| format!("there is no circular buffer {}", index.id))?,
            format,
            page_bytes: index.page_bytes,
            tile: (index.tile_rows, index.tile_columns),
        })
    };
    indices.iter().map(read).collect()
}

/// # Safety
/// `handle` must be a live program, the array valid for reads of its count.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_change_circular_buffer(
    handle: *mut c_void,
    buffer: u64,
    total_bytes: u32,
    indices: *const CCbIndex,
    index_count: usize,
    global_address: i64,
) -> i32 {
    call(-1, || {
        // SAFETY: by the contract of the call.
        let (program, indices) = unsafe { (program(handle), slice(indices, index_count)) };
        let indices = read_cb_indices(indices)?;
        let global_address = u64::try_from(global_address).ok();
        let changed = program.change_circular_buffer(buffer as usize, total_bytes, indices, global_address);
        changed.map(|()| 0).map_err(|report| report.to_string())
    })
}

/// # Safety
/// `handle` must be a live program, the array valid for reads of its count.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_create_semaphore(
    handle: *mut c_void,
    core_data: *const CCore,
    core_count: usize,
    initial: u32,
) -> i64 {
    call(-1, || {
        // SAFETY: by the contract of the call.
        let created = unsafe { program(handle).create_semaphore(cores(core_data, core_count), initial) };
        created.map(i64::from).map_err(|report| report.to_string())
    })
}

/// # Safety
/// `handle` must be a live program, the array valid for reads of its count.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_set_runtime_args(
    handle: *mut c_void,
    kernel: u32,
    core: CCore,
    words: *const u32,
    count: usize,
) -> i32 {
    call(-1, || {
        let core = (core.x as usize, core.y as usize);
        // SAFETY: by the contract of the call.
        let set = unsafe { program(handle).set_runtime_args(kernel as usize, core, slice(words, count)) };
        set.map(|()| 0).map_err(|report| report.to_string())
    })
}

/// # Safety
/// `handle` must be a live program, the array valid for reads of its count.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_set_common_runtime_args(
    handle: *mut c_void,
    kernel: u32,
    words: *const u32,
    count: usize,
) -> i32 {
    call(-1, || {
        // SAFETY: by the contract of the call.
        let set = unsafe { program(handle).set_common_runtime_args(kernel as usize, slice(words, count)) };
        set.map(|()| 0).map_err(|report| report.to_string())
    })
}

/// # Safety
/// `handle` must be a live program, `count` valid for a write. The result lives until the program's arguments are set again.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_runtime_args(
    handle: *mut c_void,
    kernel: u32,
    core: CCore,
    count: *mut usize,
) -> *mut u32 {
    call(null_mut(), || {
        let core = (core.x as usize, core.y as usize);
        // SAFETY: by the contract of the call.
        let words = unsafe { program(handle) }
            .runtime_args(kernel as usize, core)
            .map_err(|report| report.to_string())?;
        // SAFETY: as above.
        unsafe { count.write(words.len()) };
        Ok(words.as_mut_ptr())
    })
}

/// # Safety
/// As for `tt_emulator_runtime_args`.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_common_runtime_args(handle: *mut c_void, kernel: u32, count: *mut usize) -> *mut u32 {
    call(null_mut(), || {
        // SAFETY: by the contract of the call.
        let words = unsafe { program(handle) }
            .common_runtime_args(kernel as usize)
            .map_err(|report| report.to_string())?;
        // SAFETY: as above.
        unsafe { count.write(words.len()) };
        Ok(words.as_mut_ptr())
    })
}

/// # Safety
/// `device_handle` must be a live device, `handle` a live program.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_launch(device_handle: *mut c_void, handle: *mut c_void, blocking: u32) -> i32 {
    call(-1, || {
        let threads = default_threads().map_err(|error| error.to_string())?;
        // SAFETY: by the contract of the call.
        let (device, program) = unsafe { (device(device_handle), program(handle)) };
        program.expect_stores(take_expected_stores(device.id()));
        let launched = if blocking != 0 {
            launch_after(device, program, threads)
        } else {
            device.enqueue(program, threads)
        };
        launched.map(|()| 0).map_err(|error| error.to_string())
    })
}

/// Waits for what was enqueued, and tells if it failed.
///
/// # Safety
/// `device_handle` must be a live device.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_finish(device_handle: *mut c_void) -> i32 {
    call(-1, || {
        // SAFETY: by the contract of the call.
        let finished = unsafe { device(device_handle) }.finish();
        finished.map(|()| 0).map_err(|error| error.to_string())
    })
}
