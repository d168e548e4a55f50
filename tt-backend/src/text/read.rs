//! Reading: the words of a text one after the other, and what stands in lines at every stage.
//!
//! Whether what is read makes sense is not asked here; the checks of the stages say that.

use super::names::{buffer_kind, neighbour_name, tile_op};
use crate::flow::{
    Arg, Broadcast, Buffer, BufferId, BufferKind, Constant, DefinitionId, Depth, Matmul, Operand, Pack, PackMode,
    ProductSees, Sees, Sights, TileRegion,
};
use crate::tile_ops::{FpuOp, SFPU_OPS, TileOp};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use tt_lang::ir::{
    BlockId, BoolExpr, CompareOp, ELEMENT_OPS, ElementOp, ElementType, ExtentId, IntExpr, IntOp, Kernel, NumberExpr,
    Param, ParamId, ScalarKind, SourceLocation, Span, VarId, Variable,
};
use tt_plan::{DataFormat, Formula, FormulaOp, Neighbour, Number};

/// What cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// The line.
    pub line: u32,
    /// What was wanted, and what was found.
    pub message: String,
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// What is read, or why it cannot be.
pub type Read<T> = Result<T, Misread>;

/// A word, number or sign.
#[derive(Debug, Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

/// Signs of more than one letter.
const SIGNS: [&str; 11] = ["::", "..", "==", "!=", "<=", ">=", "&&", "||", "+=", "<<", ">>"];

/// A text as it is read.
pub struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
    /// What names stand for; variables that loops bring are added.
    pub kernel: &'a mut Kernel,
    /// The buffers, once they are read.
    pub buffers: Vec<Buffer>,
    /// What uses see, in Flow IR.
    pub sights: Option<Sights>,
}

