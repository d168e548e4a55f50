//! Calls of compute kernels: each looks up its operands, checks, and runs the call on the core's engines.

use super::super::memory::l1::L1;
use super::super::risc::{Risc, guard};
use super::super::unwritten::is_marked;
use super::threads::{mailbox_read, mailbox_write, refused, set_cb_pointer};
use super::tilize::{
    tilize, tilize_init, tilize_uninit, untilize_block, untilize_dest, untilize_init, untilize_uninit,
};
use crate::abi::{ComputeApi, register_step, side, special};
use crate::compute::ahead::{FEW, LINES_OF_PAGE};
use crate::compute::destination::Broken;
use crate::compute::engine_state::{MatrixSetting, Operand, PackMode, Reuse};
use crate::compute::fpu::eltwise::Binary;
use crate::compute::fpu::reduce::Pool;
use crate::compute::kept;
use crate::compute::matrix_calls::{BLOCK_LIMIT, BlockShape, Page};
use crate::compute::pack::{ReduceDim, Relu};
use crate::compute::pack_calls::WaitingPack;
use crate::compute::rules;
use crate::compute::sfpu_calls::{self, SfpuCall};
use crate::compute::unpack::Broadcast;

pub(super) static COMPUTE_API: ComputeApi = ComputeApi {
    hw_startup,
    registers,
    reconfigure,
    matmul_init,
    matmul,
    binary_init,
    binary,
    reuse_init,
    reuse,
    copy_init,
    copy,
    transpose_init,
    transpose,
    transpose_dest_init,
    transpose_dest,
    unary_bcast_init,
    unary_bcast,
    unary_bcast_uninit,
    reduce_init,
    reduce,
    reduce_uninit,
    reduce_mask,
    pack_init,
    pack,
    pack_l1_acc,
    pack_relu,
    tilize_init,
    tilize,
    tilize_uninit,
    untilize_init,
    untilize_block,
    untilize_dest,
    untilize_uninit,
    sfpu_init,
    mailbox_write,
    mailbox_read,
    set_cb_pointer,
    refused,
    sfpu,
};

/// A page of 32×32 tiles in this core's L1 that a call may use.
#[derive(Clone, Copy)]
pub(super) struct Place {
    operand: Operand,
    address: u32,
}

impl Place {
    /// Its bytes: `operand` has checked the page size.
    fn bytes(self) -> usize {
        self.operand.format.tile_bytes(32, 32)
    }

    /// What lies there.
    #[inline]
    pub(super) fn read(self, l1: &L1) -> Page<'_> {
        Page {
            operand: self.operand,
            bytes: l1.get(self.address, self.bytes()),
        }
    }

    /// What is to be packed there.
    #[inline]
    pub(super) fn write(self, l1: &mut L1) -> &mut [u8] {
        l1.get_mut(self.address, self.bytes())
    }
}

impl Risc {
    /// Refuses to push pages before math has handed over what is packed into them. On a chip the packer's thread does both
    /// once it has waited; here the threads run in line.
    #[inline]
    pub fn require_packed(&mut self, line: i32) {
        if !self.compute.waiting_packs.is_empty() {
            let detail = "pages pushed after tile_regs_wait and before tile_regs_commit".to_owned();
            self.violation(&rules::REFUSED, line, detail);
        }
    }

    /// Stops the run if a rule is broken.
    #[inline]
    pub(super) fn obey<T>(&mut self, result: Result<T, Broken>, line: i32) -> T {
        match result {
            Ok(value) => value,
            Err((rule, detail)) => self.violation(rule, line, detail),
        }
    }

    /// A circular buffer of 32×32 tiles as an operand.
    #[inline]
    pub(super) fn operand(&mut self, cb: u32, line: i32) -> Operand {
        let (operand, page_bytes) = self.loose_operand(cb, line);
        let tile = operand.format.tile_bytes(32, 32);
        if page_bytes != tile {
            let detail = format!(
                "buffer {cb} has pages of {page_bytes} bytes, a {:?} tile has {tile}",
                operand.format
            );
            self.violation(&rules::TILE_SHAPE, line, detail);
        }
        operand
    }

