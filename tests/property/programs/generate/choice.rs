//! Blocks, tensors and integers that a statement may name.

use super::super::program::{Class, Condition, Element, Entry, Index, Kind, Part, Sum, TABLE, Tensor, Term};
use super::body::Body;

/// Of the types that sums and maxima have.
pub(super) fn is_float(element: Element) -> bool {
    element.is_float()
}

pub(super) fn is_number(element: Element) -> bool {
    element.kind() == Kind::Number
}
/// What may be stored to what.
#[derive(Clone, Copy)]
pub(super) struct Stored {
    /// Whether regions lie within their tensors.
    pub is_whole: bool,
    /// Whether numbers are cast to integers, which 16-bit registers do not hold.
    pub has_integers: bool,
}

impl Stored {
    /// Whether blocks are stored to tensors of `element`: where elements share an exponent, all of them have to have a value.
    pub fn is_stored(self, element: Element) -> bool {
        !element.shares_exponents() || self.is_whole
    }
}
impl Body<'_> {
    pub fn blocks(&self, fits: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.stage.blocks.len()).filter(|at| fits(*at)).collect()
    }

    /// A block of `class` and a type that fits.
    pub fn whole_block(&mut self, class: Class, fits: impl Fn(Element) -> bool) -> Option<Part> {
        let blocks = self.blocks(|at| {
            let block = &self.stage.blocks[at];
            block.class == class && fits(block.element)
        });
        (!blocks.is_empty()).then(|| Part {
            block: self.random.pick(&blocks),
            at: [0, 0],
        })
    }

    /// One that holds numbers, of which every class but tiles has some.
    pub fn any(&mut self, class: Class) -> usize {
        self.whole_block(class, is_float).map_or(0, |part| part.block)
    }

    /// A part of a larger block that has been written, with the extents of `class`.
    fn part(&mut self, class: Class, fits: impl Fn(Element) -> bool) -> Option<Part> {
        let extent = self.stage.extent(class);
        let blocks = self.blocks(|at| {
            let (block, own) = (&self.stage.blocks[at], self.stage.extent_of(at));
            self.defined[at]
                && block.class != class
                && !block.is_vector
                && block.element.kind() != Kind::Byte
                && !(class.is_line() && block.element.shares_exponents())
                && fits(block.element)
                && own.0 >= extent.0
                && own.1 >= extent.1
        });
        (!blocks.is_empty()).then(|| Part {
            block: self.random.pick(&blocks),
            at: self.corner(),
        })
    }

    /// Where a part begins.
    pub fn corner(&mut self) -> [usize; 2] {
        [0, 1].map(|_| 32 * self.random.below(2))
    }

    /// A block of `class` that has been written, or a part of one, of a type that fits.
    pub fn readable(&mut self, class: Class, fits: impl Fn(Element) -> bool) -> Option<Part> {
        if self.random.one_in(6)
            && let Some(part) = self.part(class, &fits)
        {
            return Some(part);
        }
        let blocks = self.blocks(|at| {
            let block = &self.stage.blocks[at];
            self.defined[at] && block.class == class && fits(block.element)
        });
        match blocks.is_empty() {
            true => self.part(class, fits),
            false => Some(Part {
                block: self.random.pick(&blocks),
                at: [0, 0],
            }),
        }
    }

    /// A block of `class`, or a part of one that has been written, of a type that fits; it counts as written.
    pub fn writable(&mut self, class: Class, fits: impl Fn(Element) -> bool) -> Option<Part> {
        if self.random.one_in(6)
            && let Some(part) = self.part(class, &fits)
        {
            return Some(part);
        }
        let whole = self.whole_block(class, &fits);
        if let Some(whole) = whole {
            self.defined[whole.block] = true;
        }
        whole.or_else(|| self.part(class, fits))
    }

    pub fn tensors(&self, written: bool, fits: impl Fn(&Tensor) -> bool) -> Vec<usize> {
        let all = if written { &self.sinks } else { &self.sources };
        let all = all.iter().copied();
        all.filter(|at| fits(&self.program.tensors[*at])).collect()
    }

    /// A tensor that regions of `class` are read from or stored to, of a type that fits.
    pub fn tensor(&mut self, class: Class, written: bool, fits: impl Fn(Element) -> bool) -> Option<usize> {
        let tensors = self.tensors(written, |of| {
            // Regions of other types begin and end with tiles.
            let is_part =
                class == Class::Tile || class.is_line() && (of.element.is_float() || of.element == Element::I32);
            fits(of.element) && (of.class == class || is_part && of.class == Class::Main)
        });
        (!tensors.is_empty()).then(|| self.random.pick(&tensors))
    }

    /// A tensor that a block of `element` is stored to.
    pub fn stored_to(&mut self, class: Class, element: Element) -> Option<usize> {
        let types = self.types;
        self.tensor(class, true, |of| element.copies_to(of) && types.is_stored(of))
    }

    /// An index that selects a matrix, or a step along K.
    pub fn index(&mut self, class: Class) -> Index {
        let steps = class == Class::Left || class == Class::Right;
        let vars: Vec<usize> = self
            .vars
            .iter()
            .filter(|var| steps || var.selects)
            .map(|var| var.number)
            .collect();
        if self.random.one_in(5) {
            Index::Fetched(self.entry())
        } else if vars.is_empty() || self.random.one_in(4) {
            Index::Number(self.random.below(if steps { 2 } else { self.least }))
        } else {
            Index::Var(self.random.pick(&vars))
        }
    }

    /// An integer of the table, or what lies outside.
    pub fn entry(&mut self) -> Entry {
        let vars: Vec<usize> = self.vars.iter().map(|var| var.number).collect();
        match self.random.below(4) {
            0 => Entry::Row,
            1 | 2 if !vars.is_empty() => Entry::Var(self.random.pick(&vars)),
            _ => Entry::Number(self.random.below(TABLE + 1)),
        }
    }

    pub fn term(&mut self) -> Term {
        let vars: Vec<usize> = self.vars.iter().map(|var| var.number).collect();
        if !vars.is_empty() && !self.random.one_in(3) {
            let var = self.random.pick(&vars);
            return if self.random.one_in(3) {
                Term::Rest(var, 2)
            } else {
                Term::Var(var)
            };
        }
        if self.random.one_in(4) {
            return Term::Fetched(self.entry());
        }
        self.random
            .pick(&[Term::Row, Term::Column, Term::M, Term::N, Term::L, Term::Scalar])
    }

    pub fn condition(&mut self, depth: usize) -> Condition {
        let deeper = depth > 0 && self.random.one_in(4);
        if deeper {
            let a = Box::new(self.condition(depth - 1));
            return match self.random.below(3) {
                0 => Condition::Not(a),
                1 => Condition::And(a, Box::new(self.condition(depth - 1))),
                _ => Condition::Or(a, Box::new(self.condition(depth - 1))),
            };
        }
        let rel = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let term = self.term();
        let other = match term {
            Term::M | Term::N => Term::Number(32 * (1 + self.random.below(2))),
            _ if self.random.one_in(4) => match self.term() {
                Term::M | Term::N => Term::Number(1),
                other => other,
            },
            _ => Term::Number(self.random.below(3)),
        };
        Condition::Compare(term, rel, other)
    }

    /// A sum of indices and others.
    pub fn sum(&mut self) -> Sum {
        let mut terms = vec![(self.random.below(80) as i32 - 40, Term::Number(1))];
        for _ in 0..self.random.below(3) {
            let term = self.term();
            let times = match term {
                Term::M | Term::N => self.random.pick(&[1, -1]),
                _ => 32 * (self.random.below(5) as i32 - 2),
            };
            terms.push((times, term));
        }
        Sum {
            row: self.random.pick(&[0, 0, 1, 1, -1, 2]),
            column: self.random.pick(&[0, 1, 1, -1, -1, 3]),
            terms,
        }
    }
}
