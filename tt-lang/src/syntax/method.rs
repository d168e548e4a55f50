//! Methods of values and the operations of `T` that give one: `x.exp()`, `T.exp(x)`, `n.div_ceil(32)`, `T.select(c, x, y)`.

use super::frontend::{Frontend, name_of};
use super::scope::nearest;
use super::value::{Class, Value};
use super::vocabulary::{Role, Word, element_names, is_vocabulary, suggestion, word};
use crate::codes;
use crate::ir::{CompareOp, Element, ElementKind, ElementOp, IntExpr, IntOp, Real, Span};
use syn::Expr;
use tt_device::{Expansion, PerElement, Relation};

/// The methods of integers, with what they do to each argument after the other.
const INTEGER_METHODS: [(&str, &[IntOp]); 6] = [
    ("abs", &[]),
    ("next_multiple_of", &[IntOp::CeilDiv]),
    ("div_ceil", &[IntOp::CeilDiv]),
    ("min", &[IntOp::Min]),
    ("max", &[IntOp::Max]),
    ("clamp", &[IntOp::Max, IntOp::Min]),
];

/// The methods of numbers that are truth values, and the operations that say so as a number.
const TRUTHS: [(&str, ElementOp); 3] = [
    ("is_nan", ElementOp::IsNan),
    ("is_infinite", ElementOp::IsInfinite),
    ("is_finite", ElementOp::IsFinite),
];

/// The device tells odd exponents of negative numbers from even ones by 16 bits.
const LARGEST_EXPONENT: u64 = (1 << 15) - 1;

impl Frontend {
    /// The value of a method call.
    pub(super) fn method(&mut self, call: &syn::ExprMethodCall) -> Option<Value> {
        if is_vocabulary(&call.receiver) {
            return self.vocabulary_value(call);
        }
        if let Some(turbofish) = &call.turbofish {
            let message = format!("`{}` takes no type", call.method);
            self.error(&codes::ARGUMENTS, turbofish, message, "leave the type out");
        }
        let receiver = self.value(&call.receiver);
        let arguments: Vec<Option<(Value, &Expr)>> = call
            .args
            .iter()
            .map(|argument| self.value(argument).map(|value| (value, argument)))
            .collect();
        let mut operands = vec![(receiver?, &*call.receiver)];
        operands.extend(arguments.into_iter().collect::<Option<Vec<_>>>()?);
        self.operation(&call.method, operands, call)
    }

    /// `T.name(..)` where a value is wanted.
    fn vocabulary_value(&mut self, call: &syn::ExprMethodCall) -> Option<Value> {
        let name = name_of(&call.method);
        if let Some(row) = word(&name) {
            if row.role != Role::Value {
                self.word_out_of_place(&call.method, row, "gives no value");
                return None;
            }
            let arguments = self.arguments(call, row)?;
            return match (row.word, arguments.positional.as_slice()) {
                (Word::Select, [condition, then, other]) => {
                    let value = self.value(condition);
                    let condition = value.and_then(|value| self.truth(value, *condition));
                    let a = self.within(condition.as_ref(), true, |frontend| frontend.value(then));
                    let b = self.within(condition.as_ref(), false, |frontend| frontend.value(other));
                    self.choose(condition?, (a?, then), (b?, other), call)
                }
                // `arguments` has checked their number.
                _ => {
                    self.word_out_of_place(&call.method, row, "is not compiled");
                    None
                }
            };
        }
        let is_operation = ElementOp::named(&name).is_some() || name == ElementOp::ToBits.row().name;
        let is_truth = TRUTHS.iter().any(|(known, _)| *known == name);
        let is_of_integers = INTEGER_METHODS.iter().any(|(known, _)| *known == name);
        if !is_operation && !is_truth && !is_of_integers {
            self.unknown_word(&call.method);
            return None;
        }
        let operands: Vec<Option<(Value, &Expr)>> = call
            .args
            .iter()
            .map(|argument| self.value(argument).map(|value| (value, argument)))
            .collect();
        let operands: Vec<(Value, &Expr)> = operands.into_iter().collect::<Option<_>>()?;
        if operands.is_empty() {
            let message = format!("`T.{name}` takes arguments, found none");
            self.error(&codes::ARGUMENTS, &call.method, message, format!("write `T.{name}(x)`"));
            return None;
        }
        self.operation(&call.method, operands, call)
    }

