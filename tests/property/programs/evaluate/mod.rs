//! Plain loops: what a program computes, statement by statement and element by element, in `f64`, which holds every integer too.
//!
//! It knows nothing of the compiler or of the reference interpreter; both are judged by it.

mod expression;
mod print;
mod reduce;

use super::super::random::Random;
use super::program::{
    At, Axis, Choice, Class, Condition, Element, LoopKind, Part, Product, Program, Role, Shape, Side, Stage, Stmt, Term,
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

/// What a launch leaves.
pub struct Outcome {
    /// The contents of all tensors.
    pub tensors: Vec<Vec<f64>>,
    /// The lines that are printed, of one block after the other.
    pub lines: Vec<String>,
}

/// What a launch leaves where the tensors held `tensors`.
pub fn run(program: &Program, shape: &Shape, mut tensors: Vec<Vec<f64>>) -> Result<Outcome, Inexact> {
    let mut lines = Vec::new();
    for stage in &program.stages {
        let (h, w, _) = stage.block;
        let matrices = if stage.grid.has_matrices() { shape.l } else { 1 };
        let rows = stage.grid.rows(shape.m.div_ceil(h));
        let mut run = Run {
            program,
            stage,
            shape,
            table: shape.table(),
            tensors,
            place: (0, 0),
            matrix: 0,
            blocks: Vec::new(),
            vars: Vec::new(),
            lines,
        };
        for matrix in 0..matrices {
            for by in 0..rows {
                for bx in 0..shape.n.div_ceil(w) {
                    (run.place, run.matrix) = ((by, bx), matrix);
                    run.blocks = vec![None; stage.blocks.len()];
                    run.statements(&stage.body)?;
                }
            }
        }
        (tensors, lines) = (run.tensors, run.lines);
    }
    Ok(Outcome { tensors, lines })
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
    /// Which matrix is the block's own, where it has one.
    matrix: usize,
    /// None before the first write.
    blocks: Vec<Option<Values>>,
    /// Values of the loop variables, by number.
    vars: Vec<usize>,
    lines: Vec<String>,
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

    /// Where the elements lie in a tensor of which `place` gives row and column: none outside.
    fn places(
        &self,
        tensor: usize,
        index: usize,
        (rows, columns): (usize, usize),
        place: impl Fn(i64, i64) -> [i64; 2],
    ) -> Vec<Option<usize>> {
        let of = &self.program.tensors[tensor];
        let axes: Vec<(Axis, i64)> = (of.axes().into_iter())
            .map(|axis| (axis, of.extent(axis, self.shape) as i64))
            .collect();
        let flat = |at: usize| {
            let [row, column] = place((at / columns) as i64, (at % columns) as i64);
            axes.iter().try_fold(0, |before, (axis, extent)| {
                let along = match axis {
                    Axis::Spare(place) => *place as i64,
                    Axis::Matrix => index as i64,
                    Axis::Row => row,
                    Axis::Column => column,
                };
                (0..*extent).contains(&along).then(|| before * extent + along)
            })
        };
        (0..rows * columns)
            .map(|at| flat(at).map(|flat| flat as usize))
            .collect()
    }

    /// The row and column of its matrix at which the block's own begins.
    fn own(&self, tensor: usize, index: usize) -> [i64; 2] {
        let (h, w, k) = self.stage.block;
        let (by, bx) = self.place;
        let own = match self.program.tensors[tensor].class {
            Class::Left => [by * h, index * k],
            Class::Right => [index * k, bx * w],
            _ => [by * h, bx * w],
        };
        own.map(|along| along as i64)
    }

    /// Where the elements of a region lie in its tensor, `at` from where the block's own begins, and `shift` behind that.
    fn region(
        &self,
        tensor: usize,
        index: usize,
        at: [usize; 2],
        shift: [i32; 2],
        extent: (usize, usize),
    ) -> Vec<Option<usize>> {
        let [row, column] = self.own(tensor, index);
        let pace = self.program.tensors[tensor].layout.pace as i64;
        self.places(tensor, index, extent, |i, j| {
            [
                (row + at[0] as i64 + i) * pace + i64::from(shift[0]),
                column + at[1] as i64 + j + i64::from(shift[1]),
            ]
        })
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

    /// Where a side of a copy of so many `rows` lies in its tensor, whose other is `other`: a stack takes as many matrices.
    fn side(
        &self,
        (tensor, index, at): (usize, Term, [At; 2]),
        extent: (usize, usize),
        other: Side,
        rows: Option<At>,
    ) -> Result<Vec<Option<usize>>, Inexact> {
        let of = &self.program.tensors[tensor];
        let at = self.begin(of.class, at, extent)?;
        let first = self.term(index);
        let count = match other {
            Side::Block(part) => self.stage.stack(part),
            Side::Tensor(..) => 1,
        };
        let rows = rows.map_or(Ok(extent.0), |rows| self.at(rows, extent.0 + 1))?;
        let all = (first..first + count).flat_map(|index| {
            let mut places = self.region(tensor, index, at, of.shift, extent);
            places[rows * extent.1..].fill(None);
            places
        });
        Ok(all.collect())
    }

    /// Where a part of a region or block of `class` begins.
    fn begin(&self, class: Class, at: [At; 2], extent: (usize, usize)) -> Result<[usize; 2], Inexact> {
        let [(rows, down), (columns, along)] = self.stage.places(class, extent);
        Ok([self.at(at[0], rows)? * down, self.at(at[1], columns)? * along])
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), Inexact> {
        match stmt {
            Stmt::Copy {
                id,
                class,
                from,
                to,
                rows,
            } => {
                let extent = self.stage.extent(*class);
                let values = match *from {
                    Side::Block(part) => self.part(part, extent)?,
                    Side::Tensor(tensor, index, at) => {
                        self.read(tensor, self.side((tensor, index, at), extent, *to, *rows)?, *id)?
                    }
                };
                match *to {
                    Side::Block(part) => self.put(part, extent, values, *id),
                    Side::Tensor(tensor, index, at) => {
                        let places = self.side((tensor, index, at), extent, *from, *rows)?;
                        self.write(tensor, places, &values, *id)
                    }
                }
            }
            Stmt::Transpose { id, class, from, to } => {
                let (rows, columns) = self.stage.extent(*class);
                let values = self.part(*from, (columns, rows))?;
                let new = (0..rows * columns).map(|at| values[at % columns * rows + at / columns]);
                self.put(*to, (rows, columns), new.collect(), *id)
            }
            Stmt::Fill { class, to, value } => {
                let extent @ (rows, columns) = self.stage.extent(*class);
                let count = self.stage.stack(*to) * rows * columns;
                self.put(*to, extent, vec![f64::from(*value); count], 0)
            }
            Stmt::Parallel { class, assigns } => assigns.iter().try_for_each(|assign| self.assign(*class, assign)),
            Stmt::Gemm { .. } => self.gemm(stmt),
            Stmt::Reduce { .. } => self.reduce(stmt),
            Stmt::Print(items) => {
                self.print(items);
                Ok(())
            }
            Stmt::Assert { id, cond } => match self.condition(cond) {
                true => Ok(()),
                false => Err(Inexact(*id)),
            },
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
                    LoopKind::SteppedBack(step) => {
                        let forth: Vec<usize> = (*start..end).step_by(*step).collect();
                        forth.into_iter().rev().collect()
                    }
                    LoopKind::Inclusive => (*start..end + 1).collect(),
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
            Term::Matrix => self.matrix,
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
            form,
        } = *stmt
        else {
            return Ok(());
        };
        let ((m, depth), (_, n)) = (self.stage.extent(Class::Left), self.stage.extent(Class::Right));
        let x = self.part(a, turned((m, depth), transposed.0))?;
        let y = self.part(b, turned((depth, n), transposed.1))?;
        let mut sums = match form {
            Product::Clears => vec![0.0; m * n],
            Product::Adds | Product::Indexed => self.part(acc, (m, n))?,
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
        self.put(acc, (m, n), sums, id)
    }
}
