//! Reads the text form of Device IR that `print` prints, at each of its stages.

use super::function::{FUNCTIONS, Function};
use super::{
    Accessor, Argument, Around, Bits, Branch, Call, Calls, Cause, Compute, ComputeOp, CppType, Expr, Leaf, Loop, Move,
    Moves, Operator, Origin, Program, Programs, Protocol, Scope, Section, Source, SourceBranch, SourceLoop, Symbol,
    Template, TemplateArg, Turn,
};
use crate::flow::{Buffer, BufferId, Constant, Fetch, FetchedInto};
use crate::ir::{Kind, Never, Stage, Stmt};
use crate::text::{Misread, Read, Reader, Registers};
use crate::tile_ops::SFPU_OPS;
use std::fmt::Debug;
use tt_lang::ir::{Kernel, ParamId};
use tt_plan::{CoreLine, InLine, NocAxis, Role, RuntimeValue};

/// Three programs before E1, with their buffers.
#[derive(Debug, Clone)]
pub struct Text<R: Parse, C: Parse, W: Parse> {
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// The accessors that reader, compute and writer name.
    pub accessors: [Vec<Accessor>; 3],
    /// The programs.
    pub programs: Programs<R, C, W>,
}

/// The programs in `text`, whose first line is `line` of its file, over the names of `kernel`, to which the variables of
/// loops are added. A program that is not there has no statements.
///
/// # Errors
/// The first word that cannot stand where it stands.
pub fn programs<R: Parse, C: Parse, W: Parse>(
    kernel: &mut Kernel,
    text: &str,
    line: u32,
) -> Result<Text<R, C, W>, Misread> {
    let mut reader = Reader::new(kernel, text, line);
    reader.table()?;
    let (reads, reader_accessors) = program(&mut reader, Role::Reader)?;
    let (computes, compute_accessors) = program(&mut reader, Role::Compute)?;
    let (writes, writer_accessors) = program(&mut reader, Role::Writer)?;
    if !reader.is_at_end() {
        return reader.wanted("nothing more");
    }
    Ok(Text {
        buffers: reader.buffers,
        accessors: [reader_accessors, compute_accessors, writer_accessors],
        programs: Programs {
            reader: reads,
            compute: computes,
            writer: writes,
        },
    })
}

fn program<S: Parse>(reader: &mut Reader, role: Role) -> Read<(Vec<Stmt<S>>, Vec<Accessor>)> {
    if !reader.eat(role.name()) {
        return Ok(Default::default());
    }
    reader.expect("{")?;
    let mut accessors = Vec::new();
    while reader.peek() == "accessor" {
        accessors.push(accessor(reader)?);
    }
    let mut body = Vec::new();
    while !reader.eat("}") {
        body.push(statement(reader)?);
    }
    Ok((body, accessors))
}

/// The programs after E1 in `text`, with their buffers; otherwise as [`programs`].
///
/// # Errors
/// As [`programs`].
pub fn device(kernel: &mut Kernel, text: &str, line: u32) -> Result<(Vec<Buffer>, [Program; 3]), Misread> {
    let mut reader = Reader::new(kernel, text, line);
    reader.table()?;
    let programs = [
        final_program(&mut reader, Role::Reader)?,
        final_program(&mut reader, Role::Compute)?,
        final_program(&mut reader, Role::Writer)?,
    ];
    if !reader.is_at_end() {
        return reader.wanted("nothing more");
    }
    Ok((reader.buffers, programs))
}

fn final_program(reader: &mut Reader, role: Role) -> Read<Program> {
    reader.expect(role.name())?;
    reader.expect("{")?;
    let mut program = Program {
        role,
        args: Vec::new(),
        accessors: Vec::new(),
        defines: Vec::new(),
        body: Vec::new(),
    };
    while !reader.eat("}") {
        if reader.eat("arg") {
            program.args.push(argument(reader)?);
        } else if reader.peek() == "accessor" && reader.peek_after(1) != "(" {
            program.accessors.push(accessor(reader)?);
        } else if reader.eat("define INP_FLOAT32 1") {
            program.defines.push(("INP_FLOAT32", "1"));
        } else {
            program.body.push(statement(reader)?);
        }
    }
    Ok(program)
}

