//! Operations of the language become operations on registers.
//!
//! An expression is evaluated like on a stack of registers, the operand that needs more of them first. Numbers known at
//! launch are arguments of the operations that take one. Two bf16 tiles meet in the FPU; whatever is in a register or has
//! 32 bits meets in the SFPU, where nothing is cut (patterns.md §0.10).

use super::{Registers, scratch};
use crate::codes;
use crate::flow::{
    Arg, Broadcast, Buffer, BufferId, BufferKind, Constant, Elementwise, Makes, Operand, Pack, PackMode, Section,
    SectionOp, SectionStmt, Sights, Step, Value, ValueKind,
};
use crate::ir::Kind;
use crate::tile_ops::{FpuOp, SfpuForm, SfpuOp, TileOp};
use std::collections::BTreeSet;
use tt_device::composed::{Composed, Line};
use tt_device::{Arithmetic, Lowering};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{CompareOp, ElementOp, Span};
use tt_plan::{DataFormat, Neighbour, Number};

/// What selection works on.
pub struct Context {
    /// The registers there are.
    pub registers: Registers,
    /// The buffers, to which scratch blocks are added.
    pub buffers: Vec<Buffer>,
    /// What uses see of the definitions, to which those of scratch blocks are added.
    pub sights: Sights,
    /// The tile of zeros, where something needs it.
    pub zeros: Option<BufferId>,
    /// What could not be selected.
    pub errors: Vec<Diagnostic>,
}

/// Rows and columns of a chunk: as many of `tiles` as fit in `most`, in a shape that divides them; square where possible.
pub fn chunk(tiles: [u32; 2], most: u32) -> [u32; 2] {
    let divisors = |n: u32| (1..=n.min(most.max(1))).filter(move |d| n.is_multiple_of(*d));
    divisors(tiles[0])
        .flat_map(|h| divisors(tiles[1]).map(move |w| [h, w]))
        .filter(|[h, w]| h * w <= most.max(1))
        .max_by_key(|[h, w]| (h * w, std::cmp::Reverse(h.abs_diff(*w)), *w))
        .unwrap_or([1, 1])
}

impl Context {
    /// An element expression as sections.
    pub fn elementwise(&mut self, elementwise: &Elementwise, span: Span, out: &mut Vec<SectionStmt>) {
        let mut value = elementwise.value.clone();
        let tiles = crate::passes::a1_infer_layout::tiles(elementwise.extent);
        let capacity = self.registers.capacity;
        while self.emit(&value, None).used > capacity {
            let format = if self.registers.fp32 {
                DataFormat::Float32
            } else {
                DataFormat::Float16B
            };
            let Some(part) = self.largest_part(&value, capacity).cloned() else {
                self.errors.push(
                    Diagnostic::new(
                        &codes::EXPRESSION_SIZE,
                        span,
                        "this expression needs more destination registers than there are",
                    )
                    .note("store a part of it in a block first"),
                );
                return;
            };
            let name = format!("{}_part", self.buffers[elementwise.target.0].name);
            let target = scratch(&mut self.buffers, name, span, format, tiles);
            let pack = Pack {
                buffer: target,
                mode: PackMode::Publish,
            };
            let defines = self.sights.define();
            let section = self.section(&part, tiles, pack, Makes::Definition(defines));
            out.push(SectionStmt::new(span, Kind::Op(SectionOp::Section(section))));
            let load = Operand {
                buffer: target,
                offset: [0, 0],
                broadcast: Broadcast::None,
                sees: Some(self.sights.sees(BTreeSet::from([defines]))),
            };
            replace_first(
                &mut value,
                &part,
                &Value {
                    kind: ValueKind::Load(load),
                    span,
                },
            );
        }
        let pack = Pack {
            buffer: elementwise.target,
            mode: PackMode::Publish,
        };
        let section = self.section(&value, tiles, pack, Makes::Definition(elementwise.defines));
        out.push(SectionStmt::new(span, Kind::Op(SectionOp::Section(section))));
    }

    /// An expression that fits in the registers as a section.
    pub fn section(&mut self, value: &Value, tiles: [u32; 2], pack: Pack, makes: Makes) -> Section {
        let emitted = self.emit(value, None);
        self.keep(&emitted);
        let registers = emitted.used.max(1);
        let chunk = chunk(tiles, self.registers.capacity / registers);
        Section {
            tiles,
            chunk,
            registers,
            steps: emitted.steps,
            result: emitted.result,
            pack,
            makes,
            fill: None,
        }
    }