    /// A circular buffer of any page size, and that size.
    pub(super) fn loose_operand(&mut self, cb: u32, line: i32) -> (Operand, usize) {
        let config = self.cb(cb, line);
        (
            Operand {
                cb,
                format: config.format,
            },
            config.page_bytes as usize,
        )
    }

    /// Page `index` behind the read pointer.
    #[inline]
    pub(super) fn front(&mut self, operand: Operand, index: u32, line: i32) -> Place {
        let address = self.front_page(operand.cb, index, line);
        Place { operand, address }
    }

    /// Page `index` behind the read pointer, for a call that fetches nothing while it computes: another page is fetched at once.
    #[inline]
    pub(super) fn input(&mut self, operand: Operand, index: u32, line: i32) -> Place {
        let place = self.front(operand, index, line);
        self.core.to_fetch.fetch_lines(LINES_OF_PAGE);
        place
    }

    /// Page `index` behind the write pointer.
    #[inline]
    pub(super) fn output(&mut self, operand: Operand, index: u32, line: i32) -> Place {
        let address = self.back_page(operand.cb, index, line);
        Place { operand, address }
    }

    fn enumerator<T>(&mut self, value: Option<T>, what: &str, id: u32, line: i32) -> T {
        match value {
            Some(value) => value,
            None => self.violation(&rules::ENUMERATOR, line, format!("{what} {id}")),
        }
    }

    fn binary_op(&mut self, id: u32, line: i32) -> Binary {
        self.enumerator(Binary::from_id(id), "element-wise operation", id, line)
    }

    fn broadcast_of(&mut self, id: u32, line: i32) -> Broadcast {
        self.enumerator(Broadcast::from_id(id), "broadcast", id, line)
    }

    fn reuse_of(&mut self, id: u32, line: i32) -> Reuse {
        self.enumerator(Reuse::from_id(id), "reuse", id, line)
    }

    fn reduction_of(&mut self, pool: u32, dim: u32, line: i32) -> (Pool, ReduceDim) {
        (
            self.enumerator(Pool::from_id(pool), "pool", pool, line),
            self.enumerator(ReduceDim::from_id(dim), "dimension", dim, line),
        )
    }

    /// An init of matrix engine and unpackers.
    pub(super) fn set_matrix(&mut self, setting: MatrixSetting, line: i32) {
        let started = self.compute.engines.require_started(format_args!("{setting} init"));
        self.obey(started, line);
        self.compute.engines.set_matrix(setting);
        self.counters.compute.inits += 1;
        self.note_configured(true, true, false);
    }

    pub(super) fn copy_setting(&mut self, operand: Operand, transpose: bool) -> MatrixSetting {
        MatrixSetting::Copy {
            transpose,
            direct: self.compute.unpacks_to_destination(operand),
        }
    }
}

extern "C" fn hw_startup(icb0: u32, icb1: u32, ocb: u32, reverse: u32, line: i32) {
    guard(line, |risc| {
        let (a, _) = risc.loose_operand(icb0, line);
        let (b, _) = risc.loose_operand(icb1, line);
        let (out, _) = risc.loose_operand(ocb, line);
        let formats = risc.core.circular_buffers().map(|cb| cb.config.format);
        let consistent = risc.compute.set_formats(formats);
        risc.obey(consistent, line);
        let started = risc.compute.engines.start(a, b, out, reverse != 0);
        risc.obey(started, line);
    });
}

extern "C" fn registers(step: u32, line: i32) {
    guard(line, |risc| {
        let registers = &mut risc.compute.registers;
        let is_released = registers.is_released();
        let result = match step {
            register_step::ACQUIRE => {
                risc.counters.compute.sections += 1;
                registers.acquire()
            }
            register_step::ACQUIRE_SHARED => {
                risc.counters.compute.sections += 1;
                registers.acquire_shared()
            }
            register_step::COMMIT => registers.commit(),
            register_step::WAIT => registers.wait(),
            register_step::RELEASE => registers.release(),
            register_step::RELEASE_SHARED => registers.release_shared(),
            register_step::HOLD => registers.hold(),
            register_step::AIM => {
                registers.aim();
                Ok(())
            }
            register_step::VECTOR_DONE => {
                registers.await_vector();
                Ok(())
            }
            _ => Err((&rules::ENUMERATOR, format!("register step {step}"))),
        };
        match result {
            Err((rule, detail)) if is_released && risc.is_allowed(rule, line, &detail) => {}
            result => risc.obey(result, line),
        }
        risc.note_registers(step);
        if step == register_step::COMMIT {
            while let Some(waiting) = risc.compute.waiting_packs.pop_front() {
                let noted = risc.compute.note_packed(waiting.cb, waiting.register, waiting.masked);
                risc.obey(noted, waiting.line);
                let page = risc.l1.get_mut(waiting.page, waiting.bytes);
                risc.compute.pack(&waiting.packer, waiting.register, page);
            }
        }
    });
}

