//! The values of expressions, and assignments.

use super::super::program::{Access, Assign, Class, Element, Expr, Kind, Moved, Paced, Part, Reach, Sum, Target, Test};
use super::{Inexact, LIMIT, Run, Values};

impl Paced {
    fn of(self, row: i64) -> i64 {
        let Paced {
            first,
            step,
            over,
            rest,
        } = self;
        let row = (i64::from(first) + i64::from(step) * row) / i64::from(over);
        if rest == 0 { row } else { row % i64::from(rest) }
    }
}

impl Run<'_> {
    fn sum(&self, sum: &Sum, i: usize, j: usize) -> i64 {
        let terms = sum
            .terms
            .iter()
            .map(|(times, term)| i64::from(*times) * self.term(*term) as i64);
        let sum_of_all = i64::from(sum.row) * i as i64 + i64::from(sum.column) * j as i64 + terms.sum::<i64>();
        match sum.then.map(|(name, by)| (name, i64::from(by))) {
            None => sum_of_all,
            Some(("/", by)) => sum_of_all / by,
            Some(("%", by)) => sum_of_all % by,
            Some(("&", by)) => sum_of_all & by,
            Some(("min", by)) => sum_of_all.min(by),
            Some(("max", by)) => sum_of_all.max(by),
            Some((other, _)) => unreachable!("`{other}` is no operation of sums in generated programs"),
        }
    }

    /// Where a test holds; nothing where it compares what has no value.
    fn test(&self, class: Class, test: &Test, id: u32) -> Result<Vec<Option<bool>>, Inexact> {
        let (rows, columns) = self.stage.extent(class);
        Ok(match test {
            Test::Mask(sum, rel) => (0..rows * columns)
                .map(|at| Some(compare(rel, &self.sum(sum, at / columns, at % columns), &0)))
                .collect(),
            Test::Compare(rel, parts) => {
                let [a, b] = [self.value(class, &parts[0], id)?, self.value(class, &parts[1], id)?];
                let pairs = a.iter().zip(&b);
                let has_value = |a: &f64, b: &f64| !a.is_nan() && !b.is_nan();
                pairs
                    .map(|(a, b)| has_value(a, b).then(|| compare(rel, a, b)))
                    .collect()
            }
            Test::Both(name, parts) => {
                let [a, b] = [self.test(class, &parts[0], id)?, self.test(class, &parts[1], id)?];
                // As in Rust, the right side is not looked at where the left one decides.
                let both = |(a, b): (Option<bool>, Option<bool>)| match (*name, a?) {
                    ("&&", false) => Some(false),
                    ("||", true) => Some(true),
                    ("&&" | "||", _) => b,
                    ("^", a) => Some(a != b?),
                    (other, _) => unreachable!("`{other}` is no operation of tests in generated programs"),
                };
                a.into_iter().zip(b).map(both).collect()
            }
            Test::Not(of) => {
                let of = self.test(class, of, id)?;
                of.into_iter().map(|holds| holds.map(|holds| !holds)).collect()
            }
        })
    }

    pub(super) fn assign(&mut self, class: Class, assign: &Assign) -> Result<(), Inexact> {
        let value = self.value(class, &assign.value, assign.id)?;
        let extent @ (rows, columns) = self.stage.extent(class);
        let old = match assign.target {
            Target::Block(part) if assign.op != "=" => self.part(part, extent)?,
            Target::Row(part, _) | Target::Column(part, _) => self.part(part, extent)?,
            Target::Tensor(tensor, index) if assign.op != "=" => {
                let shift = self.program.tensors[tensor].shift;
                let places = self.region(tensor, self.term(index), [0; 2], shift, extent);
                self.read(tensor, places, assign.id)?
            }
            Target::Block(_) | Target::Tensor(..) => Vec::new(),
        };
        let line = match assign.target {
            Target::Row(_, row) => Some((0, self.at(row, rows)?)),
            Target::Column(_, column) => Some((1, self.at(column, columns)?)),
            Target::Block(_) | Target::Tensor(..) => None,
        };
        let is_meant = |at: usize| line.is_none_or(|(axis, line)| [at / columns, at % columns][axis] == line);
        let kind = self.program.element(self.stage, assign.target).kind();
        let new = value.into_iter().enumerate().map(|(at, value)| match assign.op {
            _ if !is_meant(at) => old[at],
            "=" => value,
            _ if value.is_nan() => old[at],
            op => binary(kind, &op[..op.len() - 1], old[at], value),
        });
        let new: Values = new.collect();
        match assign.target {
            Target::Block(part) | Target::Row(part, _) | Target::Column(part, _) => {
                self.put(part, extent, new, assign.id)
            }
            Target::Tensor(tensor, index) => {
                let shift = self.program.tensors[tensor].shift;
                let places = self.region(tensor, self.term(index), [0; 2], shift, extent);
                self.write(tensor, places, &new, assign.id)
            }
        }
    }

    /// Which element of a block stands first, and how many lie between it and the next down and along.
    fn place(&self, part: Part, access: Access, class: Class) -> Result<(usize, [usize; 2]), Inexact> {
        let (rows, columns) = self.stage.extent_of(part.block);
        let of = &self.stage.blocks[part.block];
        if of.is_vector {
            return Ok(match access {
                Access::Here if of.class == Class::Columns => (0, [0, 1]),
                Access::Here | Access::Column(_) | Access::RowDown(_) => (0, [1, 0]),
                Access::Row(_) | Access::ColumnAlong(_) => (0, [0, 1]),
                Access::Transposed | Access::Moved(_) | Access::Paced(_) => {
                    unreachable!("vectors are not transposed, nor moved")
                }
                Access::One(at, _) => (self.at(at, rows * columns)?, [0, 0]),
            });
        }
        let row = |at| Ok(self.at(at, rows)? * columns);
        let column = |at| self.at(at, columns);
        let (first, apart) = match access {
            Access::Here => {
                let [row, column] = self.begin(of.class, part.at, self.stage.extent(class))?;
                (row * columns + column, [columns, 1])
            }
            Access::Transposed => (0, [1, columns]),
            Access::Moved(_) | Access::Paced(_) => (0, [columns, 1]),
            Access::Row(at) => (row(at)?, [0, 1]),
            Access::Column(at) => (column(at)?, [columns, 0]),
            Access::One(down, along) => (row(down)? + column(along)?, [0, 0]),
            Access::RowDown(at) => (row(at)?, [1, 0]),
            Access::ColumnAlong(at) => (column(at)?, [0, columns]),
        };
        Ok((self.of_stack(part)? + first, apart))
    }

    /// Where the elements lie that are read of a tensor.
    fn reached(&self, tensor: usize, index: usize, reach: Reach, extent: (usize, usize)) -> Vec<Option<usize>> {
        let [row, column] = self.own(tensor, index);
        match reach {
            Reach::Here(offset) => self.region(tensor, index, [0; 2], offset, extent),
            Reach::Transposed => self.places(tensor, index, extent, |i, j| [row + j, column + i]),
            Reach::Row(at) => {
                let at = self.term(at) as i64;
                self.places(tensor, index, extent, |_, j| [at, column + j])
            }
            Reach::Paced(paced) => self.places(tensor, index, extent, |i, j| [paced.of(row + i), column + j]),
        }
    }

    fn value(&self, class: Class, expr: &Expr, id: u32) -> Result<Values, Inexact> {
        let extent @ (rows, columns) = self.stage.extent(class);
        let everywhere = |value: f64| vec![value; rows * columns];
        let value = |part: &Expr| self.value(class, part, id);
        let places = || (0..rows * columns).map(|at| (at / columns, at % columns));
        let kind = |expr: &Expr| self.program.kind(self.stage, expr);
        let all: Values = match expr {
            Expr::Block(part, access) => {
                let (values, (first, [down, along])) = (self.block(part.block), self.place(*part, *access, class)?);
                let at = |i: usize, j: usize| values[first + i * down + j * along];
                match *access {
                    // No mask lets through what is not there.
                    Access::Moved(Moved { is_down, by, more }) => {
                        let more = more.map_or(0, |(times, term)| i64::from(times) * self.term(term) as i64);
                        let by = isize::try_from(i64::from(by) + more).unwrap_or(isize::MAX);
                        let moved = |index: usize, end| index.checked_add_signed(by).filter(|index| *index < end);
                        let moved = |(i, j)| match is_down {
                            true => Some(at(moved(i, rows)?, j)),
                            false => Some(at(i, moved(j, columns)?)),
                        };
                        places().map(|place| moved(place).unwrap_or(77.0)).collect()
                    }
                    Access::Paced(paced) => {
                        let row = |i: usize| usize::try_from(paced.of(i as i64)).ok().filter(|row| *row < rows);
                        let paced = |(i, j)| row(i).map_or(77.0, |row| at(row, j));
                        places().map(paced).collect()
                    }
                    _ => places().map(|(i, j)| at(i, j)).collect(),
                }
            }
            Expr::Tensor(tensor, index, reach) => {
                self.read(*tensor, self.reached(*tensor, self.term(*index), *reach, extent), id)?
            }
            Expr::Number(number) | Expr::Whole(number) => everywhere(f64::from(*number)),
            Expr::Alpha => everywhere(f64::from(self.shape.alpha)),
            Expr::Sum(sum) => places().map(|(i, j)| self.sum(sum, i, j) as f64).collect(),
            Expr::Cast(element, a) => {
                let from = kind(a);
                value(a)?.into_iter().map(|a| cast(*element, from, a)).collect()
            }
            Expr::Unary(name, a) => {
                let of = kind(a);
                value(a)?.into_iter().map(|a| unary(of, name, a)).collect()
            }
            Expr::Binary(name, a, b) => {
                let of = kind(a);
                let (a, b) = (value(a)?, value(b)?);
                a.iter().zip(&b).map(|(a, b)| binary(of, name, *a, *b)).collect()
            }
            Expr::Clamp(a, limit) => {
                let limit = f64::from(*limit);
                // Keeps NaN.
                value(a)?.into_iter().map(|a| a.clamp(-limit, limit)).collect()
            }
            Expr::Ternary(name, parts) => {
                let [a, b, c] = [value(&parts[0])?, value(&parts[1])?, value(&parts[2])?];
                let all = a.iter().zip(&b).zip(&c);
                all.map(|((a, b), c)| ternary(name, *a, *b, *c)).collect()
            }
            Expr::Choice(_, test, parts) => {
                let (a, b) = (value(&parts[0])?, value(&parts[1])?);
                let taken = self.test(class, test, id)?.into_iter().enumerate();
                let chosen = taken.map(|(at, taken)| taken.map_or(f64::NAN, |taken| if taken { a[at] } else { b[at] }));
                chosen.collect()
            }
            Expr::Truth(test) => {
                let holds = self.test(class, test, id)?.into_iter();
                holds
                    .map(|holds| holds.map_or(f64::NAN, |holds| f64::from(u8::from(holds))))
                    .collect()
            }
            Expr::Written(_, a) => value(a)?,
        };
        match kind(expr) == Kind::Number && all.iter().any(|value| value.abs() > LIMIT) {
            true => Err(Inexact(id)),
            false => Ok(all),
        }
    }
}

