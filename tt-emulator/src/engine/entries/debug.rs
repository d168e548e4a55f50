//! What kernels print, and their assertions that do not hold.

use std::ffi::{CStr, c_char};
use std::slice;

use super::super::printing::Value;
use super::super::risc::guard;
use crate::abi::{CText, printed};
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
        printed::TEXT => {
            // SAFETY: by the contract of this function.
            let text = unsafe { CStr::from_ptr(bits as usize as *const c_char) };
            Value::Text(text.to_string_lossy().into_owned())
        }
        _ => Value::Text("(not printed by the emulator)".to_owned()),
    }
}

pub(super) extern "C" fn print(format: CText, kinds: *const u32, bits: *const u64, count: u32, line: i32) {
    guard(line, |risc| {
        let count = count as usize;
        // SAFETY: the header passes as many kinds as bits, and what the kernel prints as texts.
        let values: Vec<Value> = unsafe {
            let kinds = slice::from_raw_parts(kinds, count).iter();
            let values = kinds.zip(slice::from_raw_parts(bits, count));
            values.map(|(kind, bits)| value(*kind, *bits)).collect()
        };
        risc.print(&format.get(), &values);
    });
}

pub(super) extern "C" fn assertion(condition: CText, line: i32) {
    guard(line, |risc| {
        let detail = {
            let condition = condition.get();
            match (&*condition, risc.printed.last()) {
                // That it failed is what the rule says.
                ("false" | "0", Some(said)) => said.replacen("assertion failed: ", "", 1),
                (_, Some(said)) => format!("`{condition}`; the kernel printed last: {said}"),
                (_, None) => format!("`{condition}`"),
            }
        };
        risc.violation(&rules::ASSERTION, line, detail)
    });
}