extern "C" fn reconfigure(to: u32, old: u32, new: u32, line: i32) {
    guard(line, |risc| {
        let started = risc.compute.engines.require_started("reconfig_data_format");
        risc.obey(started, line);
        let (operand, _) = risc.loose_operand(new, line);
        if old != special::NO_BUFFER && risc.loose_operand(old, line).0.format == operand.format {
            return;
        }
        let engines = &mut risc.compute.engines;
        match to {
            side::SRC_A => engines.set_src_a(operand),
            side::SRC_B => engines.set_src_b(operand),
            side::PACKER => engines.set_pack(operand.format),
            _ => risc.violation(&rules::ENUMERATOR, line, format!("side {to}")),
        }
        risc.counters.compute.reconfigurations += 1;
        risc.note_configured(to != side::PACKER, false, to == side::PACKER);
    });
}

extern "C" fn matmul_init(in0: u32, in1: u32, transpose: u32, ct: u32, rt: u32, kt: u32, line: i32) {
    guard(line, |risc| {
        let (rows, columns) = (risc.operand(in0, line), risc.operand(in1, line));
        risc.set_matrix(
            MatrixSetting::Matmul {
                transpose: transpose != 0,
                ct,
                rt,
                kt,
            },
            line,
        );
        // As the device's own assertion does: llk_unpack_AB_matmul_init, are_unpackers_AB_configured_correctly.
        let engines = &risc.compute.engines;
        let configured = engines
            .require_src_a(columns)
            .and_then(|()| engines.require_src_b(rows));
        risc.obey(configured, line);
    });
}

extern "C" fn matmul(
    in0: u32,
    in1: u32,
    i0: u32,
    i1: u32,
    idst: u32,
    transpose: u32,
    ct: u32,
    rt: u32,
    kt: u32,
    line: i32,
) {
    guard(line, |risc| {
        let (a, b) = (risc.operand(in0, line), risc.operand(in1, line));
        let transpose = match transpose {
            special::TRANSPOSITION_OF_INIT => risc.compute.engines.matmul_transposes(),
            flag => flag != 0,
        };
        let checked = risc
            .compute
            .require_matmul(a, b, idst, BlockShape { transpose, ct, rt, kt });
        risc.obey(checked, line);
        let (mut rows, mut columns) = ([0; BLOCK_LIMIT], [0; BLOCK_LIMIT]);
        let (rows, columns) = (&mut rows[..rt as usize], &mut columns[..ct as usize]);
        for (index, address) in (0..).zip(&mut *rows) {
            *address = risc.front(a, i0.saturating_add(kt.saturating_mul(index)), line).address;
        }
        for (index, address) in (0..).zip(&mut *columns) {
            *address = risc.front(b, i1.saturating_add(index), line).address;
        }
        let [rows, columns] = [(a, rows), (b, columns)].map(|(operand, addresses)| {
            let l1 = &risc.l1;
            let page = move |address: &u32| {
                Place {
                    operand,
                    address: *address,
                }
                .read(l1)
            };
            addresses.iter().map(page)
        });
        if risc.progress.knows_addresses() {
            kept::turn_over();
        }
        let ahead = &risc.core.to_fetch;
        let from_chip = risc.compute.matmul(rows, columns, idst, transpose, ahead);
        risc.counters.compute.matmul_tiles += u64::from(ct * rt);
        if let Some(from_chip) = from_chip {
            risc.counters.compute.from_chip.add(&from_chip);
        }
        risc.note_product([a, b], ct, rt);
    });
}

