//! The places of edges: of tensors, of regions shorter than their blocks, of blocks themselves.

use super::Beyond;
use crate::flow::{Index, Pace, Rows, TileRegion, Transfer};
use crate::passes::pad_tiles::edges::{Edge, Edges};
use tt_device::{TILE, tiles_along};
use tt_lang::hash::HashMap;
use tt_lang::ir::{IntExpr, IntOp, Linear};

/// All places of edges, each once; the first is that of edges of which nothing is told, anywhere.
pub(super) struct Places {
    /// By extent, by the tile, matrix or element that a block was read from, and by units.
    pub numbers: HashMap<(IntExpr, IntExpr, [i64; 2]), usize>,
    pub all: Vec<Place>,
}

impl Default for Places {
    fn default() -> Places {
        let anywhere = Place {
            extent: IntExpr::Const(1),
            at: IntExpr::Const(0),
            unit: 1,
            step: 1,
            outside: [true; 2],
            precedes: true,
            shifts: 0,
        };
        Places {
            numbers: HashMap::default(),
            all: vec![anywhere],
        }
    }
}

/// Where edges are.
#[derive(Clone)]
pub(super) struct Place {
    /// The tensor's extent.
    pub extent: IntExpr,
    /// The tile, matrix or element.
    pub at: IntExpr,
    /// How many elements of the extent are one of those.
    pub unit: i64,
    /// How many are from one element of the block to the next.
    pub step: i64,
    /// Whether the first tile there may be none of the tensor's, and whether a later one may.
    pub outside: [bool; 2],
    /// Whether it may lie before the first.
    pub precedes: bool,
    /// How often what is read there was shifted.
    pub shifts: u32,
}

