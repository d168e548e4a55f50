//! What a row of the catalogue says.

use crate::catalogue::{ElementOp, SFPU_OPS, SfpuOp};
use crate::composed::Composed;
use crate::expansion::PerElement;
use crate::format::ElementType;
use crate::function::{Function, Inclusion};
use std::sync::LazyLock;

/// An operation on elements.
#[derive(Debug)]
pub struct ElementOpRow {
    /// The operation.
    pub op: ElementOp,
    /// The name users write, as a method or as `T.name`.
    pub name: &'static str,
    /// The operator users write in its place.
    pub operator: Option<&'static str>,
    /// How many arguments it takes, the receiver included.
    pub arity: usize,
    /// How many of the last arguments must be uniform numbers (literals, scalars, extents).
    pub uniform: usize,
    /// What tests give it for those.
    pub trial: &'static [f64],
    /// The arguments between which it has a value that the formats hold; tests take theirs from there.
    pub domain: (f64, f64),
    /// Whether it is zero where its operands are.
    pub of_zeros: OfZeros,
    /// Whether it is known to be never −∞.
    pub is_bounded_below: bool,
    /// Its value.
    pub value: fn(&[f64]) -> f64,
    /// Its value on the host.
    pub cpp: Cpp,
    /// How it is computed on tiles.
    pub lowering: Lowering,
    /// How it is computed on tiles of integers, where integers have it.
    pub integers: Option<OnIntegers>,
    /// What it is on integers without a sign, likewise.
    pub unsigned: Option<OnUnsigned>,
    /// What it is where the numbers among its arguments differ from element to element.
    pub per_element: PerElement,
}

/// How an operation is computed on tiles of integers of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnIntegers {
    /// By this call.
    Call(SfpuOp),
    /// By this call on zeros and the operand.
    FromZero(SfpuOp),
    /// By quotient, product and difference, which the compiler writes in its place.
    Remainder,
    /// Of integers without a sign, by division of those with one, which the compiler writes in its place.
    Unsigned,
    /// As a product over the greatest divisor, which the compiler writes in its place.
    Multiple,
    /// By nothing: the bits in the register are the result's, whose type is the second where the operand's is the first.
    Same([ElementType; 2]),
}

/// What an operation is on integers without a sign, which are held as those with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnsigned {
    /// What it is on those with a sign: no bit depends on whether the highest is one.
    Same,
    /// That of operands whose highest bit is flipped, which keeps their order, flipped back.
    InOrder,
    /// That without the signs that it fills up with, as many as its second operand says.
    WithoutSign,
    /// This operation.
    Is(ElementOp),
    /// Its operand.
    Operand,
    /// Nothing.
    Refused,
}

impl ElementOpRow {
    /// The operation on these elements and its trial numbers, as users write it.
    pub fn written(&self, elements: &[&str]) -> String {
        // The exponent of `powi` is an integer.
        let numbers = self.trial.iter().map(|number| match self.op == ElementOp::Powi {
            true => format!("{number:.0}"),
            false => format!("{number:?}"),
        });
        match (self.operator, elements) {
            (Some(operator), [a]) => format!("{operator}{a}"),
            (Some(operator), [a, b]) => format!("{a} {operator} {b}"),
            (_, elements) => {
                let arguments: Vec<String> = elements[1..].iter().map(ToString::to_string).chain(numbers).collect();
                format!("{}.{}({})", elements[0], self.name, arguments.join(", "))
            }
        }
    }

    /// Whether the host computes it where it is known at launch.
    pub fn is_computed_at_launch(&self) -> bool {
        self.types().is_none() && !matches!(self.cpp, Cpp::None)
    }

    /// The type of its operands and that of its result, where they are not one and the same.
    pub fn types(&self) -> Option<[ElementType; 2]> {
        match self.integers {
            Some(OnIntegers::Same(types)) => Some(types),
            Some(
                OnIntegers::Call(_)
                | OnIntegers::FromZero(_)
                | OnIntegers::Remainder
                | OnIntegers::Unsigned
                | OnIntegers::Multiple,
            )
            | None => None,
        }
    }

    /// Whether numbers do not have it, only integers and bits.
    pub fn is_of_integers_alone(&self) -> bool {
        matches!(self.lowering, Lowering::IntegersOnly)
    }

    /// Whether it needs registers of 32 bits, in a kernel that is approximate or is not.
    pub fn wants_wide_registers(&self, approximate: bool) -> bool {
        match self.lowering {
            Lowering::Composed {
                wide, approximate: own, ..
            } => wide && !(approximate && own.is_some()),
            Lowering::IntegersOnly => !approximate,
            Lowering::Expanded => match self.per_element {
                PerElement::Is(expansion) => expansion.has(&|op| op.row().wants_wide_registers(approximate)),
                PerElement::Refused | PerElement::NoNumbers => false,
            },
            Lowering::Own(..)
            | Lowering::LastFirst(..)
            | Lowering::WithReciprocal(_)
            | Lowering::Arithmetic(_)
            | Lowering::Reversed(_)
            | Lowering::Power => false,
        }
    }
}

