//! Failures on their way to C++.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null;

use super::Lent;

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// What a call gives back where it fails.
pub(super) trait Failed {
    const FAILED: Self;
}

impl Failed for () {
    const FAILED: () = ();
}

impl Failed for i32 {
    const FAILED: i32 = -1;
}

impl Failed for i64 {
    const FAILED: i64 = -1;
}

impl Failed for u64 {
    const FAILED: u64 = 0;
}

impl<T> Failed for *const T {
    const FAILED: *const T = null();
}

impl<T> Failed for Option<Box<T>> {
    const FAILED: Option<Box<T>> = None;
}

impl<T> Failed for Lent<T> {
    const FAILED: Lent<T> = Lent::NONE;
}

pub(super) fn tt_emulator_last_error() -> Result<*const c_char, String> {
    Ok(LAST.with_borrow(|text| text.as_ptr()))
}

/// Runs a call; where it fails or panics, keeps the text.
pub(super) fn call<T: Failed>(body: impl FnOnce() -> Result<T, String>) -> T {
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
    T::FAILED
}