fn accessor(reader: &mut Reader) -> Read<Accessor> {
    reader.expect("accessor")?;
    let name = reader.name()?.to_string();
    reader.expect("of")?;
    let tensor = reader.tensor()?;
    reader.expect("at")?;
    let address = reader.name()?.to_string();
    Ok(Accessor { tensor, name, address })
}

fn argument(reader: &mut Reader) -> Read<Argument> {
    let Some(kind) = CppType::ALL.iter().copied().find(|kind| reader.eat(kind.word())) else {
        return reader.wanted("a C++ type");
    };
    let name = reader.name()?.to_string();
    reader.expect("=")?;
    let value = if reader.eat("address of") {
        RuntimeValue::Address(reader.name()?.to_string())
    } else if reader.eat("first page of") {
        RuntimeValue::FirstPage(reader.name()?.to_string())
    } else if reader.eat("first block") {
        RuntimeValue::StartId
    } else if reader.eat("block count") {
        RuntimeValue::Count
    } else if reader.eat("block step") {
        RuntimeValue::Step
    } else if reader.eat("length of runs of blocks") {
        RuntimeValue::RunLength
    } else if reader.eat("pitch of runs of blocks") {
        RuntimeValue::RunPitch
    } else if let Some(line) = CoreLine::ALL
        .into_iter()
        .find(|line| reader.eat(&format!("place in {}", line.name())))
    {
        RuntimeValue::Place(line)
    } else if let Some(line) = CoreLine::ALL
        .into_iter()
        .find(|line| reader.eat(&format!("cores of {}", line.name())))
    {
        RuntimeValue::Cores(line)
    } else if let Some(line) = CoreLine::ALL
        .into_iter()
        .find(|line| reader.eat(&format!("rounds along {}", line.name())))
    {
        RuntimeValue::Every(line)
    } else if let Some(line) = CoreLine::ALL
        .into_iter()
        .find(|line| reader.eat(&format!("sender of {}", line.name())))
    {
        RuntimeValue::Sender(line)
    } else if let Some(noc) = noc(reader) {
        noc
    } else if reader.eat("bits of") {
        RuntimeValue::Number(reader.number()?)
    } else if reader.eat("flag of") {
        let (a, op, b) = (reader.number()?, reader.comparison()?, reader.number()?);
        RuntimeValue::Flag { op, a, b }
    } else {
        RuntimeValue::Formula(reader.formula()?)
    };
    Ok(Argument { kind, name, value })
}

/// `x of sender in row`
fn noc(reader: &mut Reader) -> Option<RuntimeValue> {
    for line in CoreLine::ALL {
        for core in InLine::ALL {
            for axis in NocAxis::ALL {
                if reader.eat(&format!("{} of {} in {}", axis.name(), core.name(), line.name())) {
                    return Some(RuntimeValue::Noc { line, core, axis });
                }
            }
        }
    }
    None
}

/// A stage whose text form is read.
pub trait Parse: Stage<Note = Source> {
    /// An operation.
    #[doc(hidden)]
    fn op(reader: &mut Reader) -> Read<Self::Op>;
    /// What a loop begins with.
    #[doc(hidden)]
    fn head(reader: &mut Reader) -> Read<Self::Loop>;
    /// What a branch begins with.
    #[doc(hidden)]
    fn branch(reader: &mut Reader) -> Read<Self::Branch>;
    /// What a group begins with.
    #[doc(hidden)]
    fn group(reader: &mut Reader) -> Read<Self::Group>;
}

