//! The real library, opened: what it exports, its virtual tables, and the instructions of its functions.

use super::machine_code::Function;
use object::elf::{R_X86_64_64, R_X86_64_RELATIVE};
use object::{Object, ObjectSymbol, RelocationFlags, RelocationTarget};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a slot of a virtual table holds: the names of a function, several where the linker folded equal ones.
pub type Slot = Vec<String>;

/// The library and its names.
pub struct Library {
    path: PathBuf,
    /// Address and size of what is exported.
    places: BTreeMap<String, (u64, u64)>,
    names: BTreeMap<u64, Vec<String>>,
    /// What the loader writes where: an address of the library, or that of a symbol.
    written: BTreeMap<u64, Written>,
}

enum Written {
    Address(u64),
    Symbol(String),
}

/// A table begins with two words that are no functions.
const HEADER: u64 = 16;

/// Bytes of code to look at where a function has no size of its own.
const UNSIZED: u64 = 64;

impl Library {
    /// Reads the library at `path`.
    ///
    /// # Errors
    /// Where it cannot be read, is truncated, or exports nothing.
    pub fn open(path: &Path) -> Result<Library, String> {
        let wrong = |why: &dyn std::fmt::Display| format!("{} is no whole shared library: {why}", path.display());
        let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let file = object::File::parse(bytes.as_slice()).map_err(|error| wrong(&error))?;
        let mut places = BTreeMap::new();
        let mut names: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let mut by_index = HashMap::new();
        for symbol in file.dynamic_symbols() {
            let name = symbol.name().map_err(|error| wrong(&error))?.to_string();
            by_index.insert(symbol.index(), name.clone());
            if !symbol.is_undefined() {
                names.entry(symbol.address()).or_default().push(name.clone());
                places.insert(name, (symbol.address(), symbol.size()));
            }
        }
        if places.is_empty() {
            return Err(wrong(&"it exports nothing"));
        }
        let mut written = BTreeMap::new();
        for (place, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let what = match (relocation.flags(), relocation.target()) {
                (RelocationFlags::Elf { r_type }, _) if r_type == R_X86_64_RELATIVE => {
                    Written::Address(relocation.addend() as u64)
                }
                (RelocationFlags::Elf { r_type }, RelocationTarget::Symbol(index)) if r_type == R_X86_64_64 => {
                    Written::Symbol(by_index.get(&index).cloned().unwrap_or_default())
                }
                _ => continue,
            };
            written.insert(place, what);
        }
        Ok(Library {
            path: path.to_path_buf(),
            places,
            names,
            written,
        })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names that it exports.
    pub fn exports(&self) -> BTreeSet<String> {
        self.places.keys().cloned().collect()
    }

    /// The functions of a virtual table, in their order.
    ///
    /// # Errors
    /// Where there is no such table.
    pub fn table(&self, name: &str) -> Result<Vec<Slot>, String> {
        let (address, size) = self.place(name)?;
        let slots = (address + HEADER..address + size).step_by(8);
        let slots = slots.map(|place| match self.written.get(&place) {
            Some(Written::Symbol(name)) => vec![name.clone()],
            Some(Written::Address(address)) => self.names.get(address).cloned().unwrap_or_default(),
            None => Slot::new(),
        });
        Ok(slots.collect())
    }

    /// The instructions of an exported function, or of the n-th of a virtual table: `table[n]`.
    ///
    /// # Errors
    /// Where there is none of this name, or it cannot be disassembled.
    pub fn function(&self, name: &str) -> Result<Function, String> {
        let (address, size) = match name.split_once('[') {
            None => self.place(name)?,
            Some((table, slot)) => {
                let slot = slot
                    .trim_end_matches(']')
                    .parse::<u64>()
                    .map_err(|_| format!("{name} is no slot of a table"))?;
                let place = self.place(table)?.0 + HEADER + 8 * slot;
                match self.written.get(&place) {
                    Some(Written::Address(address)) => (*address, UNSIZED),
                    Some(Written::Symbol(function)) => self.place(function)?,
                    None => return Err(format!("{table} has no slot {slot}")),
                }
            }
        };
        let output = Command::new("objdump")
            .args(["-d", "--no-show-raw-insn", "-M", "att"])
            .arg(format!("--start-address={address:#x}"))
            .arg(format!("--stop-address={:#x}", address + size))
            .arg(&self.path)
            .output()
            .map_err(|error| format!("cannot start objdump, which binutils has: {error}"))?;
        let function = Function::of_listing(&String::from_utf8_lossy(&output.stdout));
        if !output.status.success() || function.is_empty() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("objdump lists nothing of {name}: {}", said.trim()));
        }
        Ok(function)
    }

    fn place(&self, name: &str) -> Result<(u64, u64), String> {
        let place = self.places.get(name).copied();
        place.ok_or_else(|| {
            format!(
                "{} does not export {}",
                self.path.display(),
                super::symbols::demangled(name)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_library_is_refused() {
        let folder = std::env::temp_dir().join(format!("tt-abi-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("libtt_metal.so");
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        for length in [0, 3, 64, whole.len() / 2] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let refused = Library::open(&path).err().unwrap();
            assert!(refused.contains("no whole shared library"), "{length} bytes: {refused}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
