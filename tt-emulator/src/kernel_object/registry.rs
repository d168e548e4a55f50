//! Entries of compiled kernels: registered by the application, or loaded from the cache; each key once per process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::cache::{self, run_time_key};
use super::library::Object;
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
    let entry = match (entry_of(source, &shared), &shared.path) {
        // What is whole but does not load was made elsewhere, for another system: make it again, once.
        (Err(KernelError::Load { .. }), Some(path)) if shared.was_cached => {
            cache::forget(path)?;
            entry_of(source, &compile_to_shared(source, role, arch, buffers)?)
        }
        (result, _) => result,
    }?;
    entries().get_or_insert_default().insert(key, entry);
    Ok(entry)
}

fn entry_of(source: &KernelSource, shared: &SharedKernel) -> Result<KernelEntry, KernelError> {
    Ok(entries_of(&source.file, &shared.object, &[&shared.key])?[0])
}

/// The entries of the kernels with these keys in an object that this crate has compiled.
fn entries_of(file: &str, object: &[u8], keys: &[&str]) -> Result<Vec<KernelEntry>, KernelError> {
    let symbols: Vec<String> = keys.iter().map(|key| entry_symbol(key)).collect();
    // SAFETY: the object was made by the wrapper, which has no initialisers of its own (constant data needs none), and gives
    // the entries this type; what comes out of the cache is as it was put in, by this user.
    unsafe { Object::new(object, &symbols) }.entries(file)
}

/// Loads an object of several kernels, which the compiler just made, and registers them under `keys`.
pub(super) fn register_object(object: &[u8], keys: &[&str]) -> Result<(), KernelError> {
    let loaded = entries_of("of a test", object, keys)?;
    let mut entries = entries();
    let known = entries.get_or_insert_default();
    known.extend(keys.iter().map(|key| key.to_string()).zip(loaded));
    Ok(())
}
