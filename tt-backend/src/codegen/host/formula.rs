//! Formulas of the plan as C++ over a struct `arguments` that holds extents and scalars.

use super::members::Members;
use crate::codegen::expression::{Precedence, Text};
use tt_device::Cpp;
use tt_lang::ir::{ElementOp, IntOp};
use tt_plan::{Formula, Neighbour, Number};

/// An integer formula, over `int64_t`.
pub fn integer(formula: &Formula, members: &Members) -> Text {
    let (op, a, b) = match formula {
        Formula::Const(value) => {
            return Text::integer(*value).unwrap_or_else(|| Text::primary(format!("INT64_C({value})")));
        }
        Formula::Name(name) => return Text::primary(members.argument(name)),
        Formula::Op(op) => op.parts(),
    };
    let (a, b) = (integer(a, members), integer(b, members));
    match op {
        IntOp::CeilDiv => Text::primary(format!("ceil_div({}, {})", a.into_string(), b.into_string())),
        IntOp::Min => Text::primary(format!("std::min<int64_t>({}, {})", a.into_string(), b.into_string())),
        IntOp::Max => Text::primary(format!("std::max<int64_t>({}, {})", a.into_string(), b.into_string())),
        IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Div | IntOp::Rem => Text::int_op(op, &a, &b),
    }
}

/// A number, over `double`.
pub fn number(value: &Number, members: &Members) -> Text {
    match value {
        Number::Bits(bits) => {
            let value = f32::from_bits(*bits);
            if value.is_finite() {
                let precedence = if value.is_sign_negative() {
                    Precedence::Unary
                } else {
                    Precedence::Primary
                };
                Text::new(constant(f64::from(value)), precedence)
            } else {
                Text::primary(constant(f64::from(value)))
            }
        }
        Number::Scalar(name) => Text::primary(format!("double({})", members.argument(name))),
        Number::Int(formula) => Text::primary(format!("double({})", integer(formula, members).into_string())),
        Number::Call(op, args) => call(*op, &args.iter().map(|arg| number(arg, members)).collect::<Vec<_>>()),
        Number::Compare(op, a, b) => {
            let normal = |of: &Number| format!("normal({})", number(of, members).into_string());
            let truth = format!("{} {} {} ? 1.0 : 0.0", normal(a), op.symbol(), normal(b));
            Text::new(truth, Precedence::Conditional)
        }
        Number::Bf16(neighbour, of) => {
            let function = match neighbour {
                Neighbour::Below => "bf16_below",
                Neighbour::Above => "bf16_above",
                Neighbour::Same => "bf16_same",
            };
            Text::primary(format!("{function}({})", number(of, members).into_string()))
        }
    }
}

/// Whether its text calls what `compared.cpp` defines.
pub fn compares(value: &Number) -> bool {
    match value {
        Number::Bits(_) | Number::Scalar(_) | Number::Int(_) => false,
        Number::Call(_, args) => args.iter().any(compares),
        Number::Compare(..) | Number::Bf16(..) => true,
    }
}

/// The `double` of this value. Infinities and NaN are not literals of C++.
pub fn constant(value: f64) -> String {
    if value.is_finite() {
        format!("{value:?}")
    } else {
        format!("double(std::bit_cast<float>(0x{:08x}u))", (value as f32).to_bits())
    }
}