extern "C" fn binary_init(op: u32, broadcast: u32, icb0: u32, icb1: u32, accumulate: u32, full: u32, line: i32) {
    guard(line, |risc| {
        let (op, broadcast) = (risc.binary_op(op, line), risc.broadcast_of(broadcast, line));
        risc.operand(icb0, line);
        risc.operand(icb1, line);
        if full != 0 {
            risc.set_matrix(
                MatrixSetting::Binary {
                    op,
                    broadcast,
                    accumulate: accumulate != 0,
                },
                line,
            );
        } else {
            risc.compute.engines.set_math_only(op, accumulate != 0);
            risc.counters.compute.inits += 1;
            risc.note_configured(false, true, false);
        }
    });
}

extern "C" fn binary(
    op: u32,
    broadcast: u32,
    icb0: u32,
    icb1: u32,
    i0: u32,
    i1: u32,
    idst: u32,
    row: u32,
    count: u32,
    line: i32,
) {
    guard(line, |risc| {
        let (op, broadcast) = (risc.binary_op(op, line), risc.broadcast_of(broadcast, line));
        let (a, b) = (risc.operand(icb0, line), risc.operand(icb1, line));
        for tile in 0..count {
            let checked = risc.compute.require_binary(op, broadcast, (a, b), idst + tile, row);
            let accumulate = risc.obey(checked, line);
            let (first, second) = (
                risc.front(a, i0.saturating_add(tile), line),
                risc.front(b, i1.saturating_add(tile), line),
            );
            let pages = [first.read(&risc.l1), second.read(&risc.l1)];
            let ahead = &risc.core.to_fetch;
            risc.compute
                .binary(op, (broadcast, row), pages, idst + tile, accumulate, ahead);
        }
        risc.counters.compute.eltwise_tiles += u64::from(count);
        risc.note_element_wise(op, &[a, b], count);
    });
}

extern "C" fn reuse_init(op: u32, reuse: u32, icb: u32, line: i32) {
    guard(line, |risc| {
        let (op, reuse) = (risc.binary_op(op, line), risc.reuse_of(reuse, line));
        risc.operand(icb, line);
        risc.set_matrix(MatrixSetting::Reuse { op, reuse }, line);
    });
}

extern "C" fn reuse(op: u32, reuse: u32, icb: u32, tile: u32, idst: u32, line: i32) {
    guard(line, |risc| {
        let (op, reuse) = (risc.binary_op(op, line), risc.reuse_of(reuse, line));
        let operand = risc.operand(icb, line);
        let checked = risc.compute.require_reuse(op, reuse, operand, idst);
        risc.obey(checked, line);
        let page = risc.input(operand, tile, line);
        risc.compute.reuse(op, reuse, page.read(&risc.l1), idst);
        risc.counters.compute.eltwise_tiles += 1;
        risc.note_element_wise(op, &[operand], 1);
    });
}

extern "C" fn copy_init(icb: u32, transpose: u32, within_faces: u32, line: i32) {
    guard(line, |risc| {
        let operand = risc.operand(icb, line);
        if transpose != within_faces {
            let detail = "copy_init transposes faces and their elements together or not at all".to_owned();
            risc.violation(&rules::FORMAT_UNSUPPORTED, line, detail);
        }
        let setting = risc.copy_setting(operand, transpose != 0);
        risc.set_matrix(setting, line);
    });
}

extern "C" fn copy(icb: u32, tile: u32, idst: u32, count: u32, line: i32) {
    guard(line, |risc| {
        let operand = risc.operand(icb, line);
        let transpose = risc.compute.engines.copy_transposes();
        let wanted = risc.copy_setting(operand, transpose);
        let checked = risc.compute.require_copy(&wanted, operand, idst, count);
        risc.obey(checked, line);
        for i in 0..count {
            let page = risc.input(operand, tile.saturating_add(i), line);
            risc.compute
                .copy(page.read(&risc.l1), idst + i, transpose, Broadcast::None);
        }
        risc.counters.compute.copied_tiles += u64::from(count);
        risc.note_copied(operand, count);
    });
}