    /// An expression over `sums`, which register 0 holds: its steps, the registers of each tile, the result's register. `None`
    /// where it is refused or needs more registers than there are; then it is a section of its own.
    pub fn epilogue(&mut self, value: &Value, sums: BufferId) -> Option<(Vec<Step>, u32, u32)> {
        let emitted = self.emit(value, Some(sums));
        if !emitted.errors.is_empty() || emitted.used > self.registers.capacity {
            return None;
        }
        self.keep(&emitted);
        Some((emitted.steps, emitted.used.max(1), emitted.result))
    }

    fn keep(&mut self, emitted: &Emitted) {
        self.errors.extend(emitted.errors.iter().cloned());
        if emitted.needs_zeros && self.zeros.is_none() {
            let zeros = scratch(&mut self.buffers, "zeros".into(), Span(0), DataFormat::Float16B, [1, 1]);
            self.buffers[zeros.0].kind = BufferKind::Constant(Constant::Zeros);
            self.zeros = Some(zeros);
        }
    }

    /// The tile of zeros; [`Context::keep`] adds it, where what is emitted needs it and is kept.
    fn zeros(&self) -> BufferId {
        self.zeros.unwrap_or(BufferId(self.buffers.len()))
    }

    fn emit(&self, value: &Value, sums: Option<BufferId>) -> Emitted {
        let held = u32::from(sums.is_some());
        let mut emit = Emit {
            context: self,
            sums,
            next: held,
            out: Emitted {
                steps: Vec::new(),
                used: held,
                result: 0,
                needs_zeros: false,
                errors: Vec::new(),
            },
            touched: vec![sums.is_some()],
        };
        let machine = emit.select(value);
        emit.out.result = emit.run(&machine);
        emit.out
    }

    /// The operation in `value` that needs most registers among those that fit.
    fn largest_part<'v>(&self, value: &'v Value, capacity: u32) -> Option<&'v Value> {
        let mut best: Option<(&Value, u32)> = None;
        let mut stack: Vec<&Value> = value.operands();
        while let Some(part) = stack.pop() {
            stack.extend(part.operands());
            if part.operands().is_empty()
                || matches!(part.kind, ValueKind::Call(..))
                    && part.operands().iter().all(|p| matches!(p.kind, ValueKind::Number(_)))
            {
                continue;
            }
            let used = self.emit(part, None).used;
            if used <= capacity && best.is_none_or(|(_, most)| used > most) {
                best = Some((part, used));
            }
        }
        best.filter(|(_, used)| *used > 1).map(|(part, _)| part)
    }
}

fn replace_first(value: &mut Value, part: &Value, with: &Value) -> bool {
    if value == part {
        *value = with.clone();
        return true;
    }
    value
        .operands_mut()
        .into_iter()
        .any(|operand| replace_first(operand, part, with))
}

struct Emitted {
    steps: Vec<Step>,
    used: u32,
    result: u32,
    needs_zeros: bool,
    errors: Vec<Diagnostic>,
}

/// An expression over operations of the device.
enum Machine {
    Load(Operand),
    /// What register 0 holds.
    Sums,
    Fill(Number),
    Unary(SfpuOp, Vec<Number>, Box<Machine>),
    Binary(SfpuOp, Box<Machine>, Box<Machine>),
    Fpu(FpuOp, Operand, Operand),
    Where(Box<Machine>, Box<Machine>, Box<Machine>),
    Composed(Composed, Box<Machine>),
}

impl Machine {
    /// Registers its evaluation takes.
    fn need(&self) -> u32 {
        match self {
            Machine::Load(_) | Machine::Fill(_) | Machine::Fpu(..) => 1,
            Machine::Sums => 0,
            Machine::Unary(_, _, x) => x.need(),
            Machine::Binary(_, a, b) => {
                let (a, b) = (a.need(), b.need());
                if a == b { a + 1 } else { a.max(b) }
            }
            Machine::Where(c, a, b) => c.need().max(a.need() + 1).max(b.need() + 2),
            Machine::Composed(composed, x) => {
                let others = composed.registers as u32 - 1;
                x.need().max(x.need().min(1) + others)
            }
        }
    }
}

struct Emit<'a> {
    context: &'a Context,
    /// The buffer whose tiles register 0 holds.
    sums: Option<BufferId>,
    /// The first free register.
    next: u32,
    /// Registers written in this acquire: the FPU's multiplication adds to what it finds.
    touched: Vec<bool>,
    out: Emitted,
}