/// When an operation gives exactly zero, on every chip (docs/numbers.md, the column of 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfZeros {
    /// Zeros do not make it zero.
    NotZero,
    /// Where all its operands are zero and its uniform arguments finite.
    Zero,
    /// Where one operand is zero and the other finite.
    Product,
    /// Where the dividend is zero and the reciprocal of the divisor finite.
    Quotient,
    /// Where one operand is zero and the other not above it.
    Larger,
    /// Where one operand is zero and the other not below it.
    Smaller,
    /// Where the operand is zero and lies between the bounds.
    Clamped,
}

/// A value as C++ over `double`, where the host computes it once per launch. `{x}`, `{y}` and `{z}` stand for the arguments,
/// in parentheses where they need them; the name of the variant says how tightly the text binds.
#[derive(Debug, Clone, Copy)]
pub enum Cpp {
    /// By nothing that C++ has: numbers of a launch are computed in registers, too.
    None,
    /// This function of all arguments.
    Call(&'static str),
    /// As tightly as a name.
    Primary(&'static str),
    /// Like `-x`.
    Unary(&'static str),
    /// Like `x * y`.
    Product(&'static str),
    /// Like `x + y`.
    Sum(&'static str),
    /// Like `c ? x : y`.
    Choice(&'static str),
}

/// How an operation is computed on tiles.
#[derive(Debug, Clone, Copy)]
pub enum Lowering {
    /// By a call of its own: in place, where its numbers are the uniform arguments, then these; or of two or three registers into
    /// one.
    Own(SfpuOp, &'static [f32]),
    /// By a call of three registers, the last operand before the others, with these numbers.
    LastFirst(SfpuOp, &'static [f32]),
    /// By a call of its own, in place, whose numbers are the uniform argument and its reciprocal.
    WithReciprocal(SfpuOp),
    /// By the FPU, by a call on two registers, or by one on a register and a number, as the operands are.
    Arithmetic(Arithmetic),
    /// Likewise, of the operands the other way round.
    Reversed(Arithmetic),
    /// As a power; the square has a call of its own.
    Power,
    /// By a program over other calls, of its elements and uniform arguments.
    Composed {
        /// The program.
        program: fn() -> Composed,
        /// It is good in registers of 32 bits only.
        wide: bool,
        /// The device's own call with its numbers, where it has one that is too inaccurate for all but approximate kernels.
        approximate: Option<(SfpuOp, &'static [f32])>,
    },
    /// By what its row says it is of arguments that differ from element to element, whether they do or not.
    Expanded,
    /// Numbers do not have it.
    IntegersOnly,
}

/// Operations that elements and numbers meet in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Min,
    Max,
}

/// How a call of the SFPU takes its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SfpuForm {
    /// In place on one register, with this many numbers.
    Unary(usize),
    /// Two registers into one.
    Binary,
    /// Three registers, with this many numbers, into one: where(condition, then, otherwise).
    Ternary(usize),
}

/// A call of the SFPU.
#[derive(Debug)]
pub struct SfpuRow {
    /// The call.
    pub op: SfpuOp,
    /// The init call.
    pub init: Function,
    /// The call.
    pub call: Function,
    /// Template arguments of the init, and of the call that has none of its own, without approximation.
    pub exact: &'static str,
    /// Likewise, with approximation.
    pub approximate: &'static str,
    /// Template arguments of the call, where they are not those of both (`where_tile` names the format of the destination
    /// registers).
    pub call_template: &'static str,
    /// Its operands.
    pub form: SfpuForm,
    /// What a file must mind that includes the header.
    pub inclusion: Inclusion,
}

/// The rows in the order of the keys of a function of theirs, those of one function in the order of the table.
fn by_key(function: fn(&SfpuRow) -> &Function) -> Vec<&'static SfpuRow> {
    let mut rows: Vec<&SfpuRow> = SFPU_OPS.iter().collect();
    rows.sort_by_key(|row| function(row).key);
    rows
}

/// Those of these rows, in such an order, whose function is `wanted`.
fn of_function(
    rows: &'static [&'static SfpuRow],
    function: fn(&SfpuRow) -> &Function,
    wanted: &Function,
) -> &'static [&'static SfpuRow] {
    let from = rows.partition_point(|row| function(row).key < wanted.key);
    let mut to = from;
    while rows.get(to).is_some_and(|row| function(row) == wanted) {
        to += 1;
    }
    &rows[from..to]
}

impl SfpuRow {
    /// The rows whose init is `function`.
    pub fn of_init(function: &Function) -> &'static [&'static SfpuRow] {
        static ROWS: LazyLock<Vec<&SfpuRow>> = LazyLock::new(|| by_key(|row| &row.init));
        of_function(&ROWS, |row| &row.init, function)
    }

    /// The rows whose call is `function`: several where they differ in its template arguments.
    pub fn of_call(function: &Function) -> &'static [&'static SfpuRow] {
        static ROWS: LazyLock<Vec<&SfpuRow>> = LazyLock::new(|| by_key(|row| &row.call));
        of_function(&ROWS, |row| &row.call, function)
    }
}
