//! Launches that an earlier run has run.

use serde_json::{Value, json};
use std::path::Path;

/// What the tool said of the launches below `before`, the folder of an earlier run, that are the same below `folder`: the bytes of the spec,
/// in which kernels are named by what is in them, and of every input. What it left of them is taken over, and their specs are set aside,
/// so that the tool does not run them.
///
/// # Errors
/// Where a file cannot be read or written, and where `before` has no summary of results.
pub fn take(before: &Path, folder: &Path) -> Result<Vec<Value>, String> {
    let mut known = Vec::new();
    for result in results(&before.join("summary.json"))? {
        let Some(launch) = result["spec"].as_str().and_then(|spec| Path::new(spec).parent()) else {
            return Err(format!("a result below {} has no spec", before.display()));
        };
        let [from, to] = [before, folder].map(|of| of.join(launch));
        if to.join("spec.json").is_file() && is_same(&from, &to) {
            take_over(&from, &to).map_err(|error| format!("cannot take over {}: {error}", from.display()))?;
            known.push(result);
        }
    }
    Ok(known)
}

/// The results of a summary of the tool.
pub fn results(summary: &Path) -> Result<Vec<Value>, String> {
    let text =
        std::fs::read_to_string(summary).map_err(|error| format!("cannot read {}: {error}", summary.display()))?;
    let mut value: Value =
        serde_json::from_str(&text).map_err(|error| format!("{} is no JSON: {error}", summary.display()))?;
    match value["results"].take() {
        Value::Array(results) => Ok(results),
        _ => Err(format!("{} has no results", summary.display())),
    }
}

/// Writes a summary that a later run may take results from.
pub fn write(summary: &Path, results: &[Value]) -> Result<(), String> {
    let text = serde_json::to_string_pretty(&json!({ "results": results })).map_err(|error| error.to_string())?;
    std::fs::write(summary, text).map_err(|error| format!("cannot write {}: {error}", summary.display()))
}

/// The files of a launch whose names end so.
fn files(folder: &Path, end: &str) -> std::io::Result<Vec<String>> {
    let names = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<std::io::Result<Vec<String>>>()?;
    names.retain(|name| name.ends_with(end));
    names.sort();
    Ok(names)
}

/// Whether the inputs of two launches, and their specs, are the same. A spec that was taken over itself goes by its other name.
fn is_same(from: &Path, to: &Path) -> bool {
    let read = |folder: &Path, name: &str| std::fs::read(folder.join(name)).ok();
    let spec = read(from, "spec.json").or_else(|| read(from, TAKEN));
    let (Ok(inputs), Ok(known)) = (files(to, ".in.npy"), files(from, ".in.npy")) else {
        return false;
    };
    let is_same = |name: &String| read(from, name) == read(to, name);
    spec.is_some() && spec == read(to, "spec.json") && inputs == known && inputs.iter().all(is_same)
}

/// What a spec is called that is not to be run: the tool runs whatever ends in `.json`.
const TAKEN: &str = "spec.taken";

fn take_over(from: &Path, to: &Path) -> std::io::Result<()> {
    for name in files(from, ".simulator.npy")? {
        std::fs::copy(from.join(&name), to.join(&name))?;
    }
    std::fs::rename(to.join("spec.json"), to.join(TAKEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_launch_that_is_the_same_is_taken_over() {
        let root = std::env::temp_dir().join(format!("tt-known-{}", std::process::id()));
        let put = |run: &str, launch: &str, name: &str, text: &str| {
            let folder = root.join(run).join(launch);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(name), text).unwrap();
        };
        for (launch, spec, input) in [
            ("same", "s", "1 2"),
            ("other-spec", "t", "1 2"),
            ("other-input", "s", "1 3"),
        ] {
            put("before", launch, "spec.json", "s");
            put("before", launch, "x.in.npy", "1 2");
            put("before", launch, "o.simulator.npy", "3");
            put("now", launch, "spec.json", spec);
            put("now", launch, "x.in.npy", input);
        }
        put("now", "new", "spec.json", "s");
        let of = |launch: &str| json!({ "spec": format!("{launch}/spec.json"), "ok": true });
        let [before, now] = ["before", "now"].map(|run| root.join(run));
        assert!(take(&before, &now).is_err(), "there is no summary");
        let all = ["same", "other-spec", "other-input", "gone"].map(of);
        write(&before.join("summary.json"), &all).unwrap();
        assert_eq!(take(&before, &now).unwrap(), [of("same")]);
        assert!(now.join("same/o.simulator.npy").is_file());
        assert!(
            files(&now.join("same"), ".json").unwrap().is_empty(),
            "the tool would run it"
        );
        assert!(now.join("other-input/spec.json").is_file() && now.join("new/spec.json").is_file());
        std::fs::remove_dir_all(&root).unwrap();
    }
}