fn statement<S: Parse>(reader: &mut Reader) -> Read<Stmt<S>> {
    let line = reader
        .peek()
        .strip_prefix("// line ")
        .and_then(|line| line.trim().parse().ok());
    let note = line.map(|line| reader.span_of_line(line));
    if note.is_some() {
        reader.skip();
    }
    let kind = match reader.peek() {
        "for" | "tiles" => Kind::Loop(S::head(reader)?, reader.braced(statement)?),
        "section" | "scope" | "bands" | "along" | "unless" => Kind::Group(S::group(reader)?, reader.braced(statement)?),
        "if" | "when" | "before" | "after" => {
            let branch = S::branch(reader)?;
            let (then, otherwise) = reader.branches(statement)?;
            Kind::If(branch, then, otherwise)
        }
        _ => Kind::Op(S::op(reader)?),
    };
    Ok(Stmt { note, kind })
}

impl Parse for Moves {
    fn op(reader: &mut Reader) -> Read<Move> {
        if reader.eat("read") {
            let buffer = reader.buffer()?;
            reader.expect("from")?;
            let region = reader.region()?;
            let line = CoreLine::ALL
                .into_iter()
                .find(|line| reader.eat(&format!("for the {}", line.name())));
            return Ok(Move::Read(buffer, region, line));
        }
        if reader.eat("write") {
            let buffer = reader.buffer()?;
            reader.expect("to")?;
            let region = reader.region()?;
            let stored = match reader.eat("where") {
                true => Some(reader.buffer()?),
                false => None,
            };
            return Ok(Move::Write(buffer, region, stored));
        }
        if reader.eat("shift") {
            let to = reader.buffer()?;
            reader.expect("from")?;
            let from = reader.buffer()?;
            let window = reader.window()?;
            return Ok(Move::Shift { from, to, window });
        }
        if let Some(inspection) = reader.inspection()? {
            return Ok(Move::Inspect(inspection));
        }
        if reader.eat("fetch") {
            let (var, tensor, indices) = reader.fetched()?;
            reader.expect("into")?;
            let fetch = Fetch {
                var,
                tensor,
                indices,
                into: FetchedInto::default(),
            };
            return Ok(Move::Fetch(reader.buffer()?, fetch));
        }
        for constant in Constant::ALL {
            if reader.eat(&format!("{} in", constant.name())) {
                return Ok(Move::Make(reader.buffer()?, constant));
            }
        }
        Ok(Move::Protocol(protocol(reader)?))
    }

    fn head(reader: &mut Reader) -> Read<SourceLoop> {
        source_loop(reader)
    }

    fn branch(reader: &mut Reader) -> Read<SourceBranch> {
        source_branch(reader)
    }

    fn group(reader: &mut Reader) -> Read<Never> {
        reader.wanted("a statement of reader or writer")
    }
}

/// What stands outside of registers.
pub trait ParsePlain: Debug + Clone + PartialEq {
    /// Reads it.
    #[doc(hidden)]
    fn plain(reader: &mut Reader) -> Read<Self>;
}

impl ParsePlain for Protocol {
    fn plain(reader: &mut Reader) -> Read<Protocol> {
        protocol(reader)
    }
}

impl ParsePlain for Leaf<Symbol> {
    fn plain(reader: &mut Reader) -> Read<Leaf<Symbol>> {
        leaf(reader)
    }
}

impl<P: ParsePlain> Parse for Compute<P> {
    fn op(reader: &mut Reader) -> Read<ComputeOp<P>> {
        if reader.eat("commit") {
            return Ok(ComputeOp::Commit);
        }
        if reader.peek() == "pack" {
            let (register, to, ()) = reader.pack(|_| Ok(()))?;
            return Ok(ComputeOp::Pack { register, to });
        }
        if reader.peek() == "%" {
            return Ok(match reader.step()? {
                Registers::Tile { op, out, args } => ComputeOp::Tile { op, out, args },
                Registers::Product(matmul) => ComputeOp::Matmul(matmul),
            });
        }
        P::plain(reader).map(ComputeOp::Plain)
    }

    fn head(reader: &mut Reader) -> Read<SourceLoop> {
        source_loop(reader)
    }

    fn branch(reader: &mut Reader) -> Read<SourceBranch> {
        source_branch(reader)
    }

