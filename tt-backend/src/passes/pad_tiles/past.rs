//! What every block holds past its edges, at every point of the program.
//!
//! `x · y`, `relu(x)` or `silu(x) · y` of zeros are zero; `exp(x)` is not, nor is `x · s`, where `s` is only known at launch
//! and may be infinite. Only what every chip computes as exactly zero counts (docs/numbers.md, the column of 0).

mod found;
mod masks;
mod places;

use self::found::{Found, Of};
use self::places::{Places, element};
use super::edges::{Age, Edge, Past};
use super::{Product, Summed};
use crate::flow::{
    BlockOp, BlockStmt, Blocks, Broadcast, BufferId, BufferKind, DefinitionId, Elementwise, Flow, FlowLoop, Gemm,
    Index, Operand, Pick, Read, Reduction, Sees, Shift, Sights, TileRegion, Value, ValueKind, Window,
};
use crate::ir::{Event, Forward, Frame, Kind, visit, walk};
use crate::persistent::Persistent;
use masks::Whens;
pub use masks::{Mask, Neutral, Reduced, count, end};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tt_device::OfZeros;
use tt_lang::hash::HashMap;
use tt_lang::ir::{ElementOp, IntExpr, IntOp, Kernel, Linear, Span, VarId};
use tt_plan::Number;

/// Along rows and columns.
type Both = [Past; 2];

/// What is past the edges of every buffer at a point; nothing of those that were not written yet.
type State = Persistent<Rc<Both>>;

/// The analysis.
pub struct Beyond<'a> {
    kernel: &'a Kernel,
    /// What uses see; as it was before the pass.
    sights: Sights,
    places: RefCell<Places>,
    /// Of every buffer.
    tiles: Vec<[u32; 2]>,
    /// Tiles of the longest block.
    most_tiles: i32,
    /// The loops around each fetch: in another turn of them it is another integer.
    fetched: HashMap<VarId, Vec<VarId>>,
    /// One past the last value of the axes of the grid and of loops from 0.
    ends: HashMap<VarId, IntExpr>,
    products: Vec<Product>,
    /// Stores of blocks with edges of their own, past which nothing is stored.
    stored: Stored,
    /// Stores of what should not have been summed.
    wrong: Vec<Span>,
    whens: RefCell<Whens>,
    /// By buffer, what it is computed from.
    sources: Vec<BTreeSet<BufferId>>,
    /// Definitions that are to hold a number where they have no value.
    pub masked: BTreeMap<DefinitionId, Neutral>,
    /// Where each of those has a value; nothing where no condition on indices says it.
    pub masks: HashMap<DefinitionId, Option<Mask>>,
    /// What is reduced in each definition.
    pub reduced: BTreeMap<DefinitionId, Vec<Reduced>>,
    /// Definitions of blocks whose elements share exponents, and a use of each.
    shared: BTreeMap<DefinitionId, Sees>,
    /// Compound definitions with edges of their second operand's own; where that has a value, once it is asked for.
    pub compounds: HashMap<DefinitionId, Option<Mask>>,
    /// Whether it is asked for.
    pub keeps: bool,
    /// Where each block that is printed has a value; everywhere where no condition on indices says it.
    pub printed: BTreeMap<Sees, Mask>,
}

/// Stores of a block of which some elements may have no value where the tensor has some: what is stored and where to, and where in
/// the source that is said and the block has a value, if conditions on indices say so.
pub type Stored = HashMap<(Sees, TileRegion), (Span, Option<Mask>)>;

/// How often a block is shifted, and what is shifted once more, until nothing says any more where its edges are: a loop may shift
/// what it shifted in the turn before.
const MOST_SHIFTS: u32 = 2;

