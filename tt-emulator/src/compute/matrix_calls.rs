//! Calls of the matrix engine: from pages to destination registers.

use super::ahead::{Ahead, LINES_OF_PAGE};
use super::counters::FromChip;
use super::destination::Broken;
use super::engine_state::{MatrixSetting, Operand, Reuse};
use super::fpu::datapath::Adder;
use super::fpu::eltwise::{self, Binary, Onto};
use super::fpu::reduce::{Moved, Pool, Reduction, is_unit};
use super::fpu::{exact, integers, matmul};
use super::kept::{Operands, Way};
use super::pack::{Packer, ReduceDim};
use super::reused::Reused;
use super::rules;
use super::state::{ComputeState, Sources};
use super::tile::Tile;
use super::unpack::{
    Broadcast, Keep, Mask, integers_8, integers_16, is_byte, is_supported, is_zero, spread, to_copy, to_destination,
    to_source, transpose,
};
use crate::data_format::DataFormat;

/// A page and what it is.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    pub operand: Operand,
    pub bytes: &'a [u8],
}

/// Pages that follow each other in a call.
pub trait Pages<'a>: ExactSizeIterator<Item = Page<'a>> + Clone {}

impl<'a, T: ExactSizeIterator<Item = Page<'a>> + Clone> Pages<'a> for T {}

/// Shape of a block of tile products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockShape {
    /// in1 tiles are transposed.
    pub transpose: bool,
    /// Tiles across.
    pub ct: u32,
    /// Tiles down.
    pub rt: u32,
    /// Row stride of in0 in tiles.
    pub kt: u32,
}

/// Most tiles of a block, across or down.
pub const BLOCK_LIMIT: usize = 16;

/// Adds the product of two tiles through the device's adders.
fn add_exactly(
    register: &mut Tile,
    sources: &mut Sources,
    [row, column]: [Page; 2],
    transposed: bool,
    (phases, adder): (u32, Adder),
) {
    for (page, source) in [(row, &mut sources.b), (column, &mut sources.a)] {
        let format = page.operand.format;
        to_source(page.bytes, format, whole(format, adder), adder.half, source);
    }
    if transposed {
        sources.spread.0.copy_from_slice(&sources.a.0);
        transpose(&sources.spread, &mut sources.a);
    }
    exact::accumulate(register, &sources.b, &sources.a, phases, adder);
}

impl ComputeState {
    /// Checks a matmul before its pages are looked at.
    pub fn require_matmul(&self, in0: Operand, in1: Operand, idst: u32, shape: BlockShape) -> Result<(), Broken> {
        self.registers.require_math(idst, 1)?;
        let BlockShape { transpose, ct, rt, kt } = shape;
        let dimensions = [ct, rt, kt];
        if dimensions.contains(&0) || ct.saturating_mul(rt) > self.registers.capacity() as u32 {
            let detail = format!("{rt} by {ct} tiles, the section has {}", self.registers.capacity());
            return Err((&rules::BLOCK_DIMENSIONS, detail));
        }
        self.registers.require_math(idst, ct * rt)?;
        self.engines
            .require_matrix(&MatrixSetting::Matmul { transpose, ct, rt, kt })?;
        self.engines.require_matmul_order(in0.cb, in1.cb)?;
        self.engines.require_src_a(in1)?;
        self.engines.require_src_b(in0)?;
        self.require_sources(in0, in1)
    }

