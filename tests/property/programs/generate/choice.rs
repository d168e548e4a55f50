//! Blocks, tensors and integers that a statement may name.

use super::super::program::{At, Atom, Choice, Class, Condition, Element, Kind, Part, Sum, TABLE, Tensor, Term};
use super::body::Body;
use super::{MORE_MATRICES, SCALARS};

/// Of the types that sums and maxima have.
pub(super) fn holds_sums(element: Element) -> bool {
    element.is_float() && element != Element::F16
}

pub(super) fn is_number(element: Element) -> bool {
    element.kind() == Kind::Number
}

pub(super) const RELATIONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

/// What an integer is multiplied by to name distant rows.
const TIMES: usize = 11;

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

    /// A block of `class` and a type that fits, and no stack.
    pub fn whole_block(&mut self, class: Class, fits: impl Fn(Element) -> bool) -> Option<Part> {
        let blocks = self.blocks(|at| {
            let block = &self.stage.blocks[at];
            block.class == class && block.stacked == 1 && fits(block.element)
        });
        (!blocks.is_empty()).then(|| Part::whole(self.random.pick(&blocks)))
    }

    /// One that holds numbers, of which every class but tiles has some.
    pub fn any(&mut self, class: Class) -> usize {
        self.whole_block(class, holds_sums).map_or(0, |part| part.block)
    }

    /// A part of a larger block or a stack that has been written, with the extents of `class`.
    pub fn part(&mut self, class: Class, fits: impl Fn(Element) -> bool) -> Option<Part> {
        let extent = self.stage.extent(class);
        let blocks = self.blocks(|at| {
            let (block, own) = (&self.stage.blocks[at], self.stage.extent_of(at));
            self.defined[at]
                && match block.class == class {
                    true => block.stacked > 1,
                    false => block.element.kind() != Kind::Small,
                }
                && !block.is_vector
                && !(class.is_line() && block.element.shares_exponents())
                && fits(block.element)
                && own.0 >= extent.0
                && own.1 >= extent.1
        });
        (!blocks.is_empty()).then(|| {
            let block = self.random.pick(&blocks);
            let of = &self.stage.blocks[block];
            Part {
                block,
                of_stack: (of.stacked > 1).then(|| self.any_of(of.stacked)),
                at: self.corner(of.class, class),
            }
        })
    }

    /// Where a part with the extents of `class` begins in a region or block of class `of`: rows and columns with a tile.
    pub fn corner(&mut self, of: Class, class: Class) -> [At; 2] {
        let extent = self.stage.extent(class);
        let [rows, columns] = self.stage.places(of, extent);
        [(rows, extent.0), (columns, extent.1)].map(|((count, _), extent)| match extent {
            1 => At::Number(32 * self.random.below(if self.stage.is_of_tiles() { 2 } else { 1 })),
            _ => self.any_of(count),
        })
    }

    /// One of so many.
    pub fn any_of(&mut self, count: usize) -> At {
        if count == 1 || self.random.one_in(3) {
            return At::Number(self.random.below(count));
        }
        let term = self.term();
        match self.below(term) {
            Some(most) if most <= count => At::Is(term),
            _ => At::Rest(self.random.pick(&[1, 1, TIMES]), term),
        }
    }

    /// What an integer stays below, where that is known.
    pub fn below(&self, term: Term) -> Option<usize> {
        match term {
            Term::Number(number) => Some(number + 1),
            Term::Rest(_, divisor) => Some(divisor),
            Term::Var(number) => self.vars.iter().find(|var| var.number == number)?.below,
            Term::Scalar => Some(SCALARS),
            Term::Matrix => Some(self.least + MORE_MATRICES - 1),
            // It selects a matrix.
            Term::L => Some(self.least + MORE_MATRICES),
            Term::Fetched(_) => Some(self.least + MORE_MATRICES - 1),
            Term::Chosen(Choice { sides: [a, b], .. }) => Some(self.below(a.into())?.max(self.below(b.into())?)),
            Term::Row | Term::Column | Term::M | Term::N | Term::Steps => None,
        }
    }

    /// A block of `class` that has been written, or a part of one, of a type that fits.
    pub fn readable(&mut self, class: Class, fits: impl Fn(Element) -> bool) -> Option<Part> {
        if self.random.one_in(5)
            && let Some(part) = self.part(class, &fits)
        {
            return Some(part);
        }
        let blocks = self.blocks(|at| {
            let block = &self.stage.blocks[at];
            self.defined[at] && block.class == class && block.stacked == 1 && fits(block.element)
        });
        match blocks.is_empty() {
            true => self.part(class, fits),
            false => Some(Part::whole(self.random.pick(&blocks))),
        }
    }

    /// A block of `class`, or a part of one that has been written, of a type that fits; it counts as written.
    pub fn writable(&mut self, class: Class, fits: impl Fn(Element) -> bool) -> Option<Part> {
        if self.random.one_in(5)
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
            let is_part = class == Class::Tile || class.is_line() && !of.element.is_moved_by_tiles();
            fits(of.element) && (of.class == class || is_part && of.class == Class::Main)
        });
        (!tensors.is_empty()).then(|| self.random.pick(&tensors))
    }

    /// A tensor that a block of `element` is stored to.
    pub fn stored_to(&mut self, class: Class, element: Element) -> Option<usize> {
        let types = self.types;
        self.tensor(class, true, |of| element.copies_to(of) && types.is_stored(of))
    }

    /// An index of a tensor: its own of a block of the grid where such may store.
    pub fn index_of(&mut self, tensor: usize) -> Term {
        let of = self.program.tensors[tensor].class;
        let keeps = self.stage.grid.has_matrices() && self.sinks.contains(&tensor);
        if keeps && of == Class::Main {
            return Term::Matrix;
        }
        self.index(of)
    }

    /// An index that selects a matrix, or a step along K.
    fn index(&mut self, class: Class) -> Term {
        let steps = class == Class::Left || class == Class::Right;
        let vars: Vec<usize> = self
            .vars
            .iter()
            .filter(|var| steps || var.selects)
            .map(|var| var.number)
            .collect();
        let one = |body: &mut Self| match vars.is_empty() || body.random.one_in(4) {
            true => Atom::Number(body.random.below(if steps { 2 } else { body.least })),
            false => Atom::Var(body.random.pick(&vars)),
        };
        match self.random.below(10) {
            0 | 1 => Term::Fetched(self.atom()),
            3 | 4 if !steps && self.stage.grid.has_matrices() => Term::Matrix,
            2 => {
                let sides = [one(self), one(self)];
                self.choice(sides)
            }
            _ => one(self).into(),
        }
    }

    /// A small integer; of the table, the last is what lies outside.
    pub fn atom(&mut self) -> Atom {
        let vars: Vec<usize> = self.vars.iter().map(|var| var.number).collect();
        match self.random.below(5) {
            0 if self.stage.grid.has_matrices() => self.random.pick(&[Atom::Row, Atom::Matrix]),
            0 => Atom::Row,
            1 => Atom::Scalar,
            2 | 3 if !vars.is_empty() => Atom::Var(self.random.pick(&vars)),
            _ => Atom::Number(self.random.below(TABLE + 1)),
        }
    }

    fn choice(&mut self, sides: [Atom; 2]) -> Term {
        let of = match self.random.one_in(4) {
            true => None,
            false => Some(self.atom()),
        };
        Term::Chosen(Choice {
            of,
            rel: self.random.pick(&RELATIONS),
            than: self.random.below(3),
            sides,
        })
    }

    /// One of two integers.
    pub fn chosen(&mut self) -> Term {
        let sides = [self.atom(), self.atom()];
        self.choice(sides)
    }

    pub fn term(&mut self) -> Term {
        let vars: Vec<usize> = self.vars.iter().map(|var| var.number).collect();
        match self.random.below(8) {
            0 => return Term::Fetched(self.atom()),
            1 => return self.chosen(),
            2 if self.stage.grid.has_matrices() => return Term::Matrix,
            2 | 3 => {}
            _ if vars.is_empty() => {}
            at => {
                let var = self.random.pick(&vars);
                return if at == 4 { Term::Rest(var, 2) } else { Term::Var(var) };
            }
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
        let rel = self.random.pick(&RELATIONS);
        let term = self.term();
        if self.random.one_in(5) {
            let times = self.random.pick(&[8, 4, -8, 1, 3]);
            return Condition::Numbers(term, times, rel, self.random.below(24) as i32 - 8);
        }
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
        let (row, column) = (
            self.random.pick(&[0, 0, 1, 1, -1, 2]),
            self.random.pick(&[0, 1, 1, -1, -1, 3]),
        );
        Sum::new(row, column, terms)
    }

    /// What a mask compares with 0: a sum, or one with a large factor, which registers of 16 bits hold of one axis alone.
    pub fn mask(&mut self) -> Sum {
        let mut sum = self.sum();
        if self.random.one_in(3) {
            let steep = self.random.pick(&[9, -17, 37, 64, -300]);
            let is_down = self.random.one_in(2);
            let other = match self.types.has_integers {
                true => self.random.pick(&[0, 0, 1, -5]),
                false => 0,
            };
            [sum.row, sum.column] = if is_down { [steep, other] } else { [other, steep] };
            sum.terms[0].0 = self.random.below(40) as i32 * -steep + self.random.below(5) as i32 - 2;
        }
        if self.types.has_integers && (sum.row, sum.column) != (0, 0) && self.random.one_in(6) {
            sum.then = Some(
                self.random
                    .pick(&[("/", 3), ("/", -16), ("%", 5), ("&", 2), ("min", 7), ("max", -3)]),
            );
        }
        sum
    }
}
