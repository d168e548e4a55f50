//! What the C++ host API calls: the engine behind `extern "C"` functions.
//!
//! The shim in `host/src` turns each call of the real host API into one of these. Handles are boxed Rust values. A failure
//! gives null or a negative number, and its text is kept for [`error::tt_emulator_last_error`]; no panic gets out.

mod device;
mod error;
mod program;