    /// `DST[idst + r·ct + c] += rows[r] · columns[c]`. Gives back how far a chip's sums are from these, where one was formed both ways.
    pub fn matmul<'a>(
        &mut self,
        rows: impl Pages<'a>,
        columns: impl Pages<'a>,
        idst: u32,
        transposed: bool,
        ahead: &Ahead,
    ) -> Option<FromChip> {
        let wide = self.is_wide();
        if columns.clone().any(|page| is_byte(page.operand.format)) {
            self.matmul_integers(rows, columns, idst, transposed);
            return None;
        }
        // Five exponent bits are no `f32` exponents.
        if self.exact || columns.clone().any(|page| self.unpacks_half(page.operand.format)) {
            self.matmul_exact(rows, columns, idst, transposed);
            return None;
        }
        let way = Way::of(self.fidelity, wide, transposed, rows.clone(), columns.clone());
        let mut special = false;
        let mut operands = Reused::<Operands>::none();
        let operands = operands.get();
        operands.begin();
        for page in columns.clone() {
            special |= operands.columns.add_column(page, way, &mut self.sources.get().spread);
        }
        for page in rows.clone() {
            special |= operands.rows.add_row(page, way);
        }
        if special {
            self.matmul_exact(rows, columns, idst, transposed);
            return None;
        }
        let (rt, ct) = (rows.len(), columns.len());
        let compared = self.both_ways.as_mut().and_then(|both_ways| both_ways.next(rt * ct));
        let before = compared.map(|at| self.copy_of(idst + at as u32));
        self.next_sums.follow();
        // As many pages as are multiplied.
        let lines = (LINES_OF_PAGE * (rt + ct)).div_ceil(rt * ct * matmul::FETCHES);
        for (r, (row, page)) in operands.rows.of_call().zip(rows.clone()).enumerate() {
            let as_it_lies = way.row_as_it_lies(page);
            for (c, column) in operands.columns.of_call().enumerate() {
                let fetch = || {
                    ahead.fetch_lines(lines);
                    self.next_sums.fetch_lines();
                };
                let register = self.registers.accumulate(idst + (r * ct + c) as u32);
                let left_out = way.plan.leaves_out.then_some((&row.low, &column.low));
                matmul::multiply(
                    register,
                    (&row.parts, as_it_lies),
                    &column.parts,
                    (way.plan.products, left_out),
                    (wide, way.paired),
                    fetch,
                );
            }
        }
        let (at, before) = compared.zip(before)?;
        let (row, column) = (rows.clone().nth(at / ct)?, columns.clone().nth(at % ct)?);
        Some(self.compare(&before, [row, column], idst + at as u32, transposed))
    }

    #[cold]
    #[inline(never)]
    fn copy_of(&mut self, register: u32) -> Box<Tile> {
        Box::new(self.registers.accumulate(register).clone())
    }

    /// How far a chip's sum is from that of a register, to which a product was added.
    #[cold]
    #[inline(never)]
    fn compare(&mut self, before: &Tile, [row, column]: [Page; 2], register: u32, transposed: bool) -> FromChip {
        let as_chip = (self.phases, self.adder(column.operand.format));
        let mut chip = before.clone();
        add_exactly(&mut chip, self.sources.get(), [row, column], transposed, as_chip);
        FromChip::of(before, self.registers.accumulate(register), &chip)
    }

    /// The same through the exact datapath: operands with the largest exponent or of five exponent bits, and
    /// `TT_EMULATOR_FPU=exact`.
    #[inline(never)]
    fn matmul_exact<'a>(&mut self, rows: impl Pages<'a>, columns: impl Pages<'a>, idst: u32, transposed: bool) {
        let ct = columns.len();
        for (r, row) in rows.enumerate() {
            for (c, column) in columns.clone().enumerate() {
                let as_chip = (self.phases, self.adder(column.operand.format));
                let register = self.registers.accumulate(idst + (r * ct + c) as u32);
                add_exactly(register, self.sources.get(), [row, column], transposed, as_chip);
            }
        }
    }

    #[inline(never)]
    fn matmul_integers<'a>(&mut self, rows: impl Pages<'a>, columns: impl Pages<'a>, idst: u32, transposed: bool) {
        let sources = self.sources.get();
        let ct = columns.len();
        for (r, row) in rows.enumerate() {
            integers_8(row.bytes, row.operand.format == DataFormat::Int8, &mut sources.b);
            for (c, column) in columns.clone().enumerate() {
                integers_8(column.bytes, column.operand.format == DataFormat::Int8, &mut sources.a);
                if transposed {
                    sources.spread.0.copy_from_slice(&sources.a.0);
                    transpose(&sources.spread, &mut sources.a);
                }
                let register = self.registers.accumulate(idst + (r * ct + c) as u32);
                integers::accumulate(register, &sources.b, &sources.a, self.phases);
            }
        }
    }

    /// Checks an element-wise call on two buffers; gives back whether it accumulates.
    pub fn require_binary(
        &self,
        op: Binary,
        broadcast: Broadcast,
        (a, b): (Operand, Operand),
        idst: u32,
        row: u32,
    ) -> Result<bool, Broken> {
        self.registers.require_math(idst, 1)?;
        let wanted = MatrixSetting::Binary {
            op,
            broadcast,
            accumulate: false,
        };
        let accumulate = self.engines.require_matrix(&wanted)?;
        self.engines.require_src_a(a)?;
        self.engines.require_src_b(b)?;
        self.require_sources(a, b)?;
        if row >= 32 {
            return Err((&rules::BROADCAST_ROW, format!("row {row}")));
        }
        Ok(accumulate)
    }

    /// `DST[idst] = a op b`, added to the register if `accumulate` or if `op` multiplies.
    pub fn binary(
        &mut self,
        op: Binary,
        (how, row): (Broadcast, u32),
        [a, b]: [Page; 2],
        idst: u32,
        accumulate: bool,
        ahead: &Ahead,
    ) {
        let adder = self.adder(a.operand.format);
        let half = adder.half;
        let sources = self.sources.get();
        let (a_format, b_format) = (a.operand.format, b.operand.format);
        let onto = match accumulate || op == Binary::Mul {
            false => Onto::Nothing,
            true if self.registers.read(idst).is_none() => Onto::Zeros,
            true => Onto::Values,
        };
        let is_plain = [a_format, b_format] == [DataFormat::Float16_b; 2] && how == Broadcast::None;
        if is_plain && onto == Onto::Nothing && eltwise::is_patterns(op, adder) {
            let patterns = self.registers.overwrite_patterns(idst);
            if eltwise::patterns_of_pages(patterns, op, [a.bytes, b.bytes], ahead) {
                return;
            }
        }
        let register = if onto == Onto::Nothing {
            self.registers.overwrite(idst)
        } else {
            self.registers.accumulate(idst)
        };
        let is_filled = onto == Onto::Nothing || onto == Onto::Zeros && op == Binary::Mul;
        if is_plain
            && is_filled
            && eltwise::binary_of_pages(register, op, [a.bytes, b.bytes], self.phases, adder, ahead)
        {
            return;
        }
        ahead.fetch_lines(2 * LINES_OF_PAGE);
        let bytes = is_byte(a_format);
        if bytes {
            integers_8(b.bytes, b_format == DataFormat::Int8, &mut sources.b);
        } else {
            to_source(b.bytes, b_format, whole(b_format, adder), half, &mut sources.b);
        }
        let b = match how {
            Broadcast::None => &sources.b,
            _ => {
                spread(&sources.b, how, row as usize, &mut sources.spread);
                &sources.spread
            }
        };
        if bytes {
            integers_8(a.bytes, a_format == DataFormat::Int8, &mut sources.a);
            integers::binary(register, op, &sources.a, b, self.phases, onto);
            return;
        }
        // Zero bytes are zeros in every format.
        let is_alone = onto == Onto::Nothing && is_zero(a.bytes);
        if is_alone && eltwise::binary_with_zero(register, op, b, adder) {
            return;
        }
        to_source(a.bytes, a_format, whole(a_format, adder), half, &mut sources.a);
        eltwise::binary(register, op, &sources.a, b, self.phases, onto, adder);
    }

    /// Checks an element-wise call on the destination and a buffer.
    pub fn require_reuse(&self, op: Binary, reuse: Reuse, operand: Operand, idst: u32) -> Result<(), Broken> {
        self.registers.require_math(idst, 1)?;
        self.engines.require_matrix(&MatrixSetting::Reuse { op, reuse })?;
        match reuse {
            Reuse::DestinationToA => self.engines.require_src_b(operand)?,
            Reuse::DestinationToB => self.engines.require_src_a(operand)?,
        }
        self.require_source(operand)
    }

    /// `DST[idst] = DST[idst] op page`, or the other way round; the register passes through the other source, which keeps
    /// what it is set for.
    pub fn reuse(&mut self, op: Binary, reuse: Reuse, page: Page, idst: u32) {
        let adder = self.adder(page.operand.format);
        let format = page.operand.format;
        let mask = self.moved_operand(reuse);
        let sources = self.sources.get();
        to_source(page.bytes, format, whole(format, adder), adder.half, &mut sources.b);
        match self.registers.read(idst) {
            Some(register) => eltwise::destination_as_source(register, mask, &mut sources.a),
            None => sources.a.clear(),
        }
        let (a, b) = match reuse {
            Reuse::DestinationToA => (&sources.a, &sources.b),
            Reuse::DestinationToB => (&sources.b, &sources.a),
        };
        let register = self.registers.overwrite(idst);
        register.clear();
        eltwise::binary(register, op, a, b, self.phases, Onto::Nothing, adder);
    }

    /// The bits of a register that a source set for this operand keeps when the register is moved into it. fp32 that
    /// unpacks to the destination leaves the source set for fp32, which moves cut to bf16 (ttsim, `MOVD2A`, `MOVD2B`).
    fn kept_by(&self, set: Option<Operand>) -> u32 {
        let thin = set.is_some_and(|operand| {
            let tf32 = operand.format == DataFormat::Float32 && self.is_wide() && !self.unpacks_to_destination(operand);
            tf32 || self.unpacks_half(operand.format)
        });
        let keep = if thin { Keep::Tf32 } else { Keep::Bf16 };
        keep.and(keep).0
    }

    /// The bits that a move from the destination into SrcB keeps.
    fn kept_by_move_into_b(&self) -> u32 {
        if self.arch.moves_by_source_a {
            self.kept_by(self.engines.src_a())
        } else {
            self.kept_by(self.engines.src_b())
        }
    }

    fn moved_operand(&self, reuse: Reuse) -> u32 {
        match reuse {
            Reuse::DestinationToA => self.kept_by(self.engines.src_a()),
            Reuse::DestinationToB => self.kept_by_move_into_b() & self.kept_by(self.engines.src_b()),
        }
    }

    /// Checks a copy, transposition or broadcast of `count` tiles.
    pub fn require_copy(&self, wanted: &MatrixSetting, operand: Operand, idst: u32, count: u32) -> Result<(), Broken> {
        self.registers.require_math(idst, count)?;
        self.engines.require_matrix(wanted)?;
        self.engines.require_src_a(operand)?;
        self.require_copied(operand)?;
        // 32 bits reach the destination unpacked (bcast.h).
        let sixteen_bit = !matches!(
            operand.format,
            DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32
        );
        if *wanted == MatrixSetting::UnaryBroadcast(Broadcast::Row) && self.is_wide() && sixteen_bit {
            return Err((
                &rules::UNARY_BCAST_ROW,
                format!("buffer {} is {:?}", operand.cb, operand.format),
            ));
        }
        Ok(())
    }

    /// `DST[idst] = page`, transposed or spread as asked.
    pub fn copy(&mut self, page: Page, idst: u32, transposed: bool, how: Broadcast) {
        use DataFormat::{Int8, UInt8, UInt16};
        let adder = self.adder(page.operand.format);
        let (wide, half) = (adder.wide, adder.half);
        let (format, direct) = (page.operand.format, self.unpacks_to_destination(page.operand));
        let plain = !transposed && how == Broadcast::None;
        if plain && !direct && !wide && is_supported(format) {
            // 16 bits are copied as they are, past the adder.
            to_copy(page.bytes, format, wide, half, self.registers.overwrite(idst));
            return self.mark_copied(page, idst);
        }
        let sources = self.sources.get();
        match format {
            _ if direct => to_destination(page.bytes, &mut sources.a),
            UInt16 => {
                match self.registers.read(idst) {
                    Some(register) => sources.a.0.copy_from_slice(&register.0),
                    None => sources.a.clear(),
                }
                integers_16(page.bytes, wide, &mut sources.a);
            }
            UInt8 | Int8 => integers_8(page.bytes, format == Int8, &mut sources.a),
            _ => to_copy(page.bytes, format, wide, half, &mut sources.a),
        }
        let mut from: &Tile = &sources.a;
        if transposed {
            transpose(from, &mut sources.b);
            from = &sources.b;
        }
        let register = self.registers.overwrite(idst);
        // What changes a value changes it wherever it is spread to.
        let target = if how == Broadcast::None {
            &mut *register
        } else {
            &mut sources.spread
        };
        let is_moved = how == Broadcast::Row && wide;
        match format {
            _ if direct => spread(from, how, 0, register),
            UInt16 | UInt8 | Int8 => spread(from, how, 0, register),
            // Rows are spread by moves past the adder.
            _ if is_moved && self.engines.keeps_denormals() => spread(from, how, 0, register),
            _ if is_moved => {
                eltwise::copy_moved(target, from);
                spread(&sources.spread, how, 0, register);
            }
            _ => {
                eltwise::copy(target, from, adder);
                if how != Broadcast::None {
                    spread(&sources.spread, how, 0, register);
                }
            }
        }
        if plain {
            self.mark_copied(page, idst);
        }
    }

    /// A copy of what a reduction left is one.
    fn mark_copied(&mut self, page: Page, idst: u32) {
        if self.holds_reduced(page.operand.cb) {
            self.registers.mark_reduced(idst);
        }
    }

    /// A fast tilize goes by way of 16-bit registers, where the chip does that for this page.
    fn goes_narrow(&self, operand: Operand) -> bool {
        self.is_wide() && self.arch.fast_tilize_is_narrow && is_supported(operand.format)
    }

    /// `DST[idst] = page` as a fast tilize copies it: by moves past the adder.
    pub fn copy_fast(&mut self, page: Page, idst: u32) {
        let format = page.operand.format;
        let (narrow, half) = (self.goes_narrow(page.operand), self.unpacks_half(format));
        if !narrow && (!self.is_wide() || half || format != DataFormat::Float32) {
            self.copy(page, idst, false, Broadcast::None);
            if half && !self.arch.fast_tilize_is_narrow {
                // fp16 loses the bits that bf16 has no place for.
                for value in &mut self.registers.accumulate(idst).0 {
                    *value = f32::from_bits(value.to_bits() & 0xffff_0000);
                }
            }
            return;
        }
        to_copy(page.bytes, format, !narrow, half, &mut self.sources.get().a);
        let register = self.registers.overwrite(idst);
        if narrow {
            register.0.copy_from_slice(&self.sources.get().a.0);
        } else {
            eltwise::copy_moved(register, &self.sources.get().a);
        }
    }

    /// The packer of a fast tilize: what went through 16-bit registers is packed as bf16, kept until a shared exponent is
    /// known.
    pub fn set_fast(&self, packer: &mut Packer, operand: Operand) {
        if self.goes_narrow(operand) {
            packer.wide = false;
            packer.bfp8_precise = true;
        }
    }

    /// Checks a transposition within the destination.
    pub fn require_transpose_destination(&self, idst: u32) -> Result<(), Broken> {
        self.registers.require_math(idst, 1)?;
        self.engines
            .require_matrix(&MatrixSetting::TransposeDestination)
            .map(|_| ())
    }

    /// Transposes a register in place.
    pub fn transpose_destination(&mut self, idst: u32) {
        match self.registers.read(idst) {
            Some(register) => transpose(register, &mut self.sources.get().a),
            None => self.sources.get().a.clear(),
        }
        self.registers
            .overwrite(idst)
            .0
            .copy_from_slice(&self.sources.get().a.0);
    }

    /// Checks a reduction.
    pub fn require_reduce(
        &self,
        pool: Pool,
        dim: ReduceDim,
        (data, scaler): (Operand, Operand),
        idst: u32,
    ) -> Result<(), Broken> {
        self.registers.require_math(idst, 1)?;
        self.engines.require_matrix(&MatrixSetting::Reduce { pool, dim })?;
        // Sums along rows are a matmul with the scaler as in1.
        let (a, b) = if dim == ReduceDim::Row && pool != Pool::Max {
            (scaler, data)
        } else {
            (data, scaler)
        };
        self.engines.require_src_a(a)?;
        self.engines.require_src_b(b)?;
        self.require_source(a)?;
        self.require_sources(a, b)?;
        if pool == Pool::Max && dim != ReduceDim::Col && self.registers.holds_unreduced(idst) {
            return Err((&rules::REDUCE_PRELOADED, format!("register {idst}")));
        }
        Ok(())
    }

    /// Folds a page into a register.
    pub fn reduce(&mut self, pool: Pool, dim: ReduceDim, data: Page, scaler: Page, idst: u32) -> Result<(), Broken> {
        let adder = self.adder(data.operand.format);
        let half = adder.half;
        let moved = Moved {
            into_source: self.kept_by_move_into_b(),
            added: self.kept_by(self.engines.src_b()),
        };
        let sources = self.sources.get();
        let (data_format, scaler_format) = (data.operand.format, scaler.operand.format);
        to_source(data.bytes, data_format, whole(data_format, adder), half, &mut sources.a);
        to_source(
            scaler.bytes,
            scaler_format,
            whole(scaler_format, adder),
            half,
            &mut sources.b,
        );
        if pool == Pool::Max && !is_unit(&sources.b, half) {
            return Err((&rules::REDUCE_SCALER, format!("buffer {}", scaler.operand.cb)));
        }
        let (register, fresh) = self.registers.reduce(idst);
        Reduction {
            pool,
            dim,
            phases: self.phases,
            adder,
            moved,
        }
        .run(register, fresh, &sources.a, &sources.b);
        Ok(())
    }
}