/// Whether the sign of `x − limit` says for every number `x` how it compares to `limit`: their difference is 0 or a normal
/// number, since what differs from a large enough number differs by a step of it at least.
fn differences_tell(limit: &Number) -> bool {
    const LARGE_ENOUGH: f32 = 1e-30;
    matches!(limit, Number::Bits(bits) if {
        let value = f32::from_bits(*bits);
        value.is_finite() && value.abs() >= LARGE_ENOUGH
    })
}

fn unary(op: SfpuOp, x: Machine) -> Machine {
    Machine::Unary(op, Vec::new(), Box::new(x))
}

fn with(op: SfpuOp, numbers: impl IntoIterator<Item = Number>, x: Machine) -> Machine {
    Machine::Unary(op, numbers.into_iter().collect(), Box::new(x))
}

fn binary(op: SfpuOp, a: Machine, b: Machine) -> Machine {
    Machine::Binary(op, Box::new(a), Box::new(b))
}

impl Emit<'_> {
    fn select(&mut self, value: &Value) -> Machine {
        match &value.kind {
            ValueKind::Number(number) => Machine::Fill(number.clone()),
            ValueKind::Load(operand) if self.sums == Some(operand.buffer) => Machine::Sums,
            ValueKind::Load(operand) => Machine::Load(*operand),
            ValueKind::Call(op, args) => self.call(*op, args, value.span),
            ValueKind::Compare(op, a, b) => self.compare(*op, a, b),
            ValueKind::And(a, b) => binary(SfpuOp::Mul, self.select(a), self.select(b)),
            ValueKind::Or(a, b) => binary(SfpuOp::Max, self.select(a), self.select(b)),
            ValueKind::Not(a) => unary(SfpuOp::EqZero, self.select(a)),
            ValueKind::Select(c, a, b) => Machine::Where(
                Box::new(self.select(c)),
                Box::new(self.select(a)),
                Box::new(self.select(b)),
            ),
        }
    }

    fn compare(&mut self, op: CompareOp, a: &Value, b: &Value) -> Machine {
        let flipped = match op {
            CompareOp::Eq | CompareOp::Ne => op,
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
        };
        let tiles = |op| match op {
            CompareOp::Eq => SfpuOp::Eq,
            CompareOp::Ne => SfpuOp::Ne,
            CompareOp::Lt => SfpuOp::Lt,
            CompareOp::Le => SfpuOp::Le,
            CompareOp::Gt => SfpuOp::Gt,
            CompareOp::Ge => SfpuOp::Ge,
        };
        match (&a.kind, &b.kind) {
            (ValueKind::Number(a), ValueKind::Number(b)) => {
                Machine::Fill(Number::Compare(op, Box::new(a.clone()), Box::new(b.clone())))
            }
            (_, ValueKind::Number(limit)) => self.compare_number(op, tiles(op), a, limit),
            (ValueKind::Number(limit), _) => self.compare_number(flipped, tiles(flipped), b, limit),
            _ => binary(tiles(op), self.select(a), self.select(b)),
        }
    }

    /// `a op limit`. The operations that take a number go by the sign of a difference: wrong where both are infinite, where
    /// both are zeros of different sign, and where the difference is too small for a normal number. Those on two registers
    /// are right everywhere; then the limit has to be a number that registers hold.
    fn compare_number(&mut self, op: CompareOp, tiles: SfpuOp, a: &Value, limit: &Number) -> Machine {
        if differences_tell(limit) {
            let number = match op {
                CompareOp::Eq => SfpuOp::EqNumber,
                CompareOp::Ne => SfpuOp::NeNumber,
                CompareOp::Lt => SfpuOp::LtNumber,
                CompareOp::Le => SfpuOp::LeNumber,
                CompareOp::Gt => SfpuOp::GtNumber,
                CompareOp::Ge => SfpuOp::GeNumber,
            };
            return with(number, [limit.clone()], self.select(a));
        }
        let limit = if self.context.registers.fp32 {
            limit.clone()
        } else {
            let neighbour = match op {
                CompareOp::Eq | CompareOp::Ne => Neighbour::Same,
                CompareOp::Lt | CompareOp::Ge => Neighbour::Above,
                CompareOp::Le | CompareOp::Gt => Neighbour::Below,
            };
            Number::Bf16(neighbour, Box::new(limit.clone()))
        };
        binary(tiles, self.select(a), Machine::Fill(limit))
    }

    /// Two operands that the FPU takes straight from their buffers.
    fn fpu(&self, op: FpuOp, a: &Value, b: &Value) -> Option<Machine> {
        let (ValueKind::Load(a), ValueKind::Load(b)) = (&a.kind, &b.kind) else {
            return None;
        };
        let plain = |operand: &Operand| operand.broadcast == Broadcast::None;
        let narrow = |operand: &Operand| self.context.buffers[operand.buffer.0].format == DataFormat::Float16B;
        if !narrow(a) || !narrow(b) || [a.buffer, b.buffer].map(Some).contains(&self.sums) {
            return None;
        }
        let takes = |b: &Operand| op.functions(b.broadcast).is_some();
        if plain(a) && takes(b) {
            Some(Machine::Fpu(op, *a, *b))
        } else if plain(b) && takes(a) && op != FpuOp::Sub {
            Some(Machine::Fpu(op, *b, *a))
        } else {
            None
        }
    }

    fn call(&mut self, op: ElementOp, args: &[Value], span: Span) -> Machine {
        match op.row().lowering {
            Lowering::Own(call, numbers) => {
                let mut all = self.uniform(op, args);
                all.extend(numbers.iter().copied().map(Number::constant));
                with(call, all, self.select(&args[0]))
            }
            Lowering::Arithmetic(arithmetic) => self.arithmetic(arithmetic, &args[0], &args[1]),
            Lowering::Power => {
                let exponent = self.uniform(op, args);
                if exponent == [Number::constant(2.0)] {
                    return unary(SfpuOp::Square, self.select(&args[0]));
                }
                with(SfpuOp::Power, exponent, self.select(&args[0]))
            }
            Lowering::Composed {
                approximate: Some((call, numbers)),
                ..
            } if self.context.registers.approximate => {
                let numbers = numbers.iter().copied().map(Number::constant);
                with(call, numbers, self.select(&args[0]))
            }
            Lowering::Composed { program, wide, .. } => {
                if wide && !self.context.registers.fp32 {
                    self.needs_wide_registers(op, span);
                }
                Machine::Composed(program(), Box::new(self.select(&args[0])))
            }
        }
    }

    /// The uniform arguments, as the numbers of a call.
    fn uniform(&mut self, op: ElementOp, args: &[Value]) -> Vec<Number> {
        args[args.len() - op.row().uniform..]
            .iter()
            .map(|arg| {
                arg.number().cloned().unwrap_or_else(|| {
                    let message = format!("`{}` takes a number here, known at launch", op.row().name);
                    self.out
                        .errors
                        .push(Diagnostic::new(&codes::NUMBER_OPERATION, arg.span, message));
                    Number::constant(0.0)
                })
            })
            .collect()
    }

    fn needs_wide_registers(&mut self, op: ElementOp, span: Span) {
        let message = format!(
            "`{}` is computed in 32-bit registers, which `fp32_acc = false` rules out",
            op.row().name
        );
        self.out.errors.push(
            Diagnostic::new(&codes::FUNCTION_PRECISION, span, message)
                .note("leave `fp32_acc = false` out, or take the device's own with `approx = true`"),
        );
    }

    fn arithmetic(&mut self, op: Arithmetic, a: &Value, b: &Value) -> Machine {
        let (fpu, sfpu) = match op {
            Arithmetic::Add => (Some(FpuOp::Add), SfpuOp::Add),
            Arithmetic::Sub => (Some(FpuOp::Sub), SfpuOp::Sub),
            Arithmetic::Mul => (Some(FpuOp::Mul), SfpuOp::Mul),
            Arithmetic::Div => (None, SfpuOp::Div),
            Arithmetic::Min => (None, SfpuOp::Min),
            Arithmetic::Max => (None, SfpuOp::Max),
        };
        if let Some(number) = b.number().cloned() {
            return self.with_number(op, a, number);
        }
        if let Some(number) = a.number().cloned() {
            return self.number_with(op, number, b);
        }
        fpu.and_then(|fpu| self.fpu(fpu, a, b))
            .unwrap_or_else(|| binary(sfpu, self.select(a), self.select(b)))
    }

    /// `x op number`.
    fn with_number(&mut self, op: Arithmetic, x: &Value, number: Number) -> Machine {
        let x = self.select(x);
        match op {
            Arithmetic::Add => with(SfpuOp::AddNumber, [number], x),
            Arithmetic::Sub => with(SfpuOp::SubNumber, [number], x),
            Arithmetic::Mul => with(SfpuOp::MulNumber, [number], x),
            Arithmetic::Div => with(SfpuOp::MulNumber, [Number::Call(ElementOp::Recip, vec![number])], x),
            Arithmetic::Min => with(SfpuOp::UnaryMin, [number], x),
            Arithmetic::Max => with(SfpuOp::UnaryMax, [number], x),
        }
    }

    /// `number op x`.
    fn number_with(&mut self, op: Arithmetic, number: Number, x: &Value) -> Machine {
        let x = self.select(x);
        match op {
            Arithmetic::Add => with(SfpuOp::AddNumber, [number], x),
            Arithmetic::Sub => with(SfpuOp::RsubNumber, [number], x),
            Arithmetic::Mul => with(SfpuOp::MulNumber, [number], x),
            Arithmetic::Div => with(SfpuOp::MulNumber, [number], unary(SfpuOp::Recip, x)),
            Arithmetic::Min => with(SfpuOp::UnaryMin, [number], x),
            Arithmetic::Max => with(SfpuOp::UnaryMax, [number], x),
        }
    }

    fn allocate(&mut self) -> u32 {
        let register = self.next;
        self.next += 1;
        self.out.used = self.out.used.max(self.next);
        if self.touched.len() < self.next as usize {
            self.touched.resize(self.next as usize, false);
        }
        register
    }

    fn step(&mut self, op: TileOp, out: u32, args: Vec<Arg>) {
        self.touched[out as usize] = true;
        self.out.steps.push(Step::Tile { op, out, args });
    }

    fn load(&mut self, operand: Operand) -> u32 {
        let out = self.allocate();
        // A broadcast is zero plus the broadcast tile (patterns.md §0.11: unary_bcast of rows is wrong with 32-bit
        // registers).
        match operand.broadcast {
            Broadcast::None | Broadcast::Transpose => self.step(TileOp::Load, out, vec![Arg::Tile(operand)]),
            Broadcast::Row | Broadcast::Column | Broadcast::Scalar => {
                self.out.needs_zeros = true;
                let zeros = Arg::Constant(self.context.zeros());
                self.step(TileOp::Fpu(FpuOp::Add), out, vec![zeros, Arg::Tile(operand)]);
            }
        }
        out
    }

    /// Evaluates into a register, and gives back those above it.
    fn run(&mut self, machine: &Machine) -> u32 {
        match machine {
            Machine::Sums => 0,
            Machine::Load(operand) => self.load(*operand),
            Machine::Fill(number) => {
                let out = self.allocate();
                self.step(TileOp::Fill, out, vec![Arg::Number(number.clone())]);
                out
            }
            Machine::Unary(op, numbers, x) => {
                debug_assert_eq!(op.row().form, SfpuForm::Unary(numbers.len()));
                let out = self.run(x);
                let mut args = vec![Arg::Register(out)];
                args.extend(numbers.iter().cloned().map(Arg::Number));
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
            Machine::Composed(composed, x) => {
                let out = self.run(x);
                let first = self.next;
                self.composed(composed, out);
                self.next = first;
                out
            }
        }
    }

    /// The lines of a composed function; its first register is `x`, the others are free again afterwards.
    fn composed(&mut self, composed: &Composed, x: u32) {
        let mut registers = vec![x];
        registers.extend((1..composed.registers).map(|_| self.allocate()));
        let register = |at: usize| Arg::Register(registers[at]);
        for line in &composed.lines {
            let (op, out, args) = match *line {
                Line::Fill(out, number) => (TileOp::Fill, out, vec![Arg::Number(Number::constant(number))]),
                Line::Unary(op, at, number) => {
                    let mut args = vec![register(at)];
                    args.extend(number.map(|number| Arg::Number(Number::constant(number))));
                    (TileOp::Sfpu(op), at, args)
                }
                Line::Binary(op, [a, b], out) => (TileOp::Sfpu(op), out, vec![register(a), register(b)]),
            };
            self.step(op, registers[out], args);
        }
    }

    fn pair(&mut self, a: &Machine, b: &Machine) -> (u32, u32) {
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
    fn free_above(&mut self, out: u32, first: u32) {
        self.next = first.max(out + 1);
    }
}
