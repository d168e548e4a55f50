//! Plain loops: what a program computes, statement by statement and element by element, in `f64`.
//!
//! It knows nothing of the compiler or of the reference interpreter; both are judged by it.

use super::super::random::Random;
use super::program::{
    Access, Assign, At, Class, Condition, Count, Entry, Expr, Index, Mask, Program, Shape, Stmt, TIMES, Target, Term,
};

/// The largest magnitude, of whole numbers, that every format on the way holds.
pub const LIMIT: f64 = 256.0;

/// Where a program leaves the numbers that all formats hold: the statement's `id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inexact(pub u32);

/// The contents of all tensors before the launch.
pub fn contents(program: &Program, shape: &Shape) -> Vec<Vec<f64>> {
    let mut random = Random::new(shape.seed);
    program
        .tensors
        .iter()
        .enumerate()
        .map(|(at, tensor)| {
            let count = program.dimensions(at, shape).iter().product();
            (0..count)
                .map(|_| match tensor.class {
                    Class::Main => random.below(7) as f64 - 3.0,
                    // Sparse, so that sums of products stay small.
                    _ => [-1.0, 0.0, 0.0, 0.0, 1.0][random.below(5)],
                })
                .collect()
        })
        .collect()
}

/// The contents of all tensors after the launch.
pub fn run(program: &Program, shape: &Shape, tensors: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>, Inexact> {
    let (h, w, _) = program.block;
    let mut run = Run {
        program,
        shape,
        tensors,
        place: (0, 0),
        blocks: Vec::new(),
        vars: Vec::new(),
    };
    for by in 0..shape.m.div_ceil(h) {
        for bx in 0..shape.n.div_ceil(w) {
            run.place = (by, bx);
            run.blocks = vec![None; program.blocks.len()];
            run.statements(&program.body)?;
        }
    }
    Ok(run.tensors)
}

/// The elements of a block, row by row; NaN where an element has no value.
type Values = Vec<f64>;

struct Run<'p> {
    program: &'p Program,
    shape: &'p Shape,
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

    /// Where the elements of a region lie in its tensor: none outside.
    fn region(&self, tensor: usize, index: Index, offset: [i32; 2]) -> Vec<Option<usize>> {
        let (h, w, k) = self.program.block;
        let (by, bx) = self.place;
        let index = match index {
            Index::Number(number) => number,
            Index::Var(var) => self.vars[var],
            Index::Fetched(entry) => self.fetched(entry),
        };
        let Shape { m, n, k: depth, l, .. } = *self.shape;
        let class = self.program.tensors[tensor].class;
        let (matrix, row, column, height, width) = match class {
            Class::Main => (index, by * h, bx * w, m, n),
            Class::Left => (0, by * h, index * k, m, depth),
            Class::Right => (0, index * k, bx * w, depth, n),
            Class::Rows | Class::Columns => unreachable!("tensors are matrices"),
        };
        let (rows, columns) = self.program.extent(class);
        let mut places = Vec::with_capacity(rows * columns);
        for i in row..row + rows {
            for j in column..column + columns {
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

    fn read(&self, tensor: usize, index: Index, offset: [i32; 2]) -> Values {
        let values = &self.tensors[tensor];
        let places = self.region(tensor, index, offset);
        places
            .into_iter()
            .map(|place| place.map_or(f64::NAN, |place| values[place]))
            .collect()
    }

    fn write(&mut self, tensor: usize, index: Index, values: &[f64]) {
        let shift = self.program.tensors[tensor].shift;
        for (place, value) in self.region(tensor, index, shift).into_iter().zip(values) {
            if let Some(place) = place
                && !value.is_nan()
            {
                self.tensors[tensor][place] = *value;
            }
        }
    }

    fn statement(&mut self, stmt: &Stmt) -> Result<(), Inexact> {
        match stmt {
            Stmt::Load { tensor, index, block } => {
                self.blocks[*block] = Some(self.read(*tensor, *index, self.program.tensors[*tensor].shift))
            }
            Stmt::Store { block, tensor, index } => {
                let values = self.block(*block).clone();
                self.write(*tensor, *index, &values);
            }
            Stmt::Move { from, to } => self.blocks[*to] = Some(self.block(*from).clone()),
            Stmt::Fill { block, value } => {
                let (rows, columns) = self.program.extent(self.program.blocks[*block].class);
                self.blocks[*block] = Some(vec![f64::from(*value); rows * columns]);
            }
            Stmt::Parallel { class, assigns } => {
                for assign in assigns {
                    self.assign(*class, assign)?;
                }
            }
            Stmt::Gemm {
                id,
                a,
                b,
                acc,
                transposed,
                clear,
            } => self.gemm(*id, (*a, *b, *acc), *transposed, *clear)?,
            Stmt::Reduce {
                id,
                fold,
                from,
                to,
                clear,
            } => self.reduce(*id, fold, (*from, *to), *clear)?,
            Stmt::For {
                var,
                start,
                count,
                body,
                ..
            } => {
                let end = match count {
                    Count::Number(number) => *number,
                    Count::Matrices => self.shape.l,
                    Count::Steps => self.shape.k.div_ceil(self.program.block.2),
                    Count::Row => self.place.0,
                    Count::Column => self.place.1,
                    Count::Scalar => self.shape.count,
                    Count::Var(var) => self.vars[*var],
                    Count::Fetched(entry) => self.fetched(*entry),
                };
                if self.vars.len() <= *var {
                    self.vars.resize(*var + 1, 0);
                }
                for value in *start..end {
                    self.vars[*var] = value;
                    self.statements(body)?;
                }
            }
            Stmt::If { cond, then, otherwise } => {
                let taken = if self.condition(cond) { then } else { otherwise };
                self.statements(taken)?;
            }
        }
        Ok(())
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
            Term::Scalar => self.shape.count,
            Term::Fetched(entry) => self.fetched(entry),
        }
    }

    /// An integer of the table; 0 outside.
    fn fetched(&self, entry: Entry) -> usize {
        let at = match entry {
            Entry::Number(number) => number,
            Entry::Var(var) => self.vars[var],
            Entry::Row => self.place.0,
        };
        self.shape.table().get(at).copied().unwrap_or(0)
    }

    fn at(&self, at: At, extent: usize) -> usize {
        match at {
            At::Number(number) => number % extent,
            At::Var(var) => self.vars[var] * TIMES % extent,
            At::Scalar => self.shape.count * TIMES % extent,
        }
    }

    fn condition(&self, cond: &Condition) -> bool {
        match cond {
            Condition::Compare(a, rel, b) => compare(rel, &self.term(*a), &self.term(*b)),
            Condition::And(a, b) => self.condition(a) && self.condition(b),
            Condition::Or(a, b) => self.condition(a) || self.condition(b),
            Condition::Not(a) => !self.condition(a),
        }
    }

    fn gemm(
        &mut self,
        id: u32,
        (a, b, acc): (usize, usize, usize),
        transposed: (bool, bool),
        clear: bool,
    ) -> Result<(), Inexact> {
        let (m, n) = self.program.extent(self.program.blocks[acc].class);
        let (rows, columns) = self.program.extent(self.program.blocks[a].class);
        let depth = if transposed.0 { rows } else { columns };
        let (x, y) = (self.block(a), self.block(b));
        let width = self.program.extent(self.program.blocks[b].class).1;
        let mut sums = if clear {
            vec![0.0; m * n]
        } else {
            self.block(acc).clone()
        };
        // Bounds every partial sum, in whatever order it is made.
        let mut most = sums.iter().map(|sum| sum.abs()).collect::<Vec<_>>();
        for i in 0..m {
            for p in 0..depth {
                let left = x[if transposed.0 { p * columns + i } else { i * columns + p }];
                if left == 0.0 || left.is_nan() {
                    continue;
                }
                for j in 0..n {
                    let right = y[if transposed.1 { j * width + p } else { p * width + j }];
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

    fn reduce(&mut self, id: u32, fold: &str, (from, to): (usize, usize), clear: bool) -> Result<(), Inexact> {
        let (rows, columns) = self.program.extent(self.program.blocks[from].class);
        let by_rows = self.program.blocks[to].class == Class::Rows;
        let count = if by_rows { rows } else { columns };
        let nothing = match fold {
            "max" => f64::NEG_INFINITY,
            "min" => f64::INFINITY,
            _ => 0.0,
        };
        let mut left = if clear {
            vec![nothing; count]
        } else {
            self.block(to).clone()
        };
        let mut most = vec![0.0f64; count];
        for (at, value) in self.block(from).iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            let to = if by_rows { at / columns } else { at % columns };
            most[to] += value.abs();
            left[to] = match fold {
                "sum" => left[to] + value,
                "max" => left[to].max(*value),
                "min" => left[to].min(*value),
                _ => left[to].abs().max(value.abs()),
            };
        }
        // A maximum of nothing is infinite, and what is computed from that leaves the numbers that formats hold.
        let inexact = |value: &f64| value.abs() > LIMIT;
        if left.iter().any(inexact) || fold == "sum" && most.iter().any(inexact) {
            return Err(Inexact(id));
        }
        self.blocks[to] = Some(left);
        Ok(())
    }

    fn mask(&self, mask: &Mask, i: usize, j: usize) -> bool {
        let terms = mask
            .terms
            .iter()
            .map(|(times, term)| *times as i64 * self.term(*term) as i64);
        let sum = mask.row as i64 * i as i64 + mask.column as i64 * j as i64 + terms.sum::<i64>();
        compare(mask.rel, &sum, &0)
    }

    fn assign(&mut self, class: Class, assign: &Assign) -> Result<(), Inexact> {
        let value = self.value(class, &assign.value, assign.id)?;
        let (rows, columns) = self.program.extent(class);
        // Values of a row or column are found in that row or column.
        let value: Values = match assign.target {
            Target::Block(_) | Target::Tensor(..) => value,
            Target::Row(block, at) => {
                let (row, held) = (self.at(at, rows), self.block(block));
                let of = |at: usize| if at / columns == row { value[at] } else { f64::NAN };
                let new = |at: usize| if at / columns == row { value[at] } else { held[at] };
                let is_plain = assign.op == "=";
                (0..rows * columns)
                    .map(|at| if is_plain { new(at) } else { of(at) })
                    .collect()
            }
            Target::Column(block, at) => {
                let (column, held) = (self.at(at, columns), self.block(block));
                let of = |at: usize| if at % columns == column { value[at] } else { f64::NAN };
                let new = |at: usize| if at % columns == column { value[at] } else { held[at] };
                let is_plain = assign.op == "=";
                (0..rows * columns)
                    .map(|at| if is_plain { new(at) } else { of(at) })
                    .collect()
            }
        };
        let op = &assign.op[..assign.op.len() - 1];
        let old = match assign.target {
            _ if op.is_empty() => None,
            Target::Block(block) => Some(self.block(block).clone()),
            Target::Row(block, _) | Target::Column(block, _) => Some(self.block(block).clone()),
            Target::Tensor(tensor, index) => {
                let shift = self.program.tensors[tensor].shift;
                Some(self.read(tensor, index, shift))
            }
        };
        let new = match old {
            None => value,
            Some(old) => old
                .iter()
                .zip(&value)
                .map(
                    |(old, value)| {
                        if value.is_nan() { *old } else { binary(op, *old, *value) }
                    },
                )
                .collect(),
        };
        if new.iter().any(|new| new.abs() > LIMIT) {
            return Err(Inexact(assign.id));
        }
        match assign.target {
            Target::Block(block) | Target::Row(block, _) | Target::Column(block, _) => self.blocks[block] = Some(new),
            Target::Tensor(tensor, index) => self.write(tensor, index, &new),
        }
        Ok(())
    }

    fn value(&self, class: Class, expr: &Expr, id: u32) -> Result<Values, Inexact> {
        let (rows, columns) = self.program.extent(class);
        let everywhere = |value: f64| vec![value; rows * columns];
        let value = |part: &Expr| self.value(class, part, id);
        let all: Values = match expr {
            Expr::Block(block, access) => {
                let values = self.block(*block);
                let (own_rows, own_columns) = self.program.extent(self.program.blocks[*block].class);
                (0..rows * columns)
                    .map(|at| {
                        let (i, j) = (at / columns, at % columns);
                        values[match *access {
                            Access::Here => at,
                            Access::Transposed => j * columns + i,
                            Access::Row(row) => self.at(row, own_rows) * own_columns + j,
                            Access::Column(column) => i * own_columns + self.at(column, own_columns),
                            Access::One(row, column) => {
                                self.at(row, own_rows) * own_columns + self.at(column, own_columns)
                            }
                            Access::RowDown(row) => self.at(row, own_rows) * own_columns + i,
                            Access::ColumnAlong(column) => j * own_columns + self.at(column, own_columns),
                        }]
                    })
                    .collect()
            }
            Expr::Tensor(tensor, index, offset) => self.read(*tensor, *index, *offset),
            Expr::Number(number) => everywhere(f64::from(*number)),
            Expr::Alpha => everywhere(f64::from(self.shape.alpha)),
            Expr::Unary(name, a) => value(a)?.into_iter().map(|a| unary(name, a)).collect(),
            Expr::Binary(name, a, b) => {
                let (a, b) = (value(a)?, value(b)?);
                a.iter().zip(&b).map(|(a, b)| binary(name, *a, *b)).collect()
            }
            Expr::Clamp(a, limit) => {
                let limit = f64::from(*limit);
                // Keeps NaN.
                value(a)?.into_iter().map(|a| a.clamp(-limit, limit)).collect()
            }
            Expr::Masked(mask, parts) => {
                let (a, b) = (value(&parts[0])?, value(&parts[1])?);
                (0..rows * columns)
                    .map(|at| {
                        if self.mask(mask, at / columns, at % columns) {
                            a[at]
                        } else {
                            b[at]
                        }
                    })
                    .collect()
            }
            Expr::Select(rel, parts) => {
                let [a, b, c, d] = [
                    value(&parts[0])?,
                    value(&parts[1])?,
                    value(&parts[2])?,
                    value(&parts[3])?,
                ];
                (0..rows * columns)
                    .map(|at| match () {
                        () if a[at].is_nan() || b[at].is_nan() => f64::NAN,
                        () if compare(rel, &a[at], &b[at]) => c[at],
                        () => d[at],
                    })
                    .collect()
            }
        };
        match all.iter().any(|value| value.abs() > LIMIT) {
            true => Err(Inexact(id)),
            false => Ok(all),
        }
    }
}

fn compare<T: PartialOrd>(rel: &str, a: &T, b: &T) -> bool {
    match rel {
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        "==" => a == b,
        "!=" => a != b,
        other => unreachable!("`{other}` is no relation of generated programs"),
    }
}

fn unary(name: &str, a: f64) -> f64 {
    match name {
        _ if a.is_nan() => a,
        "neg" => -a,
        "abs" => a.abs(),
        "relu" => a.max(0.0),
        "sign" if a == 0.0 => 0.0,
        "sign" => a.signum(),
        "square" => a * a,
        other => unreachable!("`{other}` is no function of generated programs"),
    }
}

fn binary(name: &str, a: f64, b: f64) -> f64 {
    match name {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        _ if a.is_nan() || b.is_nan() => f64::NAN,
        "min" => a.min(b),
        "max" => a.max(b),
        other => unreachable!("`{other}` is no operation of generated programs"),
    }
}
