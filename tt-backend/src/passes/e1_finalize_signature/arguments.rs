//! The runtime arguments of one kernel, and its expressions over them.

#![warn(clippy::arithmetic_side_effects)]

use crate::device::function::{AS_NUMBER, Function, STATIC_CAST, WIDE};
use crate::device::{
    Accessor, Argument, Bits, Branch, Call, Calls, CppType, Expr, Leaf, Loop, Operator, Scope, Source, Symbol, Template,
};
use crate::ir::{Kind, Rewrite, Stmt};
use crate::linear::Signs;
use crate::names::Names;
use crate::verify::budgets::runtime_arguments;
use crate::verify::{Fault, unproved};
use tt_device::TILE;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{BoolExpr, CompareOp, ElementOp, IntExpr, IntOp, Kernel, NumberExpr, Param, ParamId, Sharding};
use tt_plan::{Formula, Neighbour, Number, Role, RuntimeValue, formula, number};

/// Collects arguments.
pub struct Arguments<'a> {
    kernel: &'a Kernel,
    variables: &'a [String],
    names: Names,
    signs: Signs,
    args: Vec<Argument>,
    /// What is known neither at launch nor in the kernel.
    unknown: Option<String>,
}

impl<'a> Arguments<'a> {
    /// None yet; arguments get names that are free in `names`.
    pub fn new(kernel: &'a Kernel, variables: &'a [String], names: Names) -> Self {
        Arguments {
            kernel,
            variables,
            names,
            signs: Signs::of(kernel),
            args: Vec::new(),
            unknown: None,
        }
    }

    /// An argument of just this name.
    pub fn fixed(&mut self, kind: CppType, name: &str, value: RuntimeValue) {
        self.args.push(Argument {
            kind,
            name: name.to_string(),
            value,
        });
    }

    /// The address of a tensor.
    pub fn address(&mut self, accessor: &Accessor) {
        let tensor = self.kernel.params[accessor.tensor.index()].name().to_string();
        self.fixed(CppType::Word, &accessor.address, RuntimeValue::Address(tensor));
    }

    /// The arguments in order.
    ///
    /// # Errors
    /// Where there are more than the program of this role takes, or an expression had no value.
    pub fn finish(self, role: Role) -> Result<Vec<Argument>, Vec<Diagnostic>> {
        if let Some(unknown) = self.unknown {
            return Err(vec![unproved(self.kernel.span, &Fault(unknown))]);
        }
        match runtime_arguments(self.kernel, role, &self.args) {
            None => Ok(self.args),
            Some(error) => Err(vec![error]),
        }
    }

    fn argument(&mut self, kind: CppType, wanted: &str, value: RuntimeValue) -> Expr<Bits> {
        if let Some(known) = self.args.iter().find(|arg| arg.value == value && arg.kind == kind) {
            return Expr::Name(known.name.clone());
        }
        let name = self.names.give(wanted);
        self.args.push(Argument {
            kind,
            name: name.clone(),
            value,
        });
        Expr::Name(name)
    }

    /// Stands for what cannot be written; [`Arguments::finish`] says why.
    fn without_value(&mut self, why: &str) -> Expr<Bits> {
        self.unknown.get_or_insert_with(|| why.to_string());
        Expr::Int(0)
    }