/// An operation of the language on numbers, as C++ has it.
fn call(op: ElementOp, args: &[Text]) -> Text {
    let filled = |text: &str| {
        ["{x}", "{y}", "{z}"]
            .iter()
            .zip(args)
            .fold(text.to_string(), |text, (place, arg)| {
                text.replace(place, &arg.clone().at_least(Precedence::Primary))
            })
    };
    match op.row().cpp {
        // C1 computes it in registers.
        Cpp::None => Text::primary(constant(f64::NAN)),
        Cpp::Call(function) => {
            let args: Vec<String> = args.iter().map(|arg| arg.clone().into_string()).collect();
            Text::primary(format!("{function}({})", args.join(", ")))
        }
        Cpp::Primary(text) => Text::primary(filled(text)),
        Cpp::Unary(text) => Text::new(filled(text), Precedence::Unary),
        Cpp::Product(text) => Text::new(filled(text), Precedence::Product),
        Cpp::Sum(text) => Text::new(filled(text), Precedence::Sum),
        Cpp::Choice(text) => Text::new(filled(text), Precedence::Conditional),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_read_as_an_engineer_would_write_them() {
        let members = Members::of(["N", "default"].into_iter(), [].into_iter());
        let n = || Formula::Name("N".into());
        let blocks = Formula::binary(IntOp::CeilDiv, n(), Formula::Const(128));
        let padded = Formula::binary(IntOp::Mul, Formula::binary(IntOp::Sub, blocks, Formula::Const(1)), n());
        assert_eq!(
            integer(&padded, &members).into_string(),
            "(ceil_div(arguments.N, 128) - 1) * arguments.N"
        );
        let scale = Number::Call(ElementOp::Rsqrt, vec![Number::Int(n())]);
        let minus = Number::Call(ElementOp::Sub, vec![Number::Scalar("default".into()), scale]);
        assert_eq!(
            number(&minus, &members).into_string(),
            "double(arguments.default_2) - (1.0 / std::sqrt(double(arguments.N)))"
        );
        assert_eq!(
            number(&Number::constant(f32::NEG_INFINITY), &members).into_string(),
            "double(std::bit_cast<float>(0xff800000u))"
        );
    }

    /// What a C++ program prints for expressions, one a line.
    fn printed(expressions: &[String]) -> Vec<f64> {
        let folder = std::env::temp_dir().join(format!("tt-formulas-{}-{}", std::process::id(), expressions.len()));
        std::fs::create_dir_all(&folder).unwrap();
        let ceil_div = crate::codegen::host::SUPPORT
            .lines()
            .find(|line| line.starts_with("constexpr int64_t ceil_div"))
            .unwrap();
        let lines: String = expressions.iter().map(|text| format!("    print({text});\n")).collect();
        let program = format!(
            "#include <algorithm>\n#include <bit>\n#include <cmath>\n#include <cstdint>\n#include <cstdio>\n{ceil_div}\n\
             void print(double x) {{ std::printf(\"%.17g\\n\", x); }}\nint main() {{\n{lines}}}\n"
        );
        let (source, binary) = (folder.join("formulas.cpp"), folder.join("formulas"));
        std::fs::write(&source, program).unwrap();
        let built = std::process::Command::new("c++")
            .args(["-std=c++20", "-O1", "-o"])
            .args([&binary, &source])
            .output()
            .unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let output = std::process::Command::new(&binary).output().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines()
            .map(|line| line.trim_start_matches("-nan").parse().unwrap_or(f64::NAN))
            .collect()
    }

    #[test]
    fn every_function_gives_in_cpp_what_it_gives_here() {
        use tt_lang::ir::ELEMENT_OPS;
        let values = [
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.0,
            -1.0,
            1.5,
            -1.5,
            2.5,
            -2.5,
            3.5,
            0.1,
            -0.7,
            7.0,
            -20.0,
            100.0,
            1e-30,
            1e30,
            -1e38,
            f32::MAX,
            f32::MIN_POSITIVE,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        let members = Members::of([].into_iter(), [].into_iter());
        let mut cases = Vec::new();
        for row in ELEMENT_OPS.iter().filter(|row| row.is_computed_at_launch()) {
            // The exponent of `powi` is an integer; the bounds of `clamp` are in order.
            let others: Vec<Vec<f32>> = match (row.arity, row.op) {
                (1, _) => vec![vec![]],
                (2, ElementOp::Powi) => [0.0, 1.0, -1.0, 2.0, 3.0, 16_777_216.0].map(|x| vec![x]).to_vec(),
                (2, _) => values.map(|x| vec![x]).to_vec(),
                _ => vec![vec![-0.5, 2.5], vec![f32::NEG_INFINITY, 0.0], vec![1.0, 1.0]],
            };
            for value in values {
                for others in &others {
                    let args = [value].iter().chain(others).map(|x| Number::constant(*x)).collect();
                    cases.push(Number::Call(row.op, args));
                }
            }
        }
        let written: Vec<String> = cases.iter().map(|case| number(case, &members).into_string()).collect();
        let found = printed(&written);
        assert_eq!(found.len(), cases.len());
        for ((case, text), found) in cases.iter().zip(&written).zip(found) {
            let expected = case.evaluate(&|_| None, &|_| None).unwrap();
            // The error function here is good to 1e-10.
            let near = (found - expected).abs() <= 1e-9 * expected.abs() + 1e-300;
            // Where the language leaves the value open, it is NaN here; C++ may have another.
            let open = matches!(
                case,
                Number::Call(
                    ElementOp::Min
                        | ElementOp::Max
                        | ElementOp::Clamp
                        | ElementOp::Relu
                        | ElementOp::ReluMax
                        | ElementOp::Powf
                        | ElementOp::Pow
                        | ElementOp::Fmod
                        | ElementOp::Sign
                        | ElementOp::Rsub
                        | ElementOp::Prelu,
                    _
                )
            );
            let same = found == expected || expected.is_nan() && (open || found.is_nan());
            assert!(near || same, "{text} is {found} in C++ and {expected} here");
        }
    }

    #[test]
    fn every_integer_operation_gives_in_cpp_what_it_gives_here() {
        let members = Members::of(["a", "b"].into_iter(), [].into_iter());
        let values = [
            0,
            1,
            -1,
            2,
            3,
            -5,
            -6,
            6,
            7,
            31,
            32,
            33,
            -100,
            2_147_483_647,
            -2_147_483_648,
        ];
        let mut cases = Vec::new();
        for op in [
            IntOp::Add,
            IntOp::Sub,
            IntOp::Mul,
            IntOp::Div,
            IntOp::Rem,
            IntOp::CeilDiv,
            IntOp::Min,
            IntOp::Max,
        ] {
            for a in values {
                for b in values {
                    if let Some(expected) = op.apply(a, b) {
                        let formula = Formula::binary(op, Formula::Name("a".into()), Formula::Name("b".into()));
                        let text = integer(&formula, &members).into_string();
                        let text = text.replace("arguments.a", &format!("INT64_C({a})"));
                        cases.push((text.replace("arguments.b", &format!("INT64_C({b})")), expected));
                    }
                }
            }
        }
        let written: Vec<String> = cases.iter().map(|(text, _)| format!("double({text})")).collect();
        for ((text, expected), found) in cases.iter().zip(printed(&written)) {
            assert_eq!(found, *expected as f64, "{text}");
        }
    }
}
