//! Failures on their way to C++.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Text of the last failure on this thread; valid until the next failure.
#[unsafe(no_mangle)]
extern "C" fn tt_emulator_last_error() -> *const c_char {
    LAST.with_borrow(|text| text.as_ptr())
}

/// Runs a call; where it fails or panics, keeps the text and gives `failed`.
pub(super) fn call<T>(failed: T, body: impl FnOnce() -> Result<T, String>) -> T {
    let text = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(text)) => text,
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("unknown");
            format!("internal error of the emulator: {text}")
        }
    };
    LAST.set(CString::new(text.replace('\0', "\\0")).unwrap_or_default());
    failed
}