    /// The operation called `method` on `operands`, the receiver first.
    fn operation(
        &mut self,
        method: &syn::Ident,
        operands: Vec<(Value, &Expr)>,
        call: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let name = name_of(method);
        if name == ElementOp::ToBits.row().name {
            return self.bits_of_number(operands, call);
        }
        let integers: Option<Vec<IntExpr>> = operands
            .iter()
            .map(|(value, _)| match value {
                Value::Integer(value) => Some(value.clone()),
                Value::Number(..) | Value::Truth(_) => None,
            })
            .collect();
        if let Some(integers) = integers {
            return self.integer_operation(method, integers, call);
        }
        let truth = TRUTHS.iter().find(|(known, _)| *known == name).map(|(_, op)| *op);
        let Some(op) = truth.or_else(|| ElementOp::named(&name)) else {
            let (message, candidates) = match operands.first() {
                Some((Value::Integer(_), _)) => (format!("integers have no `{name}`"), integer_names()),
                _ => (format!("numbers have no `{name}`"), element_names().collect()),
            };
            let note = suggestion(&name, candidates)
                .unwrap_or_else(|| format!("numbers have {}", element_names().collect::<Vec<_>>().join(", ")));
            self.error(&codes::UNKNOWN_METHOD, method, message, note);
            return None;
        };
        let row = op.row();
        if operands.len() != row.arity {
            let others = row.arity - 1;
            let wanted = match others {
                0 => "no argument".to_string(),
                1 => "one argument".to_string(),
                _ => format!("{others} arguments"),
            };
            let message = format!(
                "`{name}` takes {wanted} besides the number, found {}",
                operands.len() - 1
            );
            self.error(&codes::ARGUMENTS, method, message, usage(op));
            return None;
        }
        let class = operands
            .iter()
            .find_map(|(value, _)| match value {
                Value::Number(_, class) => Some(*class),
                Value::Integer(_) | Value::Truth(_) => None,
            })
            .unwrap_or(Class::Float);
        let mut args = Vec::new();
        let mut is_uniform = true;
        for (position, (value, node)) in operands.into_iter().enumerate() {
            let uniform = position >= row.arity - row.uniform;
            let class = if op == ElementOp::Powi && uniform {
                Class::Integer
            } else {
                class
            };
            if op == ElementOp::Powi && uniform && self.exponent_is_out_of_range(&value, node) {
                continue;
            }
            let Some(element) = self.number(value, class, node) else {
                continue;
            };
            if uniform && !is_launch_constant(&element) {
                if op == ElementOp::Powi {
                    self.error(
                        &codes::UNIFORM_ARGUMENT,
                        node,
                        format!("this argument of `{name}` must be the same for every element"),
                        "use literals, scalars and extents, or `powf` of a number: `x.powf(n as f32)`",
                    );
                    continue;
                }
                is_uniform = false;
            }
            args.push(element);
        }
        if args.len() != row.arity {
            return None;
        }
        if ElementOp::OF_INTEGERS.contains(&op) && class == Class::Float {
            let message = format!("numbers have no `{name}`, which is of integer elements");
            self.error(&codes::UNKNOWN_METHOD, method, message, "cast them first: `x as i32`");
            return None;
        }
        if truth.is_some() {
            let [argument] = <[Element; 1]>::try_from(args).ok()?;
            let says = self.element(ElementKind::Call(op, vec![argument]), call);
            let half = self.element(ElementKind::Float(Real(0.5)), call);
            let kind = ElementKind::Compare(CompareOp::Gt, Box::new(says), Box::new(half));
            return Some(Value::Truth(self.element(kind, call)));
        }
        // Integers are clamped by what they have.
        if (!is_uniform && class == Class::Float) || (op == ElementOp::Clamp && class == Class::Integer) {
            let span = self.span(call);
            let kind = per_element(op, args, span);
            return Some(Value::Number(Element { kind, span }, class));
        }
        Some(self.apply(op, args, class, call))
    }

