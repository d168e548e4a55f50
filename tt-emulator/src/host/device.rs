//! Devices and buffers for the C++ host API.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::error::call;
use crate::arch::{Arch, ArchName};
use crate::engine::device::{Buffer, BufferKind, Device, select_arch, selected_arch};
use crate::engine::sharding::Sharding;

/// Architecture of the device opened last: 0 for none, else its name plus one.
static LAST_OPENED: AtomicU32 = AtomicU32::new(0);

/// Two coordinates as C++ passes them.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct CCore {
    pub x: u32,
    pub y: u32,
}

/// # Safety
/// `arch` must be null or a C string.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_select_arch(device: i32, arch: *const c_char) -> i32 {
    call(-1, || {
        if arch.is_null() {
            return Err("no architecture".to_owned());
        }
        // SAFETY: by the contract of the call.
        let text = unsafe { CStr::from_ptr(arch) }.to_string_lossy();
        select_arch(device, text.parse()?);
        Ok(0)
    })
}

#[unsafe(no_mangle)]
extern "C" fn tt_emulator_device_open(id: i32) -> *mut c_void {
    call(null_mut(), || {
        let device = Device::open(id)?;
        LAST_OPENED.store(device.arch().name as u32 + 1, Ordering::Relaxed);
        Ok(Box::into_raw(Box::new(device)).cast())
    })
}

/// # Safety
/// `device` must come from `tt_emulator_device_open` and not be used afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_device_close(device: *mut c_void) {
    call((), || {
        // SAFETY: by the contract of the call.
        let device = unsafe { Box::from_raw(device.cast::<Arc<Device>>()) };
        // Closing gives no error, and later nobody can ask.
        if let Err(error) = device.finish() {
            eprintln!("tt-emulator: a device was closed, and nobody had asked how its launches ended: {error}");
        }
        Ok(())
    });
}

/// The device behind a handle.
///
/// # Safety
/// `device` must be a live handle of `tt_emulator_device_open`.
pub(super) unsafe fn device<'a>(device: *const c_void) -> &'a Arc<Device> {
    // SAFETY: by the contract of the call.
    unsafe { &*device.cast::<Arc<Device>>() }
}

fn fact(arch: &Arch, fact: u32) -> Result<u64, String> {
    Ok(match fact {
        0 => arch.name as u64,
        1 => arch.grid.0 as u64,
        2 => arch.grid.1 as u64,
        3 => arch.l1_bytes as u64,
        4 => arch.dram_banks as u64,
        5 => arch.dram_bank_bytes,
        6 => u64::from(arch.clock_mhz),
        7 => arch.l1_unreserved_base() as u64,
        8 => arch.dram_base,
        9 => arch.dram_read_alignment as u64,
        10 => arch.l1_alignment as u64,
        11 => arch.l1_unreserved_bytes as u64,
        12 => arch.circular_buffers as u64,
        13 => arch.noc_max_burst_bytes as u64,
        _ => return Err(format!("no device fact {fact}")),
    })
}

/// # Safety
/// `handle` must be a live device.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_device_fact(handle: *const c_void, which: u32) -> u64 {
    // SAFETY: by the contract of the call.
    call(0, || fact(unsafe { device(handle) }.arch(), which))
}

#[unsafe(no_mangle)]
extern "C" fn tt_emulator_chip_fact(which: u32) -> u64 {
    call(0, || {
        let arch = match LAST_OPENED.load(Ordering::Relaxed) {
            0 => selected_arch(0)?,
            1 => ArchName::WormholeB0,
            _ => ArchName::Blackhole,
        };
        fact(Arch::of(arch), which)
    })
}