extern "C" fn transpose_init(icb: u32, line: i32) {
    guard(line, |risc| {
        risc.operand(icb, line);
        risc.set_matrix(MatrixSetting::Transpose, line);
    });
}

extern "C" fn transpose(icb: u32, tile: u32, idst: u32, count: u32, line: i32) {
    guard(line, |risc| {
        let operand = risc.operand(icb, line);
        let checked = risc
            .compute
            .require_copy(&MatrixSetting::Transpose, operand, idst, count);
        risc.obey(checked, line);
        for i in 0..count {
            let page = risc.input(operand, tile.saturating_add(i), line);
            risc.compute.copy(page.read(&risc.l1), idst + i, true, Broadcast::None);
        }
        risc.counters.compute.copied_tiles += u64::from(count);
        risc.note_copied(operand, count);
    });
}

extern "C" fn transpose_dest_init(line: i32) {
    guard(line, |risc| risc.set_matrix(MatrixSetting::TransposeDestination, line));
}

extern "C" fn transpose_dest(idst: u32, line: i32) {
    guard(line, |risc| {
        let checked = risc.compute.require_transpose_destination(idst);
        risc.obey(checked, line);
        risc.compute.transpose_destination(idst);
        risc.counters.compute.copied_tiles += 1;
    });
}

extern "C" fn unary_bcast_init(broadcast: u32, icb: u32, line: i32) {
    guard(line, |risc| {
        let broadcast = risc.broadcast_of(broadcast, line);
        risc.operand(icb, line);
        risc.set_matrix(MatrixSetting::UnaryBroadcast(broadcast), line);
    });
}

extern "C" fn unary_bcast(broadcast: u32, icb: u32, tile: u32, idst: u32, line: i32) {
    guard(line, |risc| {
        let how = risc.broadcast_of(broadcast, line);
        let operand = risc.operand(icb, line);
        let checked = risc
            .compute
            .require_copy(&MatrixSetting::UnaryBroadcast(how), operand, idst, 1);
        risc.obey(checked, line);
        let page = risc.input(operand, tile, line);
        risc.compute.copy(page.read(&risc.l1), idst, false, how);
        risc.counters.compute.copied_tiles += 1;
        risc.note_copied(operand, 1);
    });
}

extern "C" fn unary_bcast_uninit(broadcast: u32, icb: u32, line: i32) {
    guard(line, |risc| {
        risc.broadcast_of(broadcast, line);
        risc.operand(icb, line);
        risc.compute.engines.clear_matrix();
    });
}

extern "C" fn reduce_init(pool: u32, dim: u32, icb: u32, scaler: u32, ocb: u32, line: i32) {
    guard(line, |risc| {
        let (pool, dim) = risc.reduction_of(pool, dim, line);
        risc.operand(icb, line);
        risc.operand(scaler, line);
        risc.set_matrix(MatrixSetting::Reduce { pool, dim }, line);
        if ocb != special::NO_BUFFER {
            risc.operand(ocb, line);
            risc.compute.engines.mask = Some(dim);
        }
    });
}

extern "C" fn reduce(
    pool: u32,
    dim: u32,
    icb: u32,
    scaler: u32,
    tile: u32,
    scaler_tile: u32,
    idst: u32,
    count: u32,
    line: i32,
) {
    guard(line, |risc| {
        let (pool, dim) = risc.reduction_of(pool, dim, line);
        let (data, scale) = (risc.operand(icb, line), risc.operand(scaler, line));
        for i in 0..count {
            let checked = risc.compute.require_reduce(pool, dim, (data, scale), idst + i);
            risc.obey(checked, line);
            let (page, scale_page) = (
                risc.input(data, tile.saturating_add(i), line),
                risc.input(scale, scaler_tile, line),
            );
            let (page, scale_page) = (page.read(&risc.l1), scale_page.read(&risc.l1));
            let reduced = risc.compute.reduce(pool, dim, page, scale_page, idst + i);
            risc.obey(reduced, line);
        }
        risc.counters.compute.reduced_tiles += u64::from(count);
        risc.note_reduced(pool, dim, [data, scale], count);
    });
}

