//! Expressions: literals, names, operators, casts. Methods are in `method`, elements in `access`, `if` as a value in `choice`.

use super::constants::{Constant, constant, fits_suffix};
use super::frontend::{Frontend, Loads, type_name, ungrouped};
use super::scope::Binding;
use super::source_text::source_text;
use super::spans::Node;
use super::value::{Class, Value};
use crate::codes;
use crate::ir::{CompareOp, Element, ElementKind, ElementOp, ElementType, IntExpr, IntOp, Real};
use syn::{BinOp, Expr, Lit, UnOp};

/// What may stand behind the digits of an integer.
const INTEGER_SUFFIXES: [&str; 10] = ["", "usize", "isize", "i64", "u64", "i32", "u32", "u16", "u8", "i8"];

impl Frontend {
    /// The value of `expr`; `None` where it has none, which is then reported.
    #[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
    pub(super) fn value(&mut self, expr: &Expr) -> Option<Value> {
        match expr {
            Expr::Lit(literal) => self.literal(&literal.lit),
            Expr::Path(path) => self.path(path),
            Expr::Paren(inner) => self.value(&inner.expr),
            Expr::Group(inner) => self.value(&inner.expr),
            Expr::Unary(unary) => self.unary(unary),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Cast(cast) => self.cast(cast),
            Expr::MethodCall(call) => self.method(call),
            Expr::Index(index) => self.load(index),
            Expr::If(branch) => self.branch_value(branch),
            Expr::Call(call) => self.function_call(call),
            other => {
                self.refuse(other);
                None
            }
        }
    }

    fn literal(&mut self, literal: &Lit) -> Option<Value> {
        match literal {
            Lit::Int(int) if int.suffix() == "f32" => {
                let digits = syn::LitFloat::new(&format!("{}.0", int.base10_digits()), int.span());
                self.literal(&Lit::Float(digits))
            }
            Lit::Int(int) if INTEGER_SUFFIXES.contains(&int.suffix()) => {
                let value = int.base10_parse();
                if let Ok(value) = value
                    && matches!(int.suffix(), "u16" | "u8" | "i8")
                    && !fits_suffix(int.suffix(), value)
                {
                    let message = format!("`{}` does not fit in `{}`", source_text(literal), int.suffix());
                    self.error(&codes::ARITHMETIC, literal, message, "write it without the suffix");
                    return None;
                }
                self.integer_literal(value, literal)
            }
            Lit::Float(float) if matches!(float.suffix(), "" | "f32") => match float.base10_parse::<f32>() {
                Ok(value) if value.is_finite() => self.float(f64::from(value), literal),
                Ok(_) => {
                    self.error(
                        &codes::NUMBER_RANGE,
                        literal,
                        "this number is larger than any `f32`",
                        "the largest is `f32::MAX`, 3.4028235e38; beyond it write `f32::INFINITY`",
                    );
                    None
                }
                Err(_) => {
                    self.error(
                        &codes::LITERAL,
                        literal,
                        "this number cannot be read",
                        "write it as `0.5` or `1e-5`",
                    );
                    None
                }
            },
            Lit::Int(_) | Lit::Float(_) => {
                let note = "write it without the suffix; `2` is an integer, `2.0` a number";
                self.error(
                    &codes::LITERAL,
                    literal,
                    format!("`{}` has a type that is not in the language", source_text(literal)),
                    note,
                );
                None
            }
            Lit::Bool(value) => {
                let kind = ElementKind::Bool(value.value);
                Some(Value::Truth(self.element(kind, literal)))
            }
            Lit::Str(_) => {
                self.error(
                    &codes::LITERAL,
                    literal,
                    "a text is not a value",
                    "texts appear in `T.print(\"text\", n)` only",
                );
                None
            }
            Lit::ByteStr(_) | Lit::CStr(_) | Lit::Byte(_) | Lit::Char(_) | Lit::Verbatim(_) => {
                self.refuse_literal(literal);
                None
            }
            // `syn::Lit` may grow.
            _ => {
                self.refuse_literal(literal);
                None
            }
        }
    }

