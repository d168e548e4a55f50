//! The source text of a program's kernel.

mod expression;
mod operand;

use super::program::{
    Assign, Atom, Class, Kind, LoopKind, Program, Role, Shape, Side, Stage, Stmt, TABLE, Target, Term,
};
use super::uses::Use;
use std::fmt::{self, Write};

/// The kernel's source.
pub fn source(program: &Program) -> String {
    let Some(first) = program.stages.first() else {
        return String::new();
    };
    let mut text = Text {
        program,
        stage: first,
        named: Vec::new(),
        place: ["i", "j"],
        out: String::new(),
        depth: 1,
    };
    // Writing to a String cannot fail.
    let _ = text.kernel();
    text.out
}

struct Text<'p> {
    program: &'p Program,
    stage: &'p Stage,
    /// Integers of the table that have names.
    named: Vec<Atom>,
    /// The indices of a loop over elements.
    place: [&'static str; 2],
    out: String,
    depth: usize,
}

impl Text<'_> {
    fn line(&mut self, text: fmt::Arguments<'_>) -> fmt::Result {
        writeln!(self.out, "{:1$}{text}", "", self.depth * 4)
    }

    /// The value in the source of an extent.
    fn literal_or(&self, name: &str, value: impl Fn(&Shape) -> usize) -> String {
        match self.program.shapes.first() {
            Some(shape) if self.program.literal => value(shape).to_string(),
            _ => name.to_string(),
        }
    }

    /// An extent's number of blocks.
    fn steps(&self, name: &str, value: impl Fn(&Shape) -> usize, size: usize) -> String {
        match self.program.literal {
            true => self.literal_or(name, |shape| value(shape).div_ceil(size)),
            false => format!("{name}.div_ceil({size})"),
        }
    }

    fn extents(&self, class: Class) -> String {
        let [m, n, k, l] = [
            self.literal_or("M", |shape| shape.m),
            self.literal_or("N", |shape| shape.n),
            self.literal_or("K", |shape| shape.k),
            self.literal_or("L", |shape| shape.l),
        ];
        match class {
            Class::Main => format!("{l}, {m}, {n}"),
            Class::Left => format!("{m}, {k}"),
            Class::Right => format!("{k}, {n}"),
            Class::Rows | Class::Columns | Class::One | Class::Tile => unreachable!("tensors are matrices"),
        }
    }

    fn kernel(&mut self) -> fmt::Result {
        let program = self.program;
        let parameters = program.parameters();
        let of_operands = parameters.iter().any(|at| program.tensors[*at].class != Class::Main);
        let generics = match (program.literal, of_operands) {
            (true, _) => "",
            (false, true) => "<const L: usize, const M: usize, const N: usize, const K: usize>",
            (false, false) => "<const L: usize, const M: usize, const N: usize>",
        };
        writeln!(self.out, "fn kernel{generics}(")?;
        for at in parameters {
            let tensor = &program.tensors[at];
            let reference = if tensor.role == Role::Output { "&mut " } else { "&" };
            let (name, element, extents) = (program.name(at), tensor.element, self.extents(tensor.class));
            self.line(format_args!("{name}: {reference}Tensor<{element}, {extents}>,"))?;
        }
        self.line(format_args!("t: &Tensor<i32, {TABLE}>,"))?;
        self.line(format_args!("alpha: f32,"))?;
        self.line(format_args!("n: u32,"))?;
        writeln!(self.out, ") {{")?;
        let used = program.used();
        for (at, tensor) in program.tensors.iter().enumerate() {
            if used[at] && tensor.role == Role::Temporary {
                let (name, element, extents) = (program.name(at), tensor.element, self.extents(tensor.class));
                self.line(format_args!("let {name} = T.alloc_global::<{element}>({extents});"))?;
            }
        }
        for stage in &program.stages {
            self.stage = stage;
            if program.stages.len() == 1 {
                self.stage()?;
            } else {
                self.line(format_args!("{{"))?;
                self.depth += 1;
                self.stage()?;
                self.depth -= 1;
                self.line(format_args!("}}"))?;
            }
        }
        writeln!(self.out, "}}")
    }

    fn stage(&mut self) -> fmt::Result {
        let stage = self.stage;
        let (h, w, _) = stage.block;
        let columns = self.steps("N", |shape| shape.n, w);
        let rows = self.steps("M", |shape| shape.m, h);
        self.line(format_args!("let (bx, by) = T.Kernel({columns}, {rows});"))?;
        let mut used = vec![false; stage.blocks.len()];
        stage.all_uses(&mut |part| {
            if let Use::Read(block) | Use::Write(block, _) = part {
                used[block] = true;
            }
        });
        for (at, block) in stage.blocks.iter().enumerate().filter(|(at, _)| used[*at]) {
            let (rows, columns) = stage.extent(block.class);
            let place = if block.fragment { "fragment" } else { "shared" };
            let element = block.element;
            let extents = match (block.is_vector, block.stacked) {
                (true, _) => (rows * columns).to_string(),
                (false, 1) => format!("{rows}, {columns}"),
                (false, stacked) => format!("{stacked}, {rows}, {columns}"),
            };
            self.line(format_args!("let b{at} = T.alloc_{place}::<{element}>({extents});"))?;
        }
        self.statements(&stage.body)
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

    fn statement(&mut self, stmt: &Stmt) -> fmt::Result {
        let entries = entries(stmt);
        for entry in &entries {
            let (name, read) = (self.atom(*entry), self.fetched(*entry));
            self.line(format_args!("let t_{name} = {read};"))?;
        }
        self.named = entries;
        self.bare(stmt)?;
        self.named.clear();
        Ok(())
    }

    /// A statement, with names for the integers of the table that need them.
    fn bare(&mut self, stmt: &Stmt) -> fmt::Result {
        match stmt {
            Stmt::Copy { class, from, to, .. } => {
                let (source, target) = (self.side(*from, *to, *class), self.side(*to, *from, *class));
                self.line(format_args!("T.copy({source}, {target});"))
            }
            Stmt::Transpose { class, from, to, .. } => {
                let (rows, columns) = self.stage.extent(*class);
                let (from, to) = (self.part(*from, (columns, rows)), self.part(*to, (rows, columns)));
                self.line(format_args!("T.transpose({from}, {to});"))
            }
            Stmt::Fill { block, value: 0 } => self.line(format_args!("T.clear(b{block});")),
            Stmt::Fill { block, value } => {
                let point = if self.stage.blocks[*block].element.kind() == Kind::Number {
                    ".0"
                } else {
                    ""
                };
                self.line(format_args!("T.fill(b{block}, {value}{point});"))
            }
            Stmt::Parallel { class, assigns } => self.parallel(*class, assigns),
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
                let (a, b) = (
                    self.part(*a, turned(self.stage.extent(Class::Left), transposed.0)),
                    self.part(*b, turned(self.stage.extent(Class::Right), transposed.1)),
                );
                self.line(format_args!("T.gemm({a}, {b}, b{acc}{options});"))
            }
            Stmt::Reduce {
                fold,
                class,
                from,
                to,
                positions,
                clear,
                ..
            } => {
                let any = to.or(positions.map(|(to, _)| to));
                let dim = match any.map(|to| self.stage.blocks[to].class) {
                    Some(Class::Rows) => "1",
                    Some(Class::One) => "(0, 1)",
                    _ => "0",
                };
                let from = self.part(*from, self.stage.extent(*class));
                let to = to.map_or("_".into(), |to| format!("b{to}"));
                let (at, base) = match positions {
                    None => (String::new(), String::new()),
                    Some((at, Term::Number(0))) => (format!(", b{at}"), String::new()),
                    Some((at, base)) => (format!(", b{at}"), format!(", base = {}", self.term(*base))),
                };
                let clear = if *clear { "" } else { ", clear = false" };
                self.line(format_args!(
                    "T.reduce_{fold}({from}, {to}{at}, dim = {dim}{base}{clear});"
                ))
            }
            Stmt::For {
                var,
                start,
                count,
                kind,
                body,
            } => {
                let count = self.term(*count);
                let range = if *start == 0 {
                    count.clone()
                } else {
                    format!("{start}..{count}")
                };
                let iterator = match kind {
                    LoopKind::Range => format!("{start}..{count}"),
                    LoopKind::Reversed => format!("({start}..{count}).rev()"),
                    LoopKind::Stepped(step) => format!("({start}..{count}).step_by({step})"),
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

    fn parallel(&mut self, class: Class, assigns: &[Assign]) -> fmt::Result {
        let (rows, columns) = self.stage.extent(class);
        let mut over_vectors = false;
        for assign in assigns {
            let mut look = |block: usize| over_vectors |= self.stage.blocks[block].is_vector;
            if let Target::Block(part) = assign.target {
                look(part.block);
            }
        }
        let only = match (assigns.first().map(|assign| assign.target), class) {
            (Some(Target::Row(..)), _) => Some(1),
            (Some(Target::Column(..)), _) => Some(0),
            (_, Class::Rows) if over_vectors => Some(0),
            (_, Class::Columns) if over_vectors => Some(1),
            _ => None,
        };
        let head = match only {
            None => format!("(i, j) in T.Parallel({rows}, {columns})"),
            Some(0) => format!("i in T.Parallel({rows})"),
            Some(_) => format!("j in T.Parallel({columns})"),
        };
        self.place = match only {
            None => ["i", "j"],
            Some(0) => ["i", "0"],
            Some(_) => ["0", "j"],
        };
        self.line(format_args!("for {head} {{"))?;
        self.depth += 1;
        for Assign { target, op, value, .. } in assigns {
            let target = match *target {
                Target::Block(part) => self.here(part, class),
                Target::Row(part, at) => self.of_block(part, &self.at(at, rows), "j"),
                Target::Column(part, at) => self.of_block(part, "i", &self.at(at, columns)),
                Target::Tensor(tensor, index) => self.element(tensor, index, self.program.tensors[tensor].shift),
            };
            let value = self.expression(class, value);
            self.line(format_args!("{target} {op} {value};"))?;
        }
        self.depth -= 1;
        self.place = ["i", "j"];
        self.line(format_args!("}}"))
    }
}

/// Extents, or those of the transpose.
pub fn turned((rows, columns): (usize, usize), is_turned: bool) -> (usize, usize) {
    if is_turned { (columns, rows) } else { (rows, columns) }
}

/// The integers of the table that a statement names: those of assignments, and of ranges, which name them twice.
fn entries(stmt: &Stmt) -> Vec<Atom> {
    let mut all = Vec::new();
    let mut add = |term: &mut Term| {
        if let Term::Fetched(entry) = term
            && !all.contains(entry)
        {
            all.push(*entry);
        }
    };
    let mut parts = Vec::new();
    match stmt {
        Stmt::Parallel { .. } => stmt.clone().terms(&mut add),
        Stmt::Copy { from, to, .. } => {
            for side in [from, to] {
                if let Side::Block(part) = side {
                    parts.push(*part);
                }
            }
        }
        Stmt::Transpose { from, to, .. } => parts.extend([from, to]),
        Stmt::Gemm { a, b, .. } => parts.extend([a, b]),
        Stmt::Reduce { from, .. } => parts.push(*from),
        Stmt::Fill { .. } | Stmt::For { .. } | Stmt::If { .. } => {}
    }
    parts.iter_mut().for_each(|part| part.terms(&mut add));
    all
}