    /// `x.to_bits()`.
    fn bits_of_number(&mut self, operands: Vec<(Value, &Expr)>, call: &syn::ExprMethodCall) -> Option<Value> {
        let count = operands.len();
        let (value, node) = operands.into_iter().next().filter(|_| count == 1).or_else(|| {
            let message = "`to_bits` takes no argument besides the number";
            self.error(&codes::ARGUMENTS, &call.method, message, "write `x.to_bits()`");
            None
        })?;
        let number = self.number(value, Class::Float, node)?;
        if let ElementKind::Float(Real(value)) = number.kind {
            return Some(Value::Integer(IntExpr::Const(i64::from(
                (value as f32).to_bits() as i32
            ))));
        }
        Some(self.apply(ElementOp::ToBits, vec![number], Class::Integer, call))
    }

    /// `f32::from_bits(n)`, where that is what `call` is.
    pub(super) fn number_of_bits(&mut self, call: &syn::ExprCall) -> Option<Option<Value>> {
        let Expr::Path(path) = &*call.func else { return None };
        let mut segments = path.path.segments.iter().map(|segment| segment.ident.to_string());
        let found = [segments.next(), segments.next(), segments.next()];
        if found != [Some("f32".into()), Some("from_bits".into()), None] {
            return None;
        }
        let [argument] = call.args.iter().collect::<Vec<_>>()[..] else {
            let message = format!("`f32::from_bits` takes one argument, found {}", call.args.len());
            self.error(&codes::ARGUMENTS, &call.func, message, "write `f32::from_bits(n)`");
            return Some(None);
        };
        let value = self.value(argument);
        let value = value.and_then(|value| self.number(value, Class::Integer, argument));
        Some(value.and_then(|bits| {
            if let ElementKind::Int(IntExpr::Const(bits)) = bits.kind {
                return self.float(f64::from(f32::from_bits(bits as u32)), call);
            }
            Some(self.apply(ElementOp::FromBits, vec![bits], Class::Float, call))
        }))
    }

    /// Reports an exponent of which the device, which takes it as `f32`, would take a neighbour.
    fn exponent_is_out_of_range(&mut self, value: &Value, node: &Expr) -> bool {
        let Value::Integer(IntExpr::Const(exponent)) = value else {
            return false;
        };
        let out = exponent.unsigned_abs() > LARGEST_EXPONENT;
        if out {
            let message = format!("the exponent {exponent} is out of the range of `powi`");
            let note = format!(
                "it is at least -{LARGEST_EXPONENT} and at most {LARGEST_EXPONENT}; of numbers above 0 write `powf({exponent}.0)`"
            );
            self.error(&codes::NUMBER_RANGE, node, message, note);
        }
        out
    }

