//! Operations of the language become operations on registers.
//!
//! An expression is evaluated like on a stack of registers, the operand that needs more of them first. Numbers known at
//! launch are arguments of the operations that take one. Two bf16 tiles meet in the FPU; whatever is in a register or has
//! 32 bits meets in the SFPU, where nothing is cut (patterns.md §0.10).

mod differences;
mod emit;
mod machine;

use super::Registers;
use crate::codes;
use crate::flow::{
    Arg, Around, Broadcast, BufferId, BufferKind, Buffers, Constant, Elementwise, Fold, Index, Integer, Makes, Operand,
    Pack, PackMode, Pick, Section, SectionStmt, Sections, Sights, Value, ValueKind,
};
use crate::ir::Kind;
use crate::passes::a1_infer_layout::wide_comparison;
use crate::tile_ops::{FpuOp, SfpuOp};
use crate::verify::{Fault, unproved};
use machine::{Machine, below_zero, binary, composed, fill, unary, with, with_integer, within_tile};
use std::collections::{BTreeMap, BTreeSet};
use tt_device::composed::{to_half, to_integer};
use tt_device::{Arithmetic, Expansion, Lowering, OnIntegers, PerElement, Relation, SfpuForm};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{CompareOp, ElementOp, ElementType, IntExpr, Span};
use tt_plan::{DataFormat, Neighbour, Number};

/// What selection works on.
pub struct Context {
    /// The registers there are.
    pub registers: Registers,
    /// The buffers, to which local blocks are added.
    pub buffers: Buffers,
    /// What uses see of the definitions, to which those of local blocks are added.
    pub sights: Sights,
    /// The buffers that pass the FPU on their way to the registers.
    pub through_fpu: BTreeSet<BufferId>,
    /// The constant tiles that something needs.
    pub constants: BTreeMap<Constant, BufferId>,
    /// What could not be selected.
    pub errors: Vec<Diagnostic>,
}

/// Rows and columns of a chunk: as few chunks of at most `most` tiles as make up `tiles`; square where possible. It divides the
/// tiles along one axis at least, and what is left along the other, which is code and inits of its own, counts as a chunk more.
pub fn chunk(tiles: [u32; 2], most: u32) -> [u32; 2] {
    let sides = |n: u32| 1..=n.min(most.max(1));
    sides(tiles[0])
        .flat_map(|h| sides(tiles[1]).map(move |w| [h, w]))
        .filter(|[h, w]| h * w <= most.max(1))
        .filter_map(|[h, w]| {
            let left = [(0, h), (1, w)].map(|(axis, side)| u32::from(!tiles[axis].is_multiple_of(side)));
            let rests = left[0] + left[1];
            let chunks = tiles[0].div_ceil(h) * tiles[1].div_ceil(w);
            (rests < 2).then_some((chunks + rests, rests, h.abs_diff(w), h, [h, w]))
        })
        .min()
        .map_or([1, 1], |(.., chunk)| chunk)
}