/// Everything a source keeps of this format.
fn whole(format: DataFormat, adder: Adder) -> Mask {
    let keep = Keep::of(format, adder.wide || adder.half);
    keep.and(keep)
}

#[cfg(test)]
mod tests {
    use super::super::fpu::fidelity::{Part, Plan};
    use super::super::fpu::left_out;
    use super::super::kept::load_parts;
    use super::*;
    use crate::compute::fpu::matmul::{Parts, multiply, pairs_are_multiplied};
    use crate::kernel_config::MathFidelity;

    /// A page of bf16: numbers around one, zeros and denormals, which count as zeros.
    fn page(seed: u32) -> Vec<u8> {
        let mut state = seed;
        let number = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let exponent = match state >> 28 {
                0 => 0,
                1 => 1 + (state >> 20) % 8,
                _ => 120 + (state >> 20) % 16,
            };
            let bits = (state >> 8 & 0x8000 | exponent << 7 | state >> 12 & 0x7f) as u16;
            bits.to_le_bytes()
        };
        (0..1024).flat_map(number).collect()
    }

    #[test]
    fn pairs_of_pages_and_of_tiles_give_the_sums_of_tiles() {
        if !pairs_are_multiplied() {
            return;
        }
        let operand = Operand {
            cb: 0,
            format: DataFormat::Float16_b,
        };
        let fidelities = [
            MathFidelity::LoFi,
            MathFidelity::HiFi2,
            MathFidelity::HiFi3,
            MathFidelity::HiFi4,
        ];
        for (seed, fidelity) in (0..40).zip(fidelities.into_iter().cycle()) {
            for wide in [true, false] {
                let plan = Plan::of(fidelity, wide, true);
                let keep = Keep::of(DataFormat::Float16_b, wide);
                let [rows, columns] = [page(2 * seed), page(2 * seed + 1)];
                let [rows_page, columns_page] = [&rows, &columns].map(|bytes| Page { operand, bytes });
                let [mut tiles, mut pages, mut unpaired] = [(); 3].map(|()| [Parts::zero(), Parts::zero()]);
                for parts in [&mut tiles, &mut unpaired] {
                    load_parts(&mut parts[0], &rows_page, plan.cut_b(keep), keep.and(Keep::Tf32));
                    load_parts(&mut parts[1], &columns_page, plan.cut_a(keep), keep.and(Keep::AllA));
                }
                tiles[0].pair_rows(plan.cut_b(keep));
                tiles[1].pair_columns(plan.cut_a(keep));
                pages[0].pair_row_page(&rows, plan.cut_b(keep));
                pages[1].pair_column_page(&columns, plan.cut_a(keep));
                let (mut low_rows, mut low_columns) = (left_out::Rows::ZERO, left_out::Columns::ZERO);
                low_rows.take(tiles[0].paired(Part::First).as_bytes());
                low_columns.take(tiles[1].paired(Part::First).as_bytes());
                if plan.leaves_out {
                    low_rows.numbers(&mut unpaired[0].rest);
                    low_columns.numbers(&mut unpaired[1].rest);
                }
                let left_out = plan.leaves_out.then_some((&low_rows, &low_columns));
                let sums = |[b, a]: &[Parts; 2], paired| {
                    let mut sums = Tile::zero();
                    multiply(
                        &mut sums,
                        (b, None),
                        a,
                        (plan.products, left_out),
                        (wide, paired),
                        || {},
                    );
                    sums.0.map(f32::to_bits)
                };
                let wanted = sums(&unpaired, false);
                assert!(sums(&tiles, true) == wanted, "{fidelity:?} {wide} {seed}: tiles");
                assert!(sums(&pages, true) == wanted, "{fidelity:?} {wide} {seed}: pages");
            }
        }
    }

    #[test]
    fn a_page_with_an_infinity_is_noticed() {
        for at in [0, 1, 511, 512, 1022, 1023] {
            let mut bytes = page(at);
            let find = |bytes: &[u8]| {
                let (mut rows, mut columns) = (Parts::zero(), Parts::zero());
                let whole = Plan::of(MathFidelity::HiFi4, true, true);
                [
                    rows.pair_row_page(bytes, whole.cut_b(Keep::Bf16)),
                    columns.pair_column_page(bytes, whole.cut_a(Keep::Bf16)),
                ]
            };
            assert_eq!(find(&bytes), [false, false]);
            bytes[2 * at as usize..][..2].copy_from_slice(&0xff80u16.to_le_bytes());
            assert_eq!(find(&bytes), [true, true], "{at}");
        }
    }
}
