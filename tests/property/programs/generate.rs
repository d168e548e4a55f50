//! Random programs: blocks carried round loops, read and redefined inside them, written under conditions, left unused.

use super::super::random::Random;
use super::calm::calm;
use super::program::{
    Access, Assign, At, Block, Class, Condition, Count, Element, Entry, Expr, Index, LoopKind, Mask, Program, Shape,
    Stmt, TABLE, Target, Tensor, Term,
};

/// A random program whose results are exact on all its shapes.
pub fn generate(random: &mut Random) -> Program {
    let (h, w, k) = random.pick(&[
        (32, 32, 32),
        (32, 32, 32),
        (32, 32, 32),
        (32, 64, 32),
        (64, 32, 32),
        (64, 64, 32),
        (32, 32, 64),
        (64, 64, 64),
    ]);
    let element = random.pick(&[Element::Bf16, Element::Bf16, Element::F32]);
    let literal = random.one_in(4);
    let options = random.pick(&[
        "",
        "",
        "",
        "fp32_acc = false",
        "order = column_major",
        "fp32_acc = true",
    ]);
    let mut program = Program {
        element,
        block: (h, w, k),
        literal,
        options: options.into(),
        blocks: Vec::new(),
        tensors: Vec::new(),
        body: Vec::new(),
        shapes: Vec::new(),
    };
    for (class, written, count) in [
        (Class::Main, false, 1 + random.below(2)),
        (Class::Left, false, 1),
        (Class::Right, false, 1),
        (Class::Main, true, 1 + random.below(3)),
    ] {
        for _ in 0..count {
            let shift = match random.below(4) {
                0 => offset(random),
                _ => [0, 0],
            };
            program.tensors.push(Tensor { class, written, shift });
        }
    }
    for (class, count) in [
        (Class::Main, 2 + random.below(4)),
        (Class::Left, 1 + random.below(2)),
        (Class::Right, 1 + random.below(2)),
        (Class::Rows, 1),
        (Class::Columns, 1),
    ] {
        for _ in 0..count {
            let fragment = class == Class::Main && random.one_in(2);
            let element = match random.below(4) {
                0 => Element::F32,
                1 => Element::Bf16,
                _ if fragment => Element::F32,
                _ => element,
            };
            program.blocks.push(Block {
                class,
                element,
                fragment,
            });
        }
    }
    let least = 1 + random.below(3);
    program.shapes = shapes(random, &program, least);
    let mut body = Body {
        random,
        program: &program,
        least,
        defined: vec![false; program.blocks.len()],
        vars: Vec::new(),
        next_var: 0,
        next_id: 0,
        left: 0,
        depth: 0,
    };
    program.body = body.whole();
    calm(&mut program);
    program
}

/// A handful of shapes, at least `least` matrices each; one where the program has literal extents.
fn shapes(random: &mut Random, program: &Program, least: usize) -> Vec<Shape> {
    let (h, w, k) = program.block;
    let mut shape = |m, n, k| Shape {
        m,
        n,
        k,
        l: least + random.below(3),
        count: random.below(3),
        alpha: random.below(5) as i32 - 2,
        seed: random.below(1 << 30) as u64,
    };
    if program.literal {
        return vec![shape(2 * h, 2 * w, 2 * k)];
    }
    let mut shapes = vec![
        shape(2 * h, w, 3 * k),
        shape(h + 1, 2 * w - 3, k + 5),
        shape(7, 9, 2 * k),
    ];
    if random.one_in(8) && h * w <= 1024 {
        // Several blocks on a core.
        let seed = random.below(1 << 30) as u64;
        let (m, n) = (13 * h - 5, 11 * w);
        shapes.push(Shape {
            m,
            n,
            l: least,
            seed,
            ..shapes[0]
        });
    }
    shapes
}

/// A loop variable in scope.
#[derive(Clone, Copy)]
struct Var {
    number: usize,
    /// Whether it stays below L.
    selects: bool,
}

