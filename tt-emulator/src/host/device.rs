//! Devices and buffers for the C++ host API.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{Buffer, Core, Device, Slice, SliceMut, device_fact};
use crate::abi::CText;
use crate::arch::{Arch, ArchName};
use crate::engine::device::{self, BufferKind, select_arch, selected_arch};
use crate::engine::sharding::Sharding;

/// Metalium's number of the architecture of the device opened last, or zero, which is none's.
static LAST_OPENED: AtomicU32 = AtomicU32::new(0);

pub(super) fn tt_emulator_select_arch(device: i32, arch: Option<CText>) -> Result<i32, String> {
    let arch = arch.ok_or("no architecture")?;
    select_arch(device, arch.get().parse()?);
    Ok(0)
}

pub(super) fn tt_emulator_device_open(id: i32) -> Result<Option<Box<Device>>, String> {
    let device = device::Device::open(id)?;
    LAST_OPENED.store(device.arch().name as u32, Ordering::Relaxed);
    Ok(Some(Box::new(device)))
}

#[allow(clippy::boxed_local, reason = "a handle is a box")]
pub(super) fn tt_emulator_device_close(device: Box<Device>) -> Result<(), String> {
    // Closing gives no error, and later nobody can ask.
    if let Err(error) = device.finish() {
        eprintln!("tt-emulator: a device was closed, and nobody had asked how its launches ended: {error}");
    }
    Ok(())
}

fn fact(arch: &Arch, which: u32) -> Result<u64, String> {
    Ok(match which {
        device_fact::ARCH => arch.name as u64,
        device_fact::GRID_X => arch.grid.0 as u64,
        device_fact::GRID_Y => arch.grid.1 as u64,
        device_fact::L1_BYTES => arch.l1_bytes as u64,
        device_fact::DRAM_BANKS => arch.dram_banks as u64,
        device_fact::DRAM_BANK_BYTES => arch.dram_bank_bytes,
        device_fact::CLOCK_MHZ => u64::from(arch.clock_mhz),
        device_fact::L1_BASE => arch.l1_unreserved_base() as u64,
        device_fact::DRAM_BASE => arch.dram_base,
        device_fact::DRAM_ALIGNMENT => arch.dram_read_alignment as u64,
        device_fact::L1_ALIGNMENT => arch.l1_alignment as u64,
        device_fact::L1_UNRESERVED => arch.l1_unreserved_bytes as u64,
        device_fact::CIRCULAR_BUFFERS => arch.circular_buffers as u64,
        device_fact::BURST => arch.noc_max_burst_bytes as u64,
        _ => return Err(format!("no device fact {which}")),
    })
}

pub(super) fn tt_emulator_device_fact(device: &Device, which: u32) -> Result<u64, String> {
    fact(device.arch(), which)
}

pub(super) fn tt_emulator_chip_fact(which: u32) -> Result<u64, String> {
    let arch = match ArchName::from_id(LAST_OPENED.load(Ordering::Relaxed)) {
        Some(opened) => opened,
        None => selected_arch(0)?,
    };
    fact(Arch::of(arch), which)
}

pub(super) fn tt_emulator_virtual_core(device: &Device, core: Core, out: &mut Core) -> Result<i32, String> {
    let arch = device.arch();
    let (columns, rows) = arch.grid;
    let Core { x, y } = core;
    if x as usize >= columns || y as usize >= rows {
        return Err(format!(
            "no worker core ({x},{y}): the grid of {} has {columns} columns and {rows} rows",
            arch.text
        ));
    }
    let (virtual_x, virtual_y) = arch.virtual_core(x as usize, y as usize);
    *out = Core {
        x: virtual_x.into(),
        y: virtual_y.into(),
    };
    Ok(0)
}

fn kind(is_dram: bool) -> BufferKind {
    if is_dram { BufferKind::Dram } else { BufferKind::L1 }
}

pub(super) fn tt_emulator_buffer_create(
    device: &Device,
    is_dram: bool,
    size: u64,
    page_bytes: u64,
) -> Result<Option<Box<Buffer>>, String> {
    let buffer = Buffer::allocate(device, kind(is_dram), size, page_bytes)?;
    Ok(Some(Box::new(buffer)))
}

pub(super) fn tt_emulator_buffer_create_sharded(
    device: &Device,
    is_dram: bool,
    page_bytes: u64,
    tensor: Slice<u32>,
    shard: Slice<u32>,
    banks: Slice<u32>,
) -> Result<Option<Box<Buffer>>, String> {
    let sharding = Sharding {
        tensor: tensor.get().to_vec(),
        shard: shard.get().to_vec(),
        banks: banks.get().to_vec(),
    };
    let buffer = Buffer::allocate_sharded(device, kind(is_dram), page_bytes, &sharding)?;
    Ok(Some(Box::new(buffer)))
}

pub(super) fn tt_emulator_buffer_destroy(buffer: Box<Buffer>) -> Result<(), String> {
    drop(buffer);
    Ok(())
}

pub(super) fn tt_emulator_buffer_address(buffer: &Buffer) -> Result<u64, String> {
    Ok(buffer.address())
}

pub(super) fn tt_emulator_buffer_aligned_page(buffer: &Buffer) -> Result<u64, String> {
    Ok(buffer.aligned_page_bytes().into())
}

pub(super) fn tt_emulator_buffer_write(buffer: &Buffer, offset: u64, data: Slice<u8>) -> Result<i32, String> {
    buffer.write_at(offset, data.get())?;
    Ok(0)
}

pub(super) fn tt_emulator_buffer_read(buffer: &Buffer, offset: u64, mut data: SliceMut<u8>) -> Result<i32, String> {
    buffer.read_at(offset, data.get())?;
    Ok(0)
}
