//! The source text of a program's kernel.

use super::program::{
    Access, Assign, At, Class, Condition, Count, Entry, Expr, Index, Kind, LoopKind, Part, Program, Role, Shape, Side,
    Stage, Stmt, Sum, TABLE, TIMES, Target, Term,
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
        parallel: false,
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
    /// Inside `T.Parallel`, where integers of the table have names.
    parallel: bool,
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
            let extents = match block.is_vector {
                true => (rows * columns).to_string(),
                false => format!("{rows}, {columns}"),
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

    fn fetched(&self, entry: Entry) -> String {
        let entry = match entry {
            Entry::Number(number) => number.to_string(),
            Entry::Var(var) => format!("k{var}"),
            Entry::Row => "by".into(),
        };
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

    /// A place of a tensor, behind the index that selects a matrix: a block's own, and `down` and `along` behind it.
    fn region(&self, tensor: usize, index: Index, down: &str, along: &str) -> String {
        let index = self.index(index);
        let (h, w, k) = self.stage.block;
        let name = self.program.name(tensor);
        match self.program.tensors[tensor].class {
            Class::Main => format!("{name}[({index}, by * {h}{down}, bx * {w}{along})]"),
            Class::Left => format!("{name}[(by * {h}{down}, {index} * {k}{along})]"),
            Class::Right => format!("{name}[({index} * {k}{down}, bx * {w}{along})]"),
            Class::Rows | Class::Columns | Class::One | Class::Tile => unreachable!("tensors are matrices"),
        }
    }

    fn element(&self, tensor: usize, index: Index, offset: [i32; 2]) -> String {
        let [down, along] = [0, 1].map(|axis| format!(" + {}{}", self.place[axis], more(offset[axis])));
        self.region(tensor, index, &down, &along)
    }

    fn side(&self, side: Side, other: Side, class: Class) -> String {
        match side {
            Side::Block(part) => self.part(part, self.stage.extent(class)),
            Side::Tensor(tensor, index, at) => {
                let of = &self.program.tensors[tensor];
                let at = self.stage.offset_in(of.class, at, self.stage.extent(class));
                let [mut down, along] = [0, 1].map(|axis| more(of.shift[axis] + at[axis] as i32));
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

    /// A block or part of one, as an operand.
    fn part(&self, part: Part, extent: (usize, usize)) -> String {
        let Part { block, at } = part;
        if self.stage.extent_of(block) == extent {
            return format!("b{block}");
        }
        let [row, column] = self.stage.offset(block, at, extent);
        let (rows, columns) = (row + extent.0, column + extent.1);
        format!("b{block}[({row}..{rows}, {column}..{columns})]")
    }

    /// An element of a block.
    fn of_block(&self, block: usize, row: &str, column: &str) -> String {
        let of = &self.stage.blocks[block];
        match (of.is_vector, of.class) {
            (false, _) => format!("b{block}[({row}, {column})]"),
            (true, Class::Columns) => format!("b{block}[{column}]"),
            (true, _) => format!("b{block}[{row}]"),
        }
    }

    fn here(&self, block: usize, at: [usize; 2], class: Class) -> String {
        let at = self.stage.offset(block, at, self.stage.extent(class));
        let [row, column] = [0, 1].map(|axis| format!("{}{}", self.place[axis], more(at[axis] as i32)));
        self.of_block(block, &row, &column)
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
                let count = match count {
                    Count::Number(number) => number.to_string(),
                    Count::Matrices => self.literal_or("L", |shape| shape.l),
                    Count::Steps => self.steps("K", |shape| shape.k, self.stage.block.2),
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
        for entry in entries(assigns) {
            let read = self.fetched(entry);
            self.parallel = true;
            let name = self.fetched(entry);
            self.parallel = false;
            self.line(format_args!("let {name} = {read};"))?;
        }
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
        (self.parallel, self.place) = match only {
            None => (true, ["i", "j"]),
            Some(0) => (true, ["i", "0"]),
            Some(_) => (true, ["0", "j"]),
        };
        self.line(format_args!("for {head} {{"))?;
        self.depth += 1;
        for Assign { target, op, value, .. } in assigns {
            let target = match *target {
                Target::Block(Part { block, at }) => self.here(block, at, class),
                Target::Row(block, at) => self.of_block(block, &self.at(at, rows), "j"),
                Target::Column(block, at) => self.of_block(block, "i", &self.at(at, columns)),
                Target::Tensor(tensor, index) => self.element(tensor, index, self.program.tensors[tensor].shift),
            };
            let value = self.expression(class, value);
            self.line(format_args!("{target} {op} {value};"))?;
        }
        self.depth -= 1;
        (self.parallel, self.place) = (false, ["i", "j"]);
        self.line(format_args!("}}"))
    }

    fn term(&self, term: Term) -> String {
        match term {
            Term::Number(number) => number.to_string(),
            Term::Row => "by".into(),
            Term::Column => "bx".into(),
            Term::Var(var) => format!("k{var}"),
            Term::Rest(var, divisor) => format!("k{var} % {divisor}"),
            Term::M => self.literal_or("M", |shape| shape.m),
            Term::N => self.literal_or("N", |shape| shape.n),
            Term::L => self.literal_or("L", |shape| shape.l),
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

    fn access(&self, class: Class, block: usize, access: Access) -> String {
        let (rows, columns) = self.stage.extent_of(block);
        let [i, j] = self.place;
        if self.stage.blocks[block].is_vector {
            // It has no orientation.
            let place = match access {
                Access::Here(_) if self.stage.blocks[block].class == Class::Columns => j.to_owned(),
                Access::Here(_) | Access::Column(_) | Access::RowDown(_) => i.to_owned(),
                Access::Row(_) | Access::ColumnAlong(_) => j.to_owned(),
                Access::Transposed => unreachable!("vectors are not transposed"),
                Access::One(at, _) => self.at(at, rows * columns),
            };
            return format!("b{block}[{place}]");
        }
        match access {
            Access::Here(at) => self.here(block, at, class),
            Access::Transposed => self.of_block(block, j, i),
            Access::Row(at) => self.of_block(block, &self.at(at, rows), j),
            Access::Column(at) => self.of_block(block, i, &self.at(at, columns)),
            Access::One(row, column) => self.of_block(block, &self.at(row, rows), &self.at(column, columns)),
            Access::RowDown(at) => self.of_block(block, &self.at(at, rows), i),
            Access::ColumnAlong(at) => self.of_block(block, j, &self.at(at, columns)),
        }
    }

    fn expression(&self, class: Class, expr: &Expr) -> String {
        let text = |part: &Expr| self.expression(class, part);
        match expr {
            Expr::Block(block, access) => self.access(class, *block, *access),
            Expr::Tensor(tensor, index, offset) => self.element(*tensor, *index, *offset),
            Expr::Number(number) if *number < 0 => format!("({number}.0)"),
            Expr::Number(number) => format!("{number}.0"),
            Expr::Whole(number) if *number < 0 => format!("({number})"),
            Expr::Whole(number) => number.to_string(),
            Expr::Alpha => "alpha".into(),
            Expr::Sum(sum) => {
                let [left, right] = self.sum(sum);
                format!("({left} - ({right}))")
            }
            Expr::Cast(element, a) => format!("({} as {element})", text(a)),
            Expr::Unary("neg", a) => format!("(-{})", text(a)),
            Expr::Unary("not", a) => format!("(!{})", text(a)),
            Expr::Unary("bits", a) => format!("{}.abs().to_bits()", text(a)),
            Expr::Unary(name, a) => format!("{}.{name}()", text(a)),
            Expr::Binary(name @ ("min" | "max"), a, b) => format!("{}.{name}({})", text(a), text(b)),
            Expr::Binary(name, a, b) => format!("({} {name} {})", text(a), text(b)),
            Expr::Clamp(a, limit) => match self.program.kind(self.stage, a) {
                Kind::Number => format!("{}.clamp(-{limit}.0, {limit}.0)", text(a)),
                Kind::Integer | Kind::Byte => format!("{}.clamp(-{limit}, {limit})", text(a)),
            },
            Expr::Masked(sum, rel, parts) => {
                let [left, right] = self.sum(sum);
                let [a, b] = [0, 1].map(|part| text(&parts[part]));
                format!("(if {left} {rel} {right} {{ {a} }} else {{ {b} }})")
            }
            Expr::Select(rel, parts) => {
                let [a, b, c, d] = [0, 1, 2, 3].map(|part| text(&parts[part]));
                format!("(if {a} {rel} {b} {{ {c} }} else {{ {d} }})")
            }
        }
    }

    /// What is added, and what is taken from it.
    fn sum(&self, sum: &Sum) -> [String; 2] {
        let [i, j] = self.place.map(str::to_owned);
        let terms = sum
            .terms
            .iter()
            .map(|(times, term)| (*times, format!("({})", self.term(*term))));
        let mut sides = [Vec::new(), Vec::new()];
        for (times, name) in [(sum.row, i), (sum.column, j)].into_iter().chain(terms) {
            match times {
                0 => {}
                1.. => sides[0].push(format!("{times} * {name}")),
                _ => sides[1].push(format!("{} * {name}", -times)),
            }
        }
        sides.map(|side| if side.is_empty() { "0".into() } else { side.join(" + ") })
    }
}

/// Extents, or those of the transpose.
pub fn turned((rows, columns): (usize, usize), is_turned: bool) -> (usize, usize) {
    if is_turned { (columns, rows) } else { (rows, columns) }
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
            Expr::Masked(sum, ..) | Expr::Sum(sum) => {
                for (_, term) in &sum.terms {
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
