//! Reads the text form of Flow IR that `print` prints.

use super::print::ALONG;
use super::{
    Accumulate, Around, BlockOp, Blocks, BufferId, DefinitionId, Elementwise, Fetch, FetchedInto, Flow, FlowLoop, Fold,
    Gemm, Makes, Pick, ProductSees, Reduction, Section, SectionOp, Sections, Shift, Sights, Value, ValueKind, Write,
};
use crate::ir::{Kind, Stage, Stmt};
use crate::text::{Misread, NEGATIVE, Read, Reader, Registers};
use tt_lang::ir::{BoolExpr, Kernel, LoopKind, Span};

/// A stage of Flow IR whose text form is read.
pub trait Parse: Stage<Loop = FlowLoop, Branch = BoolExpr, Note = Span> {
    /// An operation.
    #[doc(hidden)]
    fn op(reader: &mut Reader) -> Read<Self::Op>;
    /// A group with what stands in it, where one begins.
    #[doc(hidden)]
    fn group(reader: &mut Reader) -> Read<Option<Kind<Self>>>;
}

/// The flow in `text`, whose first line is `line` of its file, over the names of `kernel`, to which the variables of loops
/// are added.
///
/// # Errors
/// The first word that cannot stand where it stands.
pub fn flow<S: Parse>(kernel: &mut Kernel, text: &str, line: u32) -> Result<Flow<S>, Misread> {
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
    Ok(Flow {
        buffers: buffers.into(),
        sights,
        body,
    })
}

fn statement<S: Parse>(reader: &mut Reader) -> Read<Stmt<S>> {
    let note = reader.span();
    let kind = if reader.eat("for") {
        let var = reader.variable()?;
        reader.expect("in")?;
        let start = reader.int()?;
        reader.expect("..")?;
        let end = reader.int()?;
        let counts = FlowLoop::counts(&start, &end);
        let kind = if reader.eat(", unrolled") {
            LoopKind::Unroll
        } else if reader.peek() == "," && reader.peek_after(1) != "may" {
            reader.expect(",")?;
            let stages = reader.parse()?;
            reader.expect("stages")?;
            LoopKind::Pipelined(stages)
        } else {
            LoopKind::Serial
        };
        let head = FlowLoop {
            var,
            start,
            end,
            kind,
            runs: counts && !reader.eat(", may not run"),
        };
        Kind::Loop(head, reader.braced(statement)?)
    } else if reader.eat("if") {
        let cond = reader.condition()?;
        let (then, otherwise) = reader.branches(statement)?;
        Kind::If(cond, then, otherwise)
    } else if let Some(group) = S::group(reader)? {
        group
    } else {
        Kind::Op(S::op(reader)?)
    };
    Ok(Stmt { note, kind })
}

impl Parse for Blocks {
    fn op(reader: &mut Reader) -> Read<BlockOp> {
        if reader.peek_after(1) == "@" {
            definition(reader)
        } else if reader.eat("read") {
            read(reader).map(BlockOp::Read)
        } else if reader.eat("fetch") {
            fetch(reader).map(BlockOp::Fetch)
        } else if reader.eat("write") {
            write(reader).map(BlockOp::Write)
        } else if reader.eat("shift") {
            shifted(reader).map(BlockOp::Shift)
        } else if let Some(inspection) = reader.inspection()? {
            Ok(BlockOp::Inspect(inspection))
        } else {
            reader.wanted("a statement")
        }
    }

    fn group(_: &mut Reader) -> Read<Option<Kind<Blocks>>> {
        Ok(None)
    }
}

impl Parse for Sections {
    fn op(reader: &mut Reader) -> Read<SectionOp> {
        if reader.eat("read") {
            read(reader).map(SectionOp::Read)
        } else if reader.eat("write") {
            write(reader).map(SectionOp::Write)
        } else if reader.eat("shift") {
            shifted(reader).map(SectionOp::Shift)
        } else if let Some(inspection) = reader.inspection()? {
            Ok(SectionOp::Inspect(inspection))
        } else if reader.eat("fetch") {
            fetch(reader).map(SectionOp::Fetch)
        } else if reader.eat("blank") {
            reader.buffer().map(SectionOp::Blank)
        } else if reader.eat("release") {
            reader.buffer().map(SectionOp::Release)
        } else if reader.peek() == "%" {
            reader.step().map(|step| match step {
                Registers::Tile { op, out, args } => SectionOp::Tile { op, out, args },
                Registers::Product(matmul) => SectionOp::Matmul(matmul),
            })
        } else {
            reader.wanted("a statement")
        }
    }

    fn group(reader: &mut Reader) -> Read<Option<Kind<Sections>>> {
        let around = if reader.peek() == "section" {
            return section(reader).map(Some);
        } else if reader.eat("accumulate") {
            let buffer = reader.buffer()?;
            let fill = fill(reader, "from")?;
            Around::Accumulate(Accumulate { buffer, fill })
        } else if let Some((axis, tiles)) = reader.along()? {
            Around::Along { axis, tiles }
        } else if let Some(negative) = reader.unless()? {
            Around::Unless(negative)
        } else {
            return Ok(None);
        };
        Ok(Some(Kind::Group(around, reader.braced(statement)?)))
    }
}

/// `from d0`
fn fill(reader: &mut Reader, from: &str) -> Read<Option<DefinitionId>> {
    match reader.eat(from) {
        true => reader.definition().map(Some),
        false => Ok(None),
    }
}

/// `x@d0 from ..`
fn read(reader: &mut Reader) -> Read<super::Read> {
    let buffer = reader.buffer()?;
    let defines = reader.defines()?;
    reader.expect("from")?;
    Ok(super::Read {
        buffer,
        defines,
        region: reader.region()?,
        after: after(reader)?,
    })
}