    fn integer_operation(
        &mut self,
        method: &syn::Ident,
        operands: Vec<IntExpr>,
        call: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let name = name_of(method);
        let Some((_, ops)) = INTEGER_METHODS.iter().find(|(known, _)| *known == name) else {
            let of_numbers = ElementOp::named(&name).filter(|op| !ElementOp::OF_INTEGERS.contains(op));
            let note = if of_numbers.is_some() {
                format!("make it a number first: `(n as f32).{name}()`")
            } else {
                match nearest(&name, integer_names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => {
                        "integers have `+ - * / %`, `div_ceil`, `next_multiple_of`, `abs`, `min`, `max` and `clamp`"
                            .to_string()
                    }
                }
            };
            self.error(
                &codes::UNKNOWN_METHOD,
                method,
                format!("integers have no `{name}`"),
                note,
            );
            return None;
        };
        let (count, mut operands) = (operands.len(), operands.into_iter());
        let first = operands.next().filter(|_| count == ops.len() + 1);
        let Some(mut value) = first else {
            let (wanted, usage) = match ops.len() {
                0 => ("no argument", format!("write `n.{name}()`")),
                1 => ("one argument", format!("write `n.{name}(32)`")),
                _ => ("two arguments", format!("write `n.{name}(0, 32)`")),
            };
            let message = format!("`{name}` takes {wanted} besides the integer, found {}", count - 1);
            self.error(&codes::ARGUMENTS, method, message, usage);
            return None;
        };
        let bounds: Vec<Option<i64>> = operands.as_slice().iter().map(IntExpr::as_const).collect();
        if let [Some(low), Some(high)] = bounds[..]
            && low > high
        {
            let message = format!("the bounds {low} and {high} of `{name}` are the wrong way round");
            self.error(
                &codes::ARITHMETIC,
                call,
                message,
                format!("write `n.{name}({high}, {low})`"),
            );
            return None;
        }
        let by = operands.as_slice().first().cloned();
        for (op, operand) in ops.iter().zip(operands) {
            value = self.integer_op(*op, value, operand, call)?;
        }
        match (name.as_str(), by) {
            ("abs", _) => {
                let negative = self.integer_op(IntOp::Sub, IntExpr::Const(0), value.clone(), call)?;
                value = self.integer_op(IntOp::Max, value, negative, call)?;
            }
            ("next_multiple_of", Some(by)) => value = self.integer_op(IntOp::Mul, value, by, call)?,
            _ => {}
        }
        Some(Value::Integer(value))
    }
}

fn integer_names() -> Vec<&'static str> {
    INTEGER_METHODS.iter().map(|(name, _)| *name).collect()
}

/// How `op` is written.
fn usage(op: ElementOp) -> String {
    let row = op.row();
    let arguments = ["y", "z", "w"][..row.arity - 1].join(", ");
    format!("write `x.{}({arguments})`", row.name)
}

/// What `op`, whose calls take numbers that are the same for every element, is where they differ.
fn per_element(op: ElementOp, args: Vec<Element>, span: Span) -> ElementKind {
    match op.row().per_element {
        PerElement::Is(expansion) => expanded(&expansion, &args, span),
        // The compiler says what it wants instead.
        PerElement::Refused | PerElement::NoNumbers => ElementKind::Call(op, args),
    }
}

fn expanded(expansion: &Expansion, args: &[Element], span: Span) -> ElementKind {
    let part = |of: &Expansion| match of {
        Expansion::Argument(at) => args[*at].clone(),
        Expansion::Number(_) | Expansion::Call(..) | Expansion::Choose(..) => Element {
            kind: expanded(of, args, span),
            span,
        },
    };
    match expansion {
        Expansion::Argument(at) => args[*at].kind.clone(),
        Expansion::Number(number) => ElementKind::Float(Real(*number)),
        Expansion::Call(op, of) => ElementKind::Call(*op, of.iter().map(part).collect()),
        Expansion::Choose(relation, of) => {
            let op = match relation {
                Relation::Less => CompareOp::Lt,
                Relation::LessOrEqual => CompareOp::Le,
                Relation::Greater => CompareOp::Gt,
            };
            let [a, b, then, otherwise] = of.each_ref().map(|of| Box::new(part(of)));
            let kind = ElementKind::Compare(op, a, b);
            ElementKind::Select(Box::new(Element { kind, span }), then, otherwise)
        }
    }
}

/// Whether `element` is made of literals, scalars and extents only.
fn is_launch_constant(element: &Element) -> bool {
    let mut constant = true;
    element.walk(&mut |part| match &part.kind {
        ElementKind::Load(_) => constant = false,
        ElementKind::Int(value) => constant &= value.is_launch_constant(),
        ElementKind::CompareInt(_, a, b) => constant &= a.is_launch_constant() && b.is_launch_constant(),
        ElementKind::Float(_)
        | ElementKind::Bool(_)
        | ElementKind::Scalar(_)
        | ElementKind::Call(..)
        | ElementKind::Compare(..)
        | ElementKind::And(..)
        | ElementKind::Or(..)
        | ElementKind::Not(_)
        | ElementKind::Select(..)
        | ElementKind::Cast(..) => {}
    });
    constant
}
