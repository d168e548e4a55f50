//! The source text of a program's kernel.

mod expression;
mod operand;

use super::program::{
    Assign, At, Atom, Axis, CUTS, Class, Grid, Kind, LoopKind, Part, Product, Program, Role, Shape, Shown, Side, Spare,
    Stage, Stmt, TABLE, Target, Term,
};
use super::uses::Use;
use std::cell::RefCell;
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
        table: "t",
        place: ["i", "j"],
        written: RefCell::default(),
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
    /// The name of what integers are read from.
    table: &'static str,
    /// The indices of a loop over elements.
    place: [&'static str; 2],
    /// What expressions need before them.
    written: RefCell<Written>,
    out: String,
    depth: usize,
}

/// Names and functions of expressions.
#[derive(Default)]
struct Written {
    names: usize,
    functions: Vec<String>,
    lets: Vec<String>,
    /// Inside a function: what it is given, with the types.
    given: Option<Vec<(&'static str, String)>>,
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

    fn extents(&self, tensor: usize) -> String {
        let of = &self.program.tensors[tensor];
        let extent = |axis| match (axis, of.class) {
            (Axis::Spare(_), _) => Spare::EXTENT.to_string(),
            (Axis::Matrix, _) => self.literal_or("L", |shape| shape.l),
            (Axis::Row, Class::Right) | (Axis::Column, Class::Left) => self.literal_or("K", |shape| shape.k),
            (Axis::Column, _) => self.literal_or("N", |shape| shape.n),
            (Axis::Row, _) => match of.layout.pace {
                1 => self.literal_or("M", |shape| shape.m),
                pace => format!("{{ {pace} * {} }}", self.literal_or("M", |shape| shape.m)),
            },
        };
        let all: Vec<String> = of.axes().into_iter().map(extent).collect();
        all.join(", ")
    }

    fn kernel(&mut self) -> fmt::Result {
        let program = self.program;
        let parameters = program.parameters();
        let of_operands = parameters.iter().any(|at| program.tensors[*at].class.is_operand());
        let generics = match (program.literal, of_operands) {
            (true, _) => "",
            (false, true) => "<const L: usize, const M: usize, const N: usize, const K: usize>",
            (false, false) => "<const L: usize, const M: usize, const N: usize>",
        };
        writeln!(self.out, "fn kernel{generics}(")?;
        for at in parameters {
            let tensor = &program.tensors[at];
            let reference = if tensor.role == Role::Output { "&mut " } else { "&" };
            let (name, element, extents) = (program.name(at), tensor.element, self.extents(at));
            let layout = match tensor.cut {
                0 => String::new(),
                cut => format!("#[layout({})] ", CUTS[cut]),
            };
            self.line(format_args!("{layout}{name}: {reference}Tensor<{element}, {extents}>,"))?;
        }
        self.line(format_args!("t: &Tensor<{}, {TABLE}>,", program.table.element))?;
        self.line(format_args!("alpha: f32,"))?;
        let signed = if program.is_signed { "i32" } else { "u32" };
        self.line(format_args!("n: {signed},"))?;
        writeln!(self.out, ") {{")?;
        let used = program.used();
        for (at, tensor) in program.tensors.iter().enumerate() {
            if used[at] && tensor.role == Role::Temporary {
                let (name, element, extents) = (program.name(at), tensor.element, self.extents(at));
                self.line(format_args!("let {name} = T.alloc_global::<{element}>({extents});"))?;
            }
        }
        if program.table.is_stored {
            self.stored_table()?;
        }
        for stage in &program.stages {
            self.stage = stage;
            if program.stages.len() == 1 && !program.table.is_stored {
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

    /// A stage that copies the integers of the table to a temporary, of which the others read them.
    fn stored_table(&mut self) -> fmt::Result {
        let element = self.program.table.element;
        self.line(format_args!("let g = T.alloc_global::<{element}>({TABLE});"))?;
        for line in [
            "{",
            &format!("    let b = T.Kernel({TABLE});"),
            &format!("    let one = T.alloc_fragment::<{element}>(1);"),
            "    T.fill(one, t[b]);",
            "    T.copy(one, g[b]);",
            "}",
        ] {
            self.line(format_args!("{line}"))?;
        }
        self.table = "g";
        Ok(())
    }

    /// The grid, and each block's own place in it.
    fn grid(&mut self) -> fmt::Result {
        let (h, w, _) = self.stage.block;
        let columns = self.steps("N", |shape| shape.n, w);
        let rows = self.steps("M", |shape| shape.m, h);
        let matrices = self.literal_or("L", |shape| shape.l);
        match self.stage.grid {
            Grid::Plain => self.line(format_args!("let (bx, by) = T.Kernel({columns}, {rows});")),
            Grid::Matrices => self.line(format_args!(
                "let (bx, by, bz) = T.Kernel({columns}, {rows}, {matrices});"
            )),
            Grid::Flat => {
                self.line(format_args!("let b = T.Kernel({columns} * {rows});"))?;
                self.line(format_args!("let by = b / {columns};"))?;
                self.line(format_args!("let bx = b % {columns};"))
            }
            Grid::Split => {
                self.line(format_args!(
                    "let (bx, pair, of_pair, bz) = T.Kernel({columns}, ({rows}).div_ceil(2), 2, {matrices});"
                ))?;
                self.line(format_args!("let by = pair * 2 + of_pair;"))
            }
        }
    }

    fn stage(&mut self) -> fmt::Result {
        let stage = self.stage;
        self.grid()?;
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
            Stmt::Copy {
                class, from, to, rows, ..
            } => {
                let source = self.side(*from, *to, *class, *rows);
                let target = self.side(*to, *from, *class, *rows);
                self.line(format_args!("T.copy({source}, {target});"))
            }
            Stmt::Transpose { class, from, to, .. } => {
                let (rows, columns) = self.stage.extent(*class);
                let (from, to) = (self.part(*from, (columns, rows)), self.part(*to, (rows, columns)));
                self.line(format_args!("T.transpose({from}, {to});"))
            }
            Stmt::Fill { class, to, value } => {
                let part = self.part(*to, self.stage.extent(*class));
                if *value == 0 {
                    return self.line(format_args!("T.clear({part});"));
                }
                let point = if self.stage.blocks[to.block].element.kind() == Kind::Number {
                    ".0"
                } else {
                    ""
                };
                self.line(format_args!("T.fill({part}, {value}{point});"))
            }
            Stmt::Parallel { class, assigns } => self.parallel(*class, assigns),
            Stmt::Gemm {
                a,
                b,
                acc,
                transposed,
                form: Product::Indexed,
                ..
            } => self.indexed(*a, *b, *acc, *transposed),
            Stmt::Gemm {
                a,
                b,
                acc,
                transposed,
                form,
                ..
            } => {
                let options = [
                    (transposed.0, "transpose_a"),
                    (transposed.1, "transpose_b"),
                    (*form == Product::Clears, "clear_accum"),
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
                let acc = self.part(*acc, self.stage.extent(Class::Main));
                self.line(format_args!("T.gemm({a}, {b}, {acc}{options});"))
            }
            Stmt::Reduce {
                fold,
                class,
                from,
                into,
                to,
                positions,
                clear,
                ..
            } => {
                let dim = match into {
                    Class::Rows => "1",
                    Class::One if self.stage.blocks[from.block].is_vector => "0",
                    Class::One => "(0, 1)",
                    _ => "0",
                };
                let from = self.part(*from, self.stage.extent(*class));
                let to = to.map_or("_".into(), |to| self.part(to, self.stage.extent(*into)));
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
            Stmt::Print(items) => {
                let item = |item: &Shown| match item {
                    Shown::Text(text) => format!("{text:?}"),
                    Shown::Integer(term) => self.term(*term),
                    Shown::Number(eighths) => format!("alpha + ({:?})", f64::from(*eighths) / 8.0),
                    Shown::Truth(cond) => self.condition(cond),
                    Shown::Block(block) => format!("b{block}"),
                };
                let items: Vec<String> = items.iter().map(item).collect();
                self.line(format_args!("T.print({});", items.join(", ")))
            }
            Stmt::Assert { cond, .. } => {
                let cond = self.condition(cond);
                self.line(format_args!("T.assert({cond});"))
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
                    LoopKind::SteppedBack(step) => format!("({start}..{count}).step_by({step}).rev()"),
                    LoopKind::Inclusive => format!("{start}..={count}"),
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

    /// A product as a loop over three indices.
    fn indexed(&mut self, a: Part, b: Part, acc: Part, transposed: (bool, bool)) -> fmt::Result {
        let (rows, depth) = self.stage.extent(Class::Left);
        let (_, columns) = self.stage.extent(Class::Right);
        let mut factor = |part: Part, [row, column]: [&'static str; 2], extent, is_turned: bool| {
            self.place = if is_turned { [column, row] } else { [row, column] };
            self.here(part, turned(extent, is_turned))
        };
        let a = factor(a, ["i", "k"], (rows, depth), transposed.0);
        let b = factor(b, ["k", "j"], (depth, columns), transposed.1);
        let acc = factor(acc, ["i", "j"], (rows, columns), false);
        self.line(format_args!(
            "for (i, j, k) in T.Parallel({rows}, {columns}, {depth}) {{"
        ))?;
        self.line(format_args!("    {acc} += {a} * {b};"))?;
        self.line(format_args!("}}"))
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
        let mut lines = Vec::new();
        for Assign { target, op, value, .. } in assigns {
            let target = match *target {
                Target::Block(part) => self.here(part, (rows, columns)),
                Target::Row(part, at) => self.of_block(part, &self.at(at, rows), "j"),
                Target::Column(part, at) => self.of_block(part, "i", &self.at(at, columns)),
                Target::Tensor(tensor, index) => self.element(tensor, index, self.program.tensors[tensor].shift),
            };
            let value = self.expression(class, value);
            lines.append(&mut self.written.borrow_mut().lets);
            lines.push(format!("{target} {op} {value};"));
        }
        let functions = std::mem::take(&mut self.written.borrow_mut().functions);
        for line in functions {
            self.line(format_args!("{line}"))?;
        }
        self.line(format_args!("for {head} {{"))?;
        for line in lines {
            self.line(format_args!("    {line}"))?;
        }
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
        Stmt::Copy { from, to, rows, .. } => {
            let at = [rows.unwrap_or(At::FIRST), At::FIRST];
            parts.push(Part { at, ..Part::whole(0) });
            for side in [from, to] {
                if let Side::Block(part) = side {
                    parts.push(*part);
                }
            }
        }
        Stmt::Transpose { from, to, .. } => parts.extend([from, to]),
        Stmt::Gemm { a, b, acc, .. } => parts.extend([a, b, acc]),
        Stmt::Reduce { from, to, .. } => parts.extend([from].into_iter().chain(to)),
        Stmt::Fill { to, .. } => parts.push(*to),
        Stmt::Print(_) | Stmt::Assert { .. } | Stmt::For { .. } | Stmt::If { .. } => {}
    }
    parts.iter_mut().for_each(|part| part.terms(&mut add));
    all
}
