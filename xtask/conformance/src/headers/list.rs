//! Kernels to check from a list in a file, for sources that no plan goes with.

use serde_json::Value;
use std::path::Path;
use tt_build::device::{Buffer, DeviceKernel, Modes};
use tt_lang::ir::Fidelity;
use tt_plan::{DataFormat, Role};

/// The kernels that the JSON file at `path` lists: an array of objects with
///
/// - `path`, relative to the list, and `kind`: "reader", "compute" or "writer";
/// - optional `name`, `ct` (compile-time arguments), `named` (by name), `defines`;
/// - optional `formats`: for each circular buffer, in order, its `DataFormat`, or null where it is not there (default:
///   `Float16_b`, or `Float32` where `fp32` is true, for all of them);
/// - optional `fp32`, `math_fidelity`, `math_approx_mode`, `dst_full_sync_en` of a compute kernel.
///
/// # Errors
/// Where the file cannot be read or does not follow this.
pub fn read(path: &Path) -> Result<Vec<DeviceKernel>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let list: Value = serde_json::from_str(&text).map_err(|error| format!("{} is no JSON: {error}", path.display()))?;
    let rows = list
        .as_array()
        .ok_or_else(|| format!("{} is no array", path.display()))?;
    let folder = std::path::absolute(path.parent().unwrap_or(Path::new(".")))
        .map_err(|error| format!("cannot use {}: {error}", path.display()))?;
    let kernel = |(number, row): (usize, &Value)| {
        kernel(row, &folder).map_err(|reason| format!("{}, entry {number}: {reason}", path.display()))
    };
    rows.iter().enumerate().map(kernel).collect()
}

fn kernel(row: &Value, folder: &Path) -> Result<DeviceKernel, String> {
    let text = |name: &str| row.get(name).and_then(Value::as_str);
    let flag = |name: &str| row.get(name).and_then(Value::as_bool).unwrap_or(false);
    let file = folder.join(text("path").ok_or("it has no `path`")?);
    let role = match text("kind") {
        Some("reader") => Role::Reader,
        Some("compute") => Role::Compute,
        Some("writer") => Role::Writer,
        other => return Err(format!("its `kind` is {other:?}, it can be reader, compute or writer")),
    };
    let fidelity = match text("math_fidelity") {
        None | Some("HiFi4") => Fidelity::HiFi4,
        Some("HiFi3") => Fidelity::HiFi3,
        Some("HiFi2") => Fidelity::HiFi2,
        Some("LoFi") => Fidelity::LoFi,
        Some(other) => return Err(format!("`{other}` is no fidelity")),
    };
    let modes = Modes {
        fidelity: Some(fidelity),
        approximate: flag("math_approx_mode"),
        fp32_dest: flag("fp32"),
        full_sync: flag("dst_full_sync_en"),
    };
    Ok(DeviceKernel {
        name: text("name").map_or_else(|| file.display().to_string(), str::to_string),
        role,
        source: std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?,
        file: file.display().to_string(),
        compile_args: words(row.get("ct"))?,
        named_args: pairs(row.get("named"), |value| {
            word(value).ok_or_else(|| format!("{value} is no word"))
        })?,
        defines: pairs(row.get("defines"), |value| {
            Ok(value.as_str().map_or_else(|| value.to_string(), str::to_string))
        })?,
        buffers: buffers(row.get("formats"), modes.fp32_dest)?,
        modes: if role == Role::Compute {
            modes
        } else {
            Modes::DATA_MOVEMENT
        },
    })
}

fn word(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|value| u32::try_from(value).ok())
}

fn words(list: Option<&Value>) -> Result<Vec<u32>, String> {
    let Some(list) = list else { return Ok(Vec::new()) };
    let words = list
        .as_array()
        .map(|list| list.iter().map(word).collect::<Option<Vec<u32>>>());
    words
        .flatten()
        .ok_or_else(|| format!("its `ct` is {list}, not a list of words"))
}

fn pairs<T>(map: Option<&Value>, value_of: impl Fn(&Value) -> Result<T, String>) -> Result<Vec<(String, T)>, String> {
    let Some(map) = map else { return Ok(Vec::new()) };
    let map = map.as_object().ok_or_else(|| format!("{map} is no object"))?;
    map.iter()
        .map(|(name, value)| Ok((name.clone(), value_of(value)?)))
        .collect()
}

fn buffers(formats: Option<&Value>, fp32: bool) -> Result<Vec<Buffer>, String> {
    let buffer = |index: usize, format| Buffer {
        index: index as u8,
        format,
        unpack_to_dest: false,
    };
    let Some(formats) = formats else {
        let format = if fp32 {
            DataFormat::Float32
        } else {
            DataFormat::Float16B
        };
        return Ok((0..32).map(|index| buffer(index, format)).collect());
    };
    let list = formats
        .as_array()
        .ok_or_else(|| format!("its `formats` is {formats}, not a list"))?;
    let mut buffers = Vec::new();
    for (index, format) in list.iter().enumerate().filter(|(_, format)| !format.is_null()) {
        let format = serde_json::from_value(format.clone()).map_err(|_| format!("{format} is no data format"))?;
        buffers.push(buffer(index, format));
    }
    Ok(buffers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::testing::Scratch;

    #[test]
    fn a_list_says_everything_about_its_kernels() {
        let scratch = Scratch::new("list");
        let list = scratch.path().join("list.json");
        std::fs::write(scratch.path().join("k.cpp"), "void kernel_main() {}").unwrap();
        std::fs::write(
            &list,
            r#"[{"path": "k.cpp", "kind": "compute", "ct": [2, 2048], "named": {"cb": 3}, "defines": {"N": 4},
                 "formats": ["Bfp8_b", null, "Float32"], "fp32": true, "math_fidelity": "LoFi"}]"#,
        )
        .unwrap();
        let kernels = read(&list).unwrap();
        assert_eq!(
            (&kernels[0].compile_args, kernels[0].role),
            (&vec![2, 2048], Role::Compute)
        );
        assert_eq!(kernels[0].named_args, [("cb".to_string(), 3)]);
        assert_eq!(kernels[0].defines, [("N".to_string(), "4".to_string())]);
        let formats: Vec<_> = kernels[0]
            .buffers
            .iter()
            .map(|buffer| (buffer.index, buffer.format))
            .collect();
        assert_eq!(formats, [(0, DataFormat::Bfp8B), (2, DataFormat::Float32)]);
        assert_eq!(kernels[0].modes.fidelity, Some(Fidelity::LoFi));
    }

    #[test]
    fn mistakes_are_named_with_their_entry() {
        let scratch = Scratch::new("mistakes");
        let list = scratch.path().join("list.json");
        std::fs::write(scratch.path().join("k.cpp"), "").unwrap();
        for (text, message) in [
            ("{", "is no JSON"),
            ("{}", "is no array"),
            (r#"[{"kind": "reader"}]"#, "entry 0: it has no `path`"),
            (
                r#"[{"path": "k.cpp", "kind": "mover"}]"#,
                "it can be reader, compute or writer",
            ),
            (r#"[{"path": "none.cpp", "kind": "reader"}]"#, "cannot read"),
            (
                r#"[{"path": "k.cpp", "kind": "compute", "formats": ["Float7"]}]"#,
                "\"Float7\" is no data format",
            ),
            (
                r#"[{"path": "k.cpp", "kind": "reader", "ct": [-1]}]"#,
                "not a list of words",
            ),
        ] {
            std::fs::write(&list, text).unwrap();
            let error = read(&list).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
