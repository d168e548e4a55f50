//! Symbols of object files and shared libraries.

use cpp_demangle::{DemangleOptions, Symbol as Mangled};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSymbol};
use std::path::Path;

/// How an object has a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Needed from elsewhere.
    Undefined,
    /// Defined for everybody.
    Defined,
    /// Defined in every object that uses it, as inline functions are.
    Inline,
}

/// A symbol that other objects can see.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Symbol {
    /// Its mangled name.
    pub name: String,
    /// How the object has it.
    pub kind: Kind,
}

/// The names that a program or shared library takes from others.
///
/// # Errors
/// Where it cannot be read.
pub fn imports(path: &Path) -> Result<Vec<String>, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let wrong = |error: object::Error| format!("cannot read {}: {error}", path.display());
    let file = object::File::parse(bytes.as_slice()).map_err(wrong)?;
    let undefined = file.dynamic_symbols().filter(ObjectSymbol::is_undefined);
    undefined
        .map(|symbol| symbol.name().map(str::to_string).map_err(wrong))
        .collect()
}

/// The global symbols of an object file, or of the members of a static library that `is_meant`.
///
/// # Errors
/// Where it cannot be read.
pub fn of_objects(path: &Path, is_meant: impl Fn(&str) -> bool) -> Result<Vec<Symbol>, String> {
    let wrong = |error: object::Error| format!("cannot read {}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut symbols = Vec::new();
    match ArchiveFile::parse(bytes.as_slice()) {
        Ok(archive) => {
            for member in archive.members() {
                let member = member.map_err(wrong)?;
                if is_meant(&String::from_utf8_lossy(member.name())) {
                    collect(member.data(bytes.as_slice()).map_err(wrong)?, &mut symbols).map_err(wrong)?;
                }
            }
        }
        Err(_) => collect(&bytes, &mut symbols).map_err(wrong)?,
    }
    Ok(symbols)
}

fn collect(object: &[u8], symbols: &mut Vec<Symbol>) -> object::Result<()> {
    for symbol in object::File::parse(object)?.symbols().filter(ObjectSymbol::is_global) {
        let kind = if symbol.is_undefined() {
            Kind::Undefined
        } else if symbol.is_weak() {
            Kind::Inline
        } else {
            Kind::Defined
        };
        symbols.push(Symbol {
            name: symbol.name()?.to_string(),
            kind,
        });
    }
    Ok(())
}

/// A C++ name as written, without the type it returns; a name that is none as it is.
pub fn demangled(name: &str) -> String {
    let options = DemangleOptions::new().no_return_type();
    let text = Mangled::new(name)
        .ok()
        .and_then(|symbol| symbol.demangle_with_options(&options).ok());
    text.unwrap_or_else(|| name.to_string())
}

/// Whether a mangled name is one of TT-Metalium's namespaces or of its few global names.
pub fn is_of_metalium(name: &str) -> bool {
    const SCOPES: [&str; 7] = [
        "tt::",
        "ttsl::",
        "tensor_accessor::",
        "Flags<",
        "bfloat16::",
        "tilize_nfaces<",
        "untilize_nfaces<",
    ];
    let name = demangled(name);
    let of = ["{vtable(", "{typeinfo("];
    let name = of.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(&name);
    // What is local to a function has no name of its own.
    SCOPES.iter().any(|scope| name.starts_with(scope)) && !name.contains("{lambda")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_metalium_are_told_from_others() {
        for (name, is) in [
            ("_ZN2tt8tt_metal13CreateProgramEv", true),
            ("_ZTVN2tt8tt_metal11distributed16MeshCommandQueueE", true),
            ("_ZNSt6vectorIN2tt7xy_pairESaIS1_EED2Ev", false),
            ("memcpy", false),
        ] {
            assert_eq!(is_of_metalium(name), is, "{name}");
        }
    }
}
