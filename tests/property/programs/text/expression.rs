//! Expressions over elements, and conditions.

use super::super::program::{Access, Class, Condition, Expr, Kind, Moved, Part, Sum};
use super::Text;

impl Text<'_> {
    pub(super) fn condition(&self, cond: &Condition) -> String {
        match cond {
            Condition::Compare(a, rel, b) => format!("{} {rel} {}", self.term(*a), self.term(*b)),
            Condition::Numbers(a, times, rel, more) => {
                let [times, more] = [times, more].map(|eighths| f64::from(*eighths) / 8.0);
                format!("({}) as f32 * ({times:?}) {rel} alpha + ({more:?})", self.term(*a))
            }
            Condition::And(a, b) => format!("({}) && ({})", self.condition(a), self.condition(b)),
            Condition::Or(a, b) => format!("({}) || ({})", self.condition(a), self.condition(b)),
            Condition::Not(a) => format!("!({})", self.condition(a)),
        }
    }

    pub(super) fn access(&self, class: Class, part: Part, access: Access) -> String {
        let block = part.block;
        let (rows, columns) = self.stage.extent_of(block);
        let [i, j] = self.place;
        if self.stage.blocks[block].is_vector {
            // It has no orientation.
            let place = match access {
                Access::Here if self.stage.blocks[block].class == Class::Columns => j.to_owned(),
                Access::Here | Access::Column(_) | Access::RowDown(_) => i.to_owned(),
                Access::Row(_) | Access::ColumnAlong(_) => j.to_owned(),
                Access::Transposed | Access::Moved(_) | Access::Paced(_) => {
                    unreachable!("vectors are not transposed, nor moved")
                }
                Access::One(at, _) => self.at(at, rows * columns),
            };
            return format!("b{block}[{place}]");
        }
        match access {
            Access::Here => self.here(part, self.stage.extent(class)),
            Access::Transposed => self.of_block(part, j, i),
            Access::Row(at) => self.of_block(part, &self.at(at, rows), j),
            Access::Column(at) => self.of_block(part, i, &self.at(at, columns)),
            Access::One(row, column) => self.of_block(part, &self.at(row, rows), &self.at(column, columns)),
            Access::RowDown(at) => self.of_block(part, &self.at(at, rows), i),
            Access::ColumnAlong(at) => self.of_block(part, j, &self.at(at, columns)),
            Access::Paced(paced) => self.of_block(part, &paced.text(i), j),
            Access::Moved(moved) => match moved.is_down {
                true => self.of_block(part, &self.moved(i, moved), j),
                false => self.of_block(part, i, &self.moved(j, moved)),
            },
        }
    }

    pub(super) fn expression(&self, class: Class, expr: &Expr) -> String {
        let text = |part: &Expr| self.expression(class, part);
        match expr {
            Expr::Block(part, access) => self.access(class, *part, *access),
            Expr::Tensor(tensor, index, reach) => self.reached(*tensor, *index, *reach),
            Expr::Number(number) if *number < 0 => format!("({number}.0)"),
            Expr::Number(number) => format!("{number}.0"),
            Expr::Whole(number) if *number < 0 => format!("({number})"),
            Expr::Whole(number) => number.to_string(),
            Expr::Alpha => "alpha".into(),
            Expr::Sum(sum) => {
                let [left, right] = self.sum(sum);
                format!("({left} - ({right}))")
            }
            Expr::Cast(element, a) => format!("({} as {element})", text(a)),
            Expr::Unary("neg", a) => format!("(-{})", text(a)),
            Expr::Unary("not", a) => format!("(!{})", text(a)),
            Expr::Unary("bits", a) => format!("{}.abs().to_bits()", text(a)),
            Expr::Unary(name, a) => format!("{}.{name}()", text(a)),
            Expr::Binary(name @ ("min" | "max"), a, b) => format!("{}.{name}({})", text(a), text(b)),
            Expr::Binary(name, a, b) => format!("({} {name} {})", text(a), text(b)),
            Expr::Clamp(a, limit) => match self.program.kind(self.stage, a) {
                Kind::Number => format!("{}.clamp(-{limit}.0, {limit}.0)", text(a)),
                Kind::Unsigned => format!("{}.clamp(0, {limit})", text(a)),
                Kind::Integer | Kind::Small => format!("{}.clamp(-{limit}, {limit})", text(a)),
            },
            Expr::Masked(sum, rel, parts) => {
                let [left, right] = self.sum(sum);
                let [a, b] = [0, 1].map(|part| text(&parts[part]));
                format!("(if {left} {rel} {right} {{ {a} }} else {{ {b} }})")
            }
            Expr::Select(rel, parts) => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|part| text(&parts[part]));
                format!("(if {a} {rel} {b} {{ {c} }} else {{ {d} }})")
            }
        }
    }

    /// What is added, and what is taken from it.
    pub(super) fn sum(&self, sum: &Sum) -> [String; 2] {
        let [i, j] = self.place.map(str::to_owned);
        let terms = sum
            .terms
            .iter()
            .map(|(times, term)| (*times, format!("({})", self.term(*term))));
        let mut sides = [Vec::new(), Vec::new()];
        for (times, name) in [(sum.row, i), (sum.column, j)].into_iter().chain(terms) {
            match times {
                0 => {}
                1.. => sides[0].push(format!("{times} * {name}")),
                _ => sides[1].push(format!("{} * {name}", -times)),
            }
        }
        sides.map(|side| if side.is_empty() { "0".into() } else { side.join(" + ") })
    }

    /// An index and what is added to it.
    fn moved(&self, index: &str, Moved { by, more, .. }: Moved) -> String {
        let more = more.map(|(times, term)| format!(" + ({times}) * ({})", self.term(term)));
        let more = more.unwrap_or_default();
        match by {
            0.. => format!("{index} + {by}{more}"),
            _ => format!("{index} - {}{more}", -by),
        }
    }
}
