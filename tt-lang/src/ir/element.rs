//! Element expressions, and the table of their operations.

use super::{BlockId, CompareOp, ElementType, IntExpr, NumberExpr, ParamId, Span};
use serde::{Deserialize, Serialize};

/// An expression for one element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// What it is.
    pub kind: ElementKind,
    /// Its place.
    pub span: Span,
}

/// What an element expression is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ElementKind {
    /// A number.
    Float(#[serde(with = "super::real")] f64),
    /// `true`, `false`.
    Bool(bool),
    /// A scalar parameter as a number.
    Scalar(ParamId),
    /// An integer expression as a number; it may mention parallel indices.
    Int(IntExpr),
    /// An element of a block or tensor.
    Load(Access),
    /// An operation of [`ELEMENT_OPS`]; as many arguments as its row says.
    Call(ElementOp, Vec<Element>),
    /// A comparison of two numbers.
    Compare(CompareOp, Box<Element>, Box<Element>),
    /// A comparison of integers (block indices, loop variables, parallel indices): a mask.
    CompareInt(CompareOp, IntExpr, IntExpr),
    /// `a && b`
    And(Box<Element>, Box<Element>),
    /// `a || b`
    Or(Box<Element>, Box<Element>),
    /// `!a`
    Not(Box<Element>),
    /// `if c { a } else { b }`, `T.select(c, a, b)`.
    Select(Box<Element>, Box<Element>, Box<Element>),
    /// `a as f32` and other casts.
    Cast(ElementType, Box<Element>),
}

impl Element {
    /// The direct operands.
    pub fn operands(&self) -> Vec<&Element> {
        match &self.kind {
            ElementKind::Float(_)
            | ElementKind::Bool(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Load(_)
            | ElementKind::CompareInt(..) => Vec::new(),
            ElementKind::Call(_, args) => args.iter().collect(),
            ElementKind::Compare(_, a, b) | ElementKind::And(a, b) | ElementKind::Or(a, b) => vec![a, b],
            ElementKind::Not(a) | ElementKind::Cast(_, a) => vec![a],
            ElementKind::Select(c, a, b) => vec![c, a, b],
        }
    }

    /// Calls `visit` for this expression and everything in it.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Element)) {
        visit(self);
        for operand in self.operands() {
            operand.walk(visit);
        }
    }

    /// The number it is, where it is made of literals, `f32` scalars, extents and integer scalars.
    pub fn number_at_launch(&self) -> Option<NumberExpr> {
        Some(match &self.kind {
            ElementKind::Float(value) => NumberExpr::Literal(*value),
            ElementKind::Scalar(id) => NumberExpr::Scalar(*id),
            ElementKind::Int(value) if value.is_launch_constant() => NumberExpr::Int(value.clone()),
            ElementKind::Call(op, args) => {
                let args = args.iter().map(Element::number_at_launch).collect::<Option<_>>()?;
                NumberExpr::Call(*op, args)
            }
            ElementKind::Cast(ElementType::F32, inner) => inner.number_at_launch()?,
            ElementKind::Int(_)
            | ElementKind::Cast(..)
            | ElementKind::Bool(_)
            | ElementKind::Load(_)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_)
            | ElementKind::Select(..) => return None,
        })
    }

    /// Whether its value is a truth value.
    pub fn is_bool(&self) -> bool {
        match &self.kind {
            ElementKind::Bool(_)
            | ElementKind::Compare(..)
            | ElementKind::CompareInt(..)
            | ElementKind::And(..)
            | ElementKind::Or(..)
            | ElementKind::Not(_) => true,
            ElementKind::Select(_, a, _) => a.is_bool(),
            ElementKind::Float(_)
            | ElementKind::Scalar(_)
            | ElementKind::Int(_)
            | ElementKind::Load(_)
            | ElementKind::Call(..)
            | ElementKind::Cast(..) => false,
        }
    }
}

/// One element of a block or tensor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// What is accessed.
    pub buffer: Buffer,
    /// One index per axis.
    pub indices: Vec<IntExpr>,
    /// Its place.
    pub span: Span,
}

/// What an element is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Buffer {
    /// A block.
    Block(BlockId),
    /// A tensor parameter.
    Tensor(ParamId),
}

/// A row of the operation table.
#[derive(Debug, Clone, Copy)]
pub struct ElementOpRow {
    /// The operation.
    pub op: ElementOp,
    /// The name users write, as a method or as `T.name`.
    pub name: &'static str,
    /// How many arguments it takes, the receiver included.
    pub arity: usize,
    /// How many of the last arguments must be uniform numbers (literals, scalars, extents).
    pub uniform: usize,
    /// Its value.
    pub value: fn(&[f64]) -> f64,
}

