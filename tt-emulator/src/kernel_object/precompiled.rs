//! The standard headers, read once by the C++ compiler: for tests, whose many small kernels take half of their time to read
//! them. A process that asks for it compiles its kernels so from then on; they are the same kernels, under the same keys.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::KernelError;
use super::compiler::{self, Compiler, FLAGS};
use super::key::Hash;
use super::partial::{self, Partial};
use super::wrapper::STANDARD_HEADERS;

/// A header whose precompiled form lies beside it, and the compiler that made that.
static PRECOMPILED: Mutex<Option<(String, PathBuf)>> = Mutex::new(None);

/// The header to include first, where there is one for `compiler`.
pub(super) fn header_for(compiler: &Compiler) -> Option<PathBuf> {
    let precompiled = PRECOMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let (fingerprint, header) = precompiled.as_ref()?;
    (*fingerprint == compiler.fingerprint()).then(|| header.clone())
}

/// Lets the C++ compiler read the standard headers once for all kernels that this process compiles at run time, and keeps
/// what it made of them in `work` for the next process. Nothing checks that file again, so `work` is one of the build's own.
///
/// # Errors
/// Where there is no compiler, it fails, or `work` cannot be written to.
#[doc(hidden)]
pub fn precompile_standard_headers(work: &Path) -> Result<(), KernelError> {
    let compiler = compiler::find()?;
    let text: String = STANDARD_HEADERS
        .iter()
        .map(|header| format!("#include <{header}>\n"))
        .collect();
    let name = Hash::new()
        .field(compiler.fingerprint().as_bytes())
        .field(FLAGS.join(" ").as_bytes())
        .field(text.as_bytes());
    let folder = work.join(format!("standard-{name}"));
    if !folder.is_dir() {
        let failed = |error| KernelError::Files {
            action: format!("write precompiled headers to {}", folder.display()),
            error,
        };
        std::fs::create_dir_all(work).map_err(failed)?;
        let partial = Partial::new(work, partial::NAME).map_err(failed)?;
        let made = partial.path().join("made");
        std::fs::create_dir(&made).map_err(failed)?;
        let header = made.join("standard.h");
        std::fs::write(&header, text).map_err(failed)?;
        compiler.precompile(&header, &made.join("standard.h.gch"))?;
        match std::fs::rename(&made, &folder) {
            // Another process was faster.
            Err(_) if folder.is_dir() => {}
            renamed => renamed.map_err(failed)?,
        }
    }
    let mut precompiled = PRECOMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    *precompiled = Some((compiler.fingerprint(), folder.join("standard.h")));
    Ok(())
}