/// Makes statements that write every block before they read it.
struct Body<'g> {
    random: &'g mut Random,
    program: &'g Program,
    /// L is at least this.
    least: usize,
    /// Blocks that are written on every path to here.
    defined: Vec<bool>,
    vars: Vec<Var>,
    next_var: usize,
    next_id: u32,
    /// Statements to go.
    left: usize,
    depth: usize,
}

impl Body<'_> {
    fn whole(&mut self) -> Vec<Stmt> {
        self.left = 1 + self.random.below(3);
        let mut body = Vec::new();
        if self.random.one_in(3) {
            // In place: what an output held is read before anything is stored.
            let (tensor, index) = (self.tensor(Class::Main, true), self.index(Class::Main));
            let block = self.any(Class::Main);
            self.defined[block] = true;
            body.push(Stmt::Load { tensor, index, block });
        }
        while self.left > 0 {
            let stmts = self.simple(true);
            body.extend(stmts);
        }
        self.left = 4 + self.random.below(8);
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

    fn id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id
    }

    fn blocks(&self, fits: impl Fn(usize, &Block) -> bool) -> Vec<usize> {
        let all = self.program.blocks.iter().enumerate();
        all.filter(|(at, block)| fits(*at, block)).map(|(at, _)| at).collect()
    }

    /// A block of `class`.
    fn any(&mut self, class: Class) -> usize {
        let blocks = self.blocks(|_, block| block.class == class);
        self.random.pick(&blocks)
    }

    /// A block of `class` that has been written.
    fn readable(&mut self, class: Class) -> Option<usize> {
        let blocks = self.blocks(|at, block| block.class == class && self.defined[at]);
        (!blocks.is_empty()).then(|| self.random.pick(&blocks))
    }

    fn tensor(&mut self, class: Class, written: bool) -> usize {
        let tensors: Vec<usize> = (0..self.program.tensors.len())
            .filter(|at| self.program.tensors[*at].class == class && self.program.tensors[*at].written == written)
            .collect();
        self.random.pick(&tensors)
    }

    /// An index that selects a matrix, or a step along K.
    fn index(&mut self, class: Class) -> Index {
        let vars: Vec<usize> = self
            .vars
            .iter()
            .filter(|var| class != Class::Main || var.selects)
            .map(|var| var.number)
            .collect();
        if self.random.one_in(5) {
            Index::Fetched(self.entry())
        } else if vars.is_empty() || self.random.one_in(4) {
            Index::Number(self.random.below(if class == Class::Main { self.least } else { 2 }))
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

    /// Sums that grow round a loop and are read in it; their operands may be those of the turn before.
    fn sums(&mut self) -> Vec<Stmt> {
        let acc = self.any(Class::Main);
        let mut stmts = Vec::new();
        let mut fill = |body: &mut Self, block: usize| {
            let value = i32::from(body.random.one_in(3));
            body.defined[block] = true;
            stmts.push(Stmt::Fill { block, value });
        };
        fill(self, acc);
        let turned = self.random.one_in(3);
        if turned {
            for block in self.blocks(|block, _| block != acc) {
                fill(self, block);
            }
        }
        let mut repeat = self.repeat(Some(acc));
        if let Stmt::For { body, .. } = &mut repeat
            && turned
        {
            let by = self.random.below(body.len());
            body.rotate_left(by);
        }
        stmts.push(repeat);
        stmts
    }

    /// What becomes of an operand of a product between its load and the product.
    fn prepared(&mut self, load: Stmt, class: Class, block: usize, was_defined: bool) -> Vec<Stmt> {
        if was_defined && self.random.one_in(4) {
            let cond = self.condition(1);
            let (then, otherwise) = (vec![load], Vec::new());
            return vec![Stmt::If { cond, then, otherwise }];
        }
        let mut stmts = vec![load];
        if self.random.one_in(4) {
            let read = Box::new(Expr::Block(block, Access::Here));
            let value = match self.random.below(3) {
                0 => Expr::Unary("neg", read),
                1 => Expr::Binary("-", Box::new(Expr::Number(1)), read),
                _ => Expr::Unary("abs", read),
            };
            let assign = Assign {
                id: self.id(),
                target: Target::Block(block),
                op: "=",
                value,
            };
            let assigns = vec![assign];
            stmts.push(Stmt::Parallel { class, assigns });
        }
        stmts
    }

    /// A loop; over a product into `sums` where there are some.
    fn repeat(&mut self, sums: Option<usize>) -> Stmt {
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

    fn condition(&mut self, depth: usize) -> Condition {
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

    /// One statement, or a few that belong together.
    fn simple(&mut self, first: bool) -> Vec<Stmt> {
        self.left = self.left.saturating_sub(1);
        if self.random.one_in(5) {
            return self.vector(first);
        }
        let class = match self.random.below(12) {
            0 => Class::Left,
            1 => Class::Right,
            _ => Class::Main,
        };
        match self.random.below(if first { 5 } else { 16 }) {
            0..=2 if first || self.random.one_in(2) => self.load(class),
            3 | 4 if first || self.random.one_in(3) => {
                let block = self.any(class);
                self.defined[block] = true;
                let value = self.random.below(5) as i32 - 2;
                vec![Stmt::Fill { block, value }]
            }
            0..=3 => self.gemm(None),
            4 | 5 => self.store(false),
            6 => {
                let Some(from) = self.readable(class) else {
                    return self.load(class);
                };
                let to = self.any(class);
                if from == to {
                    return self.load(class);
                }
                self.defined[to] = true;
                vec![Stmt::Move { from, to }]
            }
            7 if matches!(class, Class::Main) => match self.line(class) {
                Some(line) => vec![line],
                None => vec![self.parallel(class)],
            },
            _ => vec![self.parallel(class)],
        }
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
        match self.readable(source) {
            Some(from) if !first && !self.random.one_in(4) => {
                let clear = !self.defined[to] || self.random.one_in(2);
                self.defined[to] = true;
                let fold = self.random.pick(&["sum", "sum", "max", "min", "absmax"]);
                let id = self.id();
                vec![Stmt::Reduce {
                    id,
                    fold,
                    from,
                    to,
                    clear,
                }]
            }
            _ if self.defined[to] && self.random.one_in(2) => vec![self.parallel(class)],
            _ => {
                self.defined[to] = true;
                let value = self.random.below(5) as i32 - 2;
                vec![Stmt::Fill { block: to, value }]
            }
        }
    }

    fn mask(&mut self) -> Mask {
        let mut terms = vec![(self.random.below(80) as i32 - 40, Term::Number(1))];
        for _ in 0..self.random.below(3) {
            let term = self.term();
            let times = match term {
                Term::M | Term::N => self.random.pick(&[1, -1]),
                _ => 32 * (self.random.below(5) as i32 - 2),
            };
            terms.push((times, term));
        }
        Mask {
            row: self.random.pick(&[0, 0, 1, 1, -1, 2]),
            column: self.random.pick(&[0, 1, 1, -1, -1, 3]),
            terms,
            rel: self.random.pick(&["<", "<", "<=", ">", ">=", "==", "!="]),
        }
    }

    fn load(&mut self, class: Class) -> Vec<Stmt> {
        let (tensor, index, block) = (self.tensor(class, false), self.index(class), self.any(class));
        self.defined[block] = true;
        vec![Stmt::Load { tensor, index, block }]
    }

    fn store(&mut self, last: bool) -> Vec<Stmt> {
        let Some(block) = self.readable(Class::Main) else {
            return if last {
                let mut stmts = self.load(Class::Main);
                stmts.extend(self.store(true));
                stmts
            } else {
                self.load(Class::Main)
            };
        };
        let (tensor, index) = (self.tensor(Class::Main, true), self.index(Class::Main));
        vec![Stmt::Store { block, tensor, index }]
    }

    /// A product with what it needs, into `sums` or any block.
    fn gemm(&mut self, sums: Option<usize>) -> Vec<Stmt> {
        let (h, w, k) = self.program.block;
        let square = h == w && w == k;
        let id = self.id();
        // Most often one that holds something: sums go on round the loop.
        let acc = match sums.or_else(|| self.readable(Class::Main)) {
            Some(acc) if sums.is_some() || !self.random.one_in(4) => acc,
            _ => self.any(Class::Main),
        };
        let mut stmts = Vec::new();
        let clear = if self.defined[acc] {
            sums.is_none() && self.random.one_in(8)
        } else if self.random.one_in(2) {
            stmts.push(Stmt::Fill { block: acc, value: 0 });
            false
        } else {
            true
        };
        let mut operand = |body: &mut Self, class: Class| {
            if square && body.random.one_in(5) {
                // A computed operand, small so that the sums are.
                let others = body.blocks(|at, block| block.class == Class::Main && at != acc);
                if let Some(from) = body.readable(Class::Main)
                    && !others.is_empty()
                {
                    let to = body.random.pick(&others);
                    let sign = Assign {
                        id: body.id(),
                        target: Target::Block(to),
                        op: "=",
                        value: Expr::Unary("sign", Box::new(Expr::Block(from, Access::Here))),
                    };
                    body.defined[to] = true;
                    stmts.push(Stmt::Parallel {
                        class: Class::Main,
                        assigns: vec![sign],
                    });
                    return to;
                }
            }
            match body.readable(class) {
                Some(block) if sums.is_none() && body.random.one_in(3) => block,
                _ => {
                    let (tensor, index, block) = (body.tensor(class, false), body.index(class), body.any(class));
                    let load = Stmt::Load { tensor, index, block };
                    let was_defined = std::mem::replace(&mut body.defined[block], true);
                    stmts.extend(body.prepared(load, class, block, was_defined));
                    block
                }
            }
        };
        let (a, b) = (operand(self, Class::Left), operand(self, Class::Right));
        self.defined[acc] = true;
        let transposed = if square {
            (self.random.one_in(6), self.random.one_in(6))
        } else {
            (false, false)
        };
        stmts.push(Stmt::Gemm {
            id,
            a,
            b,
            acc,
            transposed,
            clear,
        });
        // And they are read while they grow.
        match self.random.below(4) {
            0 => {
                let (tensor, index) = (self.tensor(Class::Main, true), self.index(Class::Main));
                stmts.push(Stmt::Store {
                    block: acc,
                    tensor,
                    index,
                });
            }
            1 => {
                let id = self.id();
                let to = self.any(Class::Main);
                self.defined[to] = true;
                let two = Expr::Number(2);
                stmts.push(Stmt::Parallel {
                    class: Class::Main,
                    assigns: vec![Assign {
                        id,
                        target: Target::Block(to),
                        op: "=",
                        value: Expr::Binary("-", Box::new(two), Box::new(Expr::Block(acc, Access::Here))),
                    }],
                });
            }
            _ => {}
        }
        stmts
    }

    fn parallel(&mut self, class: Class) -> Stmt {
        let count = if self.random.one_in(4) { 2 } else { 1 };
        let mut assigns = Vec::new();
        for _ in 0..count {
            let value = self.expression(class, 2);
            let reads = {
                let mut reads = false;
                value.walk(&mut |part| reads |= matches!(part, Expr::Block(..) | Expr::Tensor(..)));
                reads
            };
            let value = if reads {
                value
            } else {
                Expr::Binary("+", Box::new(self.leaf(class)), Box::new(value))
            };
            let target = if class == Class::Main && self.random.one_in(10) {
                Target::Tensor(self.tensor(class, true), self.index(class))
            } else {
                Target::Block(self.any(class))
            };
            let op = match target {
                Target::Block(block) if self.defined[block] && self.random.one_in(3) => {
                    self.random.pick(&["+=", "-=", "*="])
                }
                _ => "=",
            };
            if let Target::Block(block) = target {
                self.defined[block] = true;
            }
            let id = self.id();
            assigns.push(Assign { id, target, op, value });
        }
        Stmt::Parallel { class, assigns }
    }

    /// A row or column of a block.
    fn at(&mut self) -> At {
        match (self.random.below(6), self.vars.last()) {
            (0, _) => At::FIRST,
            (1 | 2, Some(var)) => At::Var(var.number),
            (3, _) => At::Scalar,
            _ => At::Number(self.random.below(64)),
        }
    }

    /// A store to one row or column of a block, of what is read in it, and of what is the same for all of it.
    fn line(&mut self, class: Class) -> Option<Stmt> {
        let block = self.readable(class)?;
        let (at, other, from) = (self.at(), self.at(), self.readable(class)?);
        let is_row = self.random.one_in(2);
        let (target, access) = match is_row {
            true => (Target::Row(block, at), Access::Row(other)),
            false => (Target::Column(block, at), Access::Column(other)),
        };
        let one = Expr::Block(from, Access::One(self.at(), self.at()));
        let read = Expr::Block(from, access);
        let value = match self.random.below(3) {
            0 => read,
            1 => Expr::Binary("-", Box::new(read), Box::new(one)),
            _ => Expr::Binary("max", Box::new(read), Box::new(Expr::Alpha)),
        };
        let op = self.random.pick(&["=", "=", "+=", "-="]);
        let id = self.id();
        let assigns = vec![Assign { id, target, op, value }];
        Some(Stmt::Parallel { class, assigns })
    }

    /// A read of a block, or of a tensor.
    fn leaf(&mut self, class: Class) -> Expr {
        let direct = class == Class::Main && self.random.one_in(10);
        if class == Class::Main && self.random.one_in(6) {
            let (of, access) = self.random.pick(&[
                (Class::Rows, Access::Column(At::FIRST)),
                (Class::Columns, Access::Row(At::FIRST)),
            ]);
            if let Some(block) = self.readable(of) {
                return Expr::Block(block, access);
            }
        }
        match self.readable(class) {
            Some(block) if !direct => {
                let (rows, columns) = self.program.extent(class);
                let access = match self.random.below(30) {
                    0 | 1 => Access::Row(self.at()),
                    2 | 3 => Access::Column(self.at()),
                    4 => Access::One(self.at(), self.at()),
                    5 if columns >= rows => Access::RowDown(self.at()),
                    6 if rows >= columns => Access::ColumnAlong(self.at()),
                    // Past the edge of a tensor, the transposed element has no value.
                    7 if self.program.literal && rows == columns => Access::Transposed,
                    _ => Access::Here,
                };
                Expr::Block(block, access)
            }
            _ if class == Class::Main => {
                let offset = match self.random.below(3) {
                    0 => offset(self.random),
                    _ => [0, 0],
                };
                Expr::Tensor(self.tensor(class, false), self.index(class), offset)
            }
            _ => Expr::Number(1),
        }
    }

    fn expression(&mut self, class: Class, depth: usize) -> Expr {
        if depth == 0 || self.random.one_in(5) {
            return match self.random.below(8) {
                0 => Expr::Number(self.random.below(5) as i32 - 2),
                1 => Expr::Alpha,
                _ => self.leaf(class),
            };
        }
        let part = |body: &mut Self| Box::new(body.expression(class, depth - 1));
        match self.random.below(10) {
            0 | 1 => {
                let name = self.random.pick(&["neg", "abs", "relu", "sign", "neg"]);
                Expr::Unary(name, Box::new(self.leaf(class)))
            }
            2 => Expr::Clamp(part(self), 1 + self.random.below(4) as i32),
            4 => {
                let mask = self.mask();
                let parts = [0, 1].map(|_| self.expression(class, depth - 1));
                Expr::Masked(mask, Box::new(parts))
            }
            3 if depth > 1 => {
                let rel = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let parts = [0, 1, 2, 3].map(|_| self.expression(class, 0));
                Expr::Select(rel, Box::new(parts))
            }
            _ => {
                let name = self.random.pick(&["+", "-", "+", "-", "*", "min", "max"]);
                let a = part(self);
                Expr::Binary(name, a, part(self))
            }
        }
    }
}

/// A few rows up or down, and columns to either side.
fn offset(random: &mut Random) -> [i32; 2] {
    [random.below(5) as i32 - 2, random.below(41) as i32 - 20]
}