    /// An integer expression over variables, arguments and constants.
    fn int(&mut self, expr: &IntExpr) -> Expr<Bits> {
        if let IntExpr::Const(value) = expr {
            return Expr::Int(*value);
        }
        if let Some(formula) = formula(self.kernel, expr) {
            let wanted = describe(&formula);
            return self.argument(CppType::Int, &wanted, RuntimeValue::Formula(formula));
        }
        match expr {
            IntExpr::Var(var) | IntExpr::Fetched(var) => Expr::name(self.variables[var.index()].as_str()),
            IntExpr::Binary(op, a, b) => {
                let plain = self.signs.is_at_least(a, 0) && self.signs.is_at_least(b, 1);
                let (a, b) = (self.int(a), self.int(b));
                match Operator::of(*op) {
                    Some(op @ (Operator::Min | Operator::Max)) => Expr::operation(op, a, b),
                    Some(op) => Expr::binary(op, a, b),
                    // Rounded up where both have the same sign; towards zero is up where they have not.
                    None => {
                        let op = |op, a: &Expr<Bits>, b: Expr<Bits>| Expr::operation(op, a.clone(), b);
                        let below_zero = |x: &Expr<Bits>| op(Operator::Less, x, Expr::Int(0));
                        let inexact = op(Operator::NotEqual, &op(Operator::Rem, &a, b.clone()), Expr::Int(0));
                        let is_more = match plain {
                            true => inexact,
                            false => op(
                                Operator::And,
                                &inexact,
                                op(Operator::Equal, &below_zero(&a), below_zero(&b)),
                            ),
                        };
                        op(Operator::Add, &op(Operator::Div, &a, b), is_more)
                    }
                }
            }
            IntExpr::Const(_) | IntExpr::Extent(_) | IntExpr::Scalar(_) => {
                self.without_value("an extent or scalar has no formula")
            }
        }
    }

    /// Likewise, in 64 bits: no argument is computed at launch that does not stand in the source.
    fn wide(&mut self, expr: &IntExpr) -> Expr<Bits> {
        match expr {
            IntExpr::Const(value) => Expr::Int(*value),
            IntExpr::Binary(IntOp::Add, a, b) => Expr::binary(Operator::Add, self.wide(a), self.wide(b)),
            IntExpr::Binary(IntOp::Sub, a, b) => Expr::binary(Operator::Sub, self.wide(a), self.wide(b)),
            IntExpr::Binary(IntOp::Mul, a, b) => Expr::binary(Operator::Mul, self.wide(a), self.wide(b)),
            IntExpr::Binary(IntOp::Min, a, b) => Expr::operation(Operator::Min, self.wide(a), self.wide(b)),
            IntExpr::Binary(IntOp::Max, a, b) => Expr::operation(Operator::Max, self.wide(a), self.wide(b)),
            IntExpr::Extent(_) | IntExpr::Scalar(_) | IntExpr::Var(_) | IntExpr::Fetched(_) | IntExpr::Binary(..) => {
                Expr::Call(Box::new(Call {
                    function: &WIDE,
                    template: Template::default(),
                    args: vec![self.int(expr)],
                }))
            }
        }
    }

    /// A side of a comparison in 64 bits: what nothing is computed for has 32.
    fn wide_side(&mut self, expr: &IntExpr) -> Expr<Bits> {
        match expr {
            IntExpr::Binary(..) if !expr.is_launch_constant() => self.wide(expr),
            IntExpr::Const(_)
            | IntExpr::Extent(_)
            | IntExpr::Scalar(_)
            | IntExpr::Var(_)
            | IntExpr::Fetched(_)
            | IntExpr::Binary(..) => self.int(expr),
        }
    }