    fn group(reader: &mut Reader) -> Read<Around> {
        if let Some((axis, tiles)) = reader.along()? {
            return Ok(Around::Along { axis, tiles });
        }
        if let Some(negative) = reader.unless()? {
            return Ok(Around::Unless(negative));
        }
        if reader.eat("bands") {
            let count = reader.parse()?;
            reader.expect("of")?;
            let rows = reader.parse()?;
            reader.expect("rows of tiles from")?;
            let first = reader.parse()?;
            return Ok(Around::Bands { first, rows, count });
        }
        let (tiles, chunk, registers) = reader.section_head()?;
        let first = match reader.eat(", from") {
            true => reader.by()?,
            false => [0, 0],
        };
        Ok(Around::Section(Section {
            first,
            tiles,
            chunk,
            registers,
        }))
    }
}

fn protocol(reader: &mut Reader) -> Read<Protocol> {
    if reader.eat("take") {
        let var = reader.fetched_variable()?;
        reader.expect("from")?;
        return Ok(Protocol::Take(var, reader.buffer()?));
    }
    let step: fn(BufferId) -> Protocol = match reader.peek() {
        "reserve" => Protocol::Reserve,
        "publish" => Protocol::Publish,
        "receive" => Protocol::Receive,
        "release" => Protocol::Release,
        _ => return reader.wanted("a statement"),
    };
    let is_publication = reader.peek() == "publish";
    reader.skip();
    if is_publication && reader.peek().starts_with(|first: char| first.is_ascii_digit()) {
        let rows = reader.parse()?;
        reader.expect("rows of")?;
        return Ok(Protocol::PublishRows(reader.buffer()?, rows));
    }
    Ok(step(reader.buffer()?))
}

fn origin(reader: &mut Reader) -> Read<Origin> {
    reader.expect("#")?;
    Ok(Origin(reader.parse()?))
}

fn source_loop(reader: &mut Reader) -> Read<SourceLoop> {
    if reader.eat("for every block") {
        return Ok(SourceLoop::Blocks);
    }
    reader.expect("for")?;
    let var = reader.variable()?;
    reader.expect("in")?;
    let start = reader.int()?;
    reader.expect("..")?;
    Ok(SourceLoop::Over {
        var,
        start,
        end: reader.int()?,
        unroll: reader.eat(", unrolled"),
        origin: origin(reader)?,
    })
}

/// The condition of a branch, and whose it is.
fn branch<C>(reader: &mut Reader, cond: impl FnOnce(&mut Reader) -> Read<C>) -> Read<(C, Cause)> {
    for turn in Turn::ALL {
        if reader.eat(&format!("{} :", turn.name())) {
            return Ok((cond(reader)?, Cause::Turn(turn)));
        }
    }
    if reader.eat("when") {
        return Ok((cond(reader)?, Cause::Compiler));
    }
    reader.expect("if")?;
    let cond = cond(reader)?;
    Ok((cond, Cause::User(origin(reader)?)))
}

fn source_branch(reader: &mut Reader) -> Read<SourceBranch> {
    let (cond, cause) = branch(reader, |reader| reader.condition())?;
    Ok(SourceBranch { cond, cause })
}

/// What expressions mention beside names.
pub trait ParseValue: Debug + Clone + PartialEq {
    /// Reads it, where it is one.
    #[doc(hidden)]
    fn value(reader: &mut Reader) -> Read<Option<Self>>;
}

