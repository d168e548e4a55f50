//! Expressions over elements, and what is assigned.

use super::super::program::{
    Access, Assign, At, By, Class, Element, Expr, Form, Kind, Moved, Paced, Reach, Role, Stmt, Sum, Target, Term, Test,
};
use super::body::Body;
use super::choice::RELATIONS;
use super::offset;

impl Body<'_> {
    pub fn parallel(&mut self, class: Class) -> Stmt {
        let count = if self.random.one_in(4) { 2 } else { 1 };
        let mut assigns = Vec::new();
        for _ in 0..count {
            // What is read is there before: what is written may be read by the next only.
            let before = self.defined.clone();
            let types = self.types;
            let target = match self.tensor(class, true, |of| types.is_stored(of)) {
                Some(tensor) if class == Class::Main && self.random.one_in(10) => {
                    Target::Tensor(tensor, self.index_of(tensor))
                }
                _ => match self.writable(class, |_| true) {
                    Some(part) => Target::Block(part),
                    None => continue,
                },
            };
            let after = std::mem::replace(&mut self.defined, before);
            let element = self.program.element(self.stage, target);
            let value = self.value(class, element);
            let op = match (target, element.kind()) {
                (Target::Block(part), Kind::Number) if self.defined[part.block] && self.random.one_in(3) => {
                    self.random.pick(&["+=", "-=", "*="])
                }
                (Target::Block(part), Kind::Integer | Kind::Unsigned)
                    if self.defined[part.block] && self.random.one_in(3) =>
                {
                    self.random.pick(&["+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="])
                }
                _ => "=",
            };
            self.defined = after;
            let id = self.id();
            assigns.push(Assign { id, target, op, value });
        }
        if assigns.is_empty() {
            let block = self.any(Class::Main);
            self.defined[block] = true;
            return Stmt::filled(Class::Main, block, 1);
        }
        Stmt::Parallel { class, assigns }
    }

    /// What may be assigned to an element of this type.
    fn value(&mut self, class: Class, element: Element) -> Expr {
        match element.kind() {
            Kind::Small => self.byte(class, element),
            kind => {
                let value = self.expression(class, kind, 2);
                match value.reads() {
                    true => value,
                    false => Expr::Binary("+", Box::new(self.leaf(class, kind)), Box::new(value)),
                }
            }
        }
    }

    /// Bytes are copied, chosen and cast.
    fn byte(&mut self, class: Class, element: Element) -> Expr {
        let one = |body: &mut Self| {
            let read = body.read(class, |of| of == element).filter(|_| body.random.one_in(2));
            read.unwrap_or_else(|| {
                let kind = body.random.pick(&[Kind::Number, Kind::Integer, Kind::Unsigned]);
                Expr::Cast(element, Box::new(body.value_of(class, kind)))
            })
        };
        let a = one(self);
        match self.random.below(4) {
            0 => {
                let test = self.test(class, Kind::Number);
                let b = one(self);
                self.choice_of(test, [a, b])
            }
            _ => a,
        }
    }

    /// An expression that reads something.
    fn value_of(&mut self, class: Class, kind: Kind) -> Expr {
        let value = self.expression(class, kind, 1);
        match value.reads() {
            true => value,
            false => Expr::Binary("+", Box::new(self.leaf(class, kind)), Box::new(value)),
        }
    }

    /// A row or column of a block.
    pub fn at(&mut self, element: Element) -> At {
        if !element.is_float() {
            // Whatever has an exponent in common, or is an integer, is read tile by tile.
            return At::Number(32 * self.random.below(if self.stage.is_of_tiles() { 2 } else { 1 }));
        }
        match self.random.below(6) {
            0 => At::FIRST,
            1..=3 => self.any_of(32),
            _ => At::Number(self.random.below(64)),
        }
    }

    /// A store to one row or column of a block, of what is read in it, and of what is the same for all of it.
    pub fn line(&mut self, class: Class) -> Option<Stmt> {
        let lies_whole = |body: &mut Self, fits: &dyn Fn(Element) -> bool| {
            let part = body.readable(class, fits)?;
            (body.stage.blocks[part.block].class == class).then_some(part)
        };
        let to = lies_whole(self, &|element| element.is_float() || element == Element::I32)?;
        let element = self.stage.blocks[to.block].element;
        let from = lies_whole(self, &|of| of.kind() == element.kind())?;
        let (own, other) = (Element::F32, self.stage.blocks[from.block].element);
        let is_row = self.random.one_in(2);
        let (target, access) = match is_row {
            true => (Target::Row(to, self.at(own)), Access::Row(self.at(other))),
            false => (Target::Column(to, self.at(own)), Access::Column(self.at(other))),
        };
        let one = Expr::Block(from, Access::One(self.at(other), self.at(other)));
        let read = Expr::Block(from, access);
        let value = match (self.random.below(3), element.kind()) {
            (0, _) => read,
            (1, _) => Expr::Binary("-", Box::new(read), Box::new(one)),
            (_, Kind::Number) => Expr::Binary("max", Box::new(read), Box::new(Expr::Alpha)),
            (_, _) => Expr::Binary("max", Box::new(read), Box::new(Expr::Whole(2))),
        };
        let op = match element.kind() {
            Kind::Number => self.random.pick(&["=", "=", "+=", "-="]),
            // What is there would be read.
            Kind::Integer | Kind::Unsigned | Kind::Small => "=",
        };
        let id = self.id();
        let assigns = vec![Assign { id, target, op, value }];
        Some(Stmt::Parallel { class, assigns })
    }

    /// A read of a block, or of a tensor, of a type that fits.
    fn read(&mut self, class: Class, fits: impl Fn(Element) -> bool) -> Option<Expr> {
        if class == Class::Main && self.random.one_in(6) {
            let (of, access) = self.random.pick(&[
                (Class::Rows, Access::Column(At::FIRST)),
                (Class::Columns, Access::Row(At::FIRST)),
                (Class::One, Access::One(At::FIRST, At::FIRST)),
            ]);
            if let Some(part) = self.readable(of, &fits) {
                let (h, w, _) = self.stage.block;
                let block = &self.stage.blocks[part.block];
                if block.is_vector && h == w && of != Class::One && self.random.one_in(4) {
                    // It has no orientation.
                    return Some(Expr::Block(
                        part,
                        self.random.pick(&[Access::Row(At::FIRST), Access::Column(At::FIRST)]),
                    ));
                }
                return Some(match block.class == of {
                    true => Expr::Block(part, access),
                    false => Expr::Block(part, Access::One(At::FIRST, At::FIRST)),
                });
            }
        }
        if class == Class::Main
            && self.random.one_in(10)
            && let Some(tensor) = self.direct(&fits)
        {
            let index = self.index_of(tensor);
            return Some(Expr::Tensor(tensor, index, self.reach(tensor)));
        }
        let part = self.readable(class, fits)?;
        let of = &self.stage.blocks[part.block];
        let (element, is_own) = (of.element, of.class == class);
        let (rows, columns) = self.stage.extent(class);
        let access = match self.random.below(30) {
            _ if !is_own || class.is_line() || element.kind() == Kind::Small => Access::Here,
            0 | 1 => Access::Row(self.at(element)),
            2 | 3 => Access::Column(self.at(element)),
            4 => Access::One(self.at(element), self.at(element)),
            5 if columns >= rows && element.is_float() => Access::RowDown(self.at(element)),
            6 if rows >= columns && element.is_float() => Access::ColumnAlong(self.at(element)),
            // Past the edge of a tensor, the transposed element has no value.
            7 if self.program.literal && rows == columns => Access::Transposed,
            _ => Access::Here,
        };
        Some(Expr::Block(part, access))
    }

    /// A tensor of which an element is read for each of the core's own block.
    fn direct(&mut self, fits: impl Fn(Element) -> bool) -> Option<usize> {
        let tensors = self.tensors(false, |of| {
            let is_line = of.class.is_line() && of.element.kind() != Kind::Small;
            (of.class == Class::Main || is_line) && fits(of.element)
        });
        (!tensors.is_empty()).then(|| self.random.pick(&tensors))
    }

    /// Which element of it.
    fn reach(&mut self, tensor: usize) -> Reach {
        let of = &self.program.tensors[tensor];
        let (rows, columns) = self.stage.extent(Class::Main);
        let is_any = of.class == Class::Main && of.element.is_float();
        match self.random.below(8) {
            // What others store is not read.
            _ if of.role != Role::Input => Reach::Here([0, 0]),
            0 if is_any && rows == columns => Reach::Transposed,
            1 if is_any => Reach::Row(self.term()),
            2 | 3 if is_any => Reach::Paced(self.paced(rows as i32)),
            4 | 5 => Reach::Here(offset(self.random, of.element)),
            _ => Reach::Here([0, 0]),
        }
    }

    /// The simplest expression of a kind, an element of it or a cast one.
    fn leaf(&mut self, class: Class, kind: Kind) -> Expr {
        let own = match kind {
            Kind::Number => Element::F32,
            Kind::Unsigned => Element::U32,
            Kind::Integer | Kind::Small => Element::I32,
        };
        let cast = |read: Expr| Expr::Cast(own, Box::new(read));
        if self.random.one_in(6)
            && let Some(read) = self.read(class, |of| of.kind() != kind)
        {
            return cast(read);
        }
        match self.read(class, |of| of.kind() == kind) {
            Some(read) => read,
            None => match (self.read(class, |_| true), kind) {
                (Some(read), _) => cast(read),
                (None, Kind::Number) => Expr::Number(1),
                (None, _) => cast(Expr::Alpha),
            },
        }
    }

    fn choice_of(&mut self, test: Test, parts: [Expr; 2]) -> Expr {
        let form = self.random.pick(&[Form::If, Form::If, Form::If, Form::Select]);
        Expr::Choice(form, Box::new(test), Box::new(parts))
    }

    /// What is true of some elements: by their indices or what they are, or both.
    fn test(&mut self, class: Class, kind: Kind) -> Test {
        let one = |body: &mut Self| {
            let rel = body.random.pick(&RELATIONS);
            match body.random.one_in(4) {
                true => Test::Compare(rel, Box::new([0, 1].map(|_| body.expression(class, kind, 0)))),
                false => Test::Mask(body.mask(), rel),
            }
        };
        match self.random.below(10) {
            0 => {
                let name = self.random.pick(&["&&", "||", "^"]);
                Test::Both(name, Box::new([0, 1].map(|_| one(self))))
            }
            1 => Test::Not(Box::new(one(self))),
            _ => one(self),
        }
    }

    pub fn expression(&mut self, class: Class, kind: Kind, depth: usize) -> Expr {
        let expr = self.bare(class, kind, depth);
        match self.random.below(if depth > 0 { 20 } else { 80 }) {
            0 => Expr::Written(By::Name, Box::new(expr)),
            // What a function is given is there, whatever it asks for first.
            1 if kind != Kind::Small && !expr.is_guarded() => Expr::Written(By::Function, Box::new(expr)),
            _ => expr,
        }
    }

    fn bare(&mut self, class: Class, kind: Kind, depth: usize) -> Expr {
        if depth == 0 || self.random.one_in(5) {
            return match (self.random.below(8), kind) {
                (0, Kind::Number) => Expr::Number(self.random.below(5) as i32 - 2),
                (1, Kind::Number) => Expr::Alpha,
                _ => self.leaf(class, kind),
            };
        }
        let part = |body: &mut Self| Box::new(body.expression(class, kind, depth - 1));
        match self.random.below(10) {
            0 | 1 => {
                let name = match kind {
                    Kind::Number => self.random.pick(&[
                        "neg",
                        "abs",
                        "relu",
                        "sign",
                        "neg",
                        "square",
                        "floor",
                        "ceil",
                        "round",
                        "trunc",
                        "logical_not",
                    ]),
                    Kind::Unsigned => self.random.pick(&["neg", "not"]),
                    _ => self.random.pick(&["neg", "abs", "not"]),
                };
                Expr::Unary(name, Box::new(self.leaf(class, kind)))
            }
            2 => Expr::Clamp(part(self), 1 + self.random.below(4) as i32),
            4 => {
                let test = self.test(class, kind);
                let parts = [0, 1].map(|_| self.expression(class, kind, depth - 1));
                self.choice_of(test, parts)
            }
            8 if kind == Kind::Number && self.random.one_in(2) => {
                let name = self.random.pick(&["mac", "lerp", "addcmul"]);
                Expr::Ternary(name, Box::new([0, 1, 2].map(|_| self.expression(class, kind, 0))))
            }
            9 if kind != Kind::Unsigned && self.types.has_integers && self.random.one_in(4) => {
                let truth = Expr::Truth(Box::new(self.test(class, kind)));
                let truth = match kind {
                    Kind::Number => Expr::Cast(Element::F32, Box::new(truth)),
                    _ => truth,
                };
                Expr::Binary(self.random.pick(&["+", "-", "*"]), part(self), Box::new(truth))
            }
            7 if class == Class::Main && self.random.one_in(2) => self.neighbour(class, kind, depth),
            3 if depth > 1 => {
                let rel = self.random.pick(&RELATIONS);
                let compared = match self.types.has_integers && self.random.one_in(4) {
                    true => self.random.pick(&[Kind::Integer, Kind::Unsigned]),
                    false => kind,
                };
                let [a, b, c, d] = [compared, compared, kind, kind].map(|kind| self.expression(class, kind, 0));
                self.choice_of(Test::Compare(rel, Box::new([a, b])), [c, d])
            }
            5 if kind == Kind::Number && self.random.one_in(2) => {
                let place = Sum::new(
                    self.random.pick(&[0, 1, -1]),
                    self.random.pick(&[0, 1, 2]),
                    vec![(self.random.below(8) as i32, Term::Number(1))],
                );
                let place = Expr::Cast(Element::F32, Box::new(Expr::Sum(place)));
                Expr::Binary(self.random.pick(&["+", "-", "min", "max"]), part(self), Box::new(place))
            }
            5 if kind != Kind::Number => self.of_integers(class, kind, depth),
            6 if kind == Kind::Unsigned => {
                let from = self.random.pick(&[Kind::Number, Kind::Integer]);
                Expr::Cast(Element::U32, Box::new(self.expression(class, from, depth - 1)))
            }
            6 if kind == Kind::Integer => {
                let from = self.random.pick(&[Kind::Number, Kind::Number, Kind::Unsigned]);
                match self.random.one_in(3) {
                    true => Expr::Unary("bits", Box::new(self.leaf(class, Kind::Number))),
                    false => Expr::Cast(Element::I32, Box::new(self.expression(class, from, depth - 1))),
                }
            }
            _ => {
                let name = match kind {
                    Kind::Number => self.random.pick(&["+", "-", "+", "-", "*", "min", "max"]),
                    _ => self
                        .random
                        .pick(&["+", "-", "*", "min", "max", "&", "|", "^", "<<", ">>"]),
                };
                let a = part(self);
                Expr::Binary(name, a, part(self))
            }
        }
    }

    /// An element some rows or columns away, and another value where there is none.
    fn neighbour(&mut self, class: Class, kind: Kind, depth: usize) -> Expr {
        let other = self.expression(class, kind, depth - 1);
        let part = self.readable(class, |of| of.kind() == kind && !of.is_moved_by_tiles());
        let Some(part) = part.filter(|part| {
            let of = &self.stage.blocks[part.block];
            of.class == class && !of.is_vector
        }) else {
            return other;
        };
        let (rows, columns) = self.stage.extent(class);
        if self.random.one_in(3) {
            let paced = self.paced(rows as i32);
            let read = Expr::Block(part, Access::Paced(paced));
            if paced.step < 2 {
                return read;
            }
            // The rows that are there.
            let mask = Sum::new(paced.step, 0, vec![(paced.first - rows as i32, Term::Number(1))]);
            return masked(mask, "<", read, other);
        }
        let is_down = self.random.one_in(2);
        let (along, extent) = if is_down { ([1, 0], rows) } else { ([0, 1], columns) };
        let by = match self.random.one_in(4) {
            true => self.random.pick(&[32, -32]),
            false => self.random.pick(&[1, -1, 2, -3, 17, -31]),
        };
        let more = match self.random.one_in(2) {
            true => Some((self.random.pick(&[1, -1, 8, -5, 32]), self.term())),
            false => None,
        };
        let moved = Expr::Block(part, Access::Moved(Moved { is_down, by, more }));
        // So far that it is there: the index and what is added to it is at least 0, and less than there are.
        let masked = |room: i32, rel, moved, other| {
            let terms = [(room, Term::Number(1))].into_iter().chain(more).collect();
            masked(Sum::new(along[0], along[1], terms), rel, moved, other)
        };
        match (more, by < 0) {
            (None, true) => masked(by, ">=", moved, other),
            (None, false) => masked(by - extent as i32, "<", moved, other),
            (Some(_), _) => {
                let moved = masked(by, ">=", moved, other.clone());
                masked(by - extent as i32, "<", moved, other)
            }
        }
    }

    /// Rows of so many at a pace: from the last on, some of them several times, again and again, or further apart.
    fn paced(&mut self, rows: i32) -> Paced {
        let (first, step, over, rest) = match self.random.below(4) {
            0 => (rows - 1, -1, 1, 0),
            1 => {
                let over = self.random.pick(&[2, 3, 7]);
                (self.random.below(over as usize) as i32, 1, over, 0)
            }
            2 => (
                self.random.below(3) as i32,
                1,
                1,
                self.random.pick(&[1, 2, 8, 9]).min(rows),
            ),
            _ => (self.random.below(4) as i32, self.random.pick(&[2, 3]), 1, 0),
        };
        Paced {
            first,
            step,
            over,
            rest,
        }
    }

    /// An operation of an integer element and one that is the same for many.
    fn of_integers(&mut self, class: Class, kind: Kind, depth: usize) -> Expr {
        let quotients = if kind == Kind::Integer { 0 } else { 2 };
        let (name, other) = match quotients + self.random.below(4 - quotients) {
            0 => ("/", Expr::Whole(self.random.pick(&[1, 2, 3, 7, -3, 100]))),
            1 => ("%", Expr::Whole(self.random.pick(&[2, 3, 7, -3, 100]))),
            2 => (
                self.random.pick(&["<<", ">>"]),
                Expr::Whole(self.random.below(32) as i32),
            ),
            _ => {
                let mut sum = self.sum();
                // A constant beside `u32` is one of its elements; of a vector, the sum is one where it goes by the other axis.
                if kind == Kind::Unsigned && (sum.row == 0 || sum.column == 0) {
                    let of_terms = sum.terms.iter_mut().map(|(coefficient, _)| coefficient);
                    for coefficient in of_terms.chain([&mut sum.row, &mut sum.column]) {
                        *coefficient = coefficient.abs();
                    }
                }
                (self.random.pick(&["+", "-", "*", "&", "|", "^"]), Expr::Sum(sum))
            }
        };
        let a = self.expression(class, kind, depth - 1);
        Expr::Binary(name, Box::new(a), Box::new(other))
    }
}

fn masked(mask: Sum, rel: &'static str, then: Expr, otherwise: Expr) -> Expr {
    let test = Box::new(Test::Mask(mask, rel));
    Expr::Choice(Form::If, test, Box::new([then, otherwise]))
}