    /// A condition of integers that are written by `int`.
    fn condition(&mut self, cond: &BoolExpr, int: fn(&mut Self, &IntExpr) -> Expr<Bits>) -> Expr<Bits> {
        match cond {
            BoolExpr::Const(value) => Expr::Bool(*value),
            BoolExpr::Compare(op, a, b) => Expr::operation((*op).into(), int(self, a), int(self, b)),
            BoolExpr::CompareNumbers(op, a, b) => {
                let (Some(a), Some(b)) = (number(self.kernel, a), number(self.kernel, b)) else {
                    return Expr::operation((*op).into(), self.computed(a), self.computed(b));
                };
                let wanted = match &b {
                    Number::Bits(_) => format!("{}_{}", describe_number(&a), compare_name(*op)),
                    other @ (Number::Scalar(_)
                    | Number::Int(_)
                    | Number::Call(..)
                    | Number::Compare(..)
                    | Number::Bf16(..)) => format!(
                        "{}_{}_{}",
                        describe_number(&a),
                        compare_name(*op),
                        describe_number(other)
                    ),
                };
                let flag = self.argument(CppType::Int, &wanted, RuntimeValue::Flag { op: *op, a, b });
                Expr::operation(Operator::NotEqual, flag, Expr::Int(0))
            }
            BoolExpr::And(a, b) => Expr::operation(Operator::And, self.condition(a, int), self.condition(b, int)),
            BoolExpr::Or(a, b) => Expr::operation(Operator::Or, self.condition(a, int), self.condition(b, int)),
            BoolExpr::Not(a) => {
                let negated = negate(a);
                match negated {
                    // A scalar may be NaN: its comparisons have no opposite.
                    BoolExpr::Not(inner) => {
                        Expr::operation(Operator::Equal, self.condition(&inner, int), Expr::Bool(false))
                    }
                    other @ (BoolExpr::Const(_)
                    | BoolExpr::Compare(..)
                    | BoolExpr::CompareNumbers(..)
                    | BoolExpr::And(..)
                    | BoolExpr::Or(..)) => self.condition(&other, int),
                }
            }
        }
    }

    /// A number as a `float`: what differs from block to block is computed in `double` and rounded once.
    fn computed(&mut self, value: &NumberExpr) -> Expr<Bits> {
        match number(self.kernel, value) {
            Some(known) => call_of(&AS_NUMBER, "", self.number(&known)),
            None => {
                let computed = self.double(value);
                call_of(&STATIC_CAST, "float", computed)
            }
        }
    }

    /// Likewise in `double`: what is known at launch is a `float`, as an argument has it.
    fn double(&mut self, value: &NumberExpr) -> Expr<Bits> {
        if number(self.kernel, value).is_some() {
            let known = self.computed(value);
            return call_of(&STATIC_CAST, "double", known);
        }
        match value {
            NumberExpr::Int(integer) => {
                let integer = self.int(integer);
                call_of(&STATIC_CAST, "double", integer)
            }
            NumberExpr::Call(op, args) => match (op, args.as_slice()) {
                (ElementOp::Add, [a, b]) => Expr::operation(Operator::Add, self.double(a), self.double(b)),
                (ElementOp::Sub, [a, b]) => Expr::operation(Operator::Sub, self.double(a), self.double(b)),
                (ElementOp::Mul, [a, b]) => Expr::operation(Operator::Mul, self.double(a), self.double(b)),
                (ElementOp::Div, [a, b]) => Expr::operation(Operator::Div, self.double(a), self.double(b)),
                // Also of 0 the sign changes.
                (ElementOp::Neg, [a]) => Expr::operation(Operator::Mul, self.double(a), Expr::Int(-1)),
                _ => self.without_value("a number that differs from block to block is computed otherwise"),
            },
            NumberExpr::Literal(_) | NumberExpr::Scalar(_) => self.without_value("a literal or scalar has no number"),
        }
    }

    /// Where a tensor begins in its buffer: only those that are passed and not in shards begin elsewhere than at its first page.
    fn first_page(&mut self, tensor: ParamId) -> Expr<Bits> {
        match &self.kernel.params[tensor.index()] {
            Param::Tensor(of) if of.layout.sharding == Sharding::Interleaved => {
                let name = of.name.clone();
                let wanted = format!("{name}_page");
                self.argument(CppType::Int, &wanted, RuntimeValue::FirstPage(name))
            }
            Param::Tensor(_) | Param::Temporary(_) | Param::Scalar(_) | Param::Derived(_) => Expr::Int(0),
        }
    }

    fn tensor_extent(&self, tensor: ParamId, axis: usize) -> IntExpr {
        self.kernel
            .tensor(tensor)
            .and_then(|tensor| tensor.extents.get(axis))
            .map_or(IntExpr::Const(1), |extent| extent.value.clone())
    }

    /// The extent along rows (0) or columns (1).
    fn tensor_axis(&self, tensor: ParamId, axis: usize) -> IntExpr {
        self.kernel
            .tensor(tensor)
            .and_then(|tensor| tensor.extents.iter().rev().nth(1_usize.saturating_sub(axis)))
            .map_or(IntExpr::Const(1), |extent| extent.value.clone())
    }

