//! What a random program is: blocks, tensors, statements, and the source text of the kernel.
//!
//! All values are small whole numbers, which bf16, TF32 and f32 hold exactly, so results are compared for equality.

use super::super::random::Random;
use std::fmt::{self, Write};

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Bf16,
    F32,
}

/// Which part of a matrix a block holds: all of the core's own (M × N), an operand of a product (M × K, K × N), or a value for
/// each row or column of the core's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Main,
    Left,
    Right,
    Rows,
    Columns,
}

/// A block in L1, or an accumulator.
#[derive(Debug, Clone)]
pub struct Block {
    pub class: Class,
    pub element: Element,
    pub fragment: bool,
}

/// A tensor: of L matrices for `Class::Main`, else of one.
#[derive(Debug, Clone)]
pub struct Tensor {
    pub class: Class,
    pub written: bool,
    /// How far from its blocks' places they are copied to or from it.
    pub shift: [i32; 2],
}

/// The values of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub l: usize,
    /// The scalar `n`.
    pub count: usize,
    /// The scalar `alpha`.
    pub alpha: i32,
    /// Of the tensors' contents.
    pub seed: u64,
}

/// Integers of the table of a launch, which a kernel reads.
pub const TABLE: usize = 4;

/// Which integer of the table is read; 0 is what lies outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    Number(usize),
    /// A loop variable.
    Var(usize),
    /// The block's own row in the grid.
    Row,
}

/// An index that selects a matrix or a step along K.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    Number(usize),
    /// A loop variable.
    Var(usize),
    /// An integer of the table.
    Fetched(Entry),
}

/// How often a loop runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    Number(usize),
    /// L
    Matrices,
    /// The steps along K.
    Steps,
    /// The block's own row or column in the grid.
    Row,
    Column,
    /// The scalar `n`.
    Scalar,
    /// A loop variable around it.
    Var(usize),
    /// An integer of the table.
    Fetched(Entry),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopKind {
    Range,
    Serial,
    Unroll,
    Pipelined(usize),
}

/// A whole number in a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    Number(usize),
    Row,
    Column,
    Var(usize),
    /// The remainder of a loop variable.
    Rest(usize, usize),
    M,
    N,
    L,
    Scalar,
    /// An integer of the table.
    Fetched(Entry),
}

#[derive(Debug, Clone)]
pub enum Condition {
    Compare(Term, &'static str, Term),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

/// Which element of a block is read at `(i, j)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Here,
    Transposed,
    /// `(3, j)`: of one row.
    Row(At),
    /// `(i, 3)`: of one column.
    Column(At),
    /// `(3, 5)`
    One(At, At),
    /// `(3, i)`: a row that stands for a column.
    RowDown(At),
    /// `(j, 3)`: a column that stands for a row.
    ColumnAlong(At),
}

/// A row or column of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    Number(usize),
    /// What a loop variable leaves of a multiple of it.
    Var(usize),
    /// What the scalar `n` leaves of a multiple of it.
    Scalar,
}

impl At {
    pub const FIRST: At = At::Number(0);
}

/// A value of `At::Var` and `At::Scalar`: that, times `TIMES`, and what a block's extent leaves of it.
pub const TIMES: usize = 11;

