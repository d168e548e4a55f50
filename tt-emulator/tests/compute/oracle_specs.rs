//! Kernels verified on the simulated chips, run here: the specs that `../shared/oracle` generates.
//!
//! Ignored by default, because the kernels and their generator lie outside the repository. To run:
//! `cargo test -p tt-emulator --test compute -- --ignored oracle`, with `TT_ORACLE_SPECS` naming a folder that
//! `oracle/patterns/gen.py` wrote (`gen.py OUT`). Where a chip's own results lie beside a spec, the share of equal values
//! is told; `TT_ORACLE_MATCH` selects specs by a part of their name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole, MathFidelity};
use tt_emulator::kernel_object::KernelSource;
use tt_emulator::{ArchName, Buffer, BufferKind, CbIndex, CircularBuffer, DataFormat, Program, launch};

use crate::rig::{Matrix, device};

/// Specs left out: of integer formats, which the emulator refuses, and of multicasts, which are not about compute.
const LEFT_OUT: [&str; 2] = ["fmt_cast_", "mc_"];

/// Traps that are broken rules here, with the code of the rule.
const TRAPS: [(&str, &str); 4] = [
    ("red_row_max_fold_preload", "EMU0611"),
    ("red_mask_leak", "EMU0610"),
    ("elt_sfpu_on_unwritten", "EMU0508"),
    ("bc_unary_bcast_row", "EMU0705"),
];

