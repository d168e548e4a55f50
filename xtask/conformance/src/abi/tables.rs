//! Virtual tables: a call through an object goes to the slot that the header's order gives it, whatever lies there.

use super::library::{Library, Slot};
use super::symbols::demangled;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget};
use std::path::PathBuf;

/// A class of ours with a table, and the library's that has the same order.
struct Pair {
    ours: &'static str,
    theirs: &'static str,
    /// Whether the library's class may have more slots: those of a class between, which callers never see.
    longer: bool,
}

const PAIRS: &[Pair] = &[
    Pair {
        ours: "_ZTVN2tt8tt_metal11distributed10MeshDeviceE",
        theirs: "_ZTVN2tt8tt_metal11distributed10MeshDeviceE",
        longer: false,
    },
    Pair {
        ours: "_ZTVN2tt8tt_metal8emulator5QueueE",
        theirs: "_ZTVN2tt8tt_metal11distributed18SDMeshCommandQueueE",
        longer: true,
    },
];

/// Compares the tables in the object files of our host API with the library's.
///
/// # Errors
/// The slots that differ.
pub fn check(library: &Library, objects: &[PathBuf]) -> Result<String, String> {
    let mut wrong = Vec::new();
    let mut slots = 0;
    for pair in PAIRS {
        let ours = table_of_objects(objects, pair.ours)?;
        let theirs = library.table(pair.theirs)?;
        let differing = differences(&ours, &theirs, pair.longer);
        wrong.extend(
            differing
                .into_iter()
                .map(|text| format!("  {}: {text}", demangled(pair.theirs))),
        );
        slots += ours.len();
    }
    match wrong.is_empty() {
        true => Ok(format!(
            "virtual tables: {slots} slots of {} classes hold the library's functions",
            PAIRS.len()
        )),
        false => Err(format!(
            "virtual tables differ from {}:\n{}",
            library.path().display(),
            wrong.join("\n")
        )),
    }
}

fn differences(ours: &[String], theirs: &[Slot], longer: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    if ours.is_empty() || theirs.len() < ours.len() || (theirs.len() > ours.len() && !longer) {
        wrong.push(format!("it has {} slots, ours {}", theirs.len(), ours.len()));
    }
    for (slot, (our, their)) in ours.iter().zip(theirs).enumerate() {
        // A function that is not exported has no name to compare.
        if !their.is_empty() && !their.iter().any(|name| method(name) == method(our)) {
            let names: Vec<String> = their.iter().map(|name| method(name)).collect();
            wrong.push(format!("slot {slot} is {}, ours {}", names.join(" or "), method(our)));
        }
    }
    wrong
}

/// A method without its class: what callers know it by.
fn method(name: &str) -> String {
    let name = demangled(name);
    let path = name.split('(').next().unwrap_or_default();
    let class = path.rfind("::").map_or(0, |at| at + 2);
    match name.get(class..) {
        Some(method) if method.starts_with('~') => "a destructor".into(),
        Some(method) => method.to_string(),
        None => name,
    }
}

/// The names in a table that one of the object files defines.
fn table_of_objects(objects: &[PathBuf], name: &str) -> Result<Vec<String>, String> {
    for path in objects {
        let bytes = std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let wrong = |error: object::Error| format!("cannot read {}: {error}", path.display());
        let file = object::File::parse(bytes.as_slice()).map_err(wrong)?;
        let Some(table) = file
            .symbols()
            .find(|symbol| symbol.name() == Ok(name) && !symbol.is_undefined())
        else {
            continue;
        };
        let index = table
            .section_index()
            .ok_or_else(|| format!("{name} lies in no section of {}", path.display()))?;
        let section = file.section_by_index(index).map_err(wrong)?;
        let mut entries = Vec::new();
        for (place, relocation) in section.relocations() {
            let from_start = place.wrapping_sub(table.address());
            if (16..table.size()).contains(&from_start)
                && let RelocationTarget::Symbol(symbol) = relocation.target()
            {
                let symbol = file.symbol_by_index(symbol).map_err(wrong)?;
                entries.push((place, symbol.name().map_err(wrong)?.to_string()));
            }
        }
        entries.sort();
        return Ok(entries.into_iter().map(|(_, name)| name).collect());
    }
    Err(format!("no object of the host API has {}", demangled(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swapped_slot_and_a_missing_one_are_found() {
        let [destroy, arch, id] = ["_ZN1AD0Ev", "_ZNK1A4archEv", "_ZNK1A2idEv"].map(|name: &str| name.to_string());
        let theirs: Vec<Slot> = [&destroy, &arch, &id].map(|name| vec![name.replace("1A", "1B")]).into();
        let ours = [destroy, arch, id];
        assert_eq!(differences(&ours, &theirs, false), Vec::<String>::new());
        let mut swapped = ours.clone();
        swapped.swap(1, 2);
        assert_eq!(
            differences(&swapped, &theirs, false),
            [
                "slot 1 is arch() const, ours id() const",
                "slot 2 is id() const, ours arch() const"
            ]
        );
        assert_eq!(differences(&ours[..2], &theirs, false), ["it has 3 slots, ours 2"]);
        assert_eq!(differences(&ours[..2], &theirs, true), Vec::<String>::new());
        assert_eq!(differences(&ours, &theirs[..2], true), ["it has 2 slots, ours 3"]);
    }
}
