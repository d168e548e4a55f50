//! What kernels print: whole lines on stderr, so that those of different cores do not mix.
//!
//! Formats are those of DPRINT, which are `fmt`'s: `{}`, `{0}`, `{:#x}`, `{:.3f}`, `{:>8}`; `{{` is a brace.

use std::io::Write;

use super::risc::Risc;

/// A value to be printed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Signed(i64),
    Unsigned(u64),
    Float(f32),
    Double(f64),
    Text(String),
}

/// What a RISC has printed of a line, and the line before it.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    line: String,
    last: Option<String>,
}

impl Printed {
    /// The last whole line.
    pub fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }
}

impl Risc {
    /// Prints, as far as lines are whole.
    pub fn print(&mut self, format: &str, values: &[Value]) {
        self.printed.line += &formatted(format, values);
        while let Some((line, rest)) = self.printed.line.split_once('\n') {
            let (line, rest) = (line.to_owned(), rest.to_owned());
            self.printed.line = rest;
            self.print_line(line);
        }
    }

    /// Prints what is left of a line, at the end of the kernel.
    pub fn end_printing(&mut self) {
        let line = std::mem::take(&mut self.printed.line);
        if !line.is_empty() {
            self.print_line(line);
        }
    }

    fn print_line(&mut self, line: String) {
        let (x, y) = self.core.logical;
        let whole = format!("{}, core ({x},{y}), {line}\n", self.part.name);
        // Who cannot be told is not told.
        let _ = std::io::stderr().lock().write_all(whole.as_bytes());
        self.printed.last = Some(line);
    }
}

/// `format` with `values` in their places; a place without a value stays as it is written.
fn formatted(format: &str, values: &[Value]) -> String {
    let mut out = String::new();
    let mut rest = format;
    let mut next = 0;
    while let Some(at) = rest.find(['{', '}']) {
        out += &rest[..at];
        let (brace, behind) = rest[at..].split_at(1);
        if let Some(behind) = behind.strip_prefix(brace) {
            out += brace;
            rest = behind;
            continue;
        }
        let place = behind.split_once('}').filter(|_| brace == "{");
        let Some((place, behind)) = place else {
            out += brace;
            rest = behind;
            continue;
        };
        let (index, spec) = place.split_once(':').unwrap_or((place, ""));
        let index = index.parse().unwrap_or_else(|_| {
            next += 1;
            next - 1
        });
        match values.get(index) {
            Some(value) => out += &Spec::of(spec).of_value(value),
            None => out += &format!("{{{place}}}"),
        }
        rest = behind;
    }
    out + rest
}

/// How a value is to be printed.
#[derive(Default)]
struct Spec {
    left: bool,
    zeros: bool,
    prefix: bool,
    sign: bool,
    width: usize,
    precision: Option<usize>,
    kind: Option<char>,
}

impl Spec {
    fn of(text: &str) -> Spec {
        let mut spec = Spec::default();
        let mut rest = text;
        let number = |rest: &mut &str| {
            let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..end].parse().ok();
            *rest = &rest[end..];
            number
        };
        while let Some(flag) = rest.chars().next().filter(|letter| "<>^+-# 0".contains(*letter)) {
            match flag {
                '<' => spec.left = true,
                '+' => spec.sign = true,
                '#' => spec.prefix = true,
                '0' => spec.zeros = true,
                _ => {}
            }
            rest = &rest[1..];
        }
        spec.width = number(&mut rest).unwrap_or(0);
        if let Some(behind) = rest.strip_prefix('.') {
            rest = behind;
            spec.precision = number(&mut rest);
        }
        spec.kind = rest.chars().next();
        spec
    }

    fn of_value(&self, value: &Value) -> String {
        let text = match value {
            Value::Signed(value) => match self.kind {
                Some('x' | 'X' | 'b' | 'o') if *value >= 0 => self.digits(*value as u64),
                Some('x' | 'X' | 'b' | 'o') => format!("-{}", self.digits(value.unsigned_abs())),
                _ if self.sign => format!("{value:+}"),
                _ => value.to_string(),
            },
            Value::Unsigned(value) => self.digits(*value),
            Value::Float(value) => self.number(f64::from(*value), [value.to_string(), format!("{value:e}")]),
            Value::Double(value) => self.number(*value, [value.to_string(), format!("{value:e}")]),
            Value::Text(text) => text.clone(),
        };
        let missing = self.width.saturating_sub(text.chars().count());
        let is_text = matches!(value, Value::Text(_));
        if self.zeros && !is_text {
            let (sign, digits) = text.split_at(usize::from(text.starts_with('-')));
            return format!("{sign}{}{digits}", "0".repeat(missing));
        }
        match self.left || is_text {
            true => text + &" ".repeat(missing),
            false => " ".repeat(missing) + &text,
        }
    }

    fn digits(&self, value: u64) -> String {
        match (self.kind, self.prefix) {
            (Some('x'), true) => format!("{value:#x}"),
            (Some('x'), false) => format!("{value:x}"),
            (Some('X'), true) => format!("0X{value:X}"),
            (Some('X'), false) => format!("{value:X}"),
            (Some('b'), true) => format!("{value:#b}"),
            (Some('b'), false) => format!("{value:b}"),
            (Some('o'), _) => format!("{value:o}"),
            _ => value.to_string(),
        }
    }

    fn number(&self, value: f64, texts: [String; 2]) -> String {
        match (self.kind, self.precision) {
            (Some('e' | 'E'), precision) => format!("{value:.*e}", precision.unwrap_or(6)),
            (Some('f' | 'F'), precision) => format!("{value:.*}", precision.unwrap_or(6)),
            (_, Some(precision)) => format!("{value:.precision$}"),
            (_, None) => shortest(value, texts),
        }
    }
}

/// The shorter of two texts of a number: with an exponent where it would be long.
fn shortest(value: f64, [plain, exponential]: [String; 2]) -> String {
    let size = value.abs();
    match value {
        _ if value.is_nan() => "nan".to_owned(),
        _ if size != 0.0 && size.is_finite() && !(1e-5..1e16).contains(&size) => exponential,
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_those_of_the_device() {
        let values = [
            Value::Signed(-7),
            Value::Unsigned(255),
            Value::Float(0.1),
            Value::Text("x".to_owned()),
        ];
        for (format, expected) in [
            ("{} {} {} {}", "-7 255 0.1 x"),
            ("{1:#x} {1:x} {1:08b}", "0xff ff 11111111"),
            ("{2:.3f}|{0:5}|{0:<5}|{3:3}|{0:04}", "0.100|   -7|-7   |x  |-007"),
            ("{{}} {3}}} {9} {", "{} x} {9} {"),
            ("100%\n", "100%\n"),
        ] {
            assert_eq!(formatted(format, &values), expected, "{format}");
        }
    }

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.5, "-0.5"),
            (1e20, "1e20"),
            (-1.5e-9, "-1.5e-9"),
            (f32::NEG_INFINITY, "-inf"),
            (f32::NAN, "nan"),
            (3.402_823_5e38, "3.4028235e38"),
        ] {
            assert_eq!(formatted("{}", &[Value::Float(value)]), expected);
        }
    }
}
