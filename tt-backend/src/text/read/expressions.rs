//! Integers, conditions, and numbers known at launch.

use super::super::names::neighbour_name;
use super::{Misread, Read, Reader};
use std::str::FromStr;
use tt_lang::ir::{
    BIT_OPS, BoolExpr, CompareOp, ELEMENT_OPS, ElementOp, ExtentId, IntExpr, IntOp, NumberExpr, Param, ParamId, Real,
    ScalarKind, VarId,
};
use tt_plan::{Formula, FormulaOp, Neighbour, Number};

impl<'a> Reader<'a> {
    /// An integer expression before its names are looked up.
    fn tree(&mut self) -> Read<Tree<'a>> {
        self.chain(&[IntOp::Add, IntOp::Sub], |this| {
            this.chain(&[IntOp::Mul, IntOp::Div, IntOp::Rem], Self::factor)
        })
    }

    fn chain(&mut self, ops: &[IntOp], operand: impl Fn(&mut Self) -> Read<Tree<'a>>) -> Read<Tree<'a>> {
        let mut out = operand(self)?;
        while let Some(op) = ops.iter().find(|op| op.symbol() == self.peek()) {
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
        let methods = [IntOp::CeilDiv, IntOp::Min, IntOp::Max];
        while self.peek() == "."
            && let Some(op) = methods.into_iter().find(|op| op.symbol() == self.peek_after(1))
        {
            self.expect(&format!(". {} (", op.symbol()))?;
            out = Tree::Binary(op, Box::new(out), Box::new(self.tree()?));
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
            Tree::Name(_, Some(number)) => self.stands_for(VarId(*number as u32)),
            Tree::Name(name, None) => {
                let variable = kernel.variables.iter().position(|variable| variable.name == *name);
                let extent = kernel.extents.iter().position(|extent| extent.name == *name);
                let is_integer = |param: &Param| match param {
                    Param::Scalar(scalar) => scalar.name == *name && scalar.kind != ScalarKind::F32,
                    Param::Derived(derived) => derived.name == *name,
                    Param::Tensor(_) | Param::Temporary(_) => false,
                };
                let scalar = kernel.params.iter().position(is_integer);
                match (extent, scalar, variable) {
                    (Some(index), _, _) => IntExpr::Extent(ExtentId(index as u32)),
                    (_, Some(index), _) => IntExpr::Scalar(ParamId(index as u32)),
                    (_, _, Some(index)) => self.stands_for(VarId(index as u32)),
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

    /// A variable, or what was fetched.
    fn stands_for(&self, var: VarId) -> IntExpr {
        match self.fetched.contains(&var) {
            true => IntExpr::Fetched(var),
            false => IntExpr::Var(var),
        }
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
        let row = ELEMENT_OPS.iter().chain(BIT_OPS).find(|row| row.name == self.peek())?;
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

    /// A number of a kernel.
    pub fn number_expr(&mut self) -> Read<NumberExpr> {
        if let Some(value) = self.float() {
            return Ok(NumberExpr::Literal(Real(value)));
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
            Tree::Binary(op, a, b) => Formula::Op(Box::new(FormulaOp::new(*op, a.formula(), b.formula()))),
        }
    }
}
