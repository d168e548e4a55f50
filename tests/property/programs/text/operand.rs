//! Blocks, tensors and their parts, and integers, as statements name them.

use super::super::program::{At, Atom, Choice, Class, Part, Side, Term};
use super::Text;

impl Text<'_> {
    pub(super) fn atom(&self, atom: Atom) -> String {
        self.term(atom.into())
    }

    pub(super) fn fetched(&self, entry: Atom) -> String {
        let name = self.atom(entry);
        match self.named.contains(&entry) {
            true => format!("t_{name}"),
            false => format!("t[{name}]"),
        }
    }

    /// A place of a tensor, behind the index that selects a matrix: a block's own, and `down` and `along` behind it.
    pub(super) fn region(&self, tensor: usize, index: Term, down: &str, along: &str) -> String {
        let index = self.term(index);
        let (h, w, k) = self.stage.block;
        let name = self.program.name(tensor);
        match self.program.tensors[tensor].class {
            Class::Main => format!("{name}[({index}, by * {h}{down}, bx * {w}{along})]"),
            Class::Left => format!("{name}[(by * {h}{down}, {index} * {k}{along})]"),
            Class::Right => format!("{name}[({index} * {k}{down}, bx * {w}{along})]"),
            Class::Rows | Class::Columns | Class::One | Class::Tile => unreachable!("tensors are matrices"),
        }
    }

    pub(super) fn element(&self, tensor: usize, index: Term, offset: [i32; 2]) -> String {
        let [down, along] = [0, 1].map(|axis| format!(" + {}{}", self.place[axis], more(offset[axis])));
        self.region(tensor, index, &down, &along)
    }

    pub(super) fn side(&self, side: Side, other: Side, class: Class) -> String {
        match side {
            Side::Block(part) => self.part(part, self.stage.extent(class)),
            Side::Tensor(tensor, index, at) => {
                let of = &self.program.tensors[tensor];
                let begin = self.begin(of.class, at, self.stage.extent(class), of.shift);
                let [mut down, along] = begin.map(|begin| begin.behind());
                if let (Side::Block(part), Class::Rows) = (other, class)
                    && self.stage.blocks[part.block].is_vector
                {
                    // Given a point, a vector lies along a row.
                    let (h, ..) = self.stage.block;
                    down = format!("{down}..by * {h}{down} + {h}");
                }
                self.region(tensor, index, &down, &along)
            }
        }
    }

    /// Where a part of a region or block of `class` begins, `shift` from there.
    fn begin(&self, class: Class, at: [At; 2], extent: (usize, usize), shift: [i32; 2]) -> [Begin; 2] {
        let places = self.stage.places(class, extent);
        [0, 1].map(|axis| match (at[axis], places[axis]) {
            (At::Number(number), (count, apart)) => Begin {
                term: None,
                offset: (number % count * apart) as i32 + shift[axis],
            },
            (_, (1, _)) => Begin {
                term: None,
                offset: shift[axis],
            },
            (at, (count, apart)) => Begin {
                term: Some(match apart {
                    1 => self.at(at, count),
                    _ => format!("{} * {apart}", self.at(at, count)),
                }),
                offset: shift[axis],
            },
        })
    }

    /// A block or part of one, as an operand.
    pub(super) fn part(&self, part: Part, extent: (usize, usize)) -> String {
        let Part { block, at, .. } = part;
        if self.stage.is_whole(part, extent) {
            return format!("b{block}");
        }
        let [rows, columns] = self.begin(self.stage.blocks[block].class, at, extent, [0, 0]);
        self.of_block(part, &rows.range(extent.0), &columns.range(extent.1))
    }

    /// An element of a block, or a range of them.
    pub(super) fn of_block(&self, part: Part, row: &str, column: &str) -> String {
        let Part { block, of_stack, .. } = part;
        let of = &self.stage.blocks[block];
        if let (Some(at), 2..) = (of_stack, of.stacked) {
            let at = self.at(at, of.stacked);
            return format!("b{block}[({at}, {row}, {column})]");
        }
        match (of.is_vector, of.class) {
            (false, _) => format!("b{block}[({row}, {column})]"),
            (true, Class::Columns) => format!("b{block}[{column}]"),
            (true, _) => format!("b{block}[{row}]"),
        }
    }

    pub(super) fn here(&self, part: Part, class: Class) -> String {
        let own = self.stage.blocks[part.block].class;
        let begin = self.begin(own, part.at, self.stage.extent(class), [0, 0]);
        let [row, column] = [0, 1].map(|axis| format!("{}{}", self.place[axis], begin[axis].behind()));
        self.of_block(part, &row, &column)
    }

    pub(super) fn at(&self, at: At, count: usize) -> String {
        match at {
            _ if count == 1 => "0".into(),
            At::Number(number) => (number % count).to_string(),
            At::Rest(1, term) => format!("{} % {count}", self.term(term)),
            At::Rest(times, term) => format!("{} * {times} % {count}", self.term(term)),
            At::Is(term) => self.term(term),
        }
    }

    pub(super) fn term(&self, term: Term) -> String {
        match term {
            Term::Number(number) => number.to_string(),
            Term::Row => "by".into(),
            Term::Column => "bx".into(),
            Term::Var(var) => format!("k{var}"),
            Term::Rest(var, divisor) => format!("k{var} % {divisor}"),
            Term::M => self.literal_or("M", |shape| shape.m),
            Term::N => self.literal_or("N", |shape| shape.n),
            Term::L => self.literal_or("L", |shape| shape.l),
            Term::Steps => self.steps("K", |shape| shape.k, self.stage.block.2),
            Term::Scalar => "n".into(),
            Term::Fetched(entry) => self.fetched(entry),
            Term::Chosen(Choice { of, rel, than, sides }) => {
                let [then, otherwise] = sides.map(|side| self.atom(side));
                let (of, than) = match of {
                    Some(of) => (self.atom(of), than.to_string()),
                    None => ("alpha".to_string(), format!("{than}.0")),
                };
                format!("(if {of} {rel} {than} {{ {then} }} else {{ {otherwise} }})")
            }
        }
    }
}

/// Where a part begins along an axis.
struct Begin {
    /// What is known at run time.
    term: Option<String>,
    offset: i32,
}

impl Begin {
    /// As what stands behind an index.
    fn behind(&self) -> String {
        match &self.term {
            Some(term) => format!(" + {term}{}", more(self.offset)),
            None => more(self.offset),
        }
    }

    /// So much from there.
    fn range(&self, extent: usize) -> String {
        match &self.term {
            Some(term) => format!("{term}..{term} + {extent}"),
            None => format!("{}..{}", self.offset, self.offset + extent as i32),
        }
    }
}

/// An offset behind an index.
fn more(offset: i32) -> String {
    match offset {
        0 => String::new(),
        1.. => format!(" + {offset}"),
        _ => format!(" - {}", -offset),
    }
}
