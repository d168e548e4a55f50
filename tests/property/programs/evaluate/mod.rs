//! Plain loops: what a program computes, statement by statement and element by element, in `f64`, which holds every integer too.
//!
//! It knows nothing of the compiler or of the reference interpreter; both are judged by it.

mod expression;

use super::super::random::Random;
use super::program::{
    At, Choice, Class, Condition, Element, LoopKind, Part, Program, Role, Shape, Side, Stage, Stmt, Term,
};
use super::text::turned;
use expression::compare;

/// The largest magnitude, of whole numbers, that every format on the way holds.
const LIMIT: f64 = 256.0;

/// Where a program leaves the numbers that all formats hold, or reads what was never stored: the statement's `id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inexact(pub u32);

/// What a temporary holds that nobody stored to.
const UNSPECIFIED: f64 = f64::INFINITY;

/// The contents of all tensors before the launch.
pub fn contents(program: &Program, shape: &Shape) -> Vec<Vec<f64>> {
    let mut random = Random::new(shape.seed);
    let mut value = |of: &super::program::Tensor| match (of.role, of.element, of.class) {
        (Role::Temporary, ..) => UNSPECIFIED,
        (_, Element::I32, _) if random.one_in(8) => f64::from(random.below(1 << 32) as u32 as i32),
        (_, Element::U32, _) if random.one_in(4) => random.below(1 << 32) as f64,
        (_, Element::U32, _) => random.below(7) as f64,
        (_, Element::U16, _) => random.below(1 << 16) as f64,
        (_, Element::U8, _) => random.below(256) as f64,
        (_, Element::I8, _) => random.below(256) as f64 - 128.0,
        (_, _, Class::Main) => random.below(7) as f64 - 3.0,
        // Sparse, so that sums of products stay small.
        _ => [-1.0, 0.0, 0.0, 0.0, 1.0][random.below(5)],
    };
    let all = program.tensors.iter().enumerate().map(|(at, tensor)| {
        let count = program.dimensions(at, shape).iter().product();
        (0..count).map(|_| value(tensor)).collect()
    });
    all.collect()
}

/// The contents of all tensors after the launch.
pub fn run(program: &Program, shape: &Shape, mut tensors: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>, Inexact> {
    for stage in &program.stages {
        let (h, w, _) = stage.block;
        let mut run = Run {
            program,
            stage,
            shape,
            table: shape.table(),
            tensors,
            place: (0, 0),
            blocks: Vec::new(),
            vars: Vec::new(),
        };
        for by in 0..shape.m.div_ceil(h) {
            for bx in 0..shape.n.div_ceil(w) {
                run.place = (by, bx);
                run.blocks = vec![None; stage.blocks.len()];
                run.statements(&stage.body)?;
            }
        }
        tensors = run.tensors;
    }
    Ok(tensors)
}

/// The elements of a block, row by row; NaN where an element has no value.
type Values = Vec<f64>;

struct Run<'p> {
    program: &'p Program,
    stage: &'p Stage,
    shape: &'p Shape,
    table: [usize; super::program::TABLE],
    tensors: Vec<Vec<f64>>,
    /// Row and column in the grid.
    place: (usize, usize),
    /// None before the first write.
    blocks: Vec<Option<Values>>,
    /// Values of the loop variables, by number.
    vars: Vec<usize>,
}