impl<'a> Beyond<'a> {
    /// Of `flow`.
    pub fn new(kernel: &'a Kernel, flow: &Flow<Blocks>, shared: BTreeMap<DefinitionId, Sees>) -> Beyond<'a> {
        let axes = kernel.grid.axes.iter();
        let mut ends: HashMap<VarId, IntExpr> = axes.map(|(var, extent)| (*var, extent.value.clone())).collect();
        visit(&flow.body, &mut |stmt| {
            if let Kind::Loop(FlowLoop { var, start, end, .. }, _) = &stmt.kind
                && *start == IntExpr::Const(0)
            {
                ends.insert(*var, end.clone());
            }
        });
        Beyond {
            kernel,
            sights: flow.sights.clone(),
            places: RefCell::default(),
            tiles: flow.buffers.iter().map(|buffer| buffer.tiles).collect(),
            most_tiles: i32::try_from(flow.buffers.iter().flat_map(|buffer| buffer.tiles).max().unwrap_or(1))
                .unwrap_or(i32::MAX),
            fetched: fetched(&flow.body),
            ends,
            products: Vec::new(),
            stored: Stored::default(),
            wrong: Vec::new(),
            whens: RefCell::default(),
            sources: vec![BTreeSet::new(); flow.buffers.len()],
            masked: BTreeMap::new(),
            masks: HashMap::default(),
            reduced: BTreeMap::new(),
            shared,
            compounds: HashMap::default(),
            keeps: false,
            printed: BTreeMap::new(),
        }
    }

    /// All gemms, with their operands as they are there.
    pub fn products(&self) -> &[Product] {
        &self.products
    }

    /// The stores of blocks with edges past which the tensor goes on.
    pub fn stored(&self) -> &Stored {
        &self.stored
    }

    /// The stores of sums past an edge of an operand that is not zero there.
    pub fn wrong(&self) -> &[Span] {
        &self.wrong
    }

    /// The incoming buffers that any of `buffers` is computed from, themselves included.
    pub fn incoming(&self, flow: &Flow<Blocks>, buffers: Vec<BufferId>) -> BTreeSet<BufferId> {
        let mut all = BTreeSet::new();
        let mut open = buffers;
        while let Some(next) = open.pop() {
            if all.insert(next) {
                open.extend(&self.sources[next.0]);
            }
        }
        all.retain(|buffer| flow.buffers[buffer.0].kind == BufferKind::Incoming);
        all
    }

    /// Where what is read from a region has a value.
    pub fn of_region(&mut self, region: &TileRegion) -> Mask {
        let past = [0, 1].map(|axis| Past::read(self.edges(region, axis)));
        // What is read now is told by indices.
        self.mask(&past).unwrap_or_default()
    }

    /// What an element-wise use reads, where it falls in the result.
    fn load(&self, operand: &Operand, state: &State) -> Found {
        let Some(held) = state.get(operand.buffer.0) else {
            return Found::number(None);
        };
        let shifted = |axis: usize| match operand.offset[axis] {
            0 => held[axis].clone(),
            tiles => held[axis].map(|edge| edge.shifted(tiles, self.most_tiles)),
        };
        let repeated = |axis: usize| {
            shifted(axis).repeated(|edge| {
                let [first, later] = self.places.borrow().all[edge.place].outside;
                let outside = edge.whole || if edge.shift == 0 { first } else { later || first };
                outside.then_some(Edge { whole: true, ..*edge })
            })
        };
        let past = match operand.broadcast {
            Broadcast::None => [shifted(0), shifted(1)],
            Broadcast::Row => [repeated(0), shifted(1).with(&repeated(0))],
            Broadcast::Column => [shifted(0).with(&repeated(1)), repeated(1)],
            Broadcast::Scalar => {
                let both = repeated(0).with(&repeated(1));
                [both.clone(), both]
            }
            Broadcast::Transpose => [shifted(1), shifted(0)],
        };
        let is_plain = operand.broadcast == Broadcast::None && operand.offset == [0, 0];
        Found {
            of: Of::One(operand.buffer, operand.offset, operand.broadcast),
            past: if is_plain { past } else { past.map(Past::moved) },
        }
    }

    /// What is left of a block of which one row or column, or both, stands for all.
    fn picked(&self, pick: &Pick, of: Found) -> Found {
        let mut past = of.past.map(Past::moved);
        let picked = [0, 1].map(|axis| {
            let at = pick.at[axis].as_ref()?;
            Some(past[axis].repeated(|edge| Some(self.at_element(edge, at, None))))
        });
        match &picked {
            [Some(rows), Some(columns)] => {
                let both = rows.with(columns);
                past = [both.clone(), both];
            }
            [Some(rows), None] => past = [rows.clone(), past[1].with(rows)],
            [None, Some(columns)] => past = [past[0].with(columns), columns.clone()],
            [None, None] => {}
        }
        Found { of: Of::Many, past }
    }

    /// Some elements of a block, from anywhere on.
    fn shift(&mut self, shift: &Shift, state: &mut State) {
        self.sources[shift.buffer.0].insert(shift.from);
        let held = match state.get(shift.from.0) {
            Some(held) => held.as_ref().clone(),
            None => [Past::number(None), Past::number(None)],
        };
        let Window { from, to, pace, .. } = &shift.window;
        let mut past = held.map(Past::moved);
        for axis in 0..2 {
            let step = if axis == 0 { i64::from(pace.step) } else { 1 };
            let comes_again = axis == 0 && !pace.is_of_steps();
            if comes_again {
                // Several rows are one, or rows come again: what has a value is computed beside it.
                let edges = past[0].edges().filter(|edge| !edge.whole).copied().collect();
                past[0] = past[0].clone().unsure_past(edges);
            }
            let first = IntExpr::binary(IntOp::Sub, from[axis].clone(), to[axis].clone());
            past[axis] = past[axis].map(|edge| {
                let shifts = self.places.borrow().all[edge.place].shifts;
                if edge.whole || first.as_const() == Some(0) && step == 1 && !comes_again {
                    return edge;
                }
                // It is no edge any more that what is stored has of its own.
                if shifts == MOST_SHIFTS || comes_again {
                    let age = Age::Unknown;
                    return Edge { age, ..edge };
                }
                let edge = self.at_element(&edge, &first, Some(step));
                let known = &mut self.places.borrow_mut().all[edge.place].shifts;
                *known = shifts.saturating_add(1).max(*known);
                edge
            });
            // Past the last element that is moved there is what was there before.
            if let Some(end) = self.end_of_block(shift.window.end(axis, self.tiles[shift.buffer.0][axis])) {
                past[axis] = past[axis].clone().ending(end).not_zero();
            }
        }
        *state.at_mut(shift.buffer.0) = Some(Rc::new(past));
    }

    /// What is left of a reduced block: it has a value everywhere but where a mean has none.
    fn reduced(&self, reduction: &Reduction, of: Found) -> Found {
        let mut found = Found::number(None);
        if reduction.fold.is_per_element() {
            for (axis, past) in of.past.into_iter().enumerate() {
                found.past[axis] = match reduction.along[axis] {
                    true => self.mean(past.moved(), reduction.extent[axis]),
                    false => past,
                }
                .not_zero();
            }
        }
        found
    }

    /// What is left of `count` elements of which one is the mean: it has no value where all of them lie past an edge, or before.
    fn mean(&self, past: Past, count: u64) -> Past {
        let whole = |edge: &Edge, extent, at: &IntExpr, precedes| {
            let number = self.place(Some(extent), at, [1, 1], [true; 2]);
            self.places.borrow_mut().all[number].precedes |= precedes;
            Edge {
                place: number,
                shift: 0,
                whole: true,
                ..*edge
            }
        };
        let last = IntExpr::Const(i64::try_from(count).unwrap_or(i64::MAX).saturating_sub(1));
        let after = past.repeated(|edge| {
            let place = self.places.borrow().all[edge.place].clone();
            let [first, later] = place.outside;
            match edge.whole {
                true => Some(*edge),
                false if !first && (edge.shift == 0 || !later) => None,
                false => {
                    let first = if place.step < 0 {
                        last.clone()
                    } else {
                        IntExpr::Const(0)
                    };
                    let first = element(&place, edge, &first);
                    let first = match place.precedes {
                        true => IntExpr::binary(IntOp::Max, first, IntExpr::Const(0)),
                        false => first,
                    };
                    Some(whole(edge, place.extent, &first, false))
                }
            }
        });
        let before = past.repeated(|edge| {
            let place = self.places.borrow().all[edge.place].clone();
            let last = if place.step < 0 { &IntExpr::Const(0) } else { &last };
            let last = element(&place, edge, last);
            let end = Linear::of(&IntExpr::binary(IntOp::Add, last.clone(), IntExpr::Const(1))).to_expr();
            (place.precedes && !edge.whole).then(|| whole(edge, end, &last, true))
        });
        after.with(&before)
    }

    fn value(&self, value: &Value, state: &State) -> Found {
        let of = |value: &Value| self.value(value, state);
        match &value.kind {
            ValueKind::Number(_) => Found::number(literal(value)),
            ValueKind::Index(_) | ValueKind::Negative(_) => Found::number(None),
            ValueKind::Integer(index) => {
                let is_zero = (index.row, index.column, &index.rest) == (0, 0, &IntExpr::Const(0));
                Found::number(is_zero.then_some(0.0))
            }
            ValueKind::Cast(_, of_what) => of(of_what),
            ValueKind::Reduce(reduction, source) => self.reduced(reduction, of(source)),
            ValueKind::Pick(pick, source) => self.picked(pick, of(source)),
            ValueKind::Select(condition, a, b) if !condition.reads() => self.chosen(condition, of(a), of(b)),
            ValueKind::Load(operand) => self.load(operand, state),
            ValueKind::Call(op, args) => self.call(*op, args, state),
            ValueKind::Select(condition, a, b) => of(a).or(of(b), &of(condition)),
            // The second where the first does not decide.
            ValueKind::And(a, b) | ValueKind::Or(a, b) => of(b).or(Found::number(None), &of(a)).not_zero(),
            ValueKind::Compare(..) | ValueKind::Not(_) => {
                let all = value.operands().into_iter().map(of).reduce(Found::and);
                all.unwrap_or_else(|| Found::number(None)).not_zero()
            }
        }
    }

    fn call(&self, op: ElementOp, args: &[Value], state: &State) -> Found {
        let (uniform, elements) = (op.row().uniform, op.row().arity - op.row().uniform);
        let of = |at: usize| self.value(&args[at], state);
        let all = || {
            let all = (0..elements).map(of).reduce(Found::and);
            all.unwrap_or_else(|| Found::number(None))
        };
        let number = |at: usize| literal(&args[at]).filter(|number| number.is_finite());
        let is = |at: usize, holds: fn(f32) -> bool| number(at).is_some_and(holds);
        match op.row().of_zeros {
            OfZeros::NotZero => all().not_zero(),
            OfZeros::Zero if (elements..elements + uniform).all(|at| number(at).is_some()) => all(),
            OfZeros::Product | OfZeros::Quotient if is(1, |_| true) => {
                let divisor = op.row().of_zeros == OfZeros::Quotient;
                // It is multiplied with the reciprocal, which has to be finite too.
                if divisor && !is(1, |number| number.abs() > 1e-30) {
                    of(0).not_zero()
                } else {
                    of(0)
                }
            }
            OfZeros::Product if is(0, |_| true) => of(1),
            OfZeros::Product => all(),
            OfZeros::Larger if is(1, |number| number <= 0.0) => of(0),
            OfZeros::Larger if is(0, |number| number <= 0.0) => of(1),
            OfZeros::Smaller if is(1, |number| number >= 0.0) => of(0),
            OfZeros::Smaller if is(0, |number| number >= 0.0) => of(1),
            OfZeros::Larger | OfZeros::Smaller => all(),
            OfZeros::Clamped if is(1, |low| low <= 0.0) && is(2, |high| high >= 0.0) => of(0),
            OfZeros::Zero | OfZeros::Quotient | OfZeros::Clamped => all().not_zero(),
        }
    }

    fn elementwise(&mut self, elementwise: &Elementwise, state: &mut State) {
        let sources = &mut self.sources[elementwise.target.0];
        elementwise.value.loads(&mut |operand, _| {
            sources.insert(operand.buffer);
        });
        let mut reductions = Vec::new();
        elementwise.value.walk(&mut |value| {
            if let ValueKind::Reduce(reduction, source) = &value.kind {
                let mask = self.mask(&self.value(source, state).past);
                reductions.push(self.what_is_reduced(value, reduction, source, mask));
            }
        });
        self.reduced.insert(elementwise.defines, reductions);
        let mut past = self.kept(elementwise, state).map(Past::told);
        for (past, extent) in past.iter_mut().zip(elementwise.extent) {
            if let Some(end) = self.end_of_block(extent) {
                *past = past.clone().ending(end);
            }
        }
        if let Some(neutral) = self.masked.get(&elementwise.defines) {
            let mask = self.mask(&past);
            if mask.is_some() {
                let is_zero = f32::from_bits(*neutral) == 0.0;
                past = past.map(if is_zero { Past::zeroed } else { Past::not_zero });
            }
            self.masks.insert(elementwise.defines, mask);
        }
        if let Some(sees) = self.shared.get(&elementwise.defines) {
            let operand = || Summed {
                buffer: elementwise.target,
                sees: *sees,
                past: past[1].clone(),
                kept: past[1].clone(),
            };
            self.products.push(Product {
                operands: [operand(), operand()],
            });
        }
        *state.at_mut(elementwise.target.0) = Some(Rc::new(past));
    }

    /// A row of a product is zero where the left operand's row is, a column where the right operand's is; past their edges sums
    /// stay as they were.
    fn gemm(&mut self, gemm: &Gemm, state: &mut State) {
        self.sources[gemm.acc.0].extend([gemm.a, gemm.b]);
        let past = |buffer: BufferId, axis: usize| match state.get(buffer.0) {
            Some(both) => both[axis].clone(),
            None => Past::number(None),
        };
        let (a, b) = (usize::from(gemm.transpose_a), usize::from(gemm.transpose_b));
        let operand = |buffer, sees, axis: usize| Summed {
            buffer,
            sees,
            past: past(buffer, axis),
            kept: past(buffer, 1 - axis),
        };
        self.products.push(Product {
            operands: [operand(gemm.a, gemm.sees.a, 1 - a), operand(gemm.b, gemm.sees.b, b)],
        });
        let products = [past(gemm.a, a).moved(), past(gemm.b, 1 - b).moved()];
        let made = match state.get(gemm.acc.0) {
            Some(before) if gemm.sees.acc.is_some() => [0, 1].map(|axis| before[axis].with_products(&products[axis])),
            _ => products.map(|products| Past::number(Some(0.0)).with_products(&products)),
        };
        *state.at_mut(gemm.acc.0) = Some(Rc::new(made.map(Past::told)));
    }

    /// Every edge that depends on `var` as `each` makes its age, which leaves one of no known turn as it is: so are all of these that
    /// stood before the loop over it, where `before` was known.
    fn aged(&self, before: &State, state: &mut State, var: VarId, each: impl Fn(Age) -> Age) {
        let depends = |at: &IntExpr| {
            let mut depends = at.mentions(var);
            at.walk(&mut |part| {
                if let IntExpr::Fetched(fetched) = part {
                    depends |= self.fetched.get(fetched).is_none_or(|loops| loops.contains(&var));
                }
            });
            depends
        };
        let is_aged = |edge: &Edge| {
            let place = &self.places.borrow().all[edge.place];
            let depends_on = |when: &[Index]| when.iter().any(|index| depends(&index.rest));
            edge.age != Age::Unknown
                && (depends(&place.at) || depends(&place.extent) || depends_on(self.whens.borrow().of(edge)))
        };
        let aged = |edge: Edge| Edge {
            age: if is_aged(&edge) { each(edge.age) } else { edge.age },
            ..edge
        };
        state.merge(before, |held, _| {
            let held = held?;
            let is_any_aged = held.iter().any(|past| past.edges().any(is_aged));
            is_any_aged.then(|| Rc::new(held.each_ref().map(|past| past.map(aged))))
        });
    }
}

impl Forward<Blocks> for Beyond<'_> {
    type State = State;

