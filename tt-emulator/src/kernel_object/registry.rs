//! Entries of compiled kernels: registered by the application, or loaded from the cache; each key once per process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::cache::run_time_key;
use super::{CbDescriptor, KernelError, KernelSource, SharedKernel, aot_key, compile_to_shared, entry_symbol};
use crate::abi::{Api, KernelEntry};
use crate::arch::ArchName;
use crate::kernel_config::KernelRole;

static ENTRIES: Mutex<Option<HashMap<String, KernelEntry>>> = Mutex::new(None);

fn entries() -> MutexGuard<'static, Option<HashMap<String, KernelEntry>>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers a kernel that was compiled ahead of time with [`super::compile_to_object`] under the key that gave.
///
/// # Safety
/// `entry` must be the function [`entry_symbol`]`(key)` of that object.
pub unsafe fn register_precompiled(key: &str, entry: unsafe extern "C" fn(*const Api)) {
    entries().get_or_insert_default().insert(key.to_owned(), entry);
}

/// The entry of a kernel: registered, loaded before, cached on disk or compiled now for these circular buffers.
pub(crate) fn load(
    source: &KernelSource,
    role: &KernelRole,
    arch: ArchName,
    buffers: &[CbDescriptor],
) -> Result<KernelEntry, KernelError> {
    let known = |key: &str| entries().get_or_insert_default().get(key).copied();
    if let Some(entry) = known(&aot_key(source, role, arch)?) {
        return Ok(entry);
    }
    let key = run_time_key(source, role, arch, buffers)?;
    if let Some(entry) = known(&key) {
        return Ok(entry);
    }
    let shared = compile_to_shared(source, role, arch, buffers)?;
    let entry = match open(source, &shared) {
        // A file that cannot be loaded was damaged after it was written: make it again, once.
        Err(_) if !shared.transient => {
            std::fs::remove_file(&shared.path).map_err(|error| KernelError::Files {
                action: format!("remove the damaged {}", shared.path.display()),
                error,
            })?;
            open(source, &compile_to_shared(source, role, arch, buffers)?)
        }
        result => result,
    }?;
    entries().get_or_insert_default().insert(key, entry);
    Ok(entry)
}

fn open(source: &KernelSource, shared: &SharedKernel) -> Result<KernelEntry, KernelError> {
    let failed = |error: libloading::Error| KernelError::Load {
        file: source.file.clone(),
        output: error.to_string(),
    };
    // SAFETY: the object was made by the wrapper, which has no initialisers of its own; constant data needs none.
    let library = unsafe { libloading::Library::new(&shared.path) };
    if shared.transient
        && let Some(folder) = shared.path.parent()
    {
        // The mapping stays; what cannot be removed is only clutter.
        let _ = std::fs::remove_dir_all(folder);
    }
    let library = library.map_err(failed)?;
    // SAFETY: the wrapper gives the entry this type.
    let entry = unsafe { library.get::<KernelEntry>(entry_symbol(&shared.key).as_bytes()) }.map(|symbol| *symbol);
    // Entries are kept for the life of the process, and so is their code.
    std::mem::forget(library);
    entry.map_err(failed)
}