/// ` after stored`
fn after(reader: &mut Reader) -> Read<Option<BufferId>> {
    match reader.eat("after") {
        true => reader.buffer().map(Some),
        false => Ok(None),
    }
}

/// `page = pages (b, t), reader into integers`
fn fetch(reader: &mut Reader) -> Read<Fetch> {
    let (var, tensor, indices) = reader.fetched()?;
    let mut into = FetchedInto::default();
    if reader.eat(", reader into") {
        into.reader = Some(reader.buffer()?);
    }
    if reader.eat(", writer into") {
        into.writer = Some(reader.buffer()?);
    }
    Ok(Fetch {
        var,
        tensor,
        indices,
        into,
    })
}

/// `y@d1 to .. where stored@d2`
fn write(reader: &mut Reader) -> Read<Write> {
    let buffer = reader.buffer()?;
    let sees = reader.sees()?;
    reader.expect("to")?;
    let region = reader.region()?;
    let stored = match reader.eat("where") {
        true => Some((reader.buffer()?, reader.sees()?)),
        false => None,
    };
    Ok(Write {
        buffer,
        sees,
        region,
        stored,
        after: after(reader)?,
    })
}

/// `y@d1 from x@d0 at (1, k) of 32 x 64 elements`
fn shifted(reader: &mut Reader) -> Read<Shift> {
    let buffer = reader.buffer()?;
    let defines = reader.defines()?;
    reader.expect("from")?;
    let from = reader.buffer()?;
    let sees = reader.sees()?;
    Ok(Shift {
        from,
        sees,
        buffer,
        defines,
        window: reader.window()?,
    })
}

/// `y@d1[..] = ..` and `acc@d2 += a@d0 * b@d1 ..`
fn definition(reader: &mut Reader) -> Read<BlockOp> {
    let target = reader.buffer()?;
    let defines = reader.defines()?;
    if reader.eat("[") {
        let rows = reader.parse()?;
        reader.expect(",")?;
        let extent = [rows, reader.parse()?];
        reader.expect("] =")?;
        return Ok(BlockOp::Elementwise(Elementwise {
            target,
            defines,
            extent,
            compound: reader.eat("compound"),
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
    let acc = match clear {
        true => None,
        false => {
            reader.expect("after")?;
            Some(reader.definitions()?)
        }
    };
    reader.expect(", m")?;
    let m = reader.parse()?;
    reader.expect(", n")?;
    let n = reader.parse()?;
    reader.expect(", k")?;
    Ok(BlockOp::Gemm(Gemm {
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
    }))
}

fn section(reader: &mut Reader) -> Read<Kind<Sections>> {
    let (tiles, chunk, registers) = reader.section_head()?;
    let fill = fill(reader, ", from")?;
    let in_last_turn = reader.eat(", in the last turn");
    let by_packer = match reader.eat(", last") {
        true => reader.parse()?,
        false => 0,
    };
    if by_packer > 0 {
        reader.expect("by the packer")?;
    }
    reader.expect("{")?;
    let mut body = Vec::new();
    while reader.peek() != "pack" {
        body.push(statement(reader)?);
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
    let section = Section {
        tiles,
        chunk,
        registers,
        result,
        pack,
        makes,
        fill,
        in_last_turn,
        by_packer,
    };
    Ok(Kind::Group(Around::Section(section), body))
}

/// `(sum, rows of [64, 128], x@d0)`
fn reduce(reader: &mut Reader) -> Read<ValueKind> {
    reader.expect("(")?;
    let Some(fold) = Fold::ALL.into_iter().find(|fold| reader.eat(fold.name())) else {
        return reader.wanted("how elements are folded");
    };
    reader.expect(",")?;
    let Some((_, along)) = ALONG.into_iter().find(|(name, _)| reader.eat(name)) else {
        return reader.wanted("what is folded");
    };
    reader.expect("of [")?;
    let rows = reader.parse()?;
    reader.expect(",")?;
    let extent = [rows, reader.parse()?];
    reader.expect("] ,")?;
    let of = Box::new(value(reader)?);
    reader.expect(")")?;
    Ok(ValueKind::Reduce(Reduction { fold, along, extent }, of))
}

/// `([k, _] of [64, 128], x@d0)`
fn pick(reader: &mut Reader) -> Read<ValueKind> {
    let mut at = |open: &str| {
        reader.expect(open)?;
        Ok(match reader.eat("_") {
            true => None,
            false => Some(reader.int()?),
        })
    };
    let at = [at("( [")?, at(",")?];
    reader.expect("] of [")?;
    let rows = reader.parse()?;
    reader.expect(",")?;
    let extent = [rows, reader.parse()?];
    reader.expect("] ,")?;
    let of = Box::new(value(reader)?);
    reader.expect(")")?;
    Ok(ValueKind::Pick(Pick { at, extent }, of))
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
    if reader.eat("index") {
        return reader.index().map(ValueKind::Index);
    }
    if reader.eat(NEGATIVE) {
        return reader.index().map(ValueKind::Negative);
    }
    if reader.eat("integer") {
        return reader.index().map(ValueKind::Integer);
    }
    if reader.eat("pick") {
        return pick(reader);
    }
    if reader.eat("reduce") {
        return reduce(reader);
    }
    if reader.eat("cast") {
        reader.expect("(")?;
        let to = reader.element_type()?;
        reader.expect(",")?;
        let of = Box::new(value(reader)?);
        reader.expect(")")?;
        return Ok(ValueKind::Cast(to, of));
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
