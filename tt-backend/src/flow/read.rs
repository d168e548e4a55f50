//! Reads the text form of Flow IR that `print` prints.

use super::{
    Accumulate, Elementwise, Flow, FlowLoop, FlowOp, FlowStmt, Gemm, Makes, ProductSees, Section, Sights, Step, Value,
    ValueKind,
};
use crate::ir::Kind;
use crate::text::{Misread, Read, Reader, Registers};
use tt_lang::ir::{Kernel, LoopKind};

/// The flow in `text`, whose first line is `line` of its file, over the names of `kernel`, to which the variables of loops
/// are added.
///
/// # Errors
/// The first word that cannot stand where it stands.
pub fn flow(kernel: &mut Kernel, text: &str, line: u32) -> Result<Flow, Misread> {
    let mut reader = Reader::new(kernel, text, line);
    reader.sights = Some(Sights::default());
    reader.table()?;
    reader.expect("body")?;
    let body = reader.braced(statement)?;
    if !reader.is_at_end() {
        return reader.wanted("nothing more");
    }
    let Reader { buffers, sights, .. } = reader;
    let sights = sights.unwrap_or_default();
    Ok(Flow { buffers, sights, body })
}

fn statement(reader: &mut Reader) -> Read<FlowStmt> {
    let note = reader.span();
    let kind = if reader.peek_after(1) == "@" {
        Kind::Op(definition(reader)?)
    } else if reader.eat("read") {
        let buffer = reader.buffer()?;
        let defines = reader.defines()?;
        reader.expect("from")?;
        let region = reader.region()?;
        Kind::Op(FlowOp::Read {
            buffer,
            defines,
            region,
        })
    } else if reader.eat("write") {
        let buffer = reader.buffer()?;
        let sees = reader.sees()?;
        reader.expect("to")?;
        let region = reader.region()?;
        Kind::Op(FlowOp::Write { buffer, sees, region })
    } else if reader.eat("blank") {
        let buffer = reader.buffer()?;
        Kind::Op(FlowOp::Blank { buffer })
    } else if reader.eat("release") {
        let buffer = reader.buffer()?;
        Kind::Op(FlowOp::Release { buffer })
    } else if reader.eat("accumulate") {
        let buffer = reader.buffer()?;
        let fill = match reader.eat("from") {
            true => Some(reader.definition()?),
            false => None,
        };
        Kind::Group(Accumulate { buffer, fill }, reader.braced(statement)?)
    } else if reader.eat("for") {
        let var = reader.variable()?;
        reader.expect("in")?;
        let start = reader.int()?;
        reader.expect("..")?;
        let end = reader.int()?;
        let kind = if reader.eat(", unrolled") {
            LoopKind::Unroll
        } else if reader.eat(",") {
            let stages = reader.parse()?;
            reader.expect("stages")?;
            LoopKind::Pipelined(stages)
        } else {
            LoopKind::Serial
        };
        Kind::Loop(FlowLoop { var, start, end, kind }, reader.braced(statement)?)
    } else if reader.eat("if") {
        let cond = reader.condition()?;
        let (then, otherwise) = reader.branches(statement)?;
        Kind::If(cond, then, otherwise)
    } else if reader.peek() == "section" {
        Kind::Op(FlowOp::Section(section(reader)?))
    } else if reader.peek() == "%" {
        match reader.step()? {
            Registers::Product(matmul) => Kind::Op(FlowOp::Multiply(matmul)),
            Registers::Tile { .. } => return reader.wanted("a product before"),
        }
    } else {
        return reader.wanted("a statement");
    };
    Ok(FlowStmt { note, kind })
}

