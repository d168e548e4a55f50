//! Tilizing and untilizing: entries that move whole blocks through the destination registers on their own.

use super::super::risc::{Risc, guard};
use crate::abi::{register_step, special};
use crate::compute::engine_state::{MatrixSetting, Operand, PackMode};
use crate::compute::matrix_calls::Page;
use crate::compute::row_major::{gather, scatter};
use crate::compute::rules;
use crate::compute::unpack::Broadcast;
use crate::data_format::DataFormat;

/// Bytes of the largest tile that lies in rows.
const LARGEST_TILE: usize = 4096;

/// The last of `pages` pages; one that no buffer has where there are more than can be counted.
fn last(pages: usize) -> u32 {
    u32::try_from(pages - 1).unwrap_or(u32::MAX)
}

impl Risc {
    /// Bytes of an element of a row-major buffer.
    fn row_element(&mut self, operand: Operand, line: i32) -> usize {
        match operand.format {
            DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32 => 4,
            DataFormat::Float16_b | DataFormat::Float16 | DataFormat::UInt16 => 2,
            DataFormat::UInt8 | DataFormat::Int8 => 1,
            format => {
                let detail = format!("buffer {} holds rows of {format:?}", operand.cb);
                self.violation(&rules::FORMAT_UNSUPPORTED, line, detail)
            }
        }
    }

    /// The address of `bytes` bytes from the read pointer on, all of them waited for: first and last page are inside what was
    /// waited for and not beyond the ring's end, so all between are.
    fn front_bytes(&mut self, cb: u32, page_bytes: usize, bytes: usize, line: i32) -> u32 {
        let pages = bytes.div_ceil(page_bytes).max(1);
        self.front_page(cb, last(pages), line);
        self.front_page(cb, 0, line)
    }

    /// The address of `bytes` bytes from the write pointer on, all of them reserved: as for `front_bytes`.
    fn back_bytes(&mut self, cb: u32, page_bytes: usize, bytes: usize, line: i32) -> u32 {
        let pages = bytes.div_ceil(page_bytes).max(1);
        self.back_page(cb, last(pages), line);
        self.back_page(cb, 0, line)
    }

    /// Packs `block` registers from `first` on as rows of a block of `full` tiles, from tile `column` on, into the bytes at an
    /// address.
    fn pack_rows(
        &mut self,
        out: Operand,
        (block, full, column): (u32, u32, u32),
        first: u32,
        (rows, bytes): (u32, usize),
        line: i32,
    ) {
        let element = self.row_element(out, line);
        if u64::from(column) + u64::from(block) > u64::from(full) {
            let detail = format!("tiles from {column} on of a row of {full}, {block} of them");
            self.violation(&rules::BLOCK_DIMENSIONS, line, detail);
        }
        let set = self
            .compute
            .engines
            .require_pack(out)
            .and(self.compute.registers.require_pack(first, block));
        self.obey(set, line);
        if self.compute.engines.pack_mode != (PackMode::Untilize { block, full }) {
            let detail = format!(
                "blocks of {block} of {full} tiles, the packer is set for {:?}",
                self.compute.engines.pack_mode
            );
            self.violation(&rules::UNTILIZE_MODE, line, detail);
        }
        let packer = self.compute.packer(out);
        let packer = self.obey(packer, line);
        if packer.accumulate {
            self.violation(
                &rules::L1_ACC_FORMAT,
                line,
                format!("buffer {} is packed in rows", out.cb),
            );
        }
        let mut tile = [0u8; LARGEST_TILE];
        for c in 0..block {
            self.compute.pack(&packer, first + c, &mut tile[..element * 1024]);
            let rows = self.l1.get_mut(rows, bytes);
            scatter(&tile, element, full as usize, (column + c) as usize, rows);
        }
        self.counters.compute.packed_tiles += u64::from(block);
        self.note_packed_rows(out, block);
    }

    fn check_block(&mut self, block: u32, full: u32, line: i32) {
        if block == 0 || full == 0 || !full.is_multiple_of(block) || block as usize > self.compute.registers.capacity()
        {
            let detail = format!(
                "blocks of {block} of {full} tiles, the section has {}",
                self.compute.registers.capacity()
            );
            self.violation(&rules::BLOCK_DIMENSIONS, line, detail);
        }
    }
}

pub(super) extern "C" fn tilize_init(icb: u32, block: u32, ocb: u32, fast: u32, line: i32) {
    guard(line, |risc| {
        risc.loose_operand(icb, line);
        risc.operand(ocb, line);
        let fast = fast != 0;
        risc.set_matrix(MatrixSetting::Tilize { block, fast }, line);
    });
}