impl<'a> Reader<'a> {
    /// Reads `text`, whose first line is `line` of its file.
    pub fn new(kernel: &'a mut Kernel, text: &'a str, line: u32) -> Reader<'a> {
        Reader {
            text,
            tokens: tokens(text, line),
            at: 0,
            kernel,
            buffers: Vec::new(),
            sights: None,
        }
    }

    /// The next word.
    pub fn peek(&self) -> &'a str {
        self.peek_after(0)
    }

    /// The word after the next `count`.
    pub fn peek_after(&self, count: usize) -> &'a str {
        self.tokens.get(self.at + count).map_or("", |token| token.text)
    }

    /// Whether there is nothing left.
    pub fn is_at_end(&self) -> bool {
        self.at == self.tokens.len()
    }

    fn line(&self) -> u32 {
        self.tokens
            .get(self.at)
            .or(self.tokens.last())
            .map_or(1, |token| token.line)
    }

    /// The place of the next word, as one of the kernel's.
    pub fn span(&mut self) -> Span {
        let line = self.line();
        self.span_of_line(line)
    }

    /// A line, as a place of the kernel's.
    pub fn span_of_line(&mut self, line: u32) -> Span {
        self.kernel.locations.push(SourceLocation { line, column: 0 });
        Span(self.kernel.locations.len() as u32 - 1)
    }

    /// That something else was wanted.
    pub fn wanted<T>(&self, what: impl fmt::Display) -> Read<T> {
        let found = match self.peek() {
            "" => "the end".to_string(),
            word => format!("`{word}`"),
        };
        Err(Misread {
            line: self.line(),
            message: format!("{what} wanted, {found} found"),
        })
    }

    /// Takes `words` if they are the next.
    pub fn eat(&mut self, words: &str) -> bool {
        let count = words.split(' ').count();
        let is_next = words
            .split(' ')
            .enumerate()
            .all(|(index, word)| self.peek_after(index) == word);
        if is_next {
            self.at += count;
        }
        is_next
    }

    /// Takes `words`, which have to be the next.
    pub fn expect(&mut self, words: &str) -> Read<()> {
        match self.eat(words) {
            true => Ok(()),
            false => self.wanted(format!("`{words}`")),
        }
    }

    /// What `read` reads, or nothing where it cannot.
    pub fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Option<T> {
        let at = self.at;
        let read = read(self).ok();
        if read.is_none() {
            self.at = at;
        }
        read
    }

    /// Any name.
    pub fn name(&mut self) -> Read<&'a str> {
        let word = self.peek();
        if !word.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            return self.wanted("a name");
        }
        self.at += 1;
        Ok(word)
    }

    /// Leaves the next word out.
    pub fn skip(&mut self) {
        self.at += 1;
    }

    /// An integer, which may be below zero.
    pub fn signed(&mut self) -> Read<i64> {
        if self.peek() != "-" {
            return self.parse();
        }
        let Ok(value) = format!("-{}", self.peek_after(1)).parse() else {
            return self.wanted("a number");
        };
        self.at += 2;
        Ok(value)
    }

    /// A number that is what `T` says.
    pub fn parse<T: FromStr>(&mut self) -> Read<T> {
        match self.peek().parse() {
            Ok(value) => {
                self.at += 1;
                Ok(value)
            }
            Err(_) => self.wanted("a number"),
        }
    }

    /// `open item, item close`
    pub fn list<T>(&mut self, open: &str, close: &str, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.expect(open)?;
        let mut out = Vec::new();
        while !self.eat(close) {
            if !out.is_empty() {
                self.expect(",")?;
            }
            out.push(item(self)?);
        }
        Ok(out)
    }

    /// `{ item item }`
    pub fn braced<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.expect("{")?;
        let mut out = Vec::new();
        while !self.eat("}") {
            out.push(item(self)?);
        }
        Ok(out)
    }

    /// `then { .. } else { .. }`, after the condition.
    pub fn branches<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<(Vec<T>, Vec<T>)> {
        let then = self.braced(&mut item)?;
        let otherwise = match self.eat("else") {
            true => self.braced(&mut item)?,
            false => Vec::new(),
        };
        Ok((then, otherwise))
    }

    /// Everything up to the `>` that closes a `<` that was taken.
    pub fn template(&mut self) -> Read<String> {
        let (mut depth, first) = (0, self.at);
        while depth > 0 || self.peek() != ">" {
            depth += match self.peek() {
                "" => return self.wanted("`>`"),
                "<" => 1,
                ">" => -1,
                _ => 0,
            };
            self.at += 1;
        }
        let (from, to) = (self.tokens[first].at, self.tokens[self.at].at);
        self.at += 1;
        Ok(self.text[from..to].to_string())
    }

    /// `name`, or `name~3` where several have it.
    fn numbered(&mut self) -> Read<(&'a str, Option<usize>)> {
        let name = self.name()?;
        let number = if self.eat("~") { Some(self.parse()?) } else { None };
        Ok((name, number))
    }

    /// A circular buffer.
    pub fn buffer(&mut self) -> Read<BufferId> {
        let name = self.peek();
        match self.buffers.iter().position(|buffer| buffer.name == name) {
            Some(index) => {
                self.at += 1;
                Ok(BufferId(index))
            }
            None => self.wanted("a buffer"),
        }
    }

    /// A tensor.
    pub fn tensor(&mut self) -> Read<ParamId> {
        let name = self.peek();
        match self.kernel.params.iter().position(|param| param.name() == name) {
            Some(index) => {
                self.at += 1;
                Ok(ParamId(index as u32))
            }
            None => self.wanted("a parameter"),
        }
    }

    /// The variable of a loop, new where the kernel has none of this name.
    pub fn variable(&mut self) -> Read<VarId> {
        let span = self.span();
        let (name, number) = self.numbered()?;
        let known = || self.kernel.variables.iter().position(|variable| variable.name == name);
        let index = number.or_else(known).unwrap_or_else(|| {
            let name = name.to_string();
            self.kernel.variables.push(Variable { name, span });
            self.kernel.variables.len() - 1
        });
        Ok(VarId(index as u32))
    }

    /// `d3`
    pub fn definition(&mut self) -> Read<DefinitionId> {
        let number = self.peek().strip_prefix('d').and_then(|number| number.parse().ok());
        let Some(number) = number else {
            return self.wanted("a definition");
        };
        self.at += 1;
        if let Some(sights) = &mut self.sights {
            sights.has(DefinitionId(number));
        }
        Ok(DefinitionId(number))
    }

    /// `@d3`; any where definitions are not told apart.
    pub fn defines(&mut self) -> Read<DefinitionId> {
        if self.sights.is_none() {
            return Ok(DefinitionId(0));
        }
        self.expect("@")?;
        self.definition()
    }

    /// `d3|d4`
    pub fn definitions(&mut self) -> Read<Sees> {
        let mut all = BTreeSet::new();
        if !self.eat("nothing") {
            all.insert(self.definition()?);
            while self.eat("|") {
                all.insert(self.definition()?);
            }
        }
        match &mut self.sights {
            Some(sights) => Ok(sights.sees(all)),
            None => Ok(Sees(0)),
        }
    }

    /// `@d3|d4`; any where definitions are not told apart.
    pub fn sees(&mut self) -> Read<Sees> {
        if self.sights.is_none() {
            return Ok(Sees(0));
        }
        self.expect("@")?;
        self.definitions()
    }

    /// An integer expression before its names are looked up.
    fn tree(&mut self) -> Read<Tree<'a>> {
        self.chain(&[("+", IntOp::Add), ("-", IntOp::Sub)], |this| {
            this.chain(&[("*", IntOp::Mul), ("/", IntOp::Div), ("%", IntOp::Rem)], Self::factor)
        })
    }

    fn chain(&mut self, ops: &[(&str, IntOp)], operand: impl Fn(&mut Self) -> Read<Tree<'a>>) -> Read<Tree<'a>> {
        let mut out = operand(self)?;
        while let Some((_, op)) = ops.iter().find(|(sign, _)| *sign == self.peek()) {
            self.at += 1;
            out = Tree::Binary(*op, Box::new(out), Box::new(operand(self)?));
        }
        Ok(out)
    }

    fn factor(&mut self) -> Read<Tree<'a>> {
        let mut out = if self.eat("(") {
            let inner = self.tree()?;
            self.expect(")")?;
            inner
        } else if self
            .peek()
            .starts_with(|first: char| first == '-' || first.is_ascii_digit())
        {
            Tree::Const(self.signed()?)
        } else {
            let (name, number) = self.numbered()?;
            Tree::Name(name, number)
        };
        let methods = [("div_ceil", IntOp::CeilDiv), ("min", IntOp::Min), ("max", IntOp::Max)];
        while self.peek() == "."
            && let Some((name, op)) = methods.iter().find(|(name, _)| *name == self.peek_after(1))
        {
            self.expect(&format!(". {name} ("))?;
            out = Tree::Binary(*op, Box::new(out), Box::new(self.tree()?));
            self.expect(")")?;
        }
        Ok(out)
    }

    /// An integer expression.
    pub fn int(&mut self) -> Read<IntExpr> {
        let tree = self.tree()?;
        self.resolve(&tree)
    }

    fn resolve(&self, tree: &Tree) -> Read<IntExpr> {
        let kernel = &*self.kernel;
        Ok(match tree {
            Tree::Const(value) => IntExpr::Const(*value),
            Tree::Name(_, Some(number)) => IntExpr::Var(VarId(*number as u32)),
            Tree::Name(name, None) => {
                let variable = kernel.variables.iter().position(|variable| variable.name == *name);
                let extent = kernel.extents.iter().position(|extent| extent.name == *name);
                let is_integer = |param: &Param| match param {
                    Param::Scalar(scalar) => scalar.name == *name && scalar.kind != ScalarKind::F32,
                    Param::Tensor(_) => false,
                };
                let scalar = kernel.params.iter().position(is_integer);
                match (extent, scalar, variable) {
                    (Some(index), _, _) => IntExpr::Extent(ExtentId(index as u32)),
                    (_, Some(index), _) => IntExpr::Scalar(ParamId(index as u32)),
                    (_, _, Some(index)) => IntExpr::Var(VarId(index as u32)),
                    (None, None, None) => {
                        return Err(Misread {
                            line: self.line(),
                            message: format!("`{name}` is no variable, extent or integer"),
                        });
                    }
                }
            }
            Tree::Binary(op, a, b) => IntExpr::Binary(*op, Box::new(self.resolve(a)?), Box::new(self.resolve(b)?)),
        })
    }

    /// A formula.
    pub fn formula(&mut self) -> Read<Formula> {
        Ok(self.tree()?.formula())
    }

    /// A condition.
    pub fn condition(&mut self) -> Read<BoolExpr> {
        if self.eat("true") {
            return Ok(BoolExpr::Const(true));
        }
        if self.eat("false") {
            return Ok(BoolExpr::Const(false));
        }
        if self.eat("! (") {
            let inner = self.condition()?;
            self.expect(")")?;
            return Ok(BoolExpr::Not(Box::new(inner)));
        }
        let ints = |this: &mut Self| {
            let (a, op, b) = (this.int()?, this.comparison()?, this.int()?);
            Ok(BoolExpr::Compare(op, a, b))
        };
        if let Some(compare) = self.attempt(ints) {
            return Ok(compare);
        }
        let numbers = |this: &mut Self| {
            let (a, op, b) = (this.number_expr()?, this.comparison()?, this.number_expr()?);
            Ok(BoolExpr::CompareNumbers(op, a, b))
        };
        if let Some(compare) = self.attempt(numbers) {
            return Ok(compare);
        }
        self.expect("(")?;
        let a = self.condition()?;
        let both = self.eat("&&");
        if !both {
            self.expect("||")?;
        }
        let b = self.condition()?;
        self.expect(")")?;
        Ok(match both {
            true => BoolExpr::And(Box::new(a), Box::new(b)),
            false => BoolExpr::Or(Box::new(a), Box::new(b)),
        })
    }

    /// `==` and so on.
    pub fn comparison(&mut self) -> Read<CompareOp> {
        use CompareOp::*;
        match [Eq, Ne, Lt, Le, Gt, Ge]
            .into_iter()
            .find(|op| op.symbol() == self.peek())
        {
            Some(op) => {
                self.at += 1;
                Ok(op)
            }
            None => self.wanted("a comparison"),
        }
    }

    /// An operation of the language, before its arguments.
    pub fn element_op(&mut self) -> Option<ElementOp> {
        let row = ELEMENT_OPS.iter().find(|row| row.name == self.peek())?;
        (self.peek_after(1) == "(").then(|| {
            self.at += 1;
            row.op
        })
    }

    fn float<T: FromStr>(&mut self) -> Option<T> {
        let minus = usize::from(self.peek() == "-");
        let word = self.peek_after(minus);
        if !word.starts_with(|first: char| first.is_ascii_digit()) && !["inf", "NaN"].contains(&word) {
            return None;
        }
        let value = format!("{}{word}", ["", "-"][minus]).parse().ok()?;
        self.at += minus + 1;
        Some(value)
    }

    fn number_expr(&mut self) -> Read<NumberExpr> {
        if let Some(value) = self.float() {
            return Ok(NumberExpr::Literal(value));
        }
        if self.eat("f32 (") {
            let value = self.int()?;
            self.expect(")")?;
            return Ok(NumberExpr::Int(value));
        }
        if let Some(op) = self.element_op() {
            return Ok(NumberExpr::Call(op, self.list("(", ")", Self::number_expr)?));
        }
        self.eat("scalar");
        Ok(NumberExpr::Scalar(self.tensor()?))
    }

    /// The constant that `literal` prints.
    pub fn literal(&mut self) -> Option<u32> {
        if self.eat("nan (") {
            let bits = self.parse().ok();
            return bits.filter(|_| self.eat(")"));
        }
        self.float::<f32>().map(f32::to_bits)
    }

    /// A number known at launch.
    pub fn number(&mut self) -> Read<Number> {
        if let Some(bits) = self.literal() {
            return Ok(Number::Bits(bits));
        }
        if self.eat("f32 (") {
            let formula = self.formula()?;
            self.expect(")")?;
            return Ok(Number::Int(formula));
        }
        if let Some(op) = self.element_op() {
            return Ok(Number::Call(op, self.list("(", ")", Self::number)?));
        }
        for neighbour in [Neighbour::Below, Neighbour::Above, Neighbour::Same] {
            if self.eat(&format!("{} (", neighbour_name(neighbour))) {
                let of = Box::new(self.number()?);
                self.expect(")")?;
                return Ok(Number::Bf16(neighbour, of));
            }
        }
        if self.eat("(") {
            let (a, op, b) = (self.number()?, self.comparison()?, self.number()?);
            self.expect(")")?;
            return Ok(Number::Compare(op, Box::new(a), Box::new(b)));
        }
        self.eat("scalar");
        Ok(Number::Scalar(self.name()?.to_string()))
    }

    /// A rectangle of tiles of a tensor.
    pub fn region(&mut self) -> Read<TileRegion> {
        let tensor = self.tensor()?;
        let matrix = match self.eat("matrix") {
            true => self.list("(", ")", Self::int)?,
            false => Vec::new(),
        };
        self.expect("tile (")?;
        let row = self.int()?;
        self.expect(",")?;
        let column = self.int()?;
        self.expect(") of")?;
        let rows = self.parse()?;
        self.expect("x")?;
        let mut region = TileRegion {
            tensor,
            matrix_may_miss: vec![false; matrix.len()],
            matrix,
            tile: [row, column],
            extent: [rows, self.parse()?],
            may_exceed: [false; 2],
            may_precede: [false; 2],
            zero_edge: [false; 2],
        };
        self.expect("elements")?;
        while self.eat(",") {
            if self.eat("may exceed") {
                region.may_exceed = self.axes()?;
            } else if self.eat("may precede") {
                region.may_precede = self.axes()?;
            } else if self.eat("zero edge of") {
                region.zero_edge = self.axes()?;
            } else {
                self.expect("matrix may miss")?;
                loop {
                    let axis: usize = self.parse()?;
                    let Some(may_miss) = region.matrix_may_miss.get_mut(axis) else {
                        return self.wanted("an axis of the tensor before");
                    };
                    *may_miss = true;
                    if !self.eat("and") {
                        break;
                    }
                }
            }
        }
        Ok(region)
    }

    fn axes(&mut self) -> Read<[bool; 2]> {
        if self.eat("rows and columns") {
            Ok([true, true])
        } else if self.eat("rows") {
            Ok([true, false])
        } else {
            self.expect("columns")?;
            Ok([false, true])
        }
    }

    /// Tiles of a buffer.
    pub fn operand(&mut self) -> Read<Operand> {
        let buffer = self.buffer()?;
        let sees = match self.peek() {
            "@" => Some(self.sees()?),
            _ => None,
        };
        let mut offset = [0; 2];
        if self.eat("[ +") {
            offset[0] = self.parse()?;
            self.expect(", +")?;
            offset[1] = self.parse()?;
            self.expect("]")?;
        }
        let broadcasts = [
            ("row", Broadcast::Row),
            ("column", Broadcast::Column),
            ("scalar", Broadcast::Scalar),
            ("transposed", Broadcast::Transpose),
        ];
        let said = broadcasts.into_iter().find(|(name, _)| self.eat(&format!(". {name}")));
        Ok(Operand {
            buffer,
            offset,
            broadcast: said.map_or(Broadcast::None, |(_, broadcast)| broadcast),
            sees,
        })
    }

    /// `%2`
    pub fn register(&mut self) -> Read<u32> {
        self.expect("%")?;
        self.parse()
    }

    /// A product or an operation on registers.
    pub fn step(&mut self) -> Read<Registers> {
        let out = self.register()?;
        if self.eat("=") {
            let op = self.tile_op()?;
            let args = self.list("(", ")", |this| {
                if this.peek() == "%" {
                    return Ok(Arg::Register(this.register()?));
                }
                match this.attempt(Self::operand) {
                    Some(operand) => Ok(match this.buffers[operand.buffer.0].kind {
                        BufferKind::Constant(_) => Arg::Constant(operand.buffer),
                        BufferKind::Incoming | BufferKind::Local | BufferKind::Outgoing => Arg::Tile(operand),
                    }),
                    None => Ok(Arg::Number(this.number()?)),
                }
            })?;
            return Ok(Registers::Tile { op, out, args });
        }
        if out != 0 {
            return self.wanted("`=`");
        }
        let defines = self.defines()?;
        self.expect("+=")?;
        let a = self.buffer()?;
        let sees_a = self.sees()?;
        self.expect("*")?;
        let b = self.buffer()?;
        let sees_b = self.sees()?;
        let transpose = self.eat(". transposed");
        let acc = match self.eat("after") {
            true => Some(self.definitions()?),
            false => None,
        };
        self.expect(", k")?;
        let k = self.parse()?;
        self.expect(", b step")?;
        let b_step = self.parse()?;
        self.expect(", b column")?;
        Ok(Registers::Product(Matmul {
            a,
            b,
            defines,
            sees: ProductSees {
                a: sees_a,
                b: sees_b,
                acc,
            },
            k,
            b_step,
            b_column: self.parse()?,
            transpose,
        }))
    }

    fn tile_op(&mut self) -> Read<TileOp> {
        let name = self.peek();
        let fpu = [FpuOp::Add, FpuOp::Sub, FpuOp::Mul].map(TileOp::Fpu);
        let all = [TileOp::Load, TileOp::MulReuse, TileOp::Fill]
            .into_iter()
            .chain(fpu)
            .chain(SFPU_OPS.iter().map(|row| TileOp::Sfpu(row.op)));
        match all.into_iter().find(|op| tile_op(*op) == name) {
            Some(op) => {
                self.at += 1;
                Ok(op)
            }
            None => self.wanted("an operation on registers"),
        }
    }

    /// The head of a section: tiles, those of a chunk, registers.
    pub fn section_head(&mut self) -> Read<([u32; 2], [u32; 2], u32)> {
        self.expect("section")?;
        let tiles = self.by()?;
        self.expect("tiles by")?;
        let chunk = self.by()?;
        self.expect(",")?;
        let registers = self.parse()?;
        if !self.eat("register each") {
            self.expect("registers each")?;
        }
        Ok((tiles, chunk, registers))
    }

    /// `2 x 4`
    fn by(&mut self) -> Read<[u32; 2]> {
        let rows = self.parse()?;
        self.expect("x")?;
        Ok([rows, self.parse()?])
    }

    /// The end of a section; `made` reads what the packed version is.
    pub fn pack<T>(&mut self, made: impl FnOnce(&mut Self) -> Read<T>) -> Read<(u32, Pack, T)> {
        self.expect("pack")?;
        let register = self.register()?;
        self.expect("into")?;
        let buffer = self.buffer()?;
        let made = made(self)?;
        self.expect("(")?;
        let mode = if self.eat("publish") {
            PackMode::Publish
        } else if self.eat("overwrite") {
            PackMode::Overwrite
        } else if self.eat("add unless") {
            let mut loops = Vec::new();
            loop {
                let var = self.variable()?;
                self.expect("=")?;
                loops.push((var, self.int()?));
                if !self.eat("and") {
                    break PackMode::AddAfterFirst(loops);
                }
            }
        } else {
            self.expect("add")?;
            PackMode::Add
        };
        self.expect(")")?;
        Ok((register, Pack { buffer, mode }, made))
    }

    /// The table of buffers.
    pub fn table(&mut self) -> Read<()> {
        self.expect("buffers")?;
        self.buffers = self.braced(Self::row)?;
        Ok(())
    }

    fn row(&mut self) -> Read<Buffer> {
        let span = self.span();
        let has_index = self.peek_after(1) != ":";
        let index = match self.peek().strip_prefix("c_").and_then(|index| index.parse().ok()) {
            Some(index) if has_index => {
                self.at += 1;
                Some(index)
            }
            _ => None,
        };
        let name = self.name()?.to_string();
        self.expect(":")?;
        let kinds = [
            BufferKind::Incoming,
            BufferKind::Local,
            BufferKind::Outgoing,
            BufferKind::Constant(Constant::Zeros),
        ];
        let Some(kind) = kinds.into_iter().find(|kind| self.eat(buffer_kind(*kind))) else {
            return self.wanted("incoming, local, outgoing or zeros");
        };
        self.expect(",")?;
        let tiles = self.by()?;
        let formats = ElementType::ALL.iter().map(|(element, _)| DataFormat::of(*element));
        let Some(format) = formats.into_iter().find(|format| format.name() == self.peek()) else {
            return self.wanted("a data format");
        };
        self.at += 1;
        self.expect(",")?;
        let mut buffer = Buffer {
            name,
            block: None,
            span,
            format,
            tiles,
            kind,
            depth: Depth::Default,
            versions: self.parse()?,
            column_major: false,
            unpack_to_dest: false,
            index,
        };
        if !self.eat("version") {
            self.expect("versions")?;
        }
        while self.eat(",") {
            if self.eat("block") {
                buffer.block = Some(self.block()?);
            } else if self.eat("column by column") {
                buffer.column_major = true;
            } else if self.eat("unpacked to destination") {
                buffer.unpack_to_dest = true;
            } else {
                buffer.depth = Depth::Asked(self.parse()?);
                self.expect("asked")?;
            }
        }
        Ok(buffer)
    }

    fn block(&mut self) -> Read<BlockId> {
        let (name, number) = self.numbered()?;
        let index = number.or_else(|| self.kernel.blocks.iter().position(|block| block.name == name));
        match index {
            Some(index) => Ok(BlockId(index as u32)),
            None => self.wanted("a block before"),
        }
    }
}

