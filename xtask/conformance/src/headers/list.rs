//! Kernels to check from a list in a file, for sources that no plan goes with.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tt_build::device::{Buffer, CHIPS, DeviceKernel, Modes};
use tt_lang::ir::Fidelity;
use tt_plan::{DataFormat, Role};

/// What a list may say of chips: the command line says for which kernels are compiled.
#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum Architectures {
    #[default]
    Both,
}

/// An entry of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Relative to the list.
    path: PathBuf,
    kind: Role,
    name: Option<String>,
    #[serde(default, rename = "arch")]
    _arch: Architectures,
    /// Compile-time arguments.
    #[serde(default)]
    ct: Vec<u32>,
    /// Compile-time arguments by name.
    #[serde(default)]
    named: BTreeMap<String, u32>,
    #[serde(default)]
    defines: BTreeMap<String, Value>,
    /// Of each circular buffer, in order; null where it is not there.
    formats: Option<Vec<Option<DataFormat>>>,
    #[serde(default)]
    fp32: bool,
    math_fidelity: Option<Fidelity>,
    #[serde(default)]
    math_approx_mode: bool,
    #[serde(default)]
    dst_full_sync_en: bool,
}

/// The kernels that the JSON file at `path` lists: an array of objects with
///
/// - `path`, relative to the list, and `kind`: "reader", "compute" or "writer";
/// - optional `arch`, which can be "both" only: `--arch` takes one;
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
        let row = Row::deserialize(row).map_err(|error| error.to_string());
        row.and_then(|row| kernel(row, &folder))
            .map_err(|reason| format!("{}, entry {number}: {reason}", path.display()))
    };
    rows.iter().enumerate().map(kernel).collect()
}

fn kernel(row: Row, folder: &Path) -> Result<DeviceKernel, String> {
    let most = CHIPS.iter().map(|chip| chip.circular_buffers).max().unwrap_or(0);
    let formats = row.formats.as_ref().map_or(0, Vec::len);
    if formats > most {
        return Err(format!("it has {formats} `formats`, there are {most} circular buffers"));
    }
    let file = folder.join(&row.path);
    let modes = Modes {
        fidelity: Some(row.math_fidelity.unwrap_or(Fidelity::HiFi4)),
        approximate: row.math_approx_mode,
        fp32_dest: row.fp32,
        full_sync: row.dst_full_sync_en,
    };
    let define = |(name, value): (String, Value)| {
        let text = value.as_str().map(str::to_string);
        (name, text.unwrap_or_else(|| value.to_string()))
    };
    Ok(DeviceKernel {
        name: row.name.unwrap_or_else(|| file.display().to_string()),
        role: row.kind,
        source: std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?,
        file: file.display().to_string(),
        compile_args: row.ct,
        named_args: row.named.into_iter().collect(),
        defines: row.defines.into_iter().map(define).collect(),
        buffers: buffers(row.formats, row.fp32),
        modes: if row.kind == Role::Compute {
            modes
        } else {
            Modes::DATA_MOVEMENT
        },
    })
}

fn buffers(formats: Option<Vec<Option<DataFormat>>>, fp32: bool) -> Vec<Buffer> {
    let format = if fp32 {
        DataFormat::Float32
    } else {
        DataFormat::Float16B
    };
    let formats = formats.unwrap_or_else(|| vec![Some(format); 32]);
    let buffer = |(index, format): (u8, Option<DataFormat>)| {
        Some(Buffer {
            index,
            format: format?,
            unpack_to_dest: false,
        })
    };
    (0..=u8::MAX).zip(formats).filter_map(buffer).collect()
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
            r#"[{"path": "k.cpp", "kind": "compute", "arch": "both", "ct": [2, 2048], "named": {"cb": 3}, "defines": {"N": 4},
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
            (r#"[{"kind": "reader"}]"#, "entry 0: missing field `path`"),
            (
                r#"[{"path": "k.cpp", "kind": "reader", "arch": "blackhole"}]"#,
                "unknown variant `blackhole`, expected `both`",
            ),
            (
                r#"[{"path": "k.cpp", "kind": "reader", "fp23": true}]"#,
                "unknown field `fp23`",
            ),
            (
                r#"[{"path": "k.cpp", "kind": "mover"}]"#,
                "unknown variant `mover`, expected one of `reader`, `compute`, `writer`",
            ),
            (r#"[{"path": "none.cpp", "kind": "reader"}]"#, "cannot read"),
            (
                r#"[{"path": "k.cpp", "kind": "compute", "formats": ["Float7"]}]"#,
                "unknown variant `Float7`",
            ),
            (
                r#"[{"path": "k.cpp", "kind": "reader", "ct": [-1]}]"#,
                "invalid value: integer `-1`, expected u32",
            ),
        ] {
            std::fs::write(&list, text).unwrap();
            let error = read(&list).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn a_chip_has_so_many_buffers() {
        let scratch = Scratch::new("buffers");
        let list = scratch.path().join("list.json");
        std::fs::write(scratch.path().join("k.cpp"), "").unwrap();
        let formats = |count: usize| vec!["\"Float32\""; count].join(", ");
        let entry = |count| {
            format!(
                r#"[{{"path": "k.cpp", "kind": "reader", "formats": [{}]}}]"#,
                formats(count)
            )
        };
        std::fs::write(&list, entry(64)).unwrap();
        assert_eq!(read(&list).unwrap()[0].buffers.len(), 64);
        std::fs::write(&list, entry(65)).unwrap();
        let error = read(&list).unwrap_err();
        assert!(error.contains("65 `formats`, there are 64"), "{error}");
    }
}