/// `y@d1[..] = ..` and `acc@d2 += a@d0 * b@d1 ..`
fn definition(reader: &mut Reader) -> Read<FlowOp> {
    let target = reader.buffer()?;
    let defines = reader.defines()?;
    if reader.eat("[") {
        let rows = reader.parse()?;
        reader.expect(",")?;
        let extent = [rows, reader.parse()?];
        reader.expect("] =")?;
        return Ok(FlowOp::Elementwise(Elementwise {
            target,
            defines,
            extent,
            value: value(reader)?,
        }));
    }
    let clear = reader.eat("=");
    if !clear {
        reader.expect("+=")?;
    }
    let a = reader.buffer()?;
    let sees_a = reader.sees()?;
    let transpose_a = reader.eat(". transposed");
    reader.expect("*")?;
    let b = reader.buffer()?;
    let sees_b = reader.sees()?;
    let transpose_b = reader.eat(". transposed");
    let acc = match reader.eat("after") {
        true => Some(reader.definitions()?),
        false => None,
    };
    reader.expect(", m")?;
    let m = reader.parse()?;
    reader.expect(", n")?;
    let n = reader.parse()?;
    reader.expect(", k")?;
    Ok(FlowOp::Gemm(Gemm {
        a,
        b,
        acc: target,
        defines,
        sees: ProductSees {
            a: sees_a,
            b: sees_b,
            acc,
        },
        m,
        n,
        k: reader.parse()?,
        transpose_a,
        transpose_b,
        clear,
    }))
}

fn section(reader: &mut Reader) -> Read<Section> {
    let (tiles, chunk, registers) = reader.section_head()?;
    let fill = match reader.eat(", from") {
        true => Some(reader.definition()?),
        false => None,
    };
    reader.expect("{")?;
    let mut steps = Vec::new();
    while reader.peek() != "pack" {
        steps.push(if reader.eat("control") {
            Step::Control(reader.braced(statement)?)
        } else {
            match reader.step()? {
                Registers::Tile { op, out, args } => Step::Tile { op, out, args },
                Registers::Product(matmul) => Step::Matmul(matmul),
            }
        });
    }
    let (result, pack, makes) = reader.pack(|reader| {
        if !reader.eat("@") {
            return Ok(Makes::Registers);
        }
        let defines = reader.definition()?;
        match reader.eat("of") {
            true => Ok(Makes::OfSums {
                sees: reader.definitions()?,
                defines,
            }),
            false => Ok(Makes::Definition(defines)),
        }
    })?;
    reader.expect("}")?;
    Ok(Section {
        tiles,
        chunk,
        registers,
        steps,
        result,
        pack,
        makes,
        fill,
    })
}

fn value(reader: &mut Reader) -> Read<Value> {
    let span = reader.span();
    let kind = if reader.eat("[") {
        let number = reader.number()?;
        reader.expect("]")?;
        ValueKind::Number(number)
    } else if reader.eat("(") {
        let (a, op, b) = (value(reader)?, reader.comparison()?, value(reader)?);
        reader.expect(")")?;
        ValueKind::Compare(op, Box::new(a), Box::new(b))
    } else if reader.eat("accumulator") {
        ValueKind::Accumulator
    } else if reader.peek_after(1) == "(" {
        call(reader)?
    } else if let Some(operand) = reader.attempt(Reader::operand) {
        ValueKind::Load(operand)
    } else {
        ValueKind::Number(reader.number()?)
    };
    Ok(Value { kind, span })
}

fn call(reader: &mut Reader) -> Read<ValueKind> {
    if let Some(op) = reader.element_op() {
        return Ok(ValueKind::Call(op, reader.list("(", ")", value)?));
    }
    let name = reader.peek();
    if name == "nan" {
        return Ok(ValueKind::Number(reader.number()?));
    }
    if !["and", "or", "not", "select"].contains(&name) {
        return reader.wanted("an operation on elements");
    }
    reader.expect(name)?;
    let args = reader.list("(", ")", |reader| value(reader).map(Box::new))?;
    match (name, args.len()) {
        ("and", 2) | ("or", 2) | ("not", 1) | ("select", 3) => {}
        _ => return reader.wanted("as many operands as the operation takes before"),
    }
    let mut args = args.into_iter();
    let mut next = || args.next().map_or_else(|| reader.wanted("an operand before"), Ok);
    Ok(match name {
        "and" => ValueKind::And(next()?, next()?),
        "or" => ValueKind::Or(next()?, next()?),
        "not" => ValueKind::Not(next()?),
        _ => ValueKind::Select(next()?, next()?, next()?),
    })
}