pub(super) extern "C" fn tilize(icb: u32, block: u32, ocb: u32, input: u32, output: u32, line: i32) {
    guard(line, |risc| {
        let (operand, page_bytes) = risc.loose_operand(icb, line);
        let out = risc.operand(ocb, line);
        let element = risc.row_element(operand, line);
        let copied = risc.compute.require_copied(operand);
        risc.obey(copied, line);
        let fast = risc.compute.engines.tilizes_fast();
        let set = risc
            .compute
            .engines
            .require_matrix(&MatrixSetting::Tilize { block, fast });
        risc.obey(set, line);
        let format = risc.compute.engines.require_src_a(operand);
        risc.obey(format, line);
        if block == 0 {
            risc.violation(&rules::BLOCK_DIMENSIONS, line, "a block of no tiles".to_owned());
        }
        let (width, row, first) = (block as usize, (input / block) as usize, (input % block) as usize);
        let block_bytes = width * 1024 * element;
        let all = (row + 1) * block_bytes;
        let address = risc.front_bytes(icb, page_bytes, all, line);
        let mut tile = [0u8; LARGEST_TILE];
        for t in 0..block - first as u32 {
            gather(
                &risc.l1.get(address, all)[row * block_bytes..],
                element,
                width,
                first + t as usize,
                &mut tile,
            );
            let registers = &mut risc.compute.registers;
            let acquired = registers.acquire();
            risc.obey(acquired, line);
            risc.note_registers(register_step::ACQUIRE);
            let page = Page {
                operand,
                bytes: &tile[..element * 1024],
            };
            if fast {
                risc.compute.copy_fast(page, 0);
                risc.note_copied(operand, 1);
            } else {
                risc.compute.copy(page, 0, false, Broadcast::None);
                risc.note_tilized(operand, 1);
            }
            let registers = &mut risc.compute.registers;
            let handed = registers.commit().and_then(|()| registers.wait());
            risc.obey(handed, line);
            risc.note_registers(register_step::COMMIT);
            risc.note_registers(register_step::WAIT);
            let packer = risc.compute.require_pack(0, 1, out);
            let mut packer = risc.obey(packer, line);
            if fast {
                risc.compute.set_fast(&mut packer, operand);
            }
            let page = risc.output(out, output.saturating_add(t), line);
            risc.compute.pack(&packer, 0, page.write(&mut risc.l1));
            risc.note_packed_tiles(out, 1, packer.accumulate);
            let released = risc.compute.registers.release();
            risc.obey(released, line);
            risc.note_registers(register_step::RELEASE);
        }
        let tiles = u64::from(block) - first as u64;
        risc.counters.compute.copied_tiles += tiles;
        risc.counters.compute.packed_tiles += tiles;
    });
}

pub(super) extern "C" fn tilize_uninit(icb: u32, ocb: u32, line: i32) {
    guard(line, |risc| {
        risc.loose_operand(icb, line);
        risc.loose_operand(ocb, line);
        risc.compute.engines.clear_matrix();
        risc.note_configured(true, false, false);
    });
}

pub(super) extern "C" fn untilize_init(icb: u32, ocb: u32, block: u32, full: u32, line: i32) {
    guard(line, |risc| {
        let started = risc.compute.engines.require_started("pack_untilize_init");
        risc.obey(started, line);
        risc.check_block(block, full, line);
        if icb != special::NO_BUFFER {
            let operand = risc.operand(icb, line);
            let setting = risc.copy_setting(operand, false);
            risc.set_matrix(setting, line);
        }
        let (out, _) = risc.loose_operand(ocb, line);
        risc.compute.engines.set_pack(out.format);
        risc.compute.engines.pack_mode = PackMode::Untilize { block, full };
        risc.note_configured(false, false, true);
    });
}

pub(super) extern "C" fn untilize_block(
    icb: u32,
    ocb: u32,
    block: u32,
    full: u32,
    rows: u32,
    column: u32,
    first: u32,
    output: u32,
    line: i32,
) {
    guard(line, |risc| {
        let operand = risc.operand(icb, line);
        let (out, page_bytes) = risc.loose_operand(ocb, line);
        let element = risc.row_element(out, line);
        let wanted = risc.copy_setting(operand, false);
        let (skipped, row_bytes) = (output as usize * 1024 * element, full as usize * 1024 * element);
        for _ in 0..rows {
            let acquired = risc.compute.registers.acquire();
            risc.obey(acquired, line);
            risc.note_registers(register_step::ACQUIRE);
            let checked = risc.compute.require_copy(&wanted, operand, 0, block);
            risc.obey(checked, line);
            for c in 0..block {
                let page = risc.input(operand, first.saturating_add(c), line);
                risc.compute.copy(page.read(&risc.l1), c, false, Broadcast::None);
            }
            risc.note_copied(operand, block);
            let registers = &mut risc.compute.registers;
            let handed = registers.commit().and_then(|()| registers.wait());
            risc.obey(handed, line);
            risc.note_registers(register_step::COMMIT);
            risc.note_registers(register_step::WAIT);
            let address = risc.back_bytes(ocb, page_bytes, skipped + row_bytes, line);
            risc.pack_rows(
                out,
                (block, full, column.saturating_mul(block)),
                0,
                (address + skipped as u32, row_bytes),
                line,
            );
            let released = risc.compute.registers.release();
            risc.obey(released, line);
            risc.note_registers(register_step::RELEASE);
        }
        risc.counters.compute.copied_tiles += u64::from(rows) * u64::from(block);
    });
}

pub(super) extern "C" fn untilize_dest(ocb: u32, block: u32, full: u32, rows: u32, column: u32, first: u32, line: i32) {
    guard(line, |risc| {
        let (out, page_bytes) = risc.loose_operand(ocb, line);
        let element = risc.row_element(out, line);
        let row_bytes = full as usize * 1024 * element;
        let address = risc.back_bytes(ocb, page_bytes, rows as usize * row_bytes, line);
        for r in 0..if row_bytes == 0 { 0 } else { rows } {
            let column = column.saturating_mul(block);
            let first = first.saturating_add(r.saturating_mul(block));
            let row = (address + r * row_bytes as u32, row_bytes);
            risc.pack_rows(out, (block, full, column), first, row, line);
        }
    });
}

pub(super) extern "C" fn untilize_uninit(ocb: u32, line: i32) {
    guard(line, |risc| {
        let (out, _) = risc.loose_operand(ocb, line);
        risc.compute.engines.set_pack(out.format);
        risc.compute.engines.pack_mode = PackMode::Tiles;
        risc.note_configured(false, false, true);
    });
}