    fn number(&mut self, number: &Number) -> Expr<Bits> {
        match number {
            Number::Bits(bits) => Expr::Value(Bits(*bits)),
            // What has no names is computed now.
            number @ (Number::Scalar(_)
            | Number::Int(_)
            | Number::Call(..)
            | Number::Compare(..)
            | Number::Bf16(..)) => match number.evaluate(&|_| None, &|_| None) {
                Ok(value) => Expr::Value(Bits((value as f32).to_bits())),
                Err(_) => {
                    let wanted = describe_number(number);
                    self.argument(CppType::Word, &wanted, RuntimeValue::Number(number.clone()))
                }
            },
        }
    }

    fn symbol(&mut self, symbol: &Symbol) -> Expr<Bits> {
        match symbol {
            Symbol::Int(int) => self.int(int),
            Symbol::Wide(int) => self.wide(int),
            Symbol::Condition(cond) => self.condition(cond, Self::int),
            Symbol::WideCondition(cond) => self.condition(cond, Self::wide_side),
            Symbol::Number(number) => self.number(number),
            Symbol::Computed(number) => self.computed(number),
            Symbol::FirstPage(tensor) => self.first_page(*tensor),
            Symbol::TensorTiles(tensor, axis) => {
                let extent = self.tensor_axis(*tensor, *axis);
                self.int(&IntExpr::binary(IntOp::CeilDiv, extent, IntExpr::Const(TILE)))
            }
            Symbol::TensorAxis(tensor, axis) => {
                let extent = self.tensor_axis(*tensor, *axis);
                self.int(&extent)
            }
            Symbol::TensorExtent(tensor, axis) => {
                let extent = self.tensor_extent(*tensor, *axis);
                self.int(&extent)
            }
        }
    }

    fn expr(&mut self, expr: Expr<Symbol>) -> Expr<Bits> {
        match expr {
            Expr::Int(value) => Expr::Int(value),
            Expr::Bool(value) => Expr::Bool(value),
            Expr::Name(name) => Expr::Name(name),
            Expr::Value(symbol) => self.symbol(&symbol),
            Expr::Buffer(buffer) => Expr::Buffer(buffer),
            Expr::PageBytes(buffer) => Expr::PageBytes(buffer),
            Expr::Accessor(tensor) => Expr::Accessor(tensor),
            Expr::Text(text) => Expr::Text(text),
            Expr::Call(call) => Expr::Call(Box::new(self.call(*call))),
            Expr::Binary(op, a, b) => Expr::binary(op, self.expr(*a), self.expr(*b)),
        }
    }

    fn call(&mut self, call: Call<Symbol>) -> Call<Bits> {
        let mut args = Vec::with_capacity(call.args.len());
        for arg in call.args {
            args.push(self.expr(arg));
        }
        Call {
            function: call.function,
            template: call.template,
            args,
        }
    }
}

impl Rewrite<Calls<Symbol>, Calls<Bits>> for Arguments<'_> {
    fn op(&mut self, note: Source, op: Leaf<Symbol>, out: &mut Vec<Stmt<Calls<Bits>>>) {
        let op = match op {
            Leaf::Call(call) => Leaf::Call(self.call(call)),
            Leaf::Let { kind, name, value } => Leaf::Let {
                kind,
                name,
                value: self.expr(value),
            },
            Leaf::Define { var, call } => Leaf::Define {
                var,
                call: self.call(call),
            },
            Leaf::Advance { name, value } => Leaf::Advance {
                name,
                value: self.expr(value),
            },
        };
        out.push(Stmt::new(note, Kind::Op(op)));
    }

    fn group(&mut self, note: Source, scope: Scope, body: Vec<Stmt<Calls<Symbol>>>, out: &mut Vec<Stmt<Calls<Bits>>>) {
        out.push(Stmt::new(note, Kind::Group(scope, self.body(body))));
    }

    fn head(&mut self, head: Loop<Symbol>) -> Loop<Bits> {
        match head {
            Loop::Blocks { start, count, step } => Loop::Blocks {
                start: self.expr(start),
                count: self.expr(count),
                step: self.expr(step),
            },
            Loop::Over {
                var,
                start,
                end,
                unroll,
                ahead,
                origin,
            } => Loop::Over {
                var,
                start: self.expr(start),
                end: self.expr(end),
                unroll,
                ahead,
                origin,
            },
            Loop::Tiles {
                name,
                end,
                step,
                in_parts,
            } => Loop::Tiles {
                name,
                end,
                step,
                in_parts,
            },
        }
    }

    fn branch(&mut self, branch: Branch<Symbol>) -> Branch<Bits> {
        Branch {
            cond: self.expr(branch.cond),
            cause: branch.cause,
        }
    }

    fn note(&mut self, note: Source) -> Source {
        note
    }
}

