//! What kernels print, and their assertions that do not hold.

use std::ffi::{CStr, c_char};
use std::slice;

use super::super::printing::Value;
use super::super::risc::guard;
use crate::abi::printed;
use crate::rules;

/// What a value of `kind` is.
///
/// # Safety
/// The bits of a text are those of a pointer to one that ends in 0.
unsafe fn value(kind: u32, bits: u64) -> Value {
    match kind {
        printed::SIGNED => Value::Signed(bits as i64),
        printed::UNSIGNED => Value::Unsigned(bits),
        printed::FLOAT => Value::Float(f32::from_bits(bits as u32)),
        printed::DOUBLE => Value::Double(f64::from_bits(bits)),
        printed::TRUTH => Value::Text((bits != 0).to_string()),
        printed::LETTER => Value::Text(char::from(bits as u8).to_string()),
        // SAFETY: by the contract of this function.
        printed::TEXT => Value::Text(unsafe { text(bits as usize as *const c_char) }),
        _ => Value::Text("(not printed by the emulator)".to_owned()),
    }
}

/// # Safety
/// It ends in 0.
unsafe fn text(text: *const c_char) -> String {
    // SAFETY: by the contract of this function.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

pub(super) extern "C" fn print(format: *const c_char, kinds: *const u32, bits: *const u64, count: u32, line: i32) {
    guard(line, |risc| {
        let count = count as usize;
        // SAFETY: the header passes a literal, as many kinds as bits, and what the kernel prints as texts.
        let (format, values) = unsafe {
            let kinds = slice::from_raw_parts(kinds, count).iter();
            let values = kinds.zip(slice::from_raw_parts(bits, count));
            let values: Vec<Value> = values.map(|(kind, bits)| value(*kind, *bits)).collect();
            (text(format), values)
        };
        risc.print(&format, &values);
    });
}

pub(super) extern "C" fn assertion(condition: *const c_char, line: i32) {
    guard(line, |risc| {
        let detail = {
            // SAFETY: the header passes a literal.
            let condition = unsafe { text(condition) };
            match (condition.as_str(), risc.printed.last()) {
                // That it failed is what the rule says.
                ("false" | "0", Some(said)) => said.replacen("assertion failed: ", "", 1),
                (_, Some(said)) => format!("`{condition}`; the kernel printed last: {said}"),
                (_, None) => format!("`{condition}`"),
            }
        };
        risc.violation(&rules::ASSERTION, line, detail)
    });
}
