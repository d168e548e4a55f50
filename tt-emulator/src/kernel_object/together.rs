//! Many kernels in one shared object, for tests that make thousands of small ones: the headers, which are most of what the
//! C++ compiler reads, are read once for all of them.
//!
//! ```text
//! <prologue>                      the kernels of one object have the same: role and chip; of the compile-time arguments,
//!                                 which are read by position, those of one begin with those of the other
//! #define ..                      those of the kernels, which are the same: headers may read them
//! namespace {
//! #include "emulator/api.h" ..    the headers of all; includes in the kernels find them there
//! namespace k_<key> { <kernel> }  one for each
//! }
//! extern "C" void tt_kernel_<key>(const void* api) ..
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::compiler::{self, Compiler, Output};
use super::partial::Partial;
use super::registry::register_object;
use super::{KernelError, KernelSource, entry_symbol, headers, includes, key, wrapper};
use crate::arch::ArchName;
use crate::kernel_config::KernelRole;

/// Kernels in one object at most: past this, what is read once hardly counts.
const KERNELS: usize = 32;

/// Kernels that one prologue serves.
struct Group<'k> {
    prologue: String,
    /// The prologue without compile-time arguments.
    common: String,
    compile_args: &'k [u32],
    defines: Vec<&'k str>,
    /// By key.
    kernels: BTreeMap<String, &'k KernelSource>,
}

/// Compiles `kernels` several to an object, in a folder of `work`, loads them and registers them as if they had been
/// compiled ahead of time. Those with include directories of their own are left to their first launch, and so are those in
/// whose object something does not compile: there its error is told.
///
/// # Errors
/// Where there is no compiler, or files cannot be written or loaded.
#[doc(hidden)]
pub fn compile_together(kernels: &[(KernelSource, KernelRole, ArchName)], work: &Path) -> Result<(), KernelError> {
    let groups = groups(kernels)?;
    let compiler = compiler::find()?;
    let include = headers::extract_to(work)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut objects = Vec::new();
    for group in &groups {
        let parts = group.kernels.len().div_ceil(KERNELS);
        let members: Vec<_> = group.kernels.iter().collect();
        objects.extend(
            members
                .chunks(group.kernels.len().div_ceil(parts))
                .map(|part| (&group.prologue, part.to_vec())),
        );
    }

    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    let build = || {
        while let Some((prologue, part)) = objects.get(next.fetch_add(1, Ordering::Relaxed)) {
            let loaded = match object_of(&compiler, &include, work, prologue, part) {
                Ok(object) => {
                    let keys: Vec<&str> = part.iter().map(|(key, _)| key.as_str()).collect();
                    register_object(&object, &keys)
                }
                Err(KernelError::Compile { .. }) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = loaded {
                *failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(build);
        }
    });
    match failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// The object of some kernels, compiled in a folder of its own below `work`.
fn object_of(
    compiler: &Compiler,
    include: &Path,
    work: &Path,
    prologue: &str,
    kernels: &[(&String, &&KernelSource)],
) -> Result<Vec<u8>, KernelError> {
    let files = |action: String| move |error| KernelError::Files { action, error };
    let folder = Partial::new(work, "together").map_err(files(format!("create a folder in {}", work.display())))?;
    let path = folder.path().join("kernels.so");
    let text = translation_unit(prologue, kernels);
    compiler.compile(kernels[0].1, &text, include, Output::Together(&path))?;
    std::fs::read(&path).map_err(files(format!("read {}", path.display())))
}

fn groups(kernels: &[(KernelSource, KernelRole, ArchName)]) -> Result<Vec<Group<'_>>, KernelError> {
    let mut sorted: Vec<_> = kernels
        .iter()
        .filter(|(source, ..)| source.directory.is_none() && source.include_directories.is_empty())
        .collect();
    // Those that others' arguments begin come after them.
    sorted.sort_by_key(|(source, ..)| std::cmp::Reverse(source.compile_args.len()));
    let mut groups: Vec<Group<'_>> = Vec::new();
    for (source, role, arch) in sorted {
        let includes = includes::of(source)?;
        let prologue = wrapper::prologue(source, &includes, role, *arch);
        let key = key::kernel_key(source, &includes, &prologue).to_string();
        let without = KernelSource {
            compile_args: Vec::new(),
            ..source.clone()
        };
        let common = wrapper::prologue(&without, &includes, role, *arch);
        let defines = lines_of(source, "#define");
        let serves = |group: &Group<'_>| {
            group.common == common && group.defines == defines && group.compile_args.starts_with(&source.compile_args)
        };
        let at = match groups.iter().position(serves) {
            Some(at) => at,
            None => {
                groups.push(Group {
                    prologue,
                    common,
                    compile_args: &source.compile_args,
                    defines,
                    kernels: BTreeMap::new(),
                });
                groups.len() - 1
            }
        };
        groups[at].kernels.insert(key, source);
    }
    Ok(groups)
}

/// The lines of a kernel that begin with this directive.
fn lines_of<'k>(source: &'k KernelSource, directive: &str) -> Vec<&'k str> {
    let lines = source.source.lines();
    lines.filter(|line| line.trim_start().starts_with(directive)).collect()
}

fn translation_unit(prologue: &str, kernels: &[(&String, &&KernelSource)]) -> String {
    let included: BTreeSet<&str> = kernels
        .iter()
        .flat_map(|(_, source)| lines_of(source, "#include"))
        .collect();
    let mut text = prologue.to_string();
    // Those of the first are those of all, and may stand again in each.
    for line in kernels
        .iter()
        .take(1)
        .flat_map(|(_, source)| lines_of(source, "#define"))
    {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("namespace {\n#include \"emulator/api.h\"\n");
    for line in included {
        text.push_str(line);
        text.push('\n');
    }
    for (key, source) in kernels {
        let (file, body) = (&source.file, &source.source);
        text.push_str(&format!("namespace k_{key} {{\n#line 1 {file:?}\n{body}\n}}\n"));
    }
    text.push_str("#line 1 \"tt-emulator\"\n}\n");
    for (key, _) in kernels {
        text.push_str(&format!(
            "extern \"C\" __attribute__((visibility(\"default\"))) void {}(const void* api) {{\n    \
             tt_emulator_table = static_cast<const tt_emulator_api*>(api);\n    k_{key}::kernel_main();\n}}\n",
            entry_symbol(key)
        ));
    }
    text
}