#[test]
#[ignore = "needs specs of ../shared/oracle: set TT_ORACLE_SPECS to a folder that oracle/patterns/gen.py wrote"]
fn oracle_specs_agree() {
    let folder = PathBuf::from(std::env::var("TT_ORACLE_SPECS").expect("TT_ORACLE_SPECS names a folder"));
    let wanted = std::env::var("TT_ORACLE_MATCH").unwrap_or_default();
    let mut failures = Vec::new();
    let mut count = 0;
    for path in specs(&folder) {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        if !name.contains(&wanted) || LEFT_OUT.iter().any(|part| name.starts_with(part)) {
            continue;
        }
        count += 1;
        match run(&path) {
            Ok(told) => println!("{name}: {told}"),
            Err(told) => failures.push(format!("{name}: {told}")),
        }
    }
    assert!(count > 0, "no spec in {}", folder.display());
    assert!(
        failures.is_empty(),
        "{} of {count} fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
#[ignore = "needs specs of ../shared/oracle: set TT_ORACLE_SPECS to a folder that oracle/patterns/gen.py wrote"]
fn oracle_traps_are_reported() {
    let folder = PathBuf::from(std::env::var("TT_ORACLE_SPECS").expect("TT_ORACLE_SPECS names a folder"));
    let traps = folder.with_file_name(format!(
        "{}_traps",
        folder.file_name().expect("a folder").to_string_lossy()
    ));
    let mut seen = 0;
    for path in specs(&traps) {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        if let Some((_, code)) = TRAPS.iter().find(|(part, _)| name.starts_with(part)) {
            seen += 1;
            let told = run(&path).expect_err("a trap");
            assert!(told.contains(code), "{name}: {told}");
        }
    }
    assert!(seen > 0, "no trap in {}", traps.display());
}

fn specs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    paths
}

/// A tensor of a spec.
struct Tensor {
    rows: usize,
    columns: usize,
    format: DataFormat,
    buffer: Buffer,
}

fn run(path: &Path) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let spec: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let arch = if spec["arch"] == "blackhole" {
        ArchName::Blackhole
    } else {
        ArchName::WormholeB0
    };
    let device = device(arch);
    let mut tensors = BTreeMap::new();
    for (name, buffer) in spec["buffers"].as_object().ok_or("no buffers")? {
        let (rows, columns) = (
            number(&buffer["tiles"][0]) as usize * 32,
            number(&buffer["tiles"][1]) as usize * 32,
        );
        let format = format_of(buffer["dtype"].as_str().unwrap_or("bfloat16"))?;
        let bytes = match buffer["init"].as_str() {
            Some(file) => encode(&read_npy(Path::new(file), rows, columns)?, format),
            None => vec![0; rows * columns / 1024 * format.tile_bytes(32, 32)],
        };
        let page = format.tile_bytes(32, 32) as u64;
        let allocated =
            Buffer::allocate(&device, BufferKind::Dram, bytes.len() as u64, page).map_err(|e| e.to_string())?;
        allocated.write(&bytes).map_err(|error| error.to_string())?;
        tensors.insert(
            name.clone(),
            Tensor {
                rows,
                columns,
                format,
                buffer: allocated,
            },
        );
    }
    let mut program = Program::new();
    for cb in spec["cbs"].as_array().ok_or("no cbs")? {
        let format = format_of(cb["data_format"].as_str().unwrap_or("bfloat16"))?;
        let page_bytes = number(&cb["page_size"]);
        let indices = vec![CbIndex {
            id: number(&cb["index"]) as u8,
            format,
            page_bytes,
            tile: (32, 32),
        }];
        let total_bytes = page_bytes * number(&cb["num_pages"]);
        let buffer = CircularBuffer {
            cores: vec![(0, 0)],
            total_bytes,
            indices,
            global_address: None,
        };
        program
            .create_circular_buffer(buffer)
            .map_err(|report| report.to_string())?;
    }
    for kernel in spec["kernels"].as_array().ok_or("no kernels")? {
        let file = kernel["path"].as_str().ok_or("no path")?;
        let source = KernelSource {
            file: file.rsplit('/').next().unwrap_or(file).to_owned(),
            source: std::fs::read_to_string(file).map_err(|error| error.to_string())?,
            directory: Path::new(file).parent().map(Into::into),
            compile_args: words(&kernel["compile_args"], &tensors)?,
            defines: text_map(&kernel["defines"]),
            ..Default::default()
        };
        let role = match kernel["kind"].as_str() {
            Some("reader") => KernelRole::DataMovement {
                processor: DataMovementProcessor::Ncrisc,
                noc: 0,
            },
            Some("writer") => KernelRole::DataMovement {
                processor: DataMovementProcessor::Brisc,
                noc: 1,
            },
            _ => KernelRole::Compute(options(kernel)),
        };
        let handle = program
            .create_kernel(source, role, vec![(0, 0)])
            .map_err(|report| report.to_string())?;
        let arguments = words(&kernel["runtime_args"], &tensors)?;
        program
            .set_runtime_args(handle, (0, 0), &arguments)
            .map_err(|report| report.to_string())?;
    }
    launch(&device, &program, 1).map_err(|error| error.to_string())?;
    let mut told = Vec::new();
    for (name, buffer) in spec["buffers"].as_object().ok_or("no buffers")? {
        let Some(expected) = buffer["expect"].as_str().or(buffer["out"].as_str()) else {
            continue;
        };
        let tensor = &tensors[name];
        let mut bytes = vec![0; tensor.buffer.size() as usize];
        tensor.buffer.read(&mut bytes).map_err(|error| error.to_string())?;
        let result = decode(tensor, &bytes);
        if buffer["expect"].is_string() {
            told.push(compare(
                &result,
                &read_npy(Path::new(expected), tensor.rows, tensor.columns)?,
                buffer,
            )?);
        }
        if let Some(chip) = buffer["out"].as_str().map(Path::new).filter(|path| path.exists()) {
            let chip = read_npy(chip, tensor.rows, tensor.columns)?;
            let same = |i: &usize| {
                let (ours, theirs) = (result.values[*i], chip.values[*i]);
                ours == theirs || (ours.is_nan() && theirs.is_nan())
            };
            let equal = (0..chip.values.len()).filter(same).count();
            told.push(format!(
                "{:.2} % as on the chip",
                100.0 * equal as f64 / chip.values.len() as f64
            ));
            if let Some(i) = (0..chip.values.len()).find(|i| !same(i)) {
                let (row, column) = (i / chip.columns, i % chip.columns);
                told.push(format!(
                    "first [{row}, {column}]: {}, not {}",
                    result.values[i], chip.values[i]
                ));
            }
        }
    }
    Ok(told.join(", "))
}

fn compare(result: &Matrix, expected: &Matrix, limits: &Value) -> Result<String, String> {
    let (absolute, relative) = (
        limits["atol"].as_f64().unwrap_or(0.0),
        limits["rtol"].as_f64().unwrap_or(0.0),
    );
    let mut worst = 0f64;
    for (i, (value, wanted)) in result.values.iter().zip(&expected.values).enumerate() {
        let error = f64::from((value - wanted).abs());
        worst = worst.max(error);
        if error > absolute + relative * f64::from(wanted.abs()) || value.is_nan() != wanted.is_nan() {
            let (row, column) = (i / result.columns, i % result.columns);
            return Err(format!(
                "[{row}, {column}] is {value}, not {wanted} (limits {absolute} and {relative})"
            ));
        }
    }
    Ok(format!("largest error {worst:.3e}"))
}

