//! Statements that write every block before they read it.

use super::super::super::random::Random;
use super::super::program::{
    Assign, At, Block, Class, Element, Expr, Kind, LoopKind, Part, Program, Role, Shown, Side, Stage, Stmt, Target,
    Term,
};
use super::NARROW;
use super::choice::{Stored, holds_sums};

/// A loop variable in scope.
#[derive(Clone, Copy)]
pub(super) struct Var {
    pub number: usize,
    /// Whether it stays below L.
    pub selects: bool,
    /// What it stays below, where that is known.
    pub below: Option<usize>,
}

/// Makes the statements of a stage.
pub(super) struct Body<'g> {
    pub random: &'g mut Random,
    pub program: &'g Program,
    pub stage: &'g Stage,
    pub types: Stored,
    /// L is at least this.
    pub least: usize,
    /// Tensors that this stage reads, and those that it stores to.
    pub sources: Vec<usize>,
    pub sinks: Vec<usize>,
    /// Temporaries that were stored to, everywhere.
    stored: Vec<usize>,
    /// Blocks that are written on every path to here.
    pub defined: Vec<bool>,
    pub vars: Vec<Var>,
    /// Whether it prints and asserts.
    is_looked_into: bool,
    next_var: usize,
    next_id: u32,
    /// Statements to go.
    left: usize,
    depth: usize,
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
                false => {
                    sinks.push(tensor);
                    // What a block stored it reads back, where no other block stores.
                    if of.role == Role::Output && of.shift == [0, 0] && random.one_in(3) {
                        sources.push(tensor);
                    }
                }
            }
        }
        let stage = &program.stages[at];
        Body {
            is_looked_into: random.one_in(16),
            random,
            program,
            stage,
            types: Stored {
                is_whole: program.is_whole(),
                has_integers: !program.options.contains(NARROW),
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
        for stack in self.stacks() {
            body.extend(self.stacked(stack));
        }
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
            of.role == Role::Temporary && self.types.is_stored(of.element)
        });
        if temporaries.is_empty() {
            return Vec::new();
        }
        let tensor = self.random.pick(&temporaries);
        let element = self.program.tensors[tensor].element;
        let Some(to) = self.whole_block(Class::Main, |of| of.copies_to(element)) else {
            return Vec::new();
        };
        self.defined[to.block] = true;
        self.stored.push(tensor);
        if self.random.one_in(3) {
            self.sources.push(tensor);
        }
        let value = self.random.below(4) as i32;
        let own = self.stage.blocks[to.block].element;
        let inputs = self.tensors(false, |of| {
            of.role == Role::Input && of.class == Class::Main && of.shift == [0, 0] && of.element.copies_to(own)
        });
        let number = self.next_var;
        self.next_var += 1;
        let has_matrices = self.stage.grid.has_matrices();
        let index = if has_matrices { Term::Matrix } else { Term::Var(number) };
        let block = Side::Block(to);
        let mut copy = |from, to| Stmt::Copy {
            id: self.id(),
            class: Class::Main,
            from,
            to,
            rows: None,
        };
        let store = copy(block, Side::Tensor(tensor, index, [At::FIRST; 2]));
        let body = match inputs.first() {
            Some(input) => vec![copy(Side::Tensor(*input, index, [At::FIRST; 2]), block), store],
            None => vec![store],
        };
        if has_matrices {
            let mut stmts = vec![Stmt::filled(Class::Main, to.block, value)];
            stmts.extend(body);
            return stmts;
        }
        let repeat = Stmt::For {
            var: number,
            start: 0,
            count: Term::L,
            kind: LoopKind::Range,
            body,
        };
        vec![Stmt::filled(Class::Main, to.block, value), repeat]
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
        let (count, selects) = match (self.random.below(12), self.vars.last()) {
            (0..=3, _) => (Term::L, true),
            (4 | 5, _) => (Term::Number(1 + self.random.below(self.least)), true),
            (6, _) => (Term::Steps, false),
            (7, _) => (self.random.pick(&[Term::Row, Term::Column]), false),
            (8, Some(var)) => (Term::Var(var.number), var.selects),
            (9, _) => (Term::Fetched(self.atom()), true),
            (10, _) => (self.chosen(), false),
            _ => (Term::Scalar, false),
        };
        let start = usize::from(self.random.one_in(8));
        let stages = 1 + self.random.below(3);
        let kind = match (self.random.below(8), count) {
            (0, _) => LoopKind::Serial,
            (1, Term::Number(_)) => LoopKind::Unroll,
            (0..=2, _) => LoopKind::Range,
            (3, _) => self.random.pick(&[
                LoopKind::Reversed,
                LoopKind::Stepped(2),
                LoopKind::SteppedBack(2),
                LoopKind::Inclusive,
            ]),
            _ => LoopKind::Pipelined(stages),
        };
        let before = self.defined.clone();
        let most = self.below(count);
        let (selects, below) = match kind {
            LoopKind::Inclusive => (false, most),
            _ => (selects, most.map(|most| most.saturating_sub(1))),
        };
        self.vars.push(Var { number, selects, below });
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
        let surely_runs = match count {
            Term::Number(1..) => true,
            Term::Row | Term::Column => kind == LoopKind::Inclusive,
            _ => false,
        };
        if start > 0 || !surely_runs {
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

    /// One statement, or a few that belong together.
    fn simple(&mut self, first: bool) -> Vec<Stmt> {
        self.left = self.left.saturating_sub(1);
        if self.is_looked_into && self.random.one_in(4) {
            return vec![self.inspection()];
        }
        if self.random.one_in(5) {
            return self.vector(first);
        }
        let stacks = self.stacks();
        if !stacks.is_empty() && self.random.one_in(12) {
            let stack = self.random.pick(&stacks);
            return self.stacked(stack);
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

    pub fn fill(&mut self, class: Class) -> Vec<Stmt> {
        match self.writable(class, |_| true) {
            Some(to) => vec![self.filled(class, to)],
            None => self.load(class),
        }
    }

    fn filled(&mut self, class: Class, to: Part) -> Stmt {
        self.defined[to.block] = true;
        let value = match self.stage.blocks[to.block].element {
            element if element.is_unsigned() => self.random.below(5) as i32,
            _ => self.random.below(5) as i32 - 2,
        };
        Stmt::Fill { class, to, value }
    }

    fn stacks(&self) -> Vec<usize> {
        self.blocks(|at| self.stage.blocks[at].stacked > 1)
    }

    /// What becomes of a stack as a whole: it is filled, or matrices are copied to or from it.
    fn stacked(&mut self, stack: usize) -> Vec<Stmt> {
        let Block { class, element, .. } = self.stage.blocks[stack];
        let (is_stored, types) = (self.defined[stack] && self.random.one_in(3), self.types);
        // Each block of the grid keeps to its own matrix in what is stored to.
        let keeps = self.stage.grid.has_matrices();
        let tensors = self.tensors(is_stored, |of| {
            if keeps && (is_stored || of.role == Role::Output) {
                return false;
            }
            let fits = match is_stored {
                true => element.copies_to(of.element) && types.is_stored(of.element),
                false => of.element.copies_to(element),
            };
            of.class == Class::Main && of.layout.is_dense() && fits && (!class.is_line() || holds_sums(of.element))
        });
        let is_operand = class == Class::Left || class == Class::Right;
        if is_operand || tensors.is_empty() || !is_stored && self.random.one_in(2) {
            return vec![self.filled(class, Part::whole(stack))];
        }
        self.defined[stack] = true;
        let tensor = self.random.pick(&tensors);
        let (index, at) = (self.index_of(tensor), self.corner(Class::Main, class));
        let (block, region) = (Side::Block(Part::whole(stack)), Side::Tensor(tensor, index, at));
        match is_stored {
            true => self.copy(class, block, region),
            false => self.copy(class, region, block),
        }
    }

    /// What is printed, or asserted.
    fn inspection(&mut self) -> Stmt {
        if self.random.one_in(3) {
            let (id, cond) = (self.id(), self.condition(1));
            return Stmt::Assert { id, cond };
        }
        let items = (0..1 + self.random.below(3)).map(|_| self.shown()).collect();
        Stmt::Print(items)
    }

    fn shown(&mut self) -> Shown {
        match self.random.below(6) {
            0 => Shown::Text("{all} \"of\" \\ it"),
            1 => Shown::Integer(self.term()),
            2 => Shown::Number(self.random.below(24) as i32 - 8),
            3 => Shown::Truth(self.condition(1)),
            _ => {
                let blocks = self.blocks(|at| {
                    let block = &self.stage.blocks[at];
                    self.defined[at] && block.stacked == 1 && block.class != Class::Main
                });
                match blocks.is_empty() {
                    true => Shown::Text("nothing"),
                    false => Shown::Block(self.random.pick(&blocks)),
                }
            }
        }
    }

    pub fn copy(&mut self, class: Class, from: Side, to: Side) -> Vec<Stmt> {
        let id = self.id();
        let (from, to) = (self.along(class, from), self.along(class, to));
        let rows = self.rows(class, from, to);
        vec![Stmt::Copy {
            id,
            class,
            from,
            to,
            rows,
        }]
    }

    /// How many rows a copy between a block and a tensor moves, where not all: some elements have no value then.
    fn rows(&mut self, class: Class, from: Side, to: Side) -> Option<At> {
        let (part, tensor) = match (from, to) {
            (Side::Block(part), Side::Tensor(tensor, ..)) | (Side::Tensor(tensor, ..), Side::Block(part)) => {
                (part, tensor)
            }
            _ => return None,
        };
        let (rows, _) = self.stage.extent(class);
        let of = &self.program.tensors[tensor];
        let is_meant = rows > 1 && of.class != Class::Rows && self.stage.stack(part) == 1;
        let shares = of.element.shares_exponents() || self.stage.blocks[part.block].element.shares_exponents();
        (is_meant && !shares && !self.types.is_whole && self.random.one_in(10)).then(|| match self.any_of(rows + 1) {
            // Where that is known, there is one at least.
            At::Number(number) => At::Number(number.max(1)),
            At::Is(term) | At::Rest(_, term) if term.may_be_known(self.program.literal) => At::Number(1),
            rows => rows,
        })
    }

    /// A side of a copy; a row or column is any.
    fn along(&mut self, class: Class, side: Side) -> Side {
        let element = match side {
            Side::Block(part) => self.stage.blocks[part.block].element,
            Side::Tensor(tensor, ..) => self.program.tensors[tensor].element,
        };
        if !class.is_line() || !element.is_float() {
            return side;
        }
        let any = |body: &mut Self, [row, column]: [At; 2]| match class {
            Class::Rows => [row, body.at(Element::F32)],
            _ => [body.at(Element::F32), column],
        };
        match side {
            Side::Block(part) => Side::Block(Part {
                at: any(self, part.at),
                ..part
            }),
            Side::Tensor(tensor, index, at) => Side::Tensor(tensor, index, any(self, at)),
        }
    }

    fn load_from(&mut self, tensor: usize, class: Class) -> Vec<Stmt> {
        let element = self.program.tensors[tensor].element;
        let of = self.program.tensors[tensor].class;
        let (index, at) = (self.index_of(tensor), self.corner(of, class));
        match self.writable(class, |of| element.copies_to(of)) {
            Some(to) => self.copy(class, Side::Tensor(tensor, index, at), Side::Block(to)),
            None => Vec::new(),
        }
    }

    pub fn load(&mut self, class: Class) -> Vec<Stmt> {
        match self.tensor(class, false, |_| true) {
            Some(tensor) => self.load_from(tensor, class),
            None => Vec::new(),
        }
    }

    fn store(&mut self, last: bool) -> Vec<Stmt> {
        let class = match self.random.below(8) {
            0 if !last => self
                .random
                .pick(&[Class::Tile, Class::Rows, Class::Columns, Class::One]),
            _ => Class::Main,
        };
        let fits: fn(Element) -> bool = if last { holds_sums } else { |_| true };
        let mut stmts = Vec::new();
        let from = match self.readable(class, fits) {
            Some(from) => from,
            None => {
                let block = self.any(Class::Main);
                self.defined[block] = true;
                stmts.push(Stmt::filled(Class::Main, block, 1));
                Part::whole(block)
            }
        };
        let class = if stmts.is_empty() { class } else { Class::Main };
        let element = self.stage.blocks[from.block].element;
        let outputs = self.tensors(true, |of| of.role == Role::Output && holds_sums(of.element));
        let tensor = match last {
            true => outputs.first().copied(),
            false => self.stored_to(class, element),
        };
        if let Some(tensor) = tensor {
            let of = self.program.tensors[tensor].class;
            let (index, at) = (self.index_of(tensor), self.corner(of, class));
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
        match self.writable(class, |of| element.copies_to(of)) {
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
            Class::Rows | Class::Columns | Class::One => None,
        }
    }

    fn transposed(&mut self, class: Class) -> Vec<Stmt> {
        let class = if self.transpose(class).is_some() {
            class
        } else {
            Class::Tile
        };
        let source = self.transpose(class).unwrap_or(class);
        let is_whole = |element: Element| element.kind() != Kind::Small;
        if let Some(from) = self.readable(source, is_whole) {
            let element = self.stage.blocks[from.block].element;
            let fits = |of: &Element| {
                let is_rounded = *of == Element::F16 && element != *of;
                is_whole(*of) && element.copies_to(*of) && !is_rounded
            };
            if let Some(to) = self.writable(class, |of| fits(&of))
                && to.block != from.block
            {
                let id = self.id();
                return vec![Stmt::Transpose { id, class, from, to }];
            }
        }
        self.load(class)
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