impl Run<'_> {
    fn statements(&mut self, body: &[Stmt]) -> Result<(), Inexact> {
        body.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn block(&self, block: usize) -> &Values {
        self.blocks[block]
            .as_ref()
            .expect("generated programs write before they read")
    }

    /// Where the block that `part` lies in begins in its stack.
    fn of_stack(&self, part: Part) -> Result<usize, Inexact> {
        let (rows, columns) = self.stage.extent_of(part.block);
        let at = part.of_stack.unwrap_or(At::FIRST);
        Ok(self.at(at, self.stage.blocks[part.block].stacked)? * rows * columns)
    }

    /// The elements of a part of a block, or of all blocks of a stack.
    fn part(&self, part: Part, extent: (usize, usize)) -> Result<Values, Inexact> {
        if self.stage.is_whole(part, extent) {
            return Ok(self.block(part.block).clone());
        }
        let [row, column] = self.begin(self.stage.blocks[part.block].class, part.at, extent)?;
        let (values, width) = (self.block(part.block), self.stage.extent_of(part.block).1);
        let values = &values[self.of_stack(part)?..];
        let rows = (row..row + extent.0).map(|row| row * width + column);
        Ok(rows
            .flat_map(|first| values[first..first + extent.1].iter().copied())
            .collect())
    }

    /// Writes a part of a block, or all of it.
    fn put(&mut self, part: Part, extent: (usize, usize), new: Values, id: u32) -> Result<(), Inexact> {
        let element = self.stage.blocks[part.block].element;
        if new.iter().any(|value| !value.is_nan() && !element.holds(*value)) {
            return Err(Inexact(id));
        }
        if self.stage.is_whole(part, extent) {
            self.blocks[part.block] = Some(new);
            return Ok(());
        }
        let [row, column] = self.begin(self.stage.blocks[part.block].class, part.at, extent)?;
        let (first, own) = (self.of_stack(part)?, self.stage.extent_of(part.block));
        let mut values = self.block(part.block).clone();
        for (at, value) in new.into_iter().enumerate() {
            values[first + (row + at / extent.1) * own.1 + column + at % extent.1] = value;
        }
        self.blocks[part.block] = Some(values);
        Ok(())
    }

    /// Where the elements of a region lie in its tensor, `offset` from the block's own place: none outside.
    fn region(&self, tensor: usize, index: usize, offset: [i32; 2], extent: (usize, usize)) -> Vec<Option<usize>> {
        let (h, w, k) = self.stage.block;
        let (by, bx) = self.place;
        let Shape { m, n, k: depth, l, .. } = *self.shape;
        let class = self.program.tensors[tensor].class;
        let (matrix, row, column, height, width) = match class {
            Class::Main => (index, by * h, bx * w, m, n),
            Class::Left => (0, by * h, index * k, m, depth),
            Class::Right => (0, index * k, bx * w, depth, n),
            Class::Rows | Class::Columns | Class::One | Class::Tile => unreachable!("tensors are matrices"),
        };
        let mut places = Vec::with_capacity(extent.0 * extent.1);
        for i in row..row + extent.0 {
            for j in column..column + extent.1 {
                let (i, j) = (
                    i.wrapping_add_signed(offset[0] as isize),
                    j.wrapping_add_signed(offset[1] as isize),
                );
                let inside = i < height && j < width && (class != Class::Main || matrix < l);
                places.push(inside.then(|| (matrix * height + i) * width + j));
            }
        }
        places
    }

    fn read(&self, tensor: usize, places: Vec<Option<usize>>, id: u32) -> Result<Values, Inexact> {
        let values = &self.tensors[tensor];
        let read = places
            .into_iter()
            .map(|place| place.map_or(f64::NAN, |place| values[place]));
        let read: Values = read.collect();
        match read.contains(&UNSPECIFIED) {
            true => Err(Inexact(id)),
            false => Ok(read),
        }
    }

    fn write(&mut self, tensor: usize, places: Vec<Option<usize>>, values: &[f64], id: u32) -> Result<(), Inexact> {
        let element = self.program.tensors[tensor].element;
        for (place, value) in places.into_iter().zip(values) {
            if let Some(place) = place
                && !value.is_nan()
            {
                if !element.holds(*value) {
                    return Err(Inexact(id));
                }
                self.tensors[tensor][place] = *value;
            }
        }
        Ok(())
    }

    /// Where a side of a copy lies in its tensor, whose other is `other`: a stack takes as many matrices.
    fn side(
        &self,
        tensor: usize,
        index: Term,
        at: [At; 2],
        extent: (usize, usize),
        other: Side,
    ) -> Result<Vec<Option<usize>>, Inexact> {
        let of = &self.program.tensors[tensor];
        let at = self.begin(of.class, at, extent)?;
        let offset = [0, 1].map(|axis| of.shift[axis] + at[axis] as i32);
        let first = self.term(index);
        let count = match other {
            Side::Block(part) => self.stage.stack(part),
            Side::Tensor(..) => 1,
        };
        let all = (first..first + count).flat_map(|index| self.region(tensor, index, offset, extent));
        Ok(all.collect())
    }

    /// Where a part of a region or block of `class` begins.
    fn begin(&self, class: Class, at: [At; 2], extent: (usize, usize)) -> Result<[usize; 2], Inexact> {
        let [(rows, down), (columns, along)] = self.stage.places(class, extent);
        Ok([self.at(at[0], rows)? * down, self.at(at[1], columns)? * along])
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), Inexact> {
        match stmt {
            Stmt::Copy { id, class, from, to } => {
                let extent = self.stage.extent(*class);
                let values = match *from {
                    Side::Block(part) => self.part(part, extent)?,
                    Side::Tensor(tensor, index, at) => {
                        self.read(tensor, self.side(tensor, index, at, extent, *to)?, *id)?
                    }
                };
                match *to {
                    Side::Block(part) => self.put(part, extent, values, *id),
                    Side::Tensor(tensor, index, at) => {
                        self.write(tensor, self.side(tensor, index, at, extent, *from)?, &values, *id)
                    }
                }
            }
            Stmt::Transpose { id, class, from, to } => {
                let (rows, columns) = self.stage.extent(*class);
                let values = self.part(*from, (columns, rows))?;
                let new = (0..rows * columns).map(|at| values[at % columns * rows + at / columns]);
                self.put(*to, (rows, columns), new.collect(), *id)
            }
            Stmt::Fill { block, value } => {
                let (rows, columns) = self.stage.extent_of(*block);
                let count = self.stage.blocks[*block].stacked * rows * columns;
                self.blocks[*block] = Some(vec![f64::from(*value); count]);
                Ok(())
            }
            Stmt::Parallel { class, assigns } => assigns.iter().try_for_each(|assign| self.assign(*class, assign)),
            Stmt::Gemm { .. } => self.gemm(stmt),
            Stmt::Reduce { .. } => self.reduce(stmt),
            Stmt::For {
                var,
                start,
                count,
                kind,
                body,
                ..
            } => {
                let end = self.term(*count);
                if self.vars.len() <= *var {
                    self.vars.resize(*var + 1, 0);
                }
                let values: Vec<usize> = match kind {
                    LoopKind::Reversed => (*start..end).rev().collect(),
                    LoopKind::Stepped(step) => (*start..end).step_by(*step).collect(),
                    LoopKind::Range | LoopKind::Serial | LoopKind::Unroll | LoopKind::Pipelined(_) => {
                        (*start..end).collect()
                    }
                };
                for value in values {
                    self.vars[*var] = value;
                    self.statements(body)?;
                }
                Ok(())
            }
            Stmt::If { cond, then, otherwise } => {
                let taken = if self.condition(cond) { then } else { otherwise };
                self.statements(taken)
            }
        }
    }

    fn term(&self, term: Term) -> usize {
        match term {
            Term::Number(number) => number,
            Term::Row => self.place.0,
            Term::Column => self.place.1,
            Term::Var(var) => self.vars[var],
            Term::Rest(var, divisor) => self.vars[var] % divisor,
            Term::M => self.shape.m,
            Term::N => self.shape.n,
            Term::L => self.shape.l,
            Term::Steps => self.shape.k.div_ceil(self.stage.block.2),
            Term::Scalar => self.shape.count,
            Term::Fetched(entry) => self.table.get(self.term(entry.into())).copied().unwrap_or(0),
            Term::Chosen(Choice { of, rel, than, sides }) => {
                let taken = match of {
                    Some(of) => compare(rel, &self.term(of.into()), &than),
                    None => compare(rel, &f64::from(self.shape.alpha), &(than as f64)),
                };
                self.term(sides[usize::from(!taken)].into())
            }
        }
    }

    /// Of so many; what shrinking leaves may lie outside.
    fn at(&self, at: At, count: usize) -> Result<usize, Inexact> {
        match at {
            _ if count == 1 => Ok(0),
            At::Number(number) => Ok(number % count),
            At::Rest(times, term) => Ok(self.term(term) * times % count),
            At::Is(term) => Some(self.term(term)).filter(|at| *at < count).ok_or(Inexact(0)),
        }
    }

    fn condition(&self, cond: &Condition) -> bool {
        match cond {
            Condition::Compare(a, rel, b) => compare(rel, &self.term(*a), &self.term(*b)),
            Condition::Numbers(a, times, rel, more) => {
                let left = self.term(*a) as f64 * f64::from(*times) / 8.0;
                let right = f64::from(self.shape.alpha) + f64::from(*more) / 8.0;
                compare(rel, &(left as f32), &(right as f32))
            }
            Condition::And(a, b) => self.condition(a) && self.condition(b),
            Condition::Or(a, b) => self.condition(a) || self.condition(b),
            Condition::Not(a) => !self.condition(a),
        }
    }

    fn gemm(&mut self, stmt: &Stmt) -> Result<(), Inexact> {
        let Stmt::Gemm {
            id,
            a,
            b,
            acc,
            transposed,
            clear,
        } = *stmt
        else {
            return Ok(());
        };
        let ((m, depth), (_, n)) = (self.stage.extent(Class::Left), self.stage.extent(Class::Right));
        let x = self.part(a, turned((m, depth), transposed.0))?;
        let y = self.part(b, turned((depth, n), transposed.1))?;
        let mut sums = if clear {
            vec![0.0; m * n]
        } else {
            self.block(acc).clone()
        };
        // Bounds every partial sum, in whatever order it is made.
        let mut most = sums.iter().map(|sum| sum.abs()).collect::<Vec<_>>();
        for i in 0..m {
            for p in 0..depth {
                let left = x[if transposed.0 { p * m + i } else { i * depth + p }];
                if left == 0.0 || left.is_nan() {
                    continue;
                }
                for j in 0..n {
                    let right = y[if transposed.1 { j * depth + p } else { p * n + j }];
                    if !right.is_nan() {
                        sums[i * n + j] += left * right;
                        most[i * n + j] += (left * right).abs();
                    }
                }
            }
        }
        if most.iter().any(|most| *most > LIMIT) {
            return Err(Inexact(id));
        }
        self.blocks[acc] = Some(sums);
        Ok(())
    }

    fn reduce(&mut self, stmt: &Stmt) -> Result<(), Inexact> {
        let Stmt::Reduce {
            id,
            fold,
            class,
            from,
            to,
            positions,
            clear,
        } = stmt
        else {
            return Ok(());
        };
        let (rows, columns) = self.stage.extent(*class);
        let any = to.or(positions.map(|(to, _)| to)).expect("a reduction has a result");
        let of = self.stage.blocks[any].class;
        let count = match of {
            Class::Rows => rows,
            Class::One => 1,
            _ => columns,
        };
        let nothing = match *fold {
            "max" | "argmax" => f64::NEG_INFINITY,
            "min" | "argmin" => f64::INFINITY,
            "prod" => 1.0,
            _ => 0.0,
        };
        let held = |block: Option<usize>, start: f64| match block {
            Some(block) if !clear => self.block(block).clone(),
            _ => vec![start; count],
        };
        let base = positions.map_or(0.0, |(_, base)| self.term(base) as f64);
        let mut left = held(*to, nothing);
        let mut places = held(positions.map(|(to, _)| to), base);
        // Bounds every partial result, in whatever order it is made.
        let mut most = vec![if *fold == "prod" { 1.0f64 } else { 0.0 }; count];
        let mut counts = vec![0.0; count];
        let values = self.part(*from, (rows, columns))?;
        for (at, value) in values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            let (to, along) = match of {
                Class::Rows => (at / columns, at % columns),
                Class::One => (0, at),
                _ => (at % columns, at / columns),
            };
            counts[to] += 1.0;
            let old = left[to];
            match *fold {
                "prod" => most[to] *= value.abs().max(1.0),
                _ => most[to] += value.abs(),
            }
            left[to] = match *fold {
                // It stays without a value.
                _ if old.is_nan() => old,
                "sum" | "mean" => old + value,
                "prod" => old * value,
                "max" | "argmax" => old.max(*value),
                "min" | "argmin" => old.min(*value),
                _ => old.abs().max(value.abs()),
            };
            if left[to] != old && !old.is_nan() {
                places[to] = base + along as f64;
            }
        }
        if to.is_some() && !clear {
            for (place, _) in places.iter_mut().zip(&left).filter(|(_, left)| left.is_nan()) {
                *place = f64::NAN;
            }
        }
        if *fold == "mean" {
            left = left.iter().zip(&counts).map(|(sum, count)| sum / count).collect();
        }
        let is_bounded = !matches!(*fold, "sum" | "mean" | "prod") || most.iter().all(|most| *most <= LIMIT);
        // A maximum of nothing is infinite, and what is computed from that leaves the numbers that formats hold.
        let inexact = |value: &f64| value.abs() > LIMIT || value.fract() != 0.0 && !value.is_nan();
        if !is_bounded || to.is_some() && left.iter().any(inexact) {
            return Err(Inexact(*id));
        }
        if let Some(to) = to {
            self.blocks[*to] = Some(left);
        }
        if let Some((to, _)) = positions {
            self.blocks[*to] = Some(places);
        }
        Ok(())
    }
}