    fn begin(&mut self) -> State {
        self.products.clear();
        self.stored.clear();
        self.wrong.clear();
        Persistent::new(self.sources.len())
    }

    fn op(&mut self, note: &Span, op: &BlockOp, state: &mut State) {
        match op {
            BlockOp::Read(Read { buffer, region, .. }) => {
                *state.at_mut(buffer.0) = Some(Rc::new([0, 1].map(|axis| Past::read(self.edges(region, axis)))));
            }
            BlockOp::Fetch(_) => {}
            BlockOp::Shift(shift) => self.shift(shift, state),
            BlockOp::Inspect(inspection) => {
                if let Some((buffer, sees)) = inspection.uses()
                    && let Some(held) = state.get(buffer.0)
                {
                    self.printed.insert(sees, self.mask(held).unwrap_or_default());
                }
            }
            BlockOp::Elementwise(elementwise) => self.elementwise(elementwise, state),
            BlockOp::Gemm(gemm) => self.gemm(gemm, state),
            BlockOp::Write(write) => {
                let region = &write.region;
                let Some(held) = state.get(write.buffer.0) else { return };
                let mut edges = [0, 1].map(|axis| self.edges(region, axis));
                // What a block has past its own end is none of what is stored.
                for (edges, extent) in edges.iter_mut().zip(region.extent) {
                    edges.extend(self.end_of_block(extent));
                }
                // Where all of a block lies past the end of an axis, so does every element that is stored there; of one that
                // lies before its beginning later ones need not.
                let dropped = |axis: usize, edge: &Edge| {
                    let edge = &Edge { when: 0, ..*edge };
                    let either = |whole| edges.iter().any(|edges| edges.contains(&Edge { whole, ..*edge }));
                    let precedes = || self.places.borrow().all[edge.place].precedes;
                    edges[axis].contains(edge) || edge.whole && (either(true) || either(false) && !precedes())
                };
                let axes = || held.iter().enumerate();
                if axes().any(|(axis, held)| held.wrong().any(|edge| !dropped(axis, edge))) {
                    self.wrong.push(*note);
                }
                let own = [0, 1].map(|axis| held[axis].clone().within(|edge| dropped(axis, edge)));
                let has_own = own.iter().any(|past| past.edges().next().is_some());
                match has_own {
                    true => drop(self.stored.insert(write.stores(), (*note, self.mask(&own)))),
                    false => drop(self.stored.remove(&write.stores())),
                }
            }
        }
    }