#[derive(Debug, Clone)]
pub enum Expr {
    Block(usize, Access),
    /// A tensor's element at the block's own place, or so many rows and columns from it.
    Tensor(usize, Index, [i32; 2]),
    Number(i32),
    Alpha,
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Clamp(Box<Expr>, i32),
    /// `if a > b { c } else { d }`
    Select(&'static str, Box<[Expr; 4]>),
    /// `if 2 * i + by * 32 < 3 * j + N { a } else { b }`
    Masked(Mask, Box<[Expr; 2]>),
}

/// A comparison of a sum of multiples with 0.
#[derive(Debug, Clone)]
pub struct Mask {
    pub row: i32,
    pub column: i32,
    pub terms: Vec<(i32, Term)>,
    pub rel: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Block(usize),
    /// A row of a block; the value does not depend on `i`.
    Row(usize, At),
    /// A column of a block; the value does not depend on `j`.
    Column(usize, At),
    Tensor(usize, Index),
}

#[derive(Debug, Clone)]
pub struct Assign {
    /// Its own in the program.
    pub id: u32,
    pub target: Target,
    /// `=`, `+=` ..
    pub op: &'static str,
    pub value: Expr,
}

#[derive(Debug, Clone)]
pub enum Stmt {
    Load {
        tensor: usize,
        index: Index,
        block: usize,
    },
    Store {
        block: usize,
        tensor: usize,
        index: Index,
    },
    Move {
        from: usize,
        to: usize,
    },
    Fill {
        block: usize,
        value: i32,
    },
    Parallel {
        class: Class,
        assigns: Vec<Assign>,
    },
    Gemm {
        /// Its own in the program.
        id: u32,
        a: usize,
        b: usize,
        acc: usize,
        transposed: (bool, bool),
        clear: bool,
    },
    /// Into a block for rows or columns.
    Reduce {
        /// Its own in the program.
        id: u32,
        /// `sum` ..
        fold: &'static str,
        from: usize,
        to: usize,
        clear: bool,
    },
    For {
        var: usize,
        start: usize,
        count: Count,
        kind: LoopKind,
        body: Vec<Stmt>,
    },
    If {
        cond: Condition,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
}

/// A kernel and the launches it is tried on.
#[derive(Debug, Clone)]
pub struct Program {
    /// Of all tensors.
    pub element: Element,
    /// Rows and columns of the core's own block, and the columns of a left operand.
    pub block: (usize, usize, usize),
    /// Whether the extents are numbers in the source; then there is one shape.
    pub literal: bool,
    pub options: String,
    pub blocks: Vec<Block>,
    pub tensors: Vec<Tensor>,
    pub body: Vec<Stmt>,
    pub shapes: Vec<Shape>,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Element::Bf16 => "bf16",
            Element::F32 => "f32",
        })
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Number(number) => write!(f, "{number}"),
            Entry::Var(var) => write!(f, "k{var}"),
            Entry::Row => write!(f, "by"),
        }
    }
}

impl Shape {
    /// The integers of the table: each selects a matrix.
    pub fn table(&self) -> [usize; TABLE] {
        let mut random = Random::new(self.seed ^ 0x7ab1e);
        [(); TABLE].map(|()| random.below(self.l))
    }
}

impl Stmt {
    /// Calls `visit` for it and all inside it.
    pub fn walk<'s>(&'s self, visit: &mut impl FnMut(&'s Stmt)) {
        visit(self);
        match self {
            Stmt::For { body, .. } => body.iter().for_each(|stmt| stmt.walk(visit)),
            Stmt::If { then, otherwise, .. } => then.iter().chain(otherwise).for_each(|stmt| stmt.walk(visit)),
            _ => {}
        }
    }
}

impl Expr {
    pub fn walk<'e>(&'e self, visit: &mut impl FnMut(&'e Expr)) {
        visit(self);
        match self {
            Expr::Unary(_, a) | Expr::Clamp(a, _) => a.walk(visit),
            Expr::Binary(_, a, b) => [a, b].iter().for_each(|part| part.walk(visit)),
            Expr::Select(_, parts) => parts.iter().for_each(|part| part.walk(visit)),
            Expr::Masked(_, parts) => parts.iter().for_each(|part| part.walk(visit)),
            Expr::Block(..) | Expr::Tensor(..) | Expr::Number(_) | Expr::Alpha => {}
        }
    }
}

impl Program {
    pub fn extent(&self, class: Class) -> (usize, usize) {
        let (h, w, k) = self.block;
        match class {
            Class::Main => (h, w),
            Class::Left => (h, k),
            Class::Right => (k, w),
            Class::Rows => (h, 1),
            Class::Columns => (1, w),
        }
    }

    /// The shape of a tensor.
    pub fn dimensions(&self, tensor: usize, shape: &Shape) -> Vec<usize> {
        match self.tensors[tensor].class {
            Class::Main => vec![shape.l, shape.m, shape.n],
            Class::Left => vec![shape.m, shape.k],
            Class::Right => vec![shape.k, shape.n],
            Class::Rows | Class::Columns => unreachable!("tensors are matrices"),
        }
    }