/// What stands in registers.
pub enum Registers {
    /// An operation.
    Tile { op: TileOp, out: u32, args: Vec<Arg> },
    /// A product.
    Product(Matmul),
}

/// An integer expression whose names are not looked up.
enum Tree<'a> {
    Const(i64),
    Name(&'a str, Option<usize>),
    Binary(IntOp, Box<Tree<'a>>, Box<Tree<'a>>),
}

impl Tree<'_> {
    fn formula(&self) -> Formula {
        match self {
            Tree::Const(value) => Formula::Const(*value),
            Tree::Name(name, _) => Formula::Name((*name).to_string()),
            Tree::Binary(op, a, b) => {
                let (a, b) = (a.formula(), b.formula());
                Formula::Op(Box::new(match op {
                    IntOp::Add => FormulaOp::Add(a, b),
                    IntOp::Sub => FormulaOp::Sub(a, b),
                    IntOp::Mul => FormulaOp::Mul(a, b),
                    IntOp::Div => FormulaOp::Div(a, b),
                    IntOp::Rem => FormulaOp::Rem(a, b),
                    IntOp::CeilDiv => FormulaOp::CeilDiv(a, b),
                    IntOp::Min => FormulaOp::Min(a, b),
                    IntOp::Max => FormulaOp::Max(a, b),
                }))
            }
        }
    }
}