    fn turn(&mut self, head: &FlowLoop, before: &State, state: &mut State) {
        self.aged(before, state, head.var, |age| age.turned(head.var));
    }

    fn leave(&mut self, head: &FlowLoop, before: &State, state: &mut State) {
        self.aged(before, state, head.var, |_| Age::Unknown);
    }

    fn runs(&self, head: &FlowLoop) -> bool {
        head.runs
    }

    fn join(&mut self, state: &mut State, other: &State) {
        state.merge(other, either);
    }

    fn join_round(&mut self, state: &mut State, before: &State, round: &State) {
        state.merge_since(before, round, either);
    }

    fn is_news(&self, round: &State, before: &State, known: &State) -> bool {
        round.differs_since(before, known)
    }
}

/// What is past the edges of a buffer where two paths meet.
fn either(held: Option<&Rc<Both>>, other: Option<&Rc<Both>>) -> Option<Rc<Both>> {
    match (held, other) {
        (Some(held), Some(other)) => {
            let mut both = held.as_ref().clone();
            both.iter_mut()
                .zip(other.iter())
                .for_each(|(past, other)| past.or(other));
            Some(Rc::new(both))
        }
        (None, other) => other.cloned(),
        (Some(_), None) => None,
    }
}

/// The loops around every fetch.
fn fetched(body: &[BlockStmt]) -> HashMap<VarId, Vec<VarId>> {
    let (mut loops, mut out) = (Vec::new(), HashMap::default());
    walk(body, &mut |_, event| match event {
        Event::Op(BlockOp::Fetch(fetch)) => drop(out.insert(fetch.var, loops.clone())),
        Event::Enter(Frame::Loop(head)) => loops.push(head.var),
        Event::Leave(Frame::Loop(_)) => drop(loops.pop()),
        Event::Op(_) | Event::Otherwise => {}
        Event::Enter(Frame::Group(..) | Frame::If(_)) | Event::Leave(Frame::Group(..) | Frame::If(_)) => {}
    });
    out
}

/// The number in the source.
fn literal(value: &Value) -> Option<f32> {
    let Number::Bits(bits) = value.number()? else {
        return None;
    };
    Some(f32::from_bits(*bits))
}
