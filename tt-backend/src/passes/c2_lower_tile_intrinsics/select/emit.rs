//! Expressions over operations of the device become steps: evaluated like on a stack of registers.

use super::Emit;
use super::machine::{Machine, fold_ops, is_folded};
use crate::flow::{
    Arg, Around, Broadcast, BufferId, Constant, Fold, Integer, Operand, Reduction, SectionOp, SectionStmt,
};
use crate::ir::Kind;
use crate::passes::a1_infer_layout::tiles;
use crate::tile_ops::{FpuOp, SfpuForm, SfpuOp, TileOp};
use tt_device::TILE_SIDE;
use tt_device::composed::{Composed, Line};
use tt_lang::ir::IntExpr;
use tt_plan::Number;

impl Emit<'_> {
    pub(super) fn allocate(&mut self) -> u32 {
        let register = self.next;
        self.next += 1;
        self.out.used = self.out.used.max(self.next);
        if self.touched.len() < self.next as usize {
            self.touched.resize(self.next as usize, false);
        }
        register
    }

    pub(super) fn step(&mut self, op: TileOp, out: u32, args: Vec<Arg>) {
        self.touched[out as usize] = true;
        let op = SectionOp::Tile { op, out, args };
        self.out.body.push(SectionStmt::new(self.span, Kind::Op(op)));
    }

    /// What is done for some tiles alone, or for one after the other.
    fn around(&mut self, around: Around, body: Vec<SectionStmt>) {
        self.out
            .body
            .push(SectionStmt::new(self.span, Kind::Group(around, body)));
    }

    /// A constant tile; [`Context::keep`] adds it, where what is emitted needs it and is kept.
    pub(super) fn constant(&mut self, constant: Constant) -> Arg {
        if let Some(buffer) = self.context.constants.get(&constant) {
            return Arg::Constant(*buffer);
        }
        let wanted = &mut self.out.constants;
        let at = wanted.iter().position(|known| *known == constant).unwrap_or_else(|| {
            wanted.push(constant);
            wanted.len() - 1
        });
        Arg::Constant(BufferId(self.context.buffers.len() + at))
    }

    /// The steps that `run` takes, apart from those before.
    pub(super) fn apart(&mut self, run: impl FnOnce(&mut Self)) -> Vec<SectionStmt> {
        let before = std::mem::take(&mut self.out.body);
        run(self);
        std::mem::replace(&mut self.out.body, before)
    }

    pub(super) fn load(&mut self, operand: Operand) -> u32 {
        let out = self.allocate();
        // What is unpacked straight to the registers is broadcast or transposed by a call of its own, unrounded. Else a broadcast is zero
        // plus the broadcast tile: unary_bcast of rows of 16 bits is wrong with 32-bit registers (patterns.md §0.11).
        match operand.broadcast {
            Broadcast::None => self.step(TileOp::Load, out, vec![Arg::Tile(operand)]),
            Broadcast::Transpose => {
                self.step(TileOp::Load, out, vec![Arg::Tile(operand)]);
                if self.context.is_direct(operand.buffer) {
                    self.step(TileOp::TransposeDest, out, vec![Arg::Register(out)]);
                }
            }
            Broadcast::Row | Broadcast::Column | Broadcast::Scalar if self.context.is_direct(operand.buffer) => {
                self.step(TileOp::Load, out, vec![Arg::Tile(operand)]);
            }
            Broadcast::Row | Broadcast::Column | Broadcast::Scalar => {
                let zeros = self.constant(Constant::Zeros);
                self.step(TileOp::Fpu(FpuOp::Add), out, vec![zeros, Arg::Tile(operand)]);
            }
        }
        out
    }

    /// Evaluates into a register, and gives back those above it.
    pub(super) fn run(&mut self, machine: &Machine) -> u32 {
        match machine {
            Machine::Sums => 0,
            Machine::Load(operand) => self.load(*operand),
            Machine::Constant(constant) => {
                let out = self.allocate();
                let tile = self.constant(*constant);
                self.step(TileOp::Load, out, vec![tile]);
                out
            }
            Machine::Fill(number) => {
                let out = self.allocate();
                self.step(TileOp::Fill, out, vec![number.clone()]);
                out
            }
            Machine::FillInteger(integer) => {
                let out = self.allocate();
                let args = vec![Arg::Register(out), Arg::Integer(integer.clone())];
                self.step(TileOp::Sfpu(SfpuOp::FillInteger), out, args);
                out
            }
            Machine::Masked(index, mask, a, b) => {
                let first = self.next;
                let out = self.run(a);
                let steps = self.apart(|this| {
                    let (mask, other) = (this.run(mask), this.run(b));
                    let args = [mask, out, other].map(Arg::Register);
                    this.step(TileOp::Sfpu(SfpuOp::Select), out, args.into());
                });
                self.around(Around::Unless(index.clone()), steps);
                self.free_above(out, first);
                out
            }
            Machine::Reduce(reduction, x) => self.reduce(reduction, x),
            Machine::Unary(op, numbers, x) => {
                debug_assert_eq!(op.row().form, SfpuForm::Unary(numbers.len()));
                let out = self.run(x);
                let mut args = vec![Arg::Register(out)];
                args.extend(numbers.iter().cloned());
                self.step(TileOp::Sfpu(*op), out, args);
                out
            }
            Machine::Binary(op, a, b) => {
                let first = self.next;
                let (ra, rb) = self.pair(a, b);
                let out = ra.min(rb);
                self.step(TileOp::Sfpu(*op), out, vec![Arg::Register(ra), Arg::Register(rb)]);
                self.free_above(out, first);
                out
            }
            Machine::Fpu(op, a, b) => {
                let out = self.allocate();
                if *op == FpuOp::Mul && self.touched[out as usize] {
                    self.step(TileOp::Load, out, vec![Arg::Tile(*a)]);
                    if b.broadcast == Broadcast::None {
                        self.step(TileOp::MulReuse, out, vec![Arg::Tile(*b)]);
                    } else {
                        let other = self.load(*b);
                        self.step(
                            TileOp::Sfpu(SfpuOp::Mul),
                            out,
                            vec![Arg::Register(out), Arg::Register(other)],
                        );
                        self.free_above(out, out);
                    }
                } else {
                    self.step(TileOp::Fpu(*op), out, vec![Arg::Tile(*a), Arg::Tile(*b)]);
                }
                out
            }
            Machine::Where(c, a, b) => {
                let first = self.next;
                let (rc, ra, rb) = (self.run(c), self.run(a), self.run(b));
                let out = [rc, ra, rb].into_iter().min().unwrap_or(first);
                self.step(
                    TileOp::Sfpu(SfpuOp::Select),
                    out,
                    vec![Arg::Register(rc), Arg::Register(ra), Arg::Register(rb)],
                );
                self.free_above(out, first);
                out
            }
            Machine::Three(op, numbers, operands) => {
                let first = self.next;
                let registers = operands.each_ref().map(|of| self.run(of));
                let out = registers.into_iter().min().unwrap_or(first);
                let mut args: Vec<Arg> = registers.map(Arg::Register).into();
                args.extend(numbers.iter().cloned().map(Arg::Number));
                self.step(TileOp::Sfpu(*op), out, args);
                self.free_above(out, first);
                out
            }
            Machine::Composed(composed, operands, numbers) => {
                let first = self.next;
                let registers: Vec<u32> = operands.iter().map(|of| self.run(of)).collect();
                let out = registers.first().copied().unwrap_or(first);
                self.composed(composed, registers, numbers);
                self.free_above(out, first);
                out
            }
        }
    }

    /// Tile by tile into one register, which is then reduced itself.
    pub(super) fn reduce(&mut self, reduction: &Reduction, x: &Machine) -> u32 {
        let (both, within) = fold_ops(reduction.fold);
        let tiles = tiles(reduction.extent);
        let out = if is_folded(reduction) {
            let out = self.allocate();
            let neutral = Arg::Number(Number::constant(reduction.fold.neutral()));
            self.step(TileOp::Fill, out, vec![neutral]);
            let mut steps = self.apart(|this| {
                // From the second tile on, what the first left is in the registers.
                this.touched = vec![true; this.context.registers.capacity.max(16) as usize];
                let next = this.run(x);
                let args = [out, next].map(Arg::Register);
                this.step(TileOp::Sfpu(both), out, args.into());
            });
            for axis in (0..2).rev().filter(|axis| reduction.along[*axis]) {
                let along = Around::Along {
                    axis,
                    tiles: tiles[axis],
                };
                steps = vec![SectionStmt::new(self.span, Kind::Group(along, steps))];
            }
            self.out.body.append(&mut steps);
            self.next = out + 1;
            out
        } else {
            self.run(x)
        };
        match reduction.fold {
            Fold::Product => return self.product_within(reduction, out),
            Fold::Sum | Fold::Mean | Fold::Max | Fold::Min => {}
        }
        for axis in (0..2).filter(|axis| reduction.along[*axis]) {
            self.step(TileOp::Sfpu(within[axis]), out, vec![Arg::Register(out)]);
        }
        out
    }

    /// The product of the elements of each column of a tile, of each row, or of both. The SFPU has no such reduction: one row
    /// after the other is put into row 0, as the sum of it and zeros, which is exact, and multiplied there.
    fn product_within(&mut self, reduction: &Reduction, of: u32) -> u32 {
        let (both, within) = fold_ops(reduction.fold);
        let [product, element, zeros] = [(); 3].map(|()| self.allocate());
        let [mut from, mut to] = [of, product];
        for axis in (0..2).filter(|axis| reduction.along[*axis]) {
            let number = |number| vec![Arg::Number(Number::constant(number))];
            self.step(TileOp::Fill, to, number(1.0));
            self.step(TileOp::Fill, zeros, number(0.0));
            let steps = self.apart(|this| {
                let places = this.constant([Constant::Rows, Constant::Columns][axis]);
                this.step(TileOp::Load, element, vec![places]);
                let place = Integer {
                    first: IntExpr::Const(0),
                    per_tile: [i64::from(axis == 0), i64::from(axis == 1)],
                    over: 1,
                    between: None,
                };
                let args = vec![Arg::Register(element), Arg::Integer(place)];
                this.step(TileOp::Sfpu(SfpuOp::EqNumber), element, args);
                let args = [element, from, zeros].map(Arg::Register);
                this.step(TileOp::Sfpu(SfpuOp::Select), element, args.into());
                this.step(TileOp::Sfpu(within[axis]), element, vec![Arg::Register(element)]);
                let args = [to, element].map(Arg::Register);
                this.step(TileOp::Sfpu(both), to, args.into());
            });
            // Not tiles but their rows or columns, one after the other.
            self.around(Around::Along { axis, tiles: TILE_SIDE }, steps);
            (from, to) = (to, from);
        }
        self.next = from + 1;
        from
    }

    /// The lines of a composed function; its first registers are those of the operands, the others are free again afterwards.
    pub(super) fn composed(&mut self, composed: &Composed, mut registers: Vec<u32>, numbers: &[Number]) {
        registers.extend((registers.len()..composed.registers).map(|_| self.allocate()));
        let register = |at: usize| Arg::Register(registers[at]);
        for line in &composed.lines {
            let (op, out, args) = match *line {
                Line::Fill(out, number) => (TileOp::Fill, out, vec![Arg::Number(Number::constant(number))]),
                Line::Unary(op, at, number) => {
                    let mut args = vec![register(at)];
                    args.extend(number.map(|number| Arg::Number(Number::constant(number))));
                    (TileOp::Sfpu(op), at, args)
                }
                Line::OfArgument(op, at, argument) => {
                    let number = numbers.get(argument).cloned();
                    let number = number.unwrap_or_else(|| Number::constant(0.0));
                    (TileOp::Sfpu(op), at, vec![register(at), Arg::Number(number)])
                }
                Line::Binary(op, [a, b], out) => (TileOp::Sfpu(op), out, vec![register(a), register(b)]),
                Line::Choose(operands, out) => (TileOp::Sfpu(SfpuOp::Select), out, operands.map(register).into()),
            };
            self.step(op, registers[out], args);
        }
    }

    pub(super) fn pair(&mut self, a: &Machine, b: &Machine) -> (u32, u32) {
        if b.need() > a.need() {
            let rb = self.run(b);
            (self.run(a), rb)
        } else {
            let ra = self.run(a);
            (ra, self.run(b))
        }
    }

    /// Frees what an evaluation that began with `first` as the first free register took, except its result. A result in
    /// the accumulator's register, 0, lies below; operands that wait between the two stay.
    pub(super) fn free_above(&mut self, out: u32, first: u32) {
        self.next = first.max(out + 1);
    }
}