/// The words of `text`, without comments but for those that say a line of the source.
fn tokens(text: &str, first_line: u32) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let (mut at, mut line) = (0, first_line);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = |keep: &dyn Fn(char) -> bool| rest.find(|c| !keep(c)).unwrap_or(rest.len());
        let size = if first == '\n' {
            line += 1;
            at += 1;
            continue;
        } else if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            let size = length(&|c| c != '\n');
            if !rest.starts_with("// line ") {
                at += size;
                continue;
            }
            size
        } else if first.is_ascii_digit() {
            number_length(rest)
        } else if first.is_alphanumeric() || first == '_' {
            length(&|c| c.is_alphanumeric() || c == '_')
        } else {
            SIGNS
                .iter()
                .find(|sign| rest.starts_with(**sign))
                .map_or(first.len_utf8(), |sign| sign.len())
        };
        out.push(Token {
            text: &rest[..size],
            at,
            line,
        });
        at += size;
    }
    out
}

/// How long the number is that `text` begins with: `12`, `1.5`, `1e-5`, but of `0..4` only the 0.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| {
        from + text[from..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len() - from)
    };
    let is_digit = |at: usize| text[at..].starts_with(|c: char| c.is_ascii_digit());
    let mut end = digits(0);
    if text[end..].starts_with('.') && is_digit(end + 1) {
        end = digits(end + 1);
    }
    if text[end..].starts_with('e') {
        let sign = usize::from(text[end + 1..].starts_with(['-', '+']));
        if is_digit(end + 1 + sign) {
            end = digits(end + 1 + sign);
        }
    }
    end
}