impl ParseValue for Symbol {
    fn value(reader: &mut Reader) -> Read<Option<Symbol>> {
        let is_wide = reader.eat("wide [");
        if is_wide || reader.eat("[") {
            let int = |reader: &mut Reader| {
                let int = reader.int()?;
                reader.expect("]")?;
                Ok(if is_wide { Symbol::Wide(int) } else { Symbol::Int(int) })
            };
            if let Some(int) = reader.attempt(int) {
                return Ok(Some(int));
            }
            let condition = reader.condition()?;
            reader.expect("]")?;
            return Ok(Some(match is_wide {
                true => Symbol::WideCondition(condition),
                false => Symbol::Condition(condition),
            }));
        }
        if reader.eat("computed [") {
            let number = reader.number_expr()?;
            reader.expect("]")?;
            return Ok(Some(Symbol::Computed(number)));
        }
        if reader.eat("bits (") {
            let number = reader.number()?;
            reader.expect(")")?;
            return Ok(Some(Symbol::Number(number)));
        }
        if reader.eat("page (") {
            let tensor = reader.tensor()?;
            reader.expect(")")?;
            return Ok(Some(Symbol::FirstPage(tensor)));
        }
        let symbol: fn(ParamId, usize) -> Symbol = match (reader.peek(), reader.peek_after(1)) {
            ("tiles", "(") => Symbol::TensorTiles,
            ("extent", "(") => Symbol::TensorExtent,
            ("axis", "(") => Symbol::TensorAxis,
            _ => return Ok(None),
        };
        reader.skip();
        reader.expect("(")?;
        let tensor = reader.tensor()?;
        reader.expect(",")?;
        let axis = reader.parse()?;
        reader.expect(")")?;
        Ok(Some(symbol(tensor, axis)))
    }
}

impl ParseValue for Bits {
    fn value(reader: &mut Reader) -> Read<Option<Bits>> {
        if !reader.eat("bits (") {
            return Ok(None);
        }
        let Some(bits) = reader.literal() else {
            return reader.wanted("a number");
        };
        reader.expect(")")?;
        Ok(Some(Bits(bits)))
    }
}

impl<V: ParseValue> Parse for Calls<V> {
    fn op(reader: &mut Reader) -> Read<Leaf<V>> {
        leaf(reader)
    }

    fn head(reader: &mut Reader) -> Read<Loop<V>> {
        if reader.eat("for every block") {
            return Ok(Loop::over_blocks());
        }
        if reader.eat("tiles") {
            let name = reader.name()?.to_string();
            reader.expect("in 0 ..")?;
            let end = reader.parse()?;
            let step = if reader.eat("by") { reader.parse()? } else { 1 };
            return Ok(Loop::Tiles {
                name,
                end,
                step,
                in_parts: reader.eat(", in parts"),
            });
        }
        reader.expect("for")?;
        let var = reader.variable()?;
        reader.expect("in")?;
        let start = expr(reader)?;
        reader.expect("..")?;
        Ok(Loop::Over {
            var,
            start,
            end: expr(reader)?,
            unroll: reader.eat(", unrolled"),
            ahead: reader.eat(", ahead"),
            origin: origin(reader)?,
        })
    }

    fn branch(reader: &mut Reader) -> Read<Branch<V>> {
        let (cond, cause) = branch(reader, expr)?;
        Ok(Branch { cond, cause })
    }

    fn group(reader: &mut Reader) -> Read<Scope> {
        reader.expect("scope")?;
        Ok(Scope)
    }
}

fn leaf<V: ParseValue>(reader: &mut Reader) -> Read<Leaf<V>> {
    if let Some(kind) = CppType::ALL.iter().copied().find(|kind| reader.eat(kind.declared())) {
        let name = reader.name()?.to_string();
        reader.expect("=")?;
        let value = expr(reader)?;
        return Ok(Leaf::Let { kind, name, value });
    }
    if reader.peek() == "define" && reader.peek_after(1) != "+=" {
        reader.skip();
        let var = reader.fetched_variable()?;
        reader.expect("=")?;
        let Some(function) = function(reader.peek()) else {
            return reader.wanted("a call");
        };
        let call = call(reader, function)?;
        return Ok(Leaf::Define { var, call });
    }
    if reader.peek_after(1) == "+=" {
        let name = reader.name()?.to_string();
        reader.expect("+=")?;
        let value = expr(reader)?;
        return Ok(Leaf::Advance { name, value });
    }
    match function(reader.peek()) {
        Some(function) => Ok(Leaf::Call(call(reader, function)?)),
        None => reader.wanted("a statement"),
    }
}