macro_rules! element_ops {
    ($($variant:ident $name:literal $arity:literal $uniform:literal $value:expr;)*) => {
        /// An operation on elements.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[allow(missing_docs)]
        pub enum ElementOp { $($variant),* }

        /// Every operation on elements, one row each. `+ - * /` and unary minus are `add sub mul div neg`.
        pub const ELEMENT_OPS: &[ElementOpRow] = &[
            $(ElementOpRow { op: ElementOp::$variant, name: $name, arity: $arity, uniform: $uniform, value: $value }),*
        ];
    };
}

element_ops! {
    Add "add" 2 0 |x| x[0] + x[1];
    Sub "sub" 2 0 |x| x[0] - x[1];
    Mul "mul" 2 0 |x| x[0] * x[1];
    Div "div" 2 0 |x| x[0] / x[1];
    Neg "neg" 1 0 |x| -x[0];
    Exp "exp" 1 0 |x| x[0].exp();
    Exp2 "exp2" 1 0 |x| x[0].exp2();
    Log "log" 1 0 |x| x[0].ln();
    Log2 "log2" 1 0 |x| x[0].log2();
    Log1p "log1p" 1 0 |x| x[0].ln_1p();
    Expm1 "expm1" 1 0 |x| x[0].exp_m1();
    Sqrt "sqrt" 1 0 |x| x[0].sqrt();
    Rsqrt "rsqrt" 1 0 |x| 1.0 / x[0].sqrt();
    Recip "recip" 1 0 |x| 1.0 / x[0];
    Abs "abs" 1 0 |x| x[0].abs();
    Sign "sign" 1 0 |x| if x[0] > 0.0 { 1.0 } else if x[0] < 0.0 { -1.0 } else { x[0].abs() };
    Square "square" 1 0 |x| x[0] * x[0];
    Powf "powf" 2 1 |x| x[0].powf(x[1]);
    Powi "powi" 2 1 |x| x[0].powf(x[1]);
    Sin "sin" 1 0 |x| x[0].sin();
    Cos "cos" 1 0 |x| x[0].cos();
    Tan "tan" 1 0 |x| x[0].tan();
    Asin "asin" 1 0 |x| x[0].asin();
    Acos "acos" 1 0 |x| x[0].acos();
    Atan "atan" 1 0 |x| x[0].atan();
    Sinh "sinh" 1 0 |x| x[0].sinh();
    Cosh "cosh" 1 0 |x| x[0].cosh();
    Tanh "tanh" 1 0 |x| x[0].tanh();
    Sigmoid "sigmoid" 1 0 |x| 1.0 / (1.0 + (-x[0]).exp());
    Silu "silu" 1 0 |x| x[0] / (1.0 + (-x[0]).exp());
    Gelu "gelu" 1 0 |x| 0.5 * x[0] * (1.0 + libm::erf(x[0] / std::f64::consts::SQRT_2));
    Relu "relu" 1 0 |x| maximum(x[0], 0.0);
    LeakyRelu "leaky_relu" 2 1 |x| if x[0] > 0.0 { x[0] } else { x[0] * x[1] };
    Elu "elu" 2 1 |x| if x[0] > 0.0 { x[0] } else { x[1] * x[0].exp_m1() };
    Softplus "softplus" 1 0 |x| maximum(x[0], 0.0) + (-x[0].abs()).exp().ln_1p();
    Erf "erf" 1 0 |x| libm::erf(x[0]);
    Erfc "erfc" 1 0 |x| libm::erfc(x[0]);
    Floor "floor" 1 0 |x| x[0].floor();
    Ceil "ceil" 1 0 |x| x[0].ceil();
    Round "round" 1 0 |x| x[0].round_ties_even();
    Trunc "trunc" 1 0 |x| x[0].trunc();
    Min "min" 2 0 |x| -maximum(-x[0], -x[1]);
    Max "max" 2 0 |x| maximum(x[0], x[1]);
    Clamp "clamp" 3 2 |x| -maximum(-maximum(x[0], x[1]), -x[2]);
}

/// The larger; NaN where one is, since the language leaves open what chips give there.
fn maximum(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) }
}

impl ElementOp {
    /// The operation's row.
    pub fn row(self) -> &'static ElementOpRow {
        &ELEMENT_OPS[self as usize]
    }

    /// The operation users call `name`.
    pub fn named(name: &str) -> Option<ElementOp> {
        ELEMENT_OPS.iter().find(|row| row.name == name).map(|row| row.op)
    }
}
