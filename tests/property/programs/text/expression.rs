//! Expressions over elements, and conditions.

use super::super::program::{Access, By, Class, Condition, Element, Expr, Form, Kind, Moved, Part, Sum, Test};
use super::Text;

/// The type of a function's parameter that an element is given to.
fn of_element(element: Element) -> &'static str {
    match element {
        Element::Bf16 | Element::F32 | Element::F16 | Element::Bfp8 | Element::Bfp4 => "f32",
        Element::I32 => "i32",
        Element::U32 => "u32",
        Element::U16 => "u16",
        Element::U8 => "u8",
        Element::I8 => "i8",
    }
}

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
            Expr::Block(part, access) => {
                let element = self.stage.blocks[part.block].element;
                self.given(of_element(element), self.access(class, *part, *access))
            }
            Expr::Tensor(tensor, index, reach) => {
                let element = self.program.tensors[*tensor].element;
                self.given(of_element(element), self.reached(*tensor, *index, *reach))
            }
            Expr::Number(number) if *number < 0 => format!("({number}.0)"),
            Expr::Number(number) => format!("{number}.0"),
            Expr::Whole(number) if *number < 0 => format!("({number})"),
            Expr::Whole(number) => number.to_string(),
            Expr::Alpha => self.given("f32", "alpha".into()),
            Expr::Sum(sum) => {
                let [left, right] = self.sum(sum);
                let sum = match right.as_str() {
                    "0" => format!("({left})"),
                    _ => format!("({left} - ({right}))"),
                };
                self.given("i32", sum)
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
            Expr::Ternary(name, parts) => {
                let [a, b, c] = [0, 1, 2].map(|part| text(&parts[part]));
                let more = if *name == "addcmul" { ", 2.0" } else { "" };
                format!("{a}.{name}({b}, {c}{more})")
            }
            Expr::Choice(form, test, parts) => {
                let test = self.test(class, test);
                let [a, b] = [0, 1].map(|part| text(&parts[part]));
                match form {
                    Form::If => format!("(if {test} {{ {a} }} else {{ {b} }})"),
                    Form::Select => format!("T.select({test}, {a}, {b})"),
                }
            }
            Expr::Truth(test) => format!("(({}) as i32)", self.test(class, test)),
            Expr::Written(By::Name, a) => {
                let (value, name) = (text(a), self.another_name('x'));
                self.written.borrow_mut().lets.push(format!("let {name} = {value};"));
                name
            }
            Expr::Written(By::Function, a) => self.called(class, a),
        }
    }

    fn test(&self, class: Class, test: &Test) -> String {
        match test {
            Test::Mask(sum, rel) => {
                let [left, right] = self.sum(sum);
                self.given("bool", format!("{left} {rel} {right}"))
            }
            Test::Compare(rel, parts) => {
                let [a, b] = [0, 1].map(|part| self.expression(class, &parts[part]));
                format!("{a} {rel} {b}")
            }
            Test::Both(name, parts) => {
                let [a, b] = [0, 1].map(|part| self.test(class, &parts[part]));
                format!("({a}) {name} ({b})")
            }
            Test::Not(of) => format!("!({})", self.test(class, of)),
        }
    }

    fn another_name(&self, letter: char) -> String {
        let mut written = self.written.borrow_mut();
        written.names += 1;
        format!("{letter}{}", written.names)
    }

    /// What an expression is made of: in a function it is given to it.
    fn given(&self, kind: &'static str, text: String) -> String {
        let name = match &self.written.borrow().given {
            Some(given) => format!("p{}", given.len()),
            None => return text,
        };
        let mut written = self.written.borrow_mut();
        written
            .given
            .iter_mut()
            .for_each(|given| given.push((kind, text.clone())));
        name
    }

    /// A function that computes an expression, and its call.
    fn called(&self, class: Class, of: &Expr) -> String {
        let outside = {
            let mut written = self.written.borrow_mut();
            (std::mem::take(&mut written.lets), written.given.replace(Vec::new()))
        };
        let value = self.expression(class, of);
        let (lets, given) = {
            let mut written = self.written.borrow_mut();
            let lets = std::mem::replace(&mut written.lets, outside.0);
            (
                lets,
                std::mem::replace(&mut written.given, outside.1).unwrap_or_default(),
            )
        };
        let name = self.another_name('f');
        let result = match self.program.kind(self.stage, of) {
            Kind::Number => "f32",
            Kind::Unsigned => "u32",
            Kind::Integer | Kind::Small => "i32",
        };
        let parameters = given.iter().enumerate().map(|(at, (kind, _))| format!("p{at}: {kind}"));
        let parameters = parameters.collect::<Vec<_>>().join(", ");
        let mut lines = vec![format!("fn {name}({parameters}) -> {result} {{")];
        lines.extend(lets.into_iter().map(|line| format!("    {line}")));
        lines.extend([format!("    {value}"), "}".into()]);
        self.written.borrow_mut().functions.extend(lines);
        // What it is given it is given by the function around it.
        let arguments = given.into_iter().map(|(kind, text)| self.given(kind, text));
        format!("{name}({})", arguments.collect::<Vec<_>>().join(", "))
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
        let sides = sides.map(|side| if side.is_empty() { "0".into() } else { side.join(" + ") });
        let Some((name, by)) = sum.then else {
            return sides;
        };
        let [left, right] = sides;
        let changed = match name {
            "min" | "max" => format!("({left} - ({right})).{name}({by})"),
            _ => format!("(({left} - ({right})) {name} {by})"),
        };
        [changed, "0".into()]
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