pub(super) fn compare<T: PartialOrd>(rel: &str, a: &T, b: &T) -> bool {
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

/// As Rust casts, and no value to none.
fn cast(to: Element, from: Kind, a: f64) -> f64 {
    let whole = a as i64;
    match (to, from) {
        _ if a.is_nan() => a,
        (Element::U8, Kind::Number) => f64::from(a as u8),
        (Element::I8, Kind::Number) => f64::from(a as i8),
        (Element::U16, Kind::Number) => f64::from(a as u16),
        (Element::U32, Kind::Number) => f64::from(a as u32),
        (Element::I32, Kind::Number) => f64::from(a as i32),
        (Element::U8, _) => f64::from(whole as u8),
        (Element::I8, _) => f64::from(whole as i8),
        (Element::U16, _) => f64::from(whole as u16),
        (Element::U32, _) => f64::from(whole as u32),
        (Element::I32, _) => f64::from(whole as i32),
        (Element::Bf16 | Element::F32 | Element::F16 | Element::Bfp8 | Element::Bfp4, _) => f64::from(a as f32),
    }
}

fn unary(of: Kind, name: &str, a: f64) -> f64 {
    let number = |a: f64| match name {
        "neg" => -a,
        "abs" => a.abs(),
        "relu" => a.max(0.0),
        "square" => a * a,
        // Of whole numbers.
        "floor" | "ceil" | "round" | "trunc" => a,
        "logical_not" => f64::from(u8::from(a == 0.0)),
        "sign" if a == 0.0 => 0.0,
        "sign" => a.signum(),
        "bits" => f64::from((a.abs() as f32).to_bits()),
        other => unreachable!("`{other}` is no function of numbers in generated programs"),
    };
    let integer = |a: i32| match name {
        "neg" => a.wrapping_neg(),
        "abs" => a.wrapping_abs(),
        "not" => !a,
        other => unreachable!("`{other}` is no function of integers in generated programs"),
    };
    match of {
        _ if a.is_nan() => a,
        Kind::Number => number(a),
        Kind::Unsigned => f64::from(integer(a as u32 as i32) as u32),
        Kind::Integer | Kind::Small => f64::from(integer(a as i32)),
    }
}

/// Infinite where something on the way is larger than every format holds.
fn ternary(name: &str, a: f64, b: f64, c: f64) -> f64 {
    let (result, most) = match name {
        "mac" => (a * b + c, a.abs() * b.abs() + c.abs()),
        "lerp" => (a + c * (b - a), a.abs() + c.abs() * (a.abs() + b.abs())),
        "addcmul" => (a + 2.0 * b * c, a.abs() + 2.0 * b.abs() * c.abs()),
        other => unreachable!("`{other}` is no function of three numbers in generated programs"),
    };
    if most > LIMIT { f64::INFINITY } else { result }
}

pub(super) fn binary(of: Kind, name: &str, a: f64, b: f64) -> f64 {
    let number = |a: f64, b: f64| match name {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "min" => a.min(b),
        "max" => a.max(b),
        other => unreachable!("`{other}` is no operation of numbers in generated programs"),
    };
    let integer = |a: i32, b: i32| match name {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.wrapping_div(b),
        "%" => a.wrapping_rem(b),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)).unwrap_or(0),
        ">>" => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)).unwrap_or(0),
        "min" => a.min(b),
        "max" => a.max(b),
        other => unreachable!("`{other}` is no operation of integers in generated programs"),
    };
    let unsigned = |a: u32, b: u32| match name {
        ">>" => a.checked_shr(b).unwrap_or(0),
        "min" => a.min(b),
        "max" => a.max(b),
        _ => integer(a as i32, b as i32) as u32,
    };
    match of {
        _ if a.is_nan() || b.is_nan() => f64::NAN,
        Kind::Number => number(a, b),
        // Indices beside elements wrap as elements do.
        Kind::Unsigned => f64::from(unsigned(a as i64 as u32, b as i64 as u32)),
        Kind::Integer | Kind::Small => f64::from(integer(a as i64 as i32, b as i64 as i32)),
    }
}