fn options(kernel: &Value) -> ComputeOptions {
    let mut unpack_to_dest_fp32 = vec![false; 64];
    for cb in kernel["unpack_to_dest_fp32"].as_array().into_iter().flatten() {
        unpack_to_dest_fp32[number(cb) as usize] = true;
    }
    ComputeOptions {
        math_fidelity: match kernel["math_fidelity"].as_str() {
            Some("LoFi") => MathFidelity::LoFi,
            Some("HiFi2") => MathFidelity::HiFi2,
            Some("HiFi3") => MathFidelity::HiFi3,
            _ => MathFidelity::HiFi4,
        },
        fp32_dest_acc_en: kernel["fp32_dest_acc_en"].as_bool().unwrap_or(false),
        unpack_to_dest_fp32,
        ..Default::default()
    }
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap_or_default() as u32
}

fn text_map(value: &Value) -> BTreeMap<String, String> {
    let entries = value.as_object().into_iter().flatten();
    entries
        .map(|(name, text)| (name.clone(), text.as_str().unwrap_or_default().to_owned()))
        .collect()
}

/// Arguments: numbers, `addr:NAME`, `accessor:NAME`.
fn words(value: &Value, tensors: &BTreeMap<String, Tensor>) -> Result<Vec<u32>, String> {
    let mut words = Vec::new();
    for item in value.as_array().into_iter().flatten() {
        match item.as_str().and_then(|text| text.split_once(':')) {
            Some(("addr", name)) => words.push(tensors[name].buffer.address() as u32),
            Some(("accessor", name)) => words.extend([2, tensors[name].buffer.aligned_page_bytes()]),
            Some(_) => return Err(format!("argument {item}")),
            None => words.push(item.as_i64().unwrap_or_default() as u32),
        }
    }
    Ok(words)
}

fn format_of(name: &str) -> Result<DataFormat, String> {
    match name {
        "bfloat16" => Ok(DataFormat::Float16_b),
        "float32" => Ok(DataFormat::Float32),
        "bfloat8_b" => Ok(DataFormat::Bfp8_b),
        "bfloat4_b" => Ok(DataFormat::Bfp4_b),
        other => Err(format!("format {other}")),
    }
}

/// Pages of a matrix, block floats as the host library makes them: nearest, halves to even.
fn encode(matrix: &Matrix, format: DataFormat) -> Vec<u8> {
    if format != DataFormat::Bfp8_b {
        return matrix.pages(format);
    }
    let wide = matrix.pages(DataFormat::Float32);
    let values: Vec<f32> = wide
        .chunks(4)
        .map(|b| f32::from_le_bytes(b.try_into().expect("four bytes")))
        .collect();
    let mut bytes = Vec::new();
    for tile in values.chunks(1024) {
        let exponent = |row: &[f32]| row.iter().map(|v| (v.to_bits() >> 23) & 255).max().unwrap_or(0);
        bytes.extend(tile.chunks(16).map(|row| exponent(row) as u8));
        for row in tile.chunks(16) {
            let step = f64::powi(2.0, exponent(row) as i32 - 127 - 6);
            for value in row {
                let magnitude = (f64::from(value.abs()) / step).round_ties_even().min(127.0) as u8;
                bytes.push(magnitude | if *value < 0.0 && magnitude != 0 { 0x80 } else { 0 });
            }
        }
    }
    bytes
}

fn decode(tensor: &Tensor, bytes: &[u8]) -> Matrix {
    if tensor.format != DataFormat::Bfp8_b {
        return Matrix::from_pages(tensor.rows, tensor.columns, tensor.format, bytes);
    }
    let mut wide = Vec::new();
    for tile in bytes.chunks(1088) {
        for (i, element) in tile[64..].iter().enumerate() {
            let step = f32::powi(2.0, i32::from(tile[i / 16]) - 127 - 6);
            let magnitude = f32::from(element & 0x7f) * step;
            wide.extend((if element & 0x80 != 0 { -magnitude } else { magnitude }).to_le_bytes());
        }
    }
    Matrix::from_pages(tensor.rows, tensor.columns, DataFormat::Float32, &wide)
}

/// A `.npy` file of little-endian `f32`.
fn read_npy(path: &Path, rows: usize, columns: usize) -> Result<Matrix, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(&bytes[10..10 + header]).into_owned();
    if !text.contains("'<f4'") {
        return Err(format!("{}: {text}", path.display()));
    }
    let values: Vec<f32> = bytes[10 + header..]
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().expect("four bytes")))
        .collect();
    if values.len() != rows * columns {
        return Err(format!(
            "{}: {} values for {rows} by {columns}",
            path.display(),
            values.len()
        ));
    }
    let by_columns = text.contains("'fortran_order': True");
    Ok(Matrix::new(rows, columns, |row, column| {
        values[if by_columns {
            column * rows + row
        } else {
            row * columns + column
        }]
    }))
}