    /// The integer that `node` is written as; beyond those of the language it is one of an element of `u32`.
    fn integer_literal(&mut self, value: syn::Result<i64>, node: &(impl Node + ?Sized)) -> Option<Value> {
        let of_elements = matches!(self.loads, Loads::Allowed | Loads::WholeBlock);
        if let Ok(value) = value {
            let integer = IntExpr::Const(value);
            if i32::try_from(value).is_ok() {
                return Some(Value::Integer(integer));
            }
            if of_elements && u32::try_from(value).is_ok() {
                let element = self.element(ElementKind::Int(integer), node);
                return Some(Value::Number(element, Class::Integer));
            }
        }
        let (bits, note) = match of_elements {
            true => (
                "32 bits",
                "integers have 32 bits and a sign, elements of `u32` 32 bits without one",
            ),
            false => ("32 bits with a sign", "integers have 32 bits and a sign"),
        };
        let message = format!("`{}` does not fit in {bits}", source_text(node));
        self.error(&codes::ARITHMETIC, node, message, note);
        None
    }

    fn refuse_literal(&mut self, literal: &Lit) {
        let message = "this literal is not in the language";
        self.error(
            &codes::LITERAL,
            literal,
            message,
            "write a whole number, a number with a point, `true` or `false`",
        );
    }

    /// The number `value`, at `node`.
    pub(super) fn float(&mut self, value: f64, node: &(impl Node + ?Sized)) -> Option<Value> {
        // Numbers of the language are `f32`, constants too.
        let kind = ElementKind::Float(Real(f64::from(value as f32)));
        Some(Value::Number(self.element(kind, node), Class::Float))
    }

    /// An element expression at `node`.
    pub(super) fn element(&mut self, kind: ElementKind, node: &(impl Node + ?Sized)) -> Element {
        Element {
            kind,
            span: self.span_of(node),
        }
    }

    fn path(&mut self, path: &syn::ExprPath) -> Option<Value> {
        if let Some(ident) = path.path.get_ident().filter(|_| path.qself.is_none()) {
            return match self.resolve(ident)? {
                Binding::Integer(value) => Some(Value::Integer(value)),
                Binding::Extent(id) => Some(Value::Integer(IntExpr::Extent(id))),
                Binding::Variable(id) => Some(Value::Integer(IntExpr::Var(id))),
                Binding::Scalar(id) => self.scalar(id, ident),
                Binding::Block(id) => {
                    let note = match (self.loads, self.block(id).shape.len()) {
                        (Loads::Allowed, 1) => format!("name one element: `{ident}[i]`"),
                        (Loads::Allowed, _) => format!("name one element: `{ident}[(i, j)]`"),
                        _ => "its elements are read inside `T.Parallel`".to_string(),
                    };
                    self.error(
                        &codes::WHOLE_BLOCK,
                        ident,
                        format!("`{ident}` is a whole block, a value is wanted"),
                        note,
                    );
                    None
                }
                Binding::Tensor(_) => {
                    let note = format!(
                        "name one element inside `T.Parallel`, or copy a region: `T.copy({ident}[(row, col)], block)`"
                    );
                    self.error(
                        &codes::WHOLE_TENSOR,
                        ident,
                        format!("`{ident}` is a whole tensor, a value is wanted"),
                        note,
                    );
                    None
                }
                Binding::Number(element, class) => Some(Value::Number(element, class)),
                Binding::Truth(element) => Some(Value::Truth(element)),
                Binding::Function(_) => {
                    let note = format!("call it: `{ident}(..)`");
                    self.error(
                        &codes::WRONG_KIND,
                        ident,
                        format!("`{ident}` is a function, a value is wanted"),
                        note,
                    );
                    None
                }
                Binding::Poisoned => None,
            };
        }
        let segments: Vec<String> = path
            .path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let plain = path.qself.is_none() && path.path.segments.iter().all(|segment| segment.arguments.is_none());
        let constant = match segments.as_slice() {
            segments if plain => constant(segments),
            _ => None,
        };
        match constant {
            Some(Constant::Number(value)) => self.float(value, path),
            Some(Constant::Integer(value)) => self.integer_literal(Ok(value), path),
            None => {
                let shown = segments.join("::");
                let note = match segments.as_slice() {
                    ["T", word] => format!("`T` is followed by a point: `T.{word}`"),
                    [.., "f32", _] => "the constants are `f32::INFINITY`, `NEG_INFINITY`, `MAX`, `MIN`, `EPSILON`, `MIN_POSITIVE`, `NAN`".to_string(),
                    [.., "f64" | "bf16" | "f16", _] => "numbers in expressions are `f32`: `f32::INFINITY` and the like".to_string(),
                    _ => "a kernel sees its parameters and what its body declares; repeat a constant inside it".to_string(),
                };
                self.error(&codes::UNKNOWN_NAME, path, format!("unknown name `{shown}`"), note);
                None
            }
        }
    }

