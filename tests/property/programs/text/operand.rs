//! Blocks, tensors and their parts, and integers, as statements name them.

use super::super::program::{At, Atom, Axis, Choice, Class, Paced, Part, Reach, Side, Term};
use super::Text;

impl Text<'_> {
    pub(super) fn atom(&self, atom: Atom) -> String {
        self.term(atom.into())
    }

    pub(super) fn fetched(&self, entry: Atom) -> String {
        let name = self.atom(entry);
        match self.named.contains(&entry) {
            true => format!("t_{name}"),
            false => format!("{}[{name}]", self.table),
        }
    }

    /// A place or region of a tensor, by its rows and columns.
    fn region(&self, tensor: usize, index: Term, [rows, columns]: [String; 2]) -> String {
        let along = |axis| match axis {
            Axis::Spare(place) => place.to_string(),
            Axis::Matrix => self.term(index),
            Axis::Row => rows.clone(),
            Axis::Column => columns.clone(),
        };
        let all: Vec<String> = self.program.tensors[tensor].axes().into_iter().map(along).collect();
        let name = self.program.name(tensor);
        match all.as_slice() {
            [one] => format!("{name}[{one}]"),
            several => format!("{name}[({})]", several.join(", ")),
        }
    }

    /// The row and column of a tensor at which a block's own begins, rows `pace` apart.
    fn own(&self, tensor: usize, index: Term, pace: usize) -> [String; 2] {
        let index = self.term(index);
        let (h, w, k) = self.stage.block;
        let [row, column] = match self.program.tensors[tensor].class {
            Class::Left => [("by", h), (index.as_str(), k)],
            Class::Right => [(index.as_str(), k), ("bx", w)],
            _ => [("by", h), ("bx", w)],
        };
        [(row, pace), (column, 1)].map(|((block, extent), pace)| format!("{block} * {}", extent * pace))
    }

    /// An element of a tensor, `offset` from the block's own place.
    pub(super) fn element(&self, tensor: usize, index: Term, offset: [i32; 2]) -> String {
        let pace = self.program.tensors[tensor].layout.pace;
        let [row, column] = self.own(tensor, index, pace);
        let [i, j] = self.place;
        let i = if pace == 1 { i.into() } else { format!("{pace} * {i}") };
        let [down, along] = offset.map(more);
        self.region(
            tensor,
            index,
            [format!("{row} + {i}{down}"), format!("{column} + {j}{along}")],
        )
    }

    pub(super) fn reached(&self, tensor: usize, index: Term, reach: Reach) -> String {
        let [row, column] = self.own(tensor, index, 1);
        let [i, j] = self.place;
        let places = match reach {
            Reach::Here(offset) => return self.element(tensor, index, offset),
            Reach::Transposed => [format!("{row} + {j}"), format!("{column} + {i}")],
            Reach::Row(at) => [self.term(at), format!("{column} + {j}")],
            Reach::Paced(paced) => [paced.text(&format!("({row} + {i})")), format!("{column} + {j}")],
        };
        self.region(tensor, index, places)
    }

    /// A side of a copy, of so many `rows`.
    pub(super) fn side(&self, side: Side, other: Side, class: Class, rows: Option<At>) -> String {
        let extent @ (height, width) = self.stage.extent(class);
        let (tensor, index, at) = match side {
            Side::Block(part) => return self.part(part, extent),
            Side::Tensor(tensor, index, at) => (tensor, index, at),
        };
        let of = &self.program.tensors[tensor];
        let pace = of.layout.pace;
        let begin = self.begin(of.class, at, extent, of.shift, pace);
        let own = self.own(tensor, index, pace);
        let [first, column] = [0, 1].map(|axis| format!("{}{}", own[axis], begin[axis].behind()));
        let length = match rows {
            Some(rows) if pace > 1 => format!("{} * {pace}", self.at(rows, height + 1)),
            Some(rows) => self.at(rows, height + 1),
            None => (height * pace).to_string(),
        };
        let down = format!("{first}..{first} + {length}");
        let along = format!("{column}..{column} + {width}");
        let is_vector = matches!(other, Side::Block(part) if self.stage.blocks[part.block].is_vector);
        let is_dense = of.layout.is_dense() && rows.is_none();
        let down = match pace {
            1 => down,
            _ => format!("({down}).step_by({pace})"),
        };
        let places = match class {
            // A vector lies along the only range; given a point, along a row.
            Class::Rows if is_vector => [down, column],
            _ if is_dense => [first, column],
            Class::Columns if is_vector => [first, along],
            _ => [down, along],
        };
        self.region(tensor, index, places)
    }

    /// Where a part of a region or block of `class` begins, `shift` from there.
    fn begin(&self, class: Class, at: [At; 2], extent: (usize, usize), shift: [i32; 2], pace: usize) -> [Begin; 2] {
        let places = self.stage.places(class, extent);
        let paced = [pace, 1]
            .into_iter()
            .zip(places)
            .map(|(pace, (count, apart))| (count, apart * pace));
        let paced: Vec<(usize, usize)> = paced.collect();
        [0, 1].map(|axis| match (at[axis], paced[axis]) {
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
        let [rows, columns] = self.begin(self.stage.blocks[block].class, at, extent, [0, 0], 1);
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

    /// The element of a part of `extent` at the indices of the loop.
    pub(super) fn here(&self, part: Part, extent: (usize, usize)) -> String {
        let own = self.stage.blocks[part.block].class;
        let begin = self.begin(own, part.at, extent, [0, 0], 1);
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
            Term::Matrix => "bz".into(),
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

impl Paced {
    /// The row, where `index` would be the row without a pace.
    pub(super) fn text(self, index: &str) -> String {
        let Paced {
            first,
            step,
            over,
            rest,
        } = self;
        let row = match step {
            -1 => format!("{first} - {index}"),
            1 if first == 0 => index.to_string(),
            _ => format!("{step} * {index} + {first}"),
        };
        let row = if over == 1 { row } else { format!("({row}) / {over}") };
        if rest == 0 { row } else { format!("({row}) % {rest}") }
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
