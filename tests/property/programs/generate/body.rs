//! Statements that write every block before they read it.

use super::super::super::random::Random;
use super::super::program::{
    Assign, Class, Condition, Count, Element, Entry, Expr, Index, Kind, LoopKind, Part, Program, Role, Side, Stage,
    Stmt, Sum, TABLE, Target, Term,
};

/// A loop variable in scope.
#[derive(Clone, Copy)]
pub(super) struct Var {
    pub number: usize,
    /// Whether it stays below L.
    selects: bool,
}

/// Makes the statements of a stage.
pub(super) struct Body<'g> {
    pub random: &'g mut Random,
    pub program: &'g Program,
    pub stage: &'g Stage,
    pub types: Stored,
    /// L is at least this.
    least: usize,
    /// Tensors that this stage reads, and those that it stores to.
    sources: Vec<usize>,
    sinks: Vec<usize>,
    /// Temporaries that were stored to, everywhere.
    stored: Vec<usize>,
    /// Blocks that are written on every path to here.
    pub defined: Vec<bool>,
    pub vars: Vec<Var>,
    next_var: usize,
    next_id: u32,
    /// Statements to go.
    left: usize,
    depth: usize,
}

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
    is_whole: bool,
}

impl Stored {
    /// Whether expressions are stored to blocks of `element`, and blocks to its tensors: where elements share an exponent, it
    /// has to be certain which of them have a value.
    pub fn is_computed(self, element: Element) -> bool {
        !element.shares_exponents() || self.is_whole
    }

    /// Whether `from` is copied to blocks of `to`.
    pub fn is_copied(self, from: Element, to: Element) -> bool {
        from == to || from.copies_to(to) && self.is_computed(to)
    }
}