impl Beyond<'_> {
    /// The edges that a region may reach past along an axis: the tensor's, and those of the leading axes, past which all of
    /// it lies.
    pub(super) fn edges(&mut self, region: &TileRegion, axis: usize) -> Edges {
        let tensor = self.kernel.tensor(region.tensor);
        let extents: Vec<IntExpr> = tensor.map_or_else(Vec::new, |tensor| {
            tensor.extents.iter().map(|extent| extent.value.clone()).collect()
        });
        let mut edges = Edges::new();
        for (leading, index) in region.matrix.iter().enumerate() {
            if index.may_miss {
                let place = self.place(extents.get(leading).cloned(), &index.at, [1, 1], [true; 2]);
                self.places.get_mut().all[place].precedes = true;
                edges.insert(Edge::read(place, true));
            }
        }
        let at = (extents.len() + axis).checked_sub(2);
        let of_tensor = |at: Option<usize>| at.and_then(|at| extents.get(at).cloned());
        let (extent, first, units) = match &region.transfer {
            Transfer::Pages(tile) => (of_tensor(at), tile[axis].clone(), [TILE, 1]),
            Transfer::Rows(rows) => {
                edges.extend(self.end_of_rows(&rows.count[axis], region.extent[axis]));
                let along = rows.along.as_ref().filter(|_| axis == 0).map(|(leading, _)| *leading);
                let line = rows.along.as_ref().filter(|_| axis == 0).map(|(_, line)| line);
                if let Some(line) = line.filter(|line| !self.begins_inside(line, &of_tensor(at), [1, 1])) {
                    // The row of all matrices that its rows come from.
                    let place = self.place(of_tensor(at), line, [1, 1], [true; 2]);
                    self.places.get_mut().all[place].precedes = true;
                    edges.insert(Edge::read(place, true));
                }
                let extent = of_tensor(along.or(at));
                if axis == 0 && !rows.pace.is_of_steps() {
                    edges.extend(self.edges_at_pace(region, rows, extent.unwrap_or(IntExpr::Const(1))));
                    return edges;
                }
                let step = if axis == 0 { i64::from(rows.pace.step) } else { 1 };
                let (first, units) = match Linear::of(&rows.first[axis]).divided_by(TILE) {
                    Some(tile) if step == 1 => (tile.to_expr(), [TILE, 1]),
                    _ => (rows.first[axis].clone(), [1, step]),
                };
                (extent, first, units)
            }
        };
        let is_part = region.zero_edge[axis] && matches!(region.transfer, Transfer::Pages(_));
        if is_part || region.may_exceed[axis] || region.may_precede[axis] {
            // Of rows that go up the first may lie past the last of the tensor, and another one within it.
            let begins_outside = region.may_precede[axis]
                || region.may_exceed[axis] && (units[1] < 0 || !self.begins_inside(&first, &extent, units));
            let place = self.place(extent, &first, units, [begins_outside, region.may_exceed[axis]]);
            self.places.get_mut().all[place].precedes |= region.may_precede[axis];
            edges.insert(Edge::read(place, false));
        }
        edges
    }

    /// The edges of rows that are quotients or remainders, of a tensor with `extent` of them: row `r` is one of its own where
    /// `first + step * r` lies before the extent times what is divided by; of a remainder, in each of its turns.
    fn edges_at_pace(&mut self, region: &TileRegion, rows: &Rows, extent: IntExpr) -> Edges {
        let mut edges = Edges::new();
        if !region.may_exceed[0] && !region.may_precede[0] {
            return edges;
        }
        let Pace { step, over, modulo } = rows.pace;
        let (step, over) = (i64::from(step), i64::from(over));
        let of = |op, a: &IntExpr, b: i64| Linear::of(&IntExpr::binary(op, a.clone(), IntExpr::Const(b))).to_expr();
        let Some(modulo) = modulo else {
            // What is less than one of the divisor's below zero is cut to zero.
            let more = if region.may_precede[0] {
                over.saturating_sub(1)
            } else {
                0
            };
            let first = of(IntOp::Add, &rows.first[0], more);
            let end = of(IntOp::Add, &of(IntOp::Mul, &extent, over), more);
            let place = self.place(Some(end), &first, [1, step], [true; 2]);
            self.places.get_mut().all[place].precedes |= region.may_precede[0];
            edges.insert(Edge::read(place, false));
            return edges;
        };
        let turn = i64::from(modulo).saturating_mul(over);
        let first = of(IntOp::Rem, &rows.first[0], turn);
        for turn_number in rows.turns(region.extent[0]) {
            let begin = turn.saturating_mul(turn_number);
            let end = of(IntOp::Add, &of(IntOp::Mul, &extent, over), begin);
            let place = self.place(Some(end), &first, [1, step], [true; 2]);
            let within_turn = Index {
                row: step,
                column: 0,
                rest: of(IntOp::Sub, &first, begin.saturating_add(turn)),
            };
            let when = self.whens.get_mut().number(vec![within_turn]);
            let edge = Edge::read(place, false);
            edges.insert(Edge { when, ..edge });
        }
        edges
    }

    /// The edge of a region that has so many rows or columns, where that may be within the last tile of its block's `extent` or before.
    pub(super) fn end_of_rows(&mut self, count: &IntExpr, extent: u64) -> Option<Edge> {
        let constant = count.as_const();
        let last = i64::try_from(tiles_along(extent)).unwrap_or(i64::MAX);
        let place = match constant {
            Some(count) if count % TILE == 0 && count / TILE >= last => return None,
            Some(count) => self.place(Some(IntExpr::Const(count)), &IntExpr::Const(0), [TILE, 1], [false; 2]),
            None => self.place(Some(count.clone()), &IntExpr::Const(0), [TILE, 1], [true; 2]),
        };
        Some(Edge::read(place, false))
    }

    /// The edge of a block of so many elements along an axis, where that is within its last tile.
    pub(super) fn end_of_block(&self, extent: u64) -> Option<Edge> {
        let extent = i64::try_from(extent).ok().filter(|extent| extent % TILE != 0)?;
        let place = self.place(Some(IntExpr::Const(extent)), &IntExpr::Const(0), [TILE, 1], [false; 2]);
        Some(Edge::read(place, false))
    }

    /// The place of an edge; `units`: the elements of the extent that are one step of `at`, and that are one element of the
    /// block; `outside`: whether the first tile there may be none of the tensor's, and whether a later one.
    pub(super) fn place(&self, extent: Option<IntExpr>, at: &IntExpr, units: [i64; 2], outside: [bool; 2]) -> usize {
        let extent = extent.unwrap_or(IntExpr::Const(1));
        let key = (extent.clone(), at.clone(), units);
        let [unit, step] = units;
        let mut places = self.places.borrow_mut();
        let Places { numbers, all } = &mut *places;
        let place = *numbers.entry(key).or_insert_with(|| {
            all.push(Place {
                extent,
                at: at.clone(),
                unit,
                step,
                outside: [false; 2],
                precedes: false,
                shifts: 0,
            });
            all.len() - 1
        });
        for (known, outside) in all[place].outside.iter_mut().zip(outside) {
            *known |= outside;
        }
        place
    }

    /// Whether `tile` is surely one of the tiles of `extent`, in which so many elements are one: the first, or that of a block
    /// of the grid or turn of a loop that counts the extent's blocks.
    pub(super) fn begins_inside(&self, tile: &IntExpr, extent: &Option<IntExpr>, [unit, _]: [i64; 2]) -> bool {
        let linear = Linear::of(tile);
        match linear.terms.as_slice() {
            [] => linear.constant == 0,
            [(IntExpr::Var(var), tiles @ 1..)] if linear.constant == 0 => {
                let (Some(end), Some(extent)) = (self.ends.get(var), extent) else {
                    return false;
                };
                let blocks = IntExpr::binary(IntOp::Mul, IntExpr::Const(unit), IntExpr::Const(*tiles));
                *end == IntExpr::binary(IntOp::CeilDiv, extent.clone(), blocks)
            }
            _ => false,
        }
    }

    /// The edge of the elements from `at` on of what has `edge`, so many on each time; without a step that of the element alone, past
    /// which all lie or none.
    pub(super) fn at_element(&self, edge: &Edge, at: &IntExpr, step: Option<i64>) -> Edge {
        if edge.whole {
            return *edge;
        }
        if edge.is_untold() {
            return Edge {
                whole: step.is_none(),
                ..*edge
            };
        }
        let place = self.places.borrow().all[edge.place].clone();
        let element = element(&place, edge, at);
        let whole = step.is_none();
        let step = step.map_or(1, |step| step.saturating_mul(place.step));
        let number = self.place(Some(place.extent), &element, [1, step], [true; 2]);
        self.places.borrow_mut().all[number].precedes |= place.precedes;
        Edge {
            place: number,
            shift: 0,
            whole,
            ..*edge
        }
    }
}

/// The element of a tensor that is element `at` of what has `edge`, which is at `place`.
pub(super) fn element(place: &Place, edge: &Edge, at: &IntExpr) -> IntExpr {
    let shift = i64::from(edge.shift).saturating_mul(TILE);
    let along = IntExpr::binary(IntOp::Add, at.clone(), IntExpr::Const(shift));
    let along = IntExpr::binary(IntOp::Mul, along, IntExpr::Const(place.step));
    let first = IntExpr::binary(IntOp::Mul, place.at.clone(), IntExpr::Const(place.unit));
    Linear::of(&IntExpr::binary(IntOp::Add, first, along)).to_expr()
}