impl Context {
    /// An element expression as sections.
    pub fn elementwise(&mut self, elementwise: &Elementwise, span: Span, out: &mut Vec<SectionStmt>) {
        let mut value = self.with_differences(&elementwise.value, None);
        let tiles = crate::passes::a1_infer_layout::tiles(elementwise.extent);
        let capacity = self.registers.capacity;
        while self.emit(&value, None).used > capacity {
            let found = self.largest_part(&value, elementwise.extent, capacity);
            let Some((part, extent)) = found.map(|(part, extent)| (part.clone(), extent)) else {
                let reason = "an expression that needs too many registers has no part to cut off";
                self.errors.push(unproved(span, &Fault(reason.to_string())));
                return;
            };
            let format = if part.is_integer(&self.buffers) {
                DataFormat::Int32
            } else if self.registers.fp32 {
                DataFormat::Float32
            } else {
                DataFormat::Float16B
            };
            let name = format!("{}_part", self.buffers[elementwise.target.0].name);
            let tiles = crate::passes::a1_infer_layout::tiles(extent);
            let target = self.buffers.local(&name, span, format, tiles);
            let pack = Pack::of(target, PackMode::Publish);
            let defines = self.sights.define();
            let section = self.section(&part, tiles, pack, Makes::Definition(defines));
            out.push(SectionStmt::new(span, section));
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
        let pack = Pack::of(elementwise.target, PackMode::Publish);
        let section = self.section(&value, tiles, pack, Makes::Definition(elementwise.defines));
        out.push(SectionStmt::new(span, section));
    }

    /// Whether a buffer is unpacked straight to the registers, unrounded: one of 32 bits that only `copy_tile` and
    /// `unary_bcast` read (metalium.md §4). It is transposed in a register.
    pub fn is_direct(&self, id: BufferId) -> bool {
        let buffer = &self.buffers[id.0];
        self.registers.fp32
            && matches!(buffer.format, DataFormat::Float32 | DataFormat::Int32)
            && matches!(
                buffer.kind,
                BufferKind::Incoming | BufferKind::Local | BufferKind::Shifted
            )
            && !self.through_fpu.contains(&id)
    }

    /// An expression that fits in the registers as a section.
    pub fn section(&mut self, value: &Value, tiles: [u32; 2], pack: Pack, makes: Makes) -> Kind<Sections> {
        let emitted = self.emit(value, None);
        self.keep(&emitted, value.span);
        let registers = emitted.used.max(1);
        let chunk = chunk(tiles, self.registers.capacity / registers);
        let section = Section {
            tiles,
            chunk,
            registers,
            result: emitted.result,
            pack,
            makes,
            fill: None,
            in_last_turn: false,
            by_packer: 0,
        };
        Kind::Group(Around::Section(section), emitted.body)
    }

    /// An expression over `sums`, which register 0 holds: what stands in the section, the registers of each tile, the result's register. `None`
    /// where it is refused or needs more registers than there are; then it is a section of its own.
    pub fn epilogue(&mut self, value: &Value, sums: BufferId) -> Option<(Vec<SectionStmt>, u32, u32)> {
        let emitted = self.emit(&self.with_differences(value, Some(sums)), Some(sums));
        if !emitted.errors.is_empty() || emitted.used > self.registers.capacity {
            return None;
        }
        self.keep(&emitted, value.span);
        Some((emitted.body, emitted.used.max(1), emitted.result))
    }

    /// Two operands that the FPU takes straight from their buffers, not from register 0, which holds `sums`. It takes 19 bits of each: of
    /// f32 by `approx = true` alone.
    fn fpu(&self, op: FpuOp, a: &Value, b: &Value, sums: Option<BufferId>) -> Option<Machine> {
        let (ValueKind::Load(a), ValueKind::Load(b)) = (&a.kind, &b.kind) else {
            return None;
        };
        let plain = |operand: &Operand| operand.broadcast == Broadcast::None;
        let narrow = |Operand { buffer, .. }: &Operand| {
            let format = self.buffers[buffer.0].format;
            let may_be_cut = self.registers.approximate && self.through_fpu.contains(buffer);
            format.fits_bf16() || may_be_cut && format == DataFormat::Float32
        };
        if !narrow(a) || !narrow(b) || [a.buffer, b.buffer].iter().any(|buffer| sums == Some(*buffer)) {
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

    fn keep(&mut self, emitted: &Emitted, span: Span) {
        self.errors.extend(emitted.errors.iter().cloned());
        for constant in &emitted.constants {
            if !self.constants.contains_key(constant) {
                let kind = BufferKind::Constant(*constant);
                let buffer = self
                    .buffers
                    .add(constant.name(), span, kind, DataFormat::Float16B, [1, 1]);
                self.constants.insert(*constant, buffer);
            }
        }
    }

    fn emit(&self, value: &Value, sums: Option<BufferId>) -> Emitted {
        let held = u32::from(sums.is_some());
        let mut emit = Emit {
            context: self,
            sums,
            next: held,
            span: value.span,
            out: Emitted {
                body: Vec::new(),
                used: held,
                result: 0,
                constants: Vec::new(),
                errors: Vec::new(),
            },
            touched: vec![sums.is_some()],
        };
        let machine = emit.select(value);
        emit.out.result = emit.run(&machine);
        emit.out
    }

    /// The operation in `value` that needs most registers among those that fit, and the elements of the block that it is a
    /// value of: `extent`, or those of what is reduced.
    fn largest_part<'v>(&self, value: &'v Value, extent: [u64; 2], capacity: u32) -> Option<(&'v Value, [u64; 2])> {
        let mut best: Option<(&Value, [u64; 2], u32)> = None;
        let inside = |of: &'v Value, extent| {
            let extent = of.reduction().map_or(extent, |reduction| reduction.extent);
            of.operands().into_iter().map(move |part| (part, extent))
        };
        let mut stack: Vec<(&Value, [u64; 2])> = inside(value, extent).collect();
        while let Some((part, extent)) = stack.pop() {
            stack.extend(inside(part, extent));
            if part.operands().is_empty() {
                continue;
            }
            let used = self.emit(part, None).used;
            if used <= capacity && best.is_none_or(|(_, _, most)| used > most) {
                best = Some((part, extent, used));
            }
        }
        best.filter(|(_, _, used)| *used > 1)
            .map(|(part, extent, _)| (part, extent))
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
    body: Vec<SectionStmt>,
    used: u32,
    result: u32,
    /// The constant tiles that are to be added, in this order ([`Context::keep`]).
    constants: Vec<Constant>,
    errors: Vec<Diagnostic>,
}

struct Emit<'a> {
    context: &'a Context,
    /// The buffer whose tiles register 0 holds.
    sums: Option<BufferId>,
    /// The first free register.
    next: u32,
    /// Registers written in this acquire: the FPU's multiplication adds to what it finds.
    touched: Vec<bool>,
    /// The place of what is emitted.
    span: Span,
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

/// An integer in every element.
fn integer(value: i64) -> Machine {
    Machine::FillInteger(Integer {
        first: IntExpr::Const(value),
        per_tile: [0, 0],
        over: 1,
        between: None,
    })
}

/// What an operation that is made of others is of `args`; what is of numbers alone is a number.
fn expanded(expansion: &Expansion, args: &[Value], span: Span) -> Value {
    let kind = match expansion {
        Expansion::Argument(at) => return args[*at].clone(),
        Expansion::Number(number) => ValueKind::Number(Number::constant(*number as f32)),
        Expansion::Call(op, of) => {
            let parts: Vec<Value> = of.iter().map(|part| expanded(part, args, span)).collect();
            match parts.iter().map(|part| part.number().cloned()).collect() {
                Some(numbers) => ValueKind::Number(Number::Call(*op, numbers)),
                None => ValueKind::Call(*op, parts),
            }
        }
        Expansion::Choose(relation, of) => {
            let op = match relation {
                Relation::Less => CompareOp::Lt,
                Relation::LessOrEqual => CompareOp::Le,
                Relation::Greater => CompareOp::Gt,
            };
            let [a, b, then, otherwise] = of.each_ref().map(|part| Box::new(expanded(part, args, span)));
            let condition = ValueKind::Compare(op, a, b);
            ValueKind::Select(Box::new(Value { kind: condition, span }), then, otherwise)
        }
    };
    Value { kind, span }
}

/// The lowest byte of an integer, with its sign.
fn signed_byte(of: Machine) -> Machine {
    let up = binary(SfpuOp::ShlInteger, of, integer(24));
    binary(SfpuOp::ShrInteger, up, integer(24))
}

impl Emit<'_> {
    fn select(&mut self, value: &Value) -> Machine {
        match &value.kind {
            ValueKind::Number(number) => fill(number.clone()),
            ValueKind::Index(index) => {
                let rest = Integer {
                    first: index.rest.clone(),
                    per_tile: index.per_tile(),
                    over: 1,
                    between: None,
                };
                match within_tile(index) {
                    Some(within) => with_integer(SfpuOp::AddNumber, rest, within),
                    None => Machine::Fill(Arg::Integer(rest)),
                }
            }
            ValueKind::Negative(index) => self.below_zero(index, value.span),
            ValueKind::Integer(index) => {
                let rest = Integer {
                    first: index.rest.clone(),
                    per_tile: index.per_tile(),
                    over: 1,
                    between: None,
                };
                match within_tile(index) {
                    Some(within) => binary(
                        SfpuOp::AddInteger,
                        unary(SfpuOp::ToInteger, within),
                        Machine::FillInteger(rest),
                    ),
                    None => Machine::FillInteger(rest),
                }
            }
            ValueKind::Cast(to, of) => {
                let is_integer = of.is_integer(&self.context.buffers);
                let of = self.select(of);
                let whole = |of| match is_integer {
                    true => of,
                    false => composed(to_integer(), of),
                };
                // Numbers are held to the range of a byte, integers are cut to it.
                let held = |of, [least, most]: [i64; 2]| {
                    let above = binary(SfpuOp::MaxInteger, of, integer(least));
                    binary(SfpuOp::MinInteger, above, integer(most))
                };
                match (is_integer, to.is_integer()) {
                    (false, true) if *to == ElementType::U8 => held(whole(of), [0, 255]),
                    (false, true) if *to == ElementType::I8 => held(whole(of), [-128, 127]),
                    (true, true) if *to == ElementType::U8 => binary(SfpuOp::AndInteger, of, integer(255)),
                    (true, true) if *to == ElementType::I8 => signed_byte(of),
                    (false, true) => composed(to_integer(), of),
                    (true, false) => unary(SfpuOp::FromInteger, of),
                    (false, false) if *to == ElementType::F16 => composed(to_half(), of),
                    (false, false) if *to == ElementType::Bf16 && self.context.registers.fp32 => {
                        unary(SfpuOp::ToBf16, of)
                    }
                    (false, false) | (true, true) => of,
                }
            }
            ValueKind::Reduce(reduction, x) => {
                let folded = Machine::Reduce(*reduction, Box::new(self.select(x)));
                match reduction.fold {
                    Fold::Sum | Fold::Max | Fold::Min | Fold::Product => folded,
                    Fold::Mean => with(
                        SfpuOp::MulNumber,
                        [Number::constant(1.0 / reduction.count() as f32)],
                        folded,
                    ),
                }
            }
            ValueKind::Pick(pick, x) => self.pick(pick, x, value.span),
            ValueKind::Load(operand) if self.sums == Some(operand.buffer) => Machine::Sums,
            ValueKind::Load(operand) if self.context.buffers[operand.buffer.0].format == DataFormat::Int8 => {
                signed_byte(Machine::Load(*operand))
            }
            ValueKind::Load(operand) => Machine::Load(*operand),
            ValueKind::Call(op, args) if value.is_integer(&self.context.buffers) || op.row().types().is_some() => {
                self.integers(*op, args, value.span)
            }
            ValueKind::Call(op, args) => self.call(*op, args, value.span),
            ValueKind::Compare(op, a, b) => self.compare(*op, a, b),
            ValueKind::And(a, b) => binary(SfpuOp::Mul, self.select(a), self.select(b)),
            ValueKind::Or(a, b) => binary(SfpuOp::Max, self.select(a), self.select(b)),
            ValueKind::Not(a) => unary(SfpuOp::EqZero, self.select(a)),
            ValueKind::Select(c, a, b) => self.choose(c, a, b),
        }
    }

    /// The elements of one row or column: all others are less than any.
    fn pick(&mut self, pick: &Pick, x: &Value, span: Span) -> Machine {
        let reduction = pick.reduction();
        let of = |kind| Value { kind, span };
        let mut picked = x.clone();
        for index in pick.is_there() {
            let rest = of(ValueKind::Number(Number::constant(reduction.fold.neutral())));
            let is_there = Box::new(of(ValueKind::Negative(index)));
            picked = of(ValueKind::Select(is_there, Box::new(picked), Box::new(rest)));
        }
        self.select(&of(ValueKind::Reduce(reduction, Box::new(picked))))
    }

    /// `a` where `c` holds, else `b`. What is cheap goes where a mask is not below zero, so that whole tiles pay nothing.
    fn choose(&mut self, c: &Value, a: &Value, b: &Value) -> Machine {
        if let ValueKind::Negative(index) = &c.kind {
            if a.number().is_some() && b.number().is_none() {
                let index = index.negated(1);
                let mask = self.below_zero(&index, c.span);
                return self.masked(&index, mask, b, a);
            }
            let mask = self.below_zero(index, c.span);
            return self.masked(index, mask, a, b);
        }
        if let ValueKind::Or(first, _) = &c.kind
            && let ValueKind::Negative(index) = &first.kind
        {
            let mask = self.select(c);
            return self.masked(index, mask, a, b);
        }
        if let ValueKind::And(first, second) = &c.kind
            && b.number().is_some()
        {
            let kind = ValueKind::Select(second.clone(), Box::new(a.clone()), Box::new(b.clone()));
            return self.choose(first, &Value { kind, span: a.span }, b);
        }
        let [c, a, b] = [c, a, b].map(|part| Box::new(self.select(part)));
        Machine::Where(c, a, b)
    }

    /// 1 where the integer is below zero, else 0.
    fn below_zero(&mut self, index: &Index, span: Span) -> Machine {
        let divisor = index.divisor(self.context.registers.fp32).unwrap_or_else(|| {
            self.out.errors.push(wide_comparison(span));
            1
        });
        below_zero(index, divisor)
    }

    fn masked(&mut self, index: &Index, mask: Machine, a: &Value, b: &Value) -> Machine {
        let (a, b) = (self.select(a), self.select(b));
        Machine::Masked(index.clone(), Box::new(mask), Box::new(a), Box::new(b))
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
        if a.is_integer(&self.context.buffers) {
            let of_integers = match op {
                CompareOp::Eq => SfpuOp::EqInteger,
                CompareOp::Ne => SfpuOp::NeInteger,
                CompareOp::Lt => SfpuOp::LtInteger,
                CompareOp::Le => SfpuOp::LeInteger,
                CompareOp::Gt => SfpuOp::GtInteger,
                CompareOp::Ge => SfpuOp::GeInteger,
            };
            return unary(SfpuOp::FromInteger, binary(of_integers, self.select(a), self.select(b)));
        }
        match (&a.kind, &b.kind) {
            (ValueKind::Number(a), ValueKind::Number(b)) => {
                fill(Number::Compare(op, Box::new(a.clone()), Box::new(b.clone())))
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
        binary(tiles, self.select(a), fill(limit))
    }

    /// An operation on integers, or on bits; C1 let through those that the device has.
    fn integers(&mut self, op: ElementOp, args: &[Value], span: Span) -> Machine {
        let mut operands = args.iter().map(|arg| self.select(arg)).collect::<Vec<_>>().into_iter();
        let zero = || integer(0);
        let (Some(first), second) = (operands.next(), operands.next()) else {
            return zero();
        };
        match (op.row().integers, second) {
            (Some(OnIntegers::Call(call)), Some(second)) => binary(call, first, second),
            (Some(OnIntegers::Call(call)), None) => unary(call, first),
            (Some(OnIntegers::FromZero(call)), _) => binary(call, zero(), first),
            (Some(OnIntegers::Same(_)), _) => first,
            (Some(OnIntegers::Remainder | OnIntegers::Unsigned | OnIntegers::Multiple) | None, _) => {
                let reason = format!("`{}` of integers came to registers", op.row().name);
                self.out.errors.push(unproved(span, &Fault(reason)));
                first
            }
        }
    }

    /// A call of three registers, which hold `args` in this order.
    fn of_three(&mut self, call: SfpuOp, numbers: Vec<Number>, args: &[Value], order: [usize; 3]) -> Machine {
        let operands = order.map(|at| self.select(&args[at]));
        Machine::Three(call, numbers, Box::new(operands))
    }

    fn call(&mut self, op: ElementOp, args: &[Value], span: Span) -> Machine {
        match op.row().lowering {
            Lowering::Own(call, _) if call.row().form == SfpuForm::Binary => {
                binary(call, self.select(&args[0]), self.select(&args[1]))
            }
            Lowering::Own(call, _) if matches!(call.row().form, SfpuForm::Ternary(_)) => {
                let numbers = self.uniform(op, args);
                self.of_three(call, numbers, args, [0, 1, 2])
            }
            Lowering::LastFirst(call, numbers) => {
                let numbers = numbers.iter().copied().map(Number::constant).collect();
                self.of_three(call, numbers, args, [2, 0, 1])
            }
            Lowering::Reversed(arithmetic) => self.arithmetic(arithmetic, &args[1], &args[0]),
            Lowering::WithReciprocal(call) => {
                let mut numbers = self.uniform(op, args);
                numbers.extend(
                    numbers
                        .first()
                        .cloned()
                        .map(|number| Number::Call(ElementOp::Recip, vec![number])),
                );
                with(call, numbers, self.select(&args[0]))
            }
            Lowering::Own(call, numbers) => {
                let mut all = self.uniform(op, args);
                all.extend(numbers.iter().copied().map(Number::constant));
                with(call, all, self.select(&args[0]))
            }
            Lowering::Arithmetic(arithmetic) => self.arithmetic(arithmetic, &args[0], &args[1]),
            Lowering::Power => {
                let exponent = self.uniform(op, args);
                let known = exponent
                    .first()
                    .and_then(|number| number.evaluate(&|_| None, &|_| None).ok());
                let value = |kind| Value { kind, span };
                match known.map(|known| known as f32) {
                    Some(1.0) => self.select(&args[0]),
                    Some(2.0) => unary(SfpuOp::Square, self.select(&args[0])),
                    Some(0.5) => self.call(ElementOp::Sqrt, &args[..1], span),
                    // The device's own is NaN at 0 (ckernel_sfpu_unary_power.h).
                    Some(known) if known < 0.0 => {
                        let exponent = value(ValueKind::Number(Number::constant(-known)));
                        let power = value(ValueKind::Call(op, vec![args[0].clone(), exponent]));
                        self.call(ElementOp::Recip, &[power], span)
                    }
                    Some(_) | None => with(SfpuOp::Power, exponent, self.select(&args[0])),
                }
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
                let numbers = self.uniform(op, args);
                let elements = &args[..args.len() - numbers.len()];
                let operands = elements.iter().map(|arg| self.select(arg)).collect();
                Machine::Composed(program(), operands, numbers)
            }
            Lowering::Expanded => match op.row().per_element {
                PerElement::Is(expansion) => self.select(&expanded(&expansion, args, span)),
                PerElement::Refused | PerElement::NoNumbers => {
                    let reason = format!("`{}` is made of nothing", op.row().name);
                    self.out.errors.push(unproved(span, &Fault(reason)));
                    integer(0)
                }
            },
            Lowering::IntegersOnly => self.integers(op, args, span),
        }
    }

    /// The uniform arguments, as the numbers of a call.
    fn uniform(&mut self, op: ElementOp, args: &[Value]) -> Vec<Number> {
        args[args.len() - op.row().uniform..]
            .iter()
            .map(|arg| {
                arg.number().cloned().unwrap_or_else(|| {
                    let message = format!("`{}` takes a number here, known at launch", op.row().name);
                    let note = "give it a literal, a scalar or what is made of them; for what differs from element to element write the arithmetic out: `x + y * z * w`, `if (x - y).abs() <= w { 1.0 } else { 0.0 }`";
                    let error = Diagnostic::new(&codes::NUMBER_OPERATION, arg.span, message).note(note);
                    self.out.errors.push(error);
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
        fpu.and_then(|fpu| self.context.fpu(fpu, a, b, self.sums))
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
}

#[cfg(test)]
mod tests {
    use super::chunk;

    #[test]
    fn chunks_are_few_and_what_is_left_counts_as_one() {
        for (tiles, most, wanted) in [
            ([4, 4], 4, [2, 2]),
            ([4, 8], 8, [2, 4]),
            ([3, 3], 4, [1, 3]),
            ([5, 7], 4, [1, 4]),
            ([7, 5], 4, [4, 1]),
            ([5, 7], 8, [1, 7]),
            ([2, 9], 4, [1, 3]),
            ([1, 7], 4, [1, 4]),
            ([1, 1], 0, [1, 1]),
            ([5, 5], 1, [1, 1]),
        ] {
            assert_eq!(chunk(tiles, most), wanted, "{tiles:?} in {most}");
        }
    }
}
