//! What the writer tells of a block, as DPRINT and ASSERT of the device.
//!
//! Every line begins with the block of the grid. An assertion that does not hold says so, and then stops the core where somebody
//! watches it: on the emulator always, on a device under the watcher.
//!
//! ```text
//!  print line ("k", integer k)   ⟹   DPRINT("block ({}, {}): k {}\n", bx, by, k);
//!  assert k > 0 as "k > 0"       ⟹   when !(k > 0) { DPRINT(".. assertion failed: k > 0\n", ..); ASSERT(false); }
//! ```

use super::{Lines, op, value};
use crate::device::function::{
    AS_NUMBER, ASSERT, DPRINT, GET_READ_PTR, PRINT_BLOCK_ELEMENT, PRINT_ELEMENT, STATIC_CAST,
};
use crate::device::{
    Call, Calls, CppType, Expr, Leaf, Operator, Symbol, Template, call, call_with, line, scope, tiles, when,
};
use crate::flow::{Buffer, Index, Inspection, Printed, PrintedBlock, PrintedElement};
use crate::ir::Stmt;
use tt_lang::ir::{BoolExpr, IntExpr, Kernel};
use tt_plan::Number;

/// What `inspection` becomes.
pub(super) fn lowered(kernel: &Kernel, buffers: &[Buffer], inspection: &Inspection) -> Lines {
    let block = Line::of_block(kernel);
    match inspection {
        Inspection::Line(parts) => {
            let mut told = block;
            for part in parts {
                told.format.push(' ');
                told.part(part);
            }
            vec![told.ended()]
        }
        Inspection::Block(printed) => elements(&buffers[printed.buffer.0], &block, printed),
        Inspection::Assertion { cond, text } => {
            let mut told = block;
            told.text(" assertion failed: ");
            told.text(text);
            let fails = Expr::Value(Symbol::WideCondition(BoolExpr::Not(Box::new(cond.clone()))));
            let stop = line(call(&ASSERT, [Expr::Bool(false)]));
            vec![when(fails, vec![told.ended(), stop], Vec::new())]
        }
    }
}

/// A line to be printed: a format as `std::format` has it, and what it takes.
#[derive(Clone)]
struct Line {
    format: String,
    args: Vec<Expr<Symbol>>,
}

impl Line {
    /// Which block of the grid it is of.
    fn of_block(kernel: &Kernel) -> Line {
        let axes = &kernel.grid.axes;
        let places: Vec<&str> = axes.iter().map(|_| "{}").collect();
        Line {
            format: format!("block ({}):", places.join(", ")),
            args: axes.iter().map(|(var, _)| Expr::user(&IntExpr::Var(*var))).collect(),
        }
    }

    fn text(&mut self, text: &str) {
        self.format += &text.replace('{', "{{").replace('}', "}}");
    }

    fn value(&mut self, value: Expr<Symbol>) {
        self.format += "{}";
        self.args.push(value);
    }

    fn part(&mut self, part: &Printed) {
        match part {
            Printed::Text(text) => self.text(text),
            Printed::Integer(IntExpr::Const(value)) => self.text(&value.to_string()),
            Printed::Integer(
                value @ (IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_)),
            ) => self.value(Expr::user(value)),
            // What is computed may have another type of 32 bits, of which DPRINT knows one.
            Printed::Integer(computed @ IntExpr::Binary(..)) => self.value(Expr::Call(Box::new(Call {
                function: &STATIC_CAST,
                template: "int32_t".into(),
                args: vec![Expr::user(computed)],
            }))),
            Printed::Number(Number::Bits(bits)) => self.text(&f32::from_bits(*bits).to_string()),
            Printed::Computed(number) => self.value(Expr::Value(Symbol::Computed(number.clone()))),
            Printed::Number(number) => self.value(value(&AS_NUMBER, [Expr::Value(Symbol::Number(number.clone()))])),
        }
    }

    fn printed(self) -> Stmt<Calls<Symbol>> {
        let format = [Expr::Text(self.format)];
        line(call(&DPRINT, format.into_iter().chain(self.args)))
    }

    fn ended(mut self) -> Stmt<Calls<Symbol>> {
        self.format.push('\n');
        self.printed()
    }
}

/// A line for each row of a block; one for a vector.
fn elements(buffer: &Buffer, block: &Line, printed: &PrintedBlock) -> Lines {
    let [rows, columns] = printed.extent.map(|extent| u32::try_from(extent).unwrap_or(u32::MAX));
    let src = line(Leaf::Let {
        kind: CppType::Word,
        name: "src".into(),
        value: value(&GET_READ_PTR, [Expr::Buffer(printed.buffer)]),
    });
    let end = || line(call(&DPRINT, [Expr::Text("\n".to_string())]));
    let mut head = block.clone();
    head.text(&format!(" {}", printed.name));
    let mut out = vec![src];
    if printed.is_vector {
        let place = match columns {
            1 => [Expr::name("row"), Expr::Int(0)],
            _ => [Expr::Int(0), Expr::name("column")],
        };
        let name = if columns == 1 { "row" } else { "column" };
        out.push(head.printed());
        out.push(tiles(name, rows.max(columns), 1, element(buffer, printed, place)));
        out.push(end());
    } else {
        head.text("[");
        head.value(Expr::name("row"));
        head.text("]");
        let place = [Expr::name("row"), Expr::name("column")];
        let of_row = tiles("column", columns, 1, element(buffer, printed, place));
        out.push(tiles("row", rows, 1, vec![head.printed(), of_row, end()]));
    }
    vec![scope(out)]
}

/// The element at a row and column, or that there is none.
fn element(buffer: &Buffer, printed: &PrintedBlock, [row, column]: [Expr<Symbol>; 2]) -> Lines {
    let of_index = |index: &Index| {
        let steps = [(&row, index.row), (&column, index.column)]
            .map(|(at, step)| op(Operator::Mul, at.clone(), Expr::Int(step)));
        let [down, along] = steps;
        op(
            Operator::Less,
            op(Operator::Add, op(Operator::Add, Expr::user(&index.rest), down), along),
            Expr::Int(0),
        )
    };
    let any = |any: &Vec<Index>| any.iter().map(of_index).reduce(|a, b| op(Operator::Or, a, b));
    let has_value = printed
        .has_value
        .iter()
        .filter_map(any)
        .reduce(|a, b| op(Operator::And, a, b));
    let tile_columns = Expr::Int(i64::from(buffer.tiles[1]));
    let (function, template) = match printed.element(buffer.format) {
        PrintedElement::BlockFloat { bits } => (&PRINT_BLOCK_ELEMENT, Template::from([i64::from(bits)])),
        PrintedElement::Word(word) => (&PRINT_ELEMENT, word.into()),
    };
    let element = line(call_with(
        function,
        template,
        [Expr::name("src"), tile_columns, row.clone(), column.clone()],
    ));
    match has_value {
        None => vec![element],
        Some(has_value) => {
            let none = line(call(&DPRINT, [Expr::Text(" -".to_string())]));
            vec![when(has_value, vec![element], vec![none])]
        }
    }
}