    fn unary(&mut self, unary: &syn::ExprUnary) -> Option<Value> {
        // The least integer is written as the negative of what is none.
        if let (UnOp::Neg(_), Some(least)) = (&unary.op, least_integer(&unary.expr)) {
            return self.integer_literal(Ok(least), unary);
        }
        match unary.op {
            UnOp::Neg(_) => match self.value(&unary.expr)? {
                Value::Integer(value) => Some(Value::Integer(self.integer_op(
                    IntOp::Sub,
                    IntExpr::Const(0),
                    value,
                    unary,
                )?)),
                Value::Number(element, class) => Some(self.apply(ElementOp::Neg, vec![element], class, unary)),
                truth @ Value::Truth(_) => self
                    .number(truth, Class::Float, &unary.expr)
                    .map(|e| Value::Number(e, Class::Float)),
            },
            UnOp::Not(_) => {
                let value = match self.value(&unary.expr)? {
                    Value::Number(element, Class::Integer) => {
                        return Some(self.apply(ElementOp::BitNot, vec![element], Class::Integer, unary));
                    }
                    value @ Value::Integer(_) if self.loads == Loads::Allowed => {
                        let element = self.number(value, Class::Integer, &*unary.expr)?;
                        return Some(self.apply(ElementOp::BitNot, vec![element], Class::Integer, unary));
                    }
                    value @ (Value::Integer(_) | Value::Number(..) | Value::Truth(_)) => value,
                };
                let note = match &value {
                    Value::Number(..) => {
                        "whether a number is 0 is `x == 0.0`; bits are those of an integer: `!x.to_bits()`"
                    }
                    Value::Integer(_) | Value::Truth(_) => {
                        "whether an integer is 0 is `n == 0`; its bits the other way are `-1 - n`"
                    }
                };
                let Value::Truth(operand) = value else {
                    let message = format!(
                        "`!` is of truth values and integer elements, found {}",
                        value.describe()
                    );
                    self.error(&codes::TRUTH_VALUE, &*unary.expr, message, note);
                    return None;
                };
                Some(Value::Truth(self.element(ElementKind::Not(Box::new(operand)), unary)))
            }
            UnOp::Deref(star) => {
                self.error(
                    &codes::REFERENCE,
                    &star,
                    "references are not in the language",
                    "write the name alone, without `*`",
                );
                None
            }
            // `syn::UnOp` may grow.
            _ => {
                self.error(
                    &codes::OPERATOR,
                    unary,
                    "this operator is not in the language",
                    "there are `-` and `!`",
                );
                None
            }
        }
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Option<Value> {
        let left = self.value(&binary.left);
        if let BinOp::And(_) | BinOp::Or(_) = binary.op {
            let left = left.and_then(|value| self.truth(value, &*binary.left));
            let holds = matches!(binary.op, BinOp::And(_));
            let right = self.within(left.as_ref(), holds, |frontend| frontend.value(&binary.right));
            let right = right.and_then(|value| self.truth(value, &*binary.right));
            let (left, right) = (Box::new(left?), Box::new(right?));
            let kind = match holds {
                true => ElementKind::And(left, right),
                false => ElementKind::Or(left, right),
            };
            return Some(Value::Truth(self.element(kind, binary)));
        }
        let right = self.value(&binary.right);
        if let (Some(Value::Truth(a)), Some(Value::Truth(b))) = (&left, &right)
            && let Some(kind) = of_truths(&binary.op, a, b)
        {
            return Some(Value::Truth(self.element(kind, binary)));
        }
        if let Some(op) = comparison(&binary.op) {
            let (left, right) = (left?, right?);
            if let (Value::Integer(a), Value::Integer(b)) = (&left, &right) {
                let kind = ElementKind::CompareInt(op, a.clone(), b.clone());
                return Some(Value::Truth(self.element(kind, binary)));
            }
            let (a, b, _) = self.unify(left, right, &binary.left, &binary.right)?;
            let kind = ElementKind::Compare(op, Box::new(a), Box::new(b));
            return Some(Value::Truth(self.element(kind, binary)));
        }
        let operation = arithmetic(&binary.op);
        let (left, right) = (left?, right?);
        match (&left, &right) {
            (Value::Integer(a), Value::Integer(b)) => {
                let Some(op) = operation.integers else {
                    let is_constant = a.as_const().is_some() && b.as_const().is_some();
                    return match operation.elements {
                        Some(op) if self.loads == Loads::Allowed && !is_constant => {
                            let (a, b, class) = self.unify(left, right, &binary.left, &binary.right)?;
                            Some(self.apply(op, vec![a, b], class, binary))
                        }
                        op => self.bits_of_constants(op, a, b, binary),
                    };
                };
                let value = self.integer_op(op, a.clone(), b.clone(), binary)?;
                return Some(Value::Integer(value));
            }
            (Value::Integer(_), Value::Number(..)) if self.loads == Loads::Index => {
                return self.refuse_number(&binary.right);
            }
            (Value::Number(..), Value::Integer(_)) if self.loads == Loads::Index => {
                return self.refuse_number(&binary.left);
            }
            _ => {}
        }
        let is_number = |value: &Value| matches!(value, Value::Number(_, Class::Float));
        if operation.numbers.is_none() && (is_number(&left) || is_number(&right)) {
            return self.refuse_operator(&binary.op, Class::Float);
        }
        let (a, b, class) = self.unify(left, right, &binary.left, &binary.right)?;
        let of_class = match class {
            Class::Float => operation.numbers,
            Class::Integer => operation.elements,
        };
        let Some(op) = of_class else {
            return self.refuse_operator(&binary.op, class);
        };
        Some(self.apply(op, vec![a, b], class, binary))
    }

    /// Reports an operator that elements of `class` do not have.
    pub(super) fn refuse_operator<R>(&mut self, op: &BinOp, class: Class) -> Option<R> {
        let operator = source_text(op);
        let (message, note) = match (op, class) {
            (_, Class::Float) => (
                format!("`{operator}` works on integer elements only"),
                "take the bits of an `f32`: `x.to_bits()`, and back `f32::from_bits(n)`",
            ),
            (_, Class::Integer) => (
                format!("`{operator}` is not in the language"),
                "integer elements have `+ - * / %` and `& | ^ << >> !`",
            ),
        };
        self.error(&codes::OPERATOR, op, message, note);
        None
    }

    /// An operation on the bits of integers that are the same for a block: of constants alone.
    fn bits_of_constants(
        &mut self,
        op: Option<ElementOp>,
        a: &IntExpr,
        b: &IntExpr,
        binary: &syn::ExprBinary,
    ) -> Option<Value> {
        let exact = |value: i64| i32::try_from(value).ok().map(f64::from);
        let operands = (a.as_const().and_then(exact), b.as_const().and_then(exact));
        if let (Some(op), (Some(a), Some(b))) = (op, operands) {
            let by = self.span(&binary.right);
            if !self.check_right_operand(op, b as i64, by) {
                return None;
            }
            let value = (op.row().value)(&[a, b]) as i64;
            if i32::try_from(value).is_ok() {
                return Some(Value::Integer(IntExpr::Const(value)));
            }
            let message = "this constant does not fit in 32 bits with a sign";
            self.error(&codes::ARITHMETIC, binary, message, "shift by less");
            return None;
        }
        let operator = source_text(&binary.op);
        let message = format!("`{operator}` works on integer elements and constants");
        let note = "integers that are the same for a block have `+ - * / %`: `n << 3` is `n * 8`, `n & 7` is `n % 8`";
        self.error(&codes::OPERATOR, &binary.op, message, note);
        None
    }

    /// Both values as numbers of one class.
    pub(super) fn unify(
        &mut self,
        left: Value,
        right: Value,
        left_node: &Expr,
        right_node: &Expr,
    ) -> Option<(Element, Element, Class)> {
        let class = match (&left, &right) {
            (Value::Number(_, Class::Float), _) | (_, Value::Number(_, Class::Float)) => Class::Float,
            (Value::Number(..), _) | (_, Value::Number(..)) | (Value::Integer(_), _) | (_, Value::Integer(_)) => {
                Class::Integer
            }
            (Value::Truth(_), Value::Truth(_)) => Class::Float,
        };
        let (left, right) = (
            self.number(left, class, left_node),
            self.number(right, class, right_node),
        );
        Some((left?, right?, class))
    }

    /// `op(args)`, evaluated where all arguments are literals.
    pub(super) fn apply(
        &mut self,
        op: ElementOp,
        args: Vec<Element>,
        class: Class,
        node: &(impl Node + ?Sized),
    ) -> Value {
        let literals: Vec<f64> = args
            .iter()
            .filter_map(|arg| {
                let ElementKind::Float(Real(value)) = arg.kind else {
                    return None;
                };
                Some(value)
            })
            .collect();
        let kind = if literals.len() == args.len() {
            ElementKind::Float(Real((op.row().value)(&literals)))
        } else {
            ElementKind::Call(op, args)
        };
        Value::Number(self.element(kind, node), class)
    }

    fn cast(&mut self, cast: &syn::ExprCast) -> Option<Value> {
        let value = self.value(&cast.expr)?;
        let name = type_name(&cast.ty);
        let indexing = matches!(name.as_deref(), Some("usize" | "isize" | "i64" | "u64" | "i32" | "u32"));
        match value {
            Value::Integer(_) if indexing => Some(value),
            Value::Integer(value) => {
                let to = self.cast_type(&cast.ty)?;
                let element = self.element(ElementKind::Int(value), &*cast.expr);
                let kind = match to == ElementType::F32 {
                    true => element.kind,
                    false => ElementKind::Cast(to, Box::new(element)),
                };
                Some(Value::Number(self.element(kind, cast), Class::of(to)))
            }
            Value::Number(element, _) => {
                let to = self.cast_type(&cast.ty)?;
                let kind = ElementKind::Cast(to, Box::new(element));
                Some(Value::Number(self.element(kind, cast), Class::of(to)))
            }
            Value::Truth(_) if !indexing && !INTEGER_SUFFIXES.contains(&name.as_deref().unwrap_or_default()) => {
                let note = "write `T.select(c, 1.0, 0.0)`, or first an integer: `(a < b) as i32 as f32`";
                self.error(
                    &codes::CAST,
                    cast,
                    format!("a truth value is not cast to `{}`", source_text(&cast.ty)),
                    note,
                );
                None
            }
            Value::Truth(condition) => {
                let [one, zero] = [1, 0].map(|value| Value::Integer(IntExpr::Const(value)));
                let chosen = self.choose(condition, (one, &cast.expr), (zero, &cast.expr), cast)?;
                match chosen {
                    Value::Number(element, class) => {
                        let to = self.cast_type(&cast.ty)?;
                        let kind = ElementKind::Cast(to, Box::new(element));
                        Some(Value::Number(self.element(kind, cast), class))
                    }
                    integer @ (Value::Integer(_) | Value::Truth(_)) => Some(integer),
                }
            }
        }
    }

    fn cast_type(&mut self, ty: &syn::Type) -> Option<ElementType> {
        let name = type_name(ty);
        if let Some(found) = ElementType::ALL
            .iter()
            .find(|(_, known)| name.as_deref() == Some(known))
        {
            return Some(found.0);
        }
        let names: Vec<&str> = ElementType::ALL.iter().map(|(_, name)| *name).collect();
        let message = format!("no cast to `{}`", source_text(ty));
        self.error(
            &codes::CAST,
            ty,
            message,
            format!("elements are cast to {}", names.join(", ")),
        );
        None
    }
}

/// What `a op b` is of truth values; nothing where they have no such operator.
#[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
fn of_truths(op: &BinOp, a: &Element, b: &Element) -> Option<ElementKind> {
    let (left, right) = (Box::new(a.clone()), Box::new(b.clone()));
    let not = |of: &Element| {
        let kind = ElementKind::Not(Box::new(of.clone()));
        Box::new(Element { kind, span: of.span })
    };
    Some(match op {
        BinOp::Eq(_) => ElementKind::Select(left, right, not(b)),
        BinOp::Ne(_) | BinOp::BitXor(_) => ElementKind::Select(left, not(b), right),
        BinOp::BitAnd(_) => ElementKind::And(left, right),
        BinOp::BitOr(_) => ElementKind::Or(left, right),
        _ => return None,
    })
}

/// The comparison that `op` is.
#[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
fn comparison(op: &BinOp) -> Option<CompareOp> {
    Some(match op {
        BinOp::Eq(_) => CompareOp::Eq,
        BinOp::Ne(_) => CompareOp::Ne,
        BinOp::Lt(_) => CompareOp::Lt,
        BinOp::Le(_) => CompareOp::Le,
        BinOp::Gt(_) => CompareOp::Gt,
        BinOp::Ge(_) => CompareOp::Ge,
        _ => return None,
    })
}

/// What an operator is.
struct Operation {
    /// On integers that are the same for a block.
    integers: Option<IntOp>,
    /// On numbers.
    numbers: Option<ElementOp>,
    /// On integer elements.
    elements: Option<ElementOp>,
}

/// What `op` is on values of each kind.
#[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
fn arithmetic(op: &BinOp) -> Operation {
    let of = |integers, numbers| Operation {
        integers,
        numbers,
        elements: numbers,
    };
    let bits = |op| Operation {
        integers: None,
        numbers: None,
        elements: Some(op),
    };
    match op {
        BinOp::Add(_) => of(Some(IntOp::Add), Some(ElementOp::Add)),
        BinOp::Sub(_) => of(Some(IntOp::Sub), Some(ElementOp::Sub)),
        BinOp::Mul(_) => of(Some(IntOp::Mul), Some(ElementOp::Mul)),
        BinOp::Div(_) => of(Some(IntOp::Div), Some(ElementOp::Div)),
        BinOp::Rem(_) => Operation {
            integers: Some(IntOp::Rem),
            numbers: Some(ElementOp::Fmod),
            elements: Some(ElementOp::Rem),
        },
        BinOp::BitAnd(_) => bits(ElementOp::BitAnd),
        BinOp::BitOr(_) => bits(ElementOp::BitOr),
        BinOp::BitXor(_) => bits(ElementOp::BitXor),
        BinOp::Shl(_) => bits(ElementOp::Shl),
        BinOp::Shr(_) => bits(ElementOp::Shr),
        _ => of(None, None),
    }
}

/// The least integer of the language or of `i8`, where the negative of `expr` is that as it is written.
fn least_integer(expr: &Expr) -> Option<i64> {
    let Expr::Lit(literal) = ungrouped(expr) else {
        return None;
    };
    let Lit::Int(int) = &literal.lit else { return None };
    let least = match int.suffix() {
        "" | "isize" | "i64" | "i32" => i64::from(i32::MIN),
        "i8" => i64::from(i8::MIN),
        _ => return None,
    };
    int.base10_parse()
        .is_ok_and(|value: i64| -value == least)
        .then_some(least)
}