/// The function of the device named `name`.
fn function(name: &str) -> Option<&'static Function> {
    let sfpu = SFPU_OPS.iter().flat_map(|row| [&row.init, &row.call]);
    FUNCTIONS
        .iter()
        .copied()
        .chain(sfpu)
        .find(|function| function.name == name)
}

fn call<V: ParseValue>(reader: &mut Reader, function: &'static Function) -> Read<Call<V>> {
    reader.expect(function.name)?;
    let template = match reader.eat("<") {
        true => template(reader)?,
        false => Template::default(),
    };
    Ok(Call {
        function,
        template,
        args: reader.list("(", ")", expr)?,
    })
}

/// Template arguments, after the `<`: what the catalogue has in one piece is one.
fn template(reader: &mut Reader) -> Read<Template> {
    let text = reader.template()?;
    let known = |text: &str| all_words().find(|words| *words == text);
    if let Some(words) = known(text) {
        return Ok(words.into());
    }
    let args = text.split(", ").map(|part| match part.parse() {
        Ok(value) => Some(TemplateArg::Int(value)),
        Err(_) => known(part).map(TemplateArg::Words),
    });
    match args.collect() {
        Some(template) => Ok(template),
        None => reader.wanted("template arguments of the headers"),
    }
}

/// All that calls have for template arguments but integers.
fn all_words() -> impl Iterator<Item = &'static str> {
    let sfpu = SFPU_OPS
        .iter()
        .flat_map(|row| [row.exact, row.approximate, row.call_template]);
    sfpu.chain(WORDS)
}

/// What other functions than those of the SFPU have.
const WORDS: [&str; 14] = [
    "true",
    "false",
    "double",
    "float",
    "int8_t",
    "int32_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "SrcOrder::Reverse",
    "BroadcastType::ROW",
    "BroadcastType::COL",
    "BroadcastType::SCALAR",
    "EltwiseBinaryReuseDestType::DEST_TO_SRCA",
];

fn expr<V: ParseValue>(reader: &mut Reader) -> Read<Expr<V>> {
    let a = side(reader)?;
    match Operator::ALL.iter().find(|op| reader.eat(op.word())) {
        Some(op) => Ok(Expr::operation(*op, a, side(reader)?)),
        None => Ok(a),
    }
}

fn side<V: ParseValue>(reader: &mut Reader) -> Read<Expr<V>> {
    if reader.eat("(") {
        let inner = expr(reader)?;
        reader.expect(")")?;
        return Ok(inner);
    }
    if let Some(value) = V::value(reader)? {
        return Ok(Expr::Value(value));
    }
    if reader.eat("cb (") {
        let buffer = reader.buffer()?;
        reader.expect(")")?;
        return Ok(Expr::Buffer(buffer));
    }
    if reader.eat("page_bytes (") {
        let buffer = reader.buffer()?;
        reader.expect(")")?;
        return Ok(Expr::PageBytes(buffer));
    }
    if reader.eat("accessor (") {
        let tensor = reader.tensor()?;
        reader.expect(")")?;
        return Ok(Expr::Accessor(tensor));
    }
    if reader.eat("true") {
        return Ok(Expr::Bool(true));
    }
    if reader.eat("false") {
        return Ok(Expr::Bool(false));
    }
    if reader.peek().starts_with('"') {
        return reader.quoted().map(Expr::Text);
    }
    if let Some(value) = reader.attempt(Reader::signed) {
        return Ok(Expr::Int(value));
    }
    if matches!(reader.peek_after(1), "(" | "<")
        && let Some(function) = function(reader.peek())
    {
        return Ok(Expr::Call(Box::new(call(reader, function)?)));
    }
    Ok(Expr::Name(reader.name()?.to_string()))
}

#[cfg(test)]
mod tests {
    use super::all_words;

    #[test]
    fn the_words_of_template_arguments_are_kept_from_users() {
        let words = all_words().flat_map(|words| words.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')));
        let mut names = words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
        assert_eq!(names.find(|word| !crate::names::is_reserved(word)), None);
    }
}
