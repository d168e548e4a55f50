//! Values for each row or column.

use super::super::program::{Class, Element, Kind, Part, Stmt, Term};
use super::body::Body;
use super::choice::{holds_sums, is_number};

impl Body<'_> {
    /// What becomes of a value for each row or column.
    pub fn vector(&mut self, first: bool) -> Vec<Stmt> {
        let class = self
            .random
            .pick(&[Class::Rows, Class::Rows, Class::Columns, Class::Columns, Class::One]);
        if !first && self.random.one_in(6) {
            let kind = self.random.pick(&[Kind::Integer, Kind::Unsigned]);
            if let Some(stmt) = self.reduce_integers(class, kind) {
                return vec![stmt];
            }
        }
        let before = self.defined.clone();
        let Some(to) = self.writable(class, holds_sums) else {
            return self.load(Class::Main);
        };
        let is_defined = before[to.block];
        self.defined = before;
        let operand = match class {
            Class::Rows => Class::Left,
            _ => Class::Right,
        };
        let source = match class {
            Class::One => self.random.pick(&[Class::Main, Class::Rows, Class::Columns]),
            _ => self.random.pick(&[Class::Main, Class::Main, operand]),
        };
        if !first
            && !self.random.one_in(4)
            && let Some(from) = self.readable(source, is_number)
        {
            return self.reduce(class, source, from, to, is_defined);
        }
        match self.random.below(4) {
            0 => self.load(class),
            1 | 2 if is_defined => vec![self.parallel(class)],
            _ => self.fill(class),
        }
    }

    /// A sum or an extreme of integers.
    fn reduce_integers(&mut self, class: Class, kind: Kind) -> Option<Stmt> {
        let from = self.readable(Class::Main, |of| of.kind() == kind)?;
        let element = self.stage.blocks[from.block].element;
        let before = self.defined.clone();
        let to = self.writable(class, |of| of == element)?;
        Some(Stmt::Reduce {
            id: self.id(),
            fold: self.random.pick(&["sum", "sum", "max", "min"]),
            class: Class::Main,
            from,
            into: class,
            to: Some(to),
            positions: None,
            clear: !before[to.block] || self.random.one_in(2),
        })
    }

    fn reduce(&mut self, class: Class, source: Class, mut from: Part, to: Part, is_defined: bool) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let fold = self.random.pick(&[
            "sum", "sum", "sum", "max", "min", "absmax", "mean", "prod", "argmax", "argmin",
        ]);
        if self.random.one_in(3)
            && let Some(made) = self.whole_block(source, holds_sums)
        {
            // Of what is computed for it.
            let value = self.expression(source, Kind::Number, 2);
            self.defined[made.block] = true;
            stmts.push(self.set(source, made, value));
            from = made;
        }
        let positions = match fold {
            "argmax" | "argmin" if class != Class::One => self.whole_block(class, |element| element == Element::I32),
            _ => None,
        };
        let (fold, positions) = match positions {
            Some(Part { block, .. }) => {
                let base = if self.random.one_in(2) {
                    self.term()
                } else {
                    Term::Number(0)
                };
                (fold, Some((block, base)))
            }
            None => (fold.trim_start_matches("arg"), None),
        };
        let is_defined = is_defined && positions.is_none_or(|(at, _)| self.defined[at]);
        let clear = fold == "mean" || !is_defined || self.random.one_in(2);
        let to = (positions.is_none() || !clear || !self.random.one_in(4)).then_some(to);
        for block in to.map(|to| to.block).into_iter().chain(positions.map(|(at, _)| at)) {
            self.defined[block] = true;
        }
        stmts.push(Stmt::Reduce {
            id: self.id(),
            fold,
            class: source,
            from,
            into: class,
            to,
            positions,
            clear,
        });
        stmts
    }
}