extern "C" fn reduce_uninit(line: i32) {
    guard(line, |risc| {
        let started = risc.compute.engines.require_started("reduce_uninit");
        risc.obey(started, line);
        risc.compute.engines.mask = None;
    });
}

extern "C" fn reduce_mask(dim: u32, line: i32) {
    guard(line, |risc| {
        let started = risc.compute.engines.require_started("the packer's reduce mask");
        risc.obey(started, line);
        risc.compute.engines.mask = match dim {
            special::NO_DIMENSION => None,
            dim => Some(risc.enumerator(ReduceDim::from_id(dim), "dimension", dim, line)),
        };
    });
}

extern "C" fn pack_init(ocb: u32, line: i32) {
    guard(line, |risc| {
        let (operand, _) = risc.loose_operand(ocb, line);
        let set = risc.compute.engines.require_pack(operand);
        risc.obey(set, line);
        risc.compute.engines.pack_mode = PackMode::Tiles;
        risc.counters.compute.inits += 1;
        risc.note_configured(false, false, true);
    });
}

extern "C" fn pack(idst: u32, ocb: u32, out_of_order: u32, index: u32, count: u32, line: i32) {
    guard(line, |risc| {
        let operand = risc.operand(ocb, line);
        let checked = risc.compute.require_pack(idst, count, operand);
        let packer = risc.obey(checked, line);
        for i in 0..count {
            let slot = if out_of_order != 0 {
                index.saturating_add(i)
            } else {
                risc.next_pack_slot(ocb, line)
            };
            let page = risc.output(operand, slot, line);
            let awaited = || {
                let mut waiting = risc.compute.waiting_packs.iter();
                waiting.any(|pack| pack.page == page.address)
            };
            if packer.accumulate && is_marked(page.read(&risc.l1).bytes) && !awaited() {
                let detail = format!("page {slot} of circular buffer {ocb}");
                risc.violation(&rules::L1_ACC_UNWRITTEN, line, detail);
            }
            let (register, masked) = (idst + i, risc.compute.engines.mask.is_some());
            if risc.compute.registers.is_awaited() {
                risc.compute.waiting_packs.push_back(WaitingPack {
                    packer,
                    register,
                    cb: ocb,
                    masked,
                    line,
                    page: page.address,
                    bytes: page.bytes(),
                });
            } else {
                let noted = risc.compute.note_packed(ocb, register, masked);
                risc.obey(noted, line);
                risc.core.to_fetch.fetch_lines(FEW);
                risc.compute.pack(&packer, register, page.write(&mut risc.l1));
            }
        }
        risc.counters.compute.packed_tiles += u64::from(count);
        risc.note_packed_tiles(operand, count, packer.accumulate);
    });
}

extern "C" fn pack_l1_acc(enable: u32, line: i32) {
    guard(line, |risc| {
        let started = risc.compute.engines.require_started("pack_reconfig_l1_acc");
        risc.obey(started, line);
        risc.compute.engines.l1_accumulate = enable != 0;
        risc.note_configured(false, false, true);
    });
}

extern "C" fn pack_relu(mode: u32, threshold: u32, line: i32) {
    guard(line, |risc| {
        let started = risc.compute.engines.require_started("pack_relu_config");
        risc.obey(started, line);
        let relu = risc.enumerator(Relu::from_ids(mode, threshold), "ReLU mode", mode, line);
        risc.compute.engines.relu = relu;
        risc.note_configured(false, false, true);
    });
}

extern "C" fn sfpu_init(name: u64, variant: u32, p0: u32, p1: u32, flags: u32, line: i32) {
    guard(line, |risc| {
        let set = risc.compute.sfpu_init(name, variant, [p0, p1], flags);
        risc.obey(set, line);
        risc.counters.compute.inits += 1;
        let is_for_packer = sfpu_calls::is_from_packer(flags);
        risc.note_configured(false, !is_for_packer, is_for_packer);
    });
}

extern "C" fn sfpu(call: &SfpuCall, line: i32) {
    guard(line, |risc| {
        let done = risc.compute.sfpu(call);
        risc.obey(done, line);
        risc.counters.compute.sfpu_tiles += 1;
        risc.note_vector(call);
    });
}