/// # Safety
/// `handle` must be a live device, `out` valid for a write.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_virtual_core(handle: *const c_void, x: u32, y: u32, out: *mut CCore) -> i32 {
    call(-1, || {
        // SAFETY: by the contract of the call.
        let arch = unsafe { device(handle) }.arch();
        let (columns, rows) = arch.grid;
        if x as usize >= columns || y as usize >= rows {
            return Err(format!(
                "no worker core ({x},{y}): the grid of {} has {columns} columns and {rows} rows",
                arch.text
            ));
        }
        let (virtual_x, virtual_y) = arch.virtual_core(x as usize, y as usize);
        // SAFETY: by the contract of the call.
        unsafe {
            out.write(CCore {
                x: virtual_x.into(),
                y: virtual_y.into(),
            })
        };
        Ok(0)
    })
}

/// # Safety
/// `handle` must be a live device.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_buffer_create(
    handle: *mut c_void,
    is_dram: u32,
    size: u64,
    page_bytes: u64,
) -> *mut c_void {
    call(null_mut(), || {
        let kind = if is_dram != 0 { BufferKind::Dram } else { BufferKind::L1 };
        // SAFETY: by the contract of the call.
        let buffer = Buffer::allocate(unsafe { device(handle) }, kind, size, page_bytes)?;
        Ok(Box::into_raw(Box::new(buffer)).cast())
    })
}

/// Shapes are of `rank` dimensions, in pages.
///
/// # Safety
/// `handle` must be a live device, the shapes valid for `rank` words and `banks` for `bank_count`.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_buffer_create_sharded(
    handle: *mut c_void,
    is_dram: u32,
    page_bytes: u64,
    rank: usize,
    tensor: *const u32,
    shard: *const u32,
    banks: *const u32,
    bank_count: usize,
) -> *mut c_void {
    call(null_mut(), || {
        let kind = if is_dram != 0 { BufferKind::Dram } else { BufferKind::L1 };
        // SAFETY: by the contract of the call.
        let words = |start, count| unsafe { std::slice::from_raw_parts(start, count) }.to_vec();
        let sharding = Sharding {
            tensor: words(tensor, rank),
            shard: words(shard, rank),
            banks: words(banks, bank_count),
        };
        // SAFETY: by the contract of the call.
        let buffer = Buffer::allocate_sharded(unsafe { device(handle) }, kind, page_bytes, &sharding)?;
        Ok(Box::into_raw(Box::new(buffer)).cast())
    })
}

/// # Safety
/// `buffer` must be a live buffer and not be used afterwards.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_buffer_destroy(buffer: *mut c_void) {
    call((), || {
        // SAFETY: by the contract of the call.
        drop(unsafe { Box::from_raw(buffer.cast::<Buffer>()) });
        Ok(())
    });
}

/// # Safety
/// `buffer` must be a live buffer.
unsafe fn buffer<'a>(buffer: *const c_void) -> &'a Buffer {
    // SAFETY: by the contract of the call.
    unsafe { &*buffer.cast::<Buffer>() }
}

/// # Safety
/// `handle` must be a live buffer.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_buffer_address(handle: *const c_void) -> u64 {
    // SAFETY: by the contract of the call.
    unsafe { buffer(handle) }.address()
}

/// # Safety
/// `handle` must be a live buffer.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_buffer_aligned_page(handle: *const c_void) -> u64 {
    // SAFETY: by the contract of the call.
    unsafe { buffer(handle) }.aligned_page_bytes().into()
}

/// # Safety
/// `handle` must be a live buffer, `data` valid for reads of `bytes` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_buffer_write(handle: *mut c_void, data: *const u8, bytes: u64) -> i32 {
    call(-1, || {
        // SAFETY: by the contract of the call.
        unsafe { buffer(handle).write(std::slice::from_raw_parts(data, bytes as usize))? };
        Ok(0)
    })
}

/// # Safety
/// `handle` must be a live buffer, `data` valid for writes of `bytes` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn tt_emulator_buffer_read(handle: *mut c_void, data: *mut u8, bytes: u64) -> i32 {
    call(-1, || {
        // SAFETY: by the contract of the call; plain bytes need no initialisation that the read would care about.
        unsafe { buffer(handle).read(std::slice::from_raw_parts_mut(data, bytes as usize))? };
        Ok(0)
    })
}