/// A call of `function` with one argument.
fn call_of(function: &'static Function, template: &'static str, arg: Expr<Bits>) -> Expr<Bits> {
    Expr::Call(Box::new(Call {
        function,
        template: template.into(),
        args: vec![arg],
    }))
}

fn negate(cond: &BoolExpr) -> BoolExpr {
    match cond {
        BoolExpr::Const(value) => BoolExpr::Const(!value),
        BoolExpr::Compare(op, a, b) => {
            let opposite = match op {
                CompareOp::Eq => CompareOp::Ne,
                CompareOp::Ne => CompareOp::Eq,
                CompareOp::Lt => CompareOp::Ge,
                CompareOp::Le => CompareOp::Gt,
                CompareOp::Gt => CompareOp::Le,
                CompareOp::Ge => CompareOp::Lt,
            };
            BoolExpr::Compare(opposite, a.clone(), b.clone())
        }
        BoolExpr::CompareNumbers(..) => BoolExpr::Not(Box::new(cond.clone())),
        BoolExpr::And(a, b) => BoolExpr::Or(Box::new(negate(a)), Box::new(negate(b))),
        BoolExpr::Or(a, b) => BoolExpr::And(Box::new(negate(a)), Box::new(negate(b))),
        BoolExpr::Not(a) => (**a).clone(),
    }
}

fn compare_name(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "equals",
        CompareOp::Ne => "differs",
        CompareOp::Lt => "below",
        CompareOp::Le => "at_most",
        CompareOp::Gt => "above",
        CompareOp::Ge => "at_least",
    }
}

/// A name for what a formula computes: `M`, `M_tiles`, `M_div_ceil_128`.
fn describe(formula: &Formula) -> String {
    let text = formula.to_string();
    let text = text
        .replace(".div_ceil(32)", "_tiles")
        .replace(".div_ceil(", "_div_ceil_");
    let words = text
        .replace(" * ", "_times_")
        .replace(" + ", "_plus_")
        .replace(" - ", "_minus_")
        .replace(" / ", "_over_");
    let name: String = words
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    if name.len() > 40 { "size".into() } else { name }
}

/// A name for the bits of a number: `scale`, `recip_scale`.
fn describe_number(number: &Number) -> String {
    let name = match number {
        Number::Bits(_) => "constant".into(),
        Number::Scalar(name) => name.clone(),
        Number::Int(formula) => describe(formula),
        Number::Call(op, args) => {
            let args: Vec<String> = args.iter().map(describe_number).collect();
            format!("{}_{}", op.row().name, args.join("_"))
        }
        Number::Compare(op, a, b) => {
            format!("{}_{}_{}", describe_number(a), compare_name(*op), describe_number(b))
        }
        Number::Bf16(neighbour, of) => {
            let which = match neighbour {
                Neighbour::Below => "below",
                Neighbour::Above => "above",
                Neighbour::Same => "same_as",
            };
            format!("bf16_{which}_{}", describe_number(of))
        }
    };
    if name.len() > 40 { "number".into() } else { name }
}