    /// The blocks and tensors that statements name, and the extents that must be read off a tensor.
    fn used(&self) -> (Vec<bool>, Vec<bool>) {
        let (mut blocks, mut tensors) = (vec![false; self.blocks.len()], vec![false; self.tensors.len()]);
        let mut steps = false;
        let mut visit = |stmt: &Stmt| match stmt {
            Stmt::Load { tensor, block, .. } | Stmt::Store { tensor, block, .. } => {
                (blocks[*block], tensors[*tensor]) = (true, true);
            }
            Stmt::Move { from, to } | Stmt::Reduce { from, to, .. } => (blocks[*from], blocks[*to]) = (true, true),
            Stmt::Fill { block, .. } => blocks[*block] = true,
            Stmt::Parallel { assigns, .. } => {
                for assign in assigns {
                    match assign.target {
                        Target::Block(block) | Target::Row(block, _) | Target::Column(block, _) => blocks[block] = true,
                        Target::Tensor(tensor, _) => tensors[tensor] = true,
                    }
                    assign.value.walk(&mut |part| match part {
                        Expr::Block(block, _) => blocks[*block] = true,
                        Expr::Tensor(tensor, ..) => tensors[*tensor] = true,
                        _ => {}
                    });
                }
            }
            Stmt::Gemm { a, b, acc, .. } => [a, b, acc].into_iter().for_each(|block| blocks[*block] = true),
            Stmt::For { count, .. } => steps |= *count == Count::Steps,
            Stmt::If { .. } => {}
        };
        self.body.iter().for_each(|stmt| stmt.walk(&mut visit));
        // K is read off one of these.
        let has_k = |tensor: &Tensor| tensor.class != Class::Main;
        if steps && !self.tensors.iter().zip(&tensors).any(|(t, used)| *used && has_k(t)) {
            let first = self.tensors.iter().position(has_k);
            first.into_iter().for_each(|first| tensors[first] = true);
        }
        (blocks, tensors)
    }

    /// Names of the tensors and whether a launch passes them.
    pub fn parameters(&self) -> Vec<(String, bool)> {
        let (_, used) = self.used();
        let name = |at: usize| {
            let letter = match (self.tensors[at].class, self.tensors[at].written) {
                (_, true) => 'o',
                (Class::Main, false) => 'a',
                (Class::Left, false) => 'p',
                (Class::Right, false) => 'q',
                (Class::Rows | Class::Columns, false) => unreachable!("tensors are matrices"),
            };
            format!("{letter}{at}")
        };
        (0..self.tensors.len()).map(|at| (name(at), used[at])).collect()
    }

    /// The kernel's source.
    pub fn source(&self) -> String {
        let mut text = Text {
            program: self,
            parallel: false,
            names: self.parameters().into_iter().map(|(name, _)| name).collect(),
            out: String::new(),
            depth: 1,
        };
        // Writing to a String cannot fail.
        let _ = text.kernel();
        text.out
    }

    /// The value in the source of an extent.
    fn literal_or(&self, name: &str, value: impl Fn(&Shape) -> usize) -> String {
        match self.shapes.first() {
            Some(shape) if self.literal => value(shape).to_string(),
            _ => name.to_string(),
        }
    }
}

struct Text<'p> {
    program: &'p Program,
    /// Inside `T.Parallel`, where integers of the table have names.
    parallel: bool,
    names: Vec<String>,
    out: String,
    depth: usize,
}