impl<'g> Body<'g> {
    /// For stage number `at` of `program`; `stored` are the temporaries that earlier ones filled.
    pub fn new(
        random: &'g mut Random,
        program: &'g Program,
        at: usize,
        least: usize,
        next_id: u32,
        stored: &[usize],
    ) -> Body<'g> {
        let is_last = at + 1 == program.stages.len();
        let (mut sources, mut sinks) = (Vec::new(), Vec::new());
        for (tensor, of) in program.tensors.iter().enumerate() {
            let is_source = match of.role {
                Role::Input => true,
                // One output is always stored to.
                Role::Output => {
                    at > 0
                        && sinks
                            .iter()
                            .any(|sink: &usize| program.tensors[*sink].role == Role::Output)
                        && random.one_in(2)
                }
                Role::Temporary => is_last || stored.contains(&tensor) && random.one_in(2),
            };
            match is_source {
                true if of.role == Role::Temporary && !stored.contains(&tensor) => {}
                true => sources.push(tensor),
                false => sinks.push(tensor),
            }
        }
        let stage = &program.stages[at];
        Body {
            random,
            program,
            stage,
            types: Stored {
                is_whole: program.is_whole(),
            },
            least,
            sources,
            sinks,
            stored: stored.to_vec(),
            defined: vec![false; stage.blocks.len()],
            vars: Vec::new(),
            next_var: 0,
            next_id,
            left: 0,
            depth: 0,
        }
    }

    /// What the next stage goes on with: the next id, and the temporaries that are filled.
    pub fn left(self) -> (u32, Vec<usize>) {
        (self.next_id, self.stored)
    }

    pub fn whole(&mut self) -> Vec<Stmt> {
        self.left = 1 + self.random.below(3);
        let mut body = Vec::new();
        if self.random.one_in(3) {
            // In place: what an output held is read before anything is stored.
            let outputs = self.tensors(true, |of| of.role == Role::Output);
            let tensor = self.random.pick(&outputs);
            body.extend(self.load_from(tensor, Class::Main));
        }
        body.extend(self.cover());
        while self.left > 0 {
            let stmts = self.simple(true);
            body.extend(stmts);
        }
        self.left = 4 + self.random.below(8 / self.program.stages.len());
        while self.left > 0 {
            if self.depth == 0 && !self.random.one_in(4) {
                body.extend(self.nested());
            } else {
                body.extend(self.statement());
            }
        }
        for _ in 0..1 + self.random.below(2) {
            body.extend(self.store(true));
        }
        body
    }

    pub fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    /// Stores to every element of a temporary, so that later stages may read it.
    fn cover(&mut self) -> Vec<Stmt> {
        let temporaries = self.tensors(true, |of| {
            of.role == Role::Temporary && self.types.is_computed(of.element)
        });
        if temporaries.is_empty() {
            return Vec::new();
        }
        let tensor = self.random.pick(&temporaries);
        let element = self.program.tensors[tensor].element;
        let types = self.types;
        let Some(to) = self.whole_block(Class::Main, |of| of.copies_to(element) && types.is_computed(of)) else {
            return Vec::new();
        };
        self.defined[to.block] = true;
        self.stored.push(tensor);
        let value = self.random.below(4) as i32;
        let own = self.stage.blocks[to.block].element;
        let inputs = self.tensors(false, |of| {
            of.role == Role::Input && of.class == Class::Main && of.shift == [0, 0] && of.element.copies_to(own)
        });
        let number = self.next_var;
        self.next_var += 1;
        let (block, index) = (Side::Block(to), Index::Var(number));
        let mut copy = |from, to| Stmt::Copy {
            id: self.id(),
            class: Class::Main,
            from,
            to,
        };
        let store = copy(block, Side::Tensor(tensor, index, [0, 0]));
        let body = match inputs.first() {
            Some(input) => vec![copy(Side::Tensor(*input, index, [0, 0]), block), store],
            None => vec![store],
        };
        let repeat = Stmt::For {
            var: number,
            start: 0,
            count: Count::Matrices,
            kind: LoopKind::Range,
            body,
        };
        vec![Stmt::Fill { block: to.block, value }, repeat]
    }

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
        let is_line = class == Class::Rows || class == Class::Columns;
        let blocks = self.blocks(|at| {
            let (block, own) = (&self.stage.blocks[at], self.stage.extent_of(at));
            self.defined[at]
                && block.class != class
                && !block.is_vector
                && block.element.kind() != Kind::Byte
                && !(is_line && block.element.shares_exponents())
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

    fn tensors(&self, written: bool, fits: impl Fn(&super::Tensor) -> bool) -> Vec<usize> {
        let all = if written { &self.sinks } else { &self.sources };
        let all = all.iter().copied();
        all.filter(|at| fits(&self.program.tensors[*at])).collect()
    }

    /// A tensor that regions of `class` are read from or stored to, of a type that fits.
    pub fn tensor(&mut self, class: Class, written: bool, fits: impl Fn(Element) -> bool) -> Option<usize> {
        let tensors = self.tensors(written, |of| {
            // Regions of other types begin and end with tiles.
            let is_line = class == Class::Rows || class == Class::Columns;
            let is_part = class == Class::Tile || is_line && (of.element.is_float() || of.element == Element::I32);
            fits(of.element) && (of.class == class || is_part && of.class == Class::Main)
        });
        (!tensors.is_empty()).then(|| self.random.pick(&tensors))
    }

    /// A tensor that a block of `element` is stored to.
    pub fn stored_to(&mut self, class: Class, element: Element) -> Option<usize> {
        let types = self.types;
        self.tensor(class, true, |of| element.copies_to(of) && types.is_computed(of))
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
    fn entry(&mut self) -> Entry {
        let vars: Vec<usize> = self.vars.iter().map(|var| var.number).collect();
        match self.random.below(4) {
            0 => Entry::Row,
            1 | 2 if !vars.is_empty() => Entry::Var(self.random.pick(&vars)),
            _ => Entry::Number(self.random.below(TABLE + 1)),
        }
    }

    fn statements(&mut self, count: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..count {
            if self.left == 0 && !body.is_empty() {
                break;
            }
            body.extend(self.statement());
        }
        body
    }

    fn statement(&mut self) -> Vec<Stmt> {
        if self.depth < 3 && self.random.one_in(5) {
            self.nested()
        } else {
            self.simple(false)
        }
    }

    fn nested(&mut self) -> Vec<Stmt> {
        self.depth += 1;
        let stmts = match self.random.below(6) {
            0 | 1 => vec![self.branch()],
            2 => self.sums(),
            _ => vec![self.repeat(None)],
        };
        self.depth -= 1;
        stmts
    }

    fn branch(&mut self) -> Stmt {
        let cond = self.condition(2);
        let before = self.defined.clone();
        let count = 1 + self.random.below(3);
        let then = self.statements(count);
        let after = std::mem::replace(&mut self.defined, before);
        let otherwise = if self.random.one_in(2) {
            let count = 1 + self.random.below(2);
            self.statements(count)
        } else {
            Vec::new()
        };
        for (defined, after) in self.defined.iter_mut().zip(after) {
            *defined &= after;
        }
        Stmt::If { cond, then, otherwise }
    }

    /// A loop; over a product into `sums` where there are some.
    pub fn repeat(&mut self, sums: Option<usize>) -> Stmt {
        let number = self.next_var;
        self.next_var += 1;
        let (count, selects) = match (self.random.below(11), self.vars.last()) {
            (0..=3, _) => (Count::Matrices, true),
            (4 | 5, _) => (Count::Number(1 + self.random.below(self.least)), true),
            (6, _) => (Count::Steps, false),
            (7, _) => (self.random.pick(&[Count::Row, Count::Column]), false),
            (8, Some(var)) => (Count::Var(var.number), var.selects),
            (9, _) => (Count::Fetched(self.entry()), true),
            _ => (Count::Scalar, false),
        };
        let start = usize::from(self.random.one_in(8));
        let stages = 1 + self.random.below(3);
        let kind = match (self.random.below(6), count) {
            (0, _) => LoopKind::Serial,
            (1, Count::Number(_)) => LoopKind::Unroll,
            (0..=2, _) => LoopKind::Range,
            _ => LoopKind::Pipelined(stages),
        };
        let before = self.defined.clone();
        self.vars.push(Var { number, selects });
        let body = match sums {
            Some(acc) => {
                let mut body = self.gemm(Some(acc));
                let rest = self.random.below(3);
                body.extend(self.statements(rest));
                body
            }
            None => {
                let statements = 2 + self.random.below(5);
                self.statements(statements)
            }
        };
        self.vars.pop();
        if !(start == 0 && matches!(count, Count::Number(1..))) {
            self.defined = before;
        }
        Stmt::For {
            var: number,
            start,
            count,
            kind,
            body,
        }
    }

    fn term(&mut self) -> Term {
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

    /// One statement, or a few that belong together.
    fn simple(&mut self, first: bool) -> Vec<Stmt> {
        self.left = self.left.saturating_sub(1);
        if self.random.one_in(5) {
            return self.vector(first);
        }
        let class = match self.random.below(14) {
            0 => Class::Left,
            1 => Class::Right,
            2 => Class::Tile,
            _ => Class::Main,
        };
        match self.random.below(if first { 5 } else { 17 }) {
            0..=2 if first || self.random.one_in(2) => self.load(class),
            3 | 4 if first || self.random.one_in(3) => self.fill(class),
            0..=3 => self.gemm(None),
            4 | 5 => self.store(false),
            6 => self.moved(class),
            7 => self.transposed(class),
            8 if class == Class::Main => match self.line(class) {
                Some(line) => vec![line],
                None => vec![self.parallel(class)],
            },
            _ => vec![self.parallel(class)],
        }
    }

    fn fill(&mut self, class: Class) -> Vec<Stmt> {
        let types = self.types;
        match self.whole_block(class, |of| types.is_computed(of)) {
            Some(Part { block, .. }) => {
                self.defined[block] = true;
                let value = match self.stage.blocks[block].element {
                    Element::U8 => self.random.below(5) as i32,
                    _ => self.random.below(5) as i32 - 2,
                };
                vec![Stmt::Fill { block, value }]
            }
            None => self.load(class),
        }
    }

    pub fn copy(&mut self, class: Class, from: Side, to: Side) -> Vec<Stmt> {
        let id = self.id();
        vec![Stmt::Copy { id, class, from, to }]
    }

    fn load_from(&mut self, tensor: usize, class: Class) -> Vec<Stmt> {
        let element = self.program.tensors[tensor].element;
        let (index, at) = (self.index(class), self.corner());
        let types = self.types;
        match self.writable(class, |of| types.is_copied(element, of)) {
            Some(to) => self.copy(class, Side::Tensor(tensor, index, at), Side::Block(to)),
            None => Vec::new(),
        }
    }

    fn load(&mut self, class: Class) -> Vec<Stmt> {
        match self.tensor(class, false, |_| true) {
            Some(tensor) => self.load_from(tensor, class),
            None => Vec::new(),
        }
    }

    fn store(&mut self, last: bool) -> Vec<Stmt> {
        let class = match self.random.below(8) {
            0 if !last => self.random.pick(&[Class::Tile, Class::Rows, Class::Columns]),
            _ => Class::Main,
        };
        let fits: fn(Element) -> bool = if last { is_float } else { |_| true };
        let mut stmts = Vec::new();
        let from = match self.readable(class, fits) {
            Some(from) => from,
            None => {
                let block = self.any(Class::Main);
                self.defined[block] = true;
                stmts.push(Stmt::Fill { block, value: 1 });
                Part { block, at: [0, 0] }
            }
        };
        let class = if stmts.is_empty() { class } else { Class::Main };
        let element = self.stage.blocks[from.block].element;
        let outputs = self.tensors(true, |of| of.role == Role::Output && is_float(of.element));
        let tensor = match last {
            true => outputs.first().copied(),
            false => self.stored_to(class, element),
        };
        if let Some(tensor) = tensor {
            let (index, at) = (self.index(class), self.corner());
            stmts.extend(self.copy(class, Side::Block(from), Side::Tensor(tensor, index, at)));
        }
        stmts
    }

    /// A copy between blocks.
    fn moved(&mut self, class: Class) -> Vec<Stmt> {
        let Some(from) = self.readable(class, |_| true) else {
            return self.load(class);
        };
        let element = self.stage.blocks[from.block].element;
        let types = self.types;
        match self.writable(class, |of| types.is_copied(element, of)) {
            Some(to) if to.block != from.block => self.copy(class, Side::Block(from), Side::Block(to)),
            _ => self.load(class),
        }
    }

    /// The class that has the extents of the transpose.
    pub fn transpose(&self, class: Class) -> Option<Class> {
        let (h, w, _) = self.stage.block;
        match class {
            Class::Tile => Some(Class::Tile),
            _ if h != w => None,
            Class::Left => Some(Class::Right),
            Class::Right => Some(Class::Left),
            Class::Main => Some(Class::Main),
            Class::Rows | Class::Columns => None,
        }
    }

    fn transposed(&mut self, class: Class) -> Vec<Stmt> {
        let class = if self.transpose(class).is_some() {
            class
        } else {
            Class::Tile
        };
        let source = self.transpose(class).unwrap_or(class);
        let is_whole = |element: Element| element.kind() != Kind::Byte;
        if let Some(from) = self.readable(source, is_whole) {
            let element = self.stage.blocks[from.block].element;
            let types = self.types;
            let fits = |of: &Element| is_whole(*of) && types.is_copied(element, *of) && types.is_computed(*of);
            if let Some(to) = self.whole_block(class, |of| fits(&of))
                && to.block != from.block
            {
                self.defined[to.block] = true;
                let id = self.id();
                return vec![Stmt::Transpose { id, class, from, to }];
            }
        }
        self.load(class)
    }

    /// What becomes of a value for each row or column.
    fn vector(&mut self, first: bool) -> Vec<Stmt> {
        let class = self.random.pick(&[Class::Rows, Class::Columns]);
        let to = self.any(class);
        let operand = if class == Class::Rows {
            Class::Left
        } else {
            Class::Right
        };
        let source = self.random.pick(&[Class::Main, Class::Main, operand]);
        if !first
            && !self.random.one_in(4)
            && let Some(from) = self.readable(source, is_number)
        {
            return self.reduce(class, source, from, to);
        }
        match self.random.below(4) {
            0 => self.load(class),
            1 | 2 if self.defined[to] => vec![self.parallel(class)],
            _ => self.fill(class),
        }
    }

    fn reduce(&mut self, class: Class, source: Class, mut from: Part, to: usize) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        let fold = self.random.pick(&[
            "sum", "sum", "sum", "max", "min", "absmax", "mean", "prod", "argmax", "argmin",
        ]);
        if self.random.one_in(3)
            && let Some(made) = self.whole_block(source, is_float)
        {
            // Of what is computed for it.
            let value = self.expression(source, Kind::Number, 2);
            self.defined[made.block] = true;
            stmts.push(self.set(source, made, value));
            from = made;
        }
        let positions = match fold {
            "argmax" | "argmin" => self.whole_block(class, |element| element == Element::I32),
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
        let is_defined = self.defined[to] && positions.is_none_or(|(at, _)| self.defined[at]);
        let clear = fold == "mean" || !is_defined || self.random.one_in(2);
        let to = (positions.is_none() || !clear || !self.random.one_in(4)).then_some(to);
        for block in to.into_iter().chain(positions.map(|(at, _)| at)) {
            self.defined[block] = true;
        }
        stmts.push(Stmt::Reduce {
            id: self.id(),
            fold,
            class: source,
            from,
            to,
            positions,
            clear,
        });
        stmts
    }

    /// One assignment to all of a block or part.
    pub fn set(&mut self, class: Class, to: Part, value: Expr) -> Stmt {
        let assign = Assign {
            id: self.id(),
            target: Target::Block(to),
            op: "=",
            value,
        };
        Stmt::Parallel {
            class,
            assigns: vec![assign],
        }
    }
}