impl Text<'_> {
    fn line(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        writeln!(self.out, "{:1$}{text}", "", self.depth * 4)
    }

    fn kernel(&mut self) -> fmt::Result {
        let program = self.program;
        let (blocks, tensors) = program.used();
        let element = program.element;
        let [m, n, k, l] = [
            program.literal_or("M", |shape| shape.m),
            program.literal_or("N", |shape| shape.n),
            program.literal_or("K", |shape| shape.k),
            program.literal_or("L", |shape| shape.l),
        ];
        let of_operands = program
            .tensors
            .iter()
            .zip(&tensors)
            .any(|(t, used)| *used && t.class != Class::Main);
        let generics = match (program.literal, of_operands) {
            (true, _) => "",
            (false, true) => "<const L: usize, const M: usize, const N: usize, const K: usize>",
            (false, false) => "<const L: usize, const M: usize, const N: usize>",
        };
        writeln!(self.out, "fn kernel{generics}(")?;
        for (at, tensor) in program.tensors.iter().enumerate().filter(|(at, _)| tensors[*at]) {
            let extents = match tensor.class {
                Class::Main => format!("{l}, {m}, {n}"),
                Class::Left => format!("{m}, {k}"),
                Class::Right => format!("{k}, {n}"),
                Class::Rows | Class::Columns => unreachable!("tensors are matrices"),
            };
            let reference = if tensor.written { "&mut " } else { "&" };
            let name = self.names[at].clone();
            self.line(format_args!("{name}: {reference}Tensor<{element}, {extents}>,"))?;
        }
        self.line(format_args!("t: &Tensor<i32, {TABLE}>,"))?;
        self.line(format_args!("alpha: f32,"))?;
        self.line(format_args!("n: u32,"))?;
        writeln!(self.out, ") {{")?;
        let (h, w, _) = program.block;
        let grid = |extent: &str, size: usize| match extent.parse::<usize>() {
            Ok(extent) => extent.div_ceil(size).to_string(),
            Err(_) => format!("{extent}.div_ceil({size})"),
        };
        let (columns, rows) = (grid(&n, w), grid(&m, h));
        self.line(format_args!("let (bx, by) = T.Kernel({columns}, {rows});"))?;
        for (at, block) in program.blocks.iter().enumerate().filter(|(at, _)| blocks[*at]) {
            let (rows, columns) = program.extent(block.class);
            let place = if block.fragment { "fragment" } else { "shared" };
            let element = block.element;
            self.line(format_args!(
                "let b{at} = T.alloc_{place}::<{element}>({rows}, {columns});"
            ))?;
        }
        self.statements(&program.body)?;
        writeln!(self.out, "}}")
    }

    fn statements(&mut self, body: &[Stmt]) -> fmt::Result {
        body.iter().try_for_each(|stmt| self.statement(stmt))
    }

    fn inside(&mut self, body: &[Stmt]) -> fmt::Result {
        self.depth += 1;
        let result = self.statements(body);
        self.depth -= 1;
        result
    }

    fn fetched(&self, entry: Entry) -> String {
        match self.parallel {
            true => format!("t_{entry}"),
            false => format!("t[{entry}]"),
        }
    }

    fn index(&self, index: Index) -> String {
        match index {
            Index::Number(number) => number.to_string(),
            Index::Var(var) => format!("k{var}"),
            Index::Fetched(entry) => self.fetched(entry),
        }
    }

    fn region(&self, tensor: usize, index: Index) -> String {
        let index = self.index(index);
        let (h, w, k) = self.program.block;
        let name = &self.names[tensor];
        let [down, along] = self.program.tensors[tensor].shift.map(more);
        match self.program.tensors[tensor].class {
            Class::Main => format!("{name}[({index}, by * {h}{down}, bx * {w}{along})]"),
            Class::Left => format!("{name}[(by * {h}{down}, {index} * {k}{along})]"),
            Class::Right => format!("{name}[({index} * {k}{down}, bx * {w}{along})]"),
            Class::Rows | Class::Columns => unreachable!("tensors are matrices"),
        }
    }

    fn element(&self, tensor: usize, index: Index, offset: [i32; 2]) -> String {
        let index = self.index(index);
        let (h, w, _) = self.program.block;
        let [down, along] = offset.map(more);
        format!(
            "{}[({index}, by * {h} + i{down}, bx * {w} + j{along})]",
            self.names[tensor]
        )
    }

    fn at(&self, at: At, extent: usize) -> String {
        match at {
            At::Number(number) => (number % extent).to_string(),
            At::Var(var) => format!("k{var} * {TIMES} % {extent}"),
            At::Scalar => format!("n * {TIMES} % {extent}"),
        }
    }

    fn statement(&mut self, stmt: &Stmt) -> fmt::Result {
        match stmt {
            Stmt::Load { tensor, index, block } => {
                let region = self.region(*tensor, *index);
                self.line(format_args!("T.copy({region}, b{block});"))
            }
            Stmt::Store { block, tensor, index } => {
                let region = self.region(*tensor, *index);
                self.line(format_args!("T.copy(b{block}, {region});"))
            }
            Stmt::Move { from, to } => self.line(format_args!("T.copy(b{from}, b{to});")),
            Stmt::Fill { block, value: 0 } => self.line(format_args!("T.clear(b{block});")),
            Stmt::Fill { block, value } => self.line(format_args!("T.fill(b{block}, {value}.0);")),
            Stmt::Parallel { class, assigns } => {
                for entry in entries(assigns) {
                    self.line(format_args!("let t_{entry} = t[{entry}];"))?;
                }
                self.parallel = true;
                let (rows, columns) = self.program.extent(*class);
                let head = match assigns.first().map(|assign| assign.target) {
                    Some(Target::Row(..)) => format!("for j in T.Parallel({columns}) {{"),
                    Some(Target::Column(..)) => format!("for i in T.Parallel({rows}) {{"),
                    Some(Target::Block(_) | Target::Tensor(..)) | None => {
                        format!("for (i, j) in T.Parallel({rows}, {columns}) {{")
                    }
                };
                self.line(format_args!("{head}"))?;
                self.depth += 1;
                for Assign { target, op, value, .. } in assigns {
                    let target = match target {
                        Target::Block(block) => format!("b{block}[(i, j)]"),
                        Target::Row(block, at) => format!("b{block}[({}, j)]", self.at(*at, rows)),
                        Target::Column(block, at) => format!("b{block}[(i, {})]", self.at(*at, columns)),
                        Target::Tensor(tensor, index) => {
                            self.element(*tensor, *index, self.program.tensors[*tensor].shift)
                        }
                    };
                    let value = self.expression(value);
                    self.line(format_args!("{target} {op} {value};"))?;
                }
                self.depth -= 1;
                self.parallel = false;
                self.line(format_args!("}}"))
            }
            Stmt::Gemm {
                a,
                b,
                acc,
                transposed,
                clear,
                ..
            } => {
                let options = [
                    (transposed.0, "transpose_a"),
                    (transposed.1, "transpose_b"),
                    (*clear, "clear_accum"),
                ];
                let options: String = options
                    .iter()
                    .filter(|(set, _)| *set)
                    .map(|(_, name)| format!(", {name} = true"))
                    .collect();
                self.line(format_args!("T.gemm(b{a}, b{b}, b{acc}{options});"))
            }
            Stmt::Reduce {
                fold, from, to, clear, ..
            } => {
                let dim = u8::from(self.program.blocks[*to].class == Class::Rows);
                self.line(format_args!(
                    "T.reduce_{fold}(b{from}, b{to}, dim = {dim}, clear = {clear});"
                ))
            }
            Stmt::For {
                var,
                start,
                count,
                kind,
                body,
            } => {
                let k = self.program.block.2;
                let steps = self.program.literal_or("", |shape| shape.k.div_ceil(k));
                let count = match count {
                    Count::Number(number) => number.to_string(),
                    Count::Matrices => self.program.literal_or("L", |shape| shape.l),
                    Count::Steps if steps.is_empty() => format!("K.div_ceil({k})"),
                    Count::Steps => steps,
                    Count::Row => "by".into(),
                    Count::Column => "bx".into(),
                    Count::Scalar => "n".into(),
                    Count::Var(var) => format!("k{var}"),
                    Count::Fetched(entry) => self.fetched(*entry),
                };
                let range = if *start == 0 {
                    count.clone()
                } else {
                    format!("{start}..{count}")
                };
                let iterator = match kind {
                    LoopKind::Range => format!("{start}..{count}"),
                    LoopKind::Serial => format!("T.serial({range})"),
                    LoopKind::Unroll => format!("T.unroll({range})"),
                    LoopKind::Pipelined(stages) => format!("T.Pipelined({range}, num_stages = {stages})"),
                };
                self.line(format_args!("for k{var} in {iterator} {{"))?;
                self.inside(body)?;
                self.line(format_args!("}}"))
            }
            Stmt::If { cond, then, otherwise } => {
                let cond = self.condition(cond);
                self.line(format_args!("if {cond} {{"))?;
                self.inside(then)?;
                if !otherwise.is_empty() {
                    self.line(format_args!("}} else {{"))?;
                    self.inside(otherwise)?;
                }
                self.line(format_args!("}}"))
            }
        }
    }

    fn term(&self, term: Term) -> String {
        match term {
            Term::Number(number) => number.to_string(),
            Term::Row => "by".into(),
            Term::Column => "bx".into(),
            Term::Var(var) => format!("k{var}"),
            Term::Rest(var, divisor) => format!("k{var} % {divisor}"),
            Term::M => self.program.literal_or("M", |shape| shape.m),
            Term::N => self.program.literal_or("N", |shape| shape.n),
            Term::L => self.program.literal_or("L", |shape| shape.l),
            Term::Scalar => "n".into(),
            Term::Fetched(entry) => self.fetched(entry),
        }
    }

    fn condition(&self, cond: &Condition) -> String {
        match cond {
            Condition::Compare(a, rel, b) => format!("{} {rel} {}", self.term(*a), self.term(*b)),
            Condition::And(a, b) => format!("({}) && ({})", self.condition(a), self.condition(b)),
            Condition::Or(a, b) => format!("({}) || ({})", self.condition(a), self.condition(b)),
            Condition::Not(a) => format!("!({})", self.condition(a)),
        }
    }

    fn expression(&self, expr: &Expr) -> String {
        match expr {
            Expr::Block(block, access) => {
                let (rows, columns) = self.program.extent(self.program.blocks[*block].class);
                let place = match access {
                    Access::Here => "i, j".into(),
                    Access::Transposed => "j, i".into(),
                    Access::Row(at) => format!("{}, j", self.at(*at, rows)),
                    Access::Column(at) => format!("i, {}", self.at(*at, columns)),
                    Access::One(row, column) => format!("{}, {}", self.at(*row, rows), self.at(*column, columns)),
                    Access::RowDown(at) => format!("{}, i", self.at(*at, rows)),
                    Access::ColumnAlong(at) => format!("j, {}", self.at(*at, columns)),
                };
                format!("b{block}[({place})]")
            }
            Expr::Tensor(tensor, index, offset) => self.element(*tensor, *index, *offset),
            Expr::Number(number) if *number < 0 => format!("({number}.0)"),
            Expr::Number(number) => format!("{number}.0"),
            Expr::Alpha => "alpha".into(),
            Expr::Unary("neg", a) => format!("(-{})", self.expression(a)),
            Expr::Unary(name, a) => format!("{}.{name}()", self.expression(a)),
            Expr::Binary(name @ ("min" | "max"), a, b) => {
                format!("{}.{name}({})", self.expression(a), self.expression(b))
            }
            Expr::Binary(name, a, b) => format!("({} {name} {})", self.expression(a), self.expression(b)),
            Expr::Clamp(a, limit) => format!("{}.clamp(-{limit}.0, {limit}.0)", self.expression(a)),
            Expr::Masked(mask, parts) => {
                let mut sides = [Vec::new(), Vec::new()];
                let terms = mask
                    .terms
                    .iter()
                    .map(|(times, term)| (*times, format!("({})", self.term(*term))));
                for (times, name) in [(mask.row, "i".into()), (mask.column, "j".into())]
                    .into_iter()
                    .chain(terms)
                {
                    match times {
                        0 => {}
                        1.. => sides[0].push(format!("{times} * {name}")),
                        _ => sides[1].push(format!("{} * {name}", -times)),
                    }
                }
                let [left, right] = sides.map(|side| if side.is_empty() { "0".into() } else { side.join(" + ") });
                let [a, b] = [0, 1].map(|part| self.expression(&parts[part]));
                format!("(if {left} {} {right} {{ {a} }} else {{ {b} }})", mask.rel)
            }
            Expr::Select(rel, parts) => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|part| self.expression(&parts[part]));
                format!("(if {a} {rel} {b} {{ {c} }} else {{ {d} }})")
            }
        }
    }
}

/// The integers of the table that assignments name.
fn entries(assigns: &[Assign]) -> Vec<Entry> {
    let mut all = Vec::new();
    let mut index = |index: &Index| {
        if let Index::Fetched(entry) = index
            && !all.contains(entry)
        {
            all.push(*entry);
        }
    };
    for assign in assigns {
        if let Target::Tensor(_, at) = &assign.target {
            index(at);
        }
        assign.value.walk(&mut |part| match part {
            Expr::Tensor(_, at, _) => index(at),
            Expr::Masked(mask, _) => {
                for (_, term) in &mask.terms {
                    if let Term::Fetched(entry) = term {
                        index(&Index::Fetched(*entry));
                    }
                }
            }
            _ => {}
        });
    }
    all
}

/// An offset behind an index.
fn more(offset: i32) -> String {
    match offset {
        0 => String::new(),
        1.. => format!(" + {offset}"),
        _ => format!(" - {}", -offset),
    }
}
