//! Experiments on the chip simulator: specs for `../shared/oracle`, and their results.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tt_emulator::{ArchName, DataFormat};

use crate::emulated::{INPUT_TILES, KERNEL, OUT, READER, WRITER, feed};
use crate::experiment::{Experiment, Variant};
use crate::operands::TILES;
use crate::recorded::digest;

/// The format by the name that the runtime's tensors have for it, else as an id of `tt::DataFormat`.
fn format_name(format: DataFormat) -> Value {
    use DataFormat::*;
    match format {
        Float16_b => json!("bfloat16"),
        Float32 => json!("float32"),
        Bfp8_b => json!("bfloat8_b"),
        Bfp4_b => json!("bfloat4_b"),
        Int32 => json!("int32"),
        UInt32 => json!("uint32"),
        UInt16 => json!("uint16"),
        UInt8 => json!("uint8"),
        Int8 => json!("int8"),
        Fp8_e4m3 => json!("fp8_e4m3"),
        Float16 | Bfp8 | Bfp4 | Bfp2 | Bfp2_b | Tf32 | Lf8 => json!(format as u8),
    }
}

fn circular_buffer(index: u8, format: DataFormat, pages: usize) -> Value {
    json!({"index": index, "data_format": format_name(format), "page_size": format.tile_bytes(32, 32), "num_pages": pages, "cores": [0, 0]})
}

/// Words of 32 bits in numpy's format, as rows of a page each.
fn write_npy(path: &Path, bytes: &[u8], page: usize) -> std::io::Result<()> {
    let (rows, columns) = (bytes.len() / page, page / 4);
    let mut header = format!("{{'descr': '<u4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    header.push_str(&" ".repeat(63 - (10 + header.len()) % 64));
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(bytes);
    fs::write(path, file)
}

/// The bytes of an array of 32-bit words in numpy's format.
pub fn read_npy(path: &Path) -> Result<Vec<u8>, String> {
    let file = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let length = file.get(8..10).ok_or("no numpy file")?;
    let start = 10 + usize::from(u16::from_le_bytes([length[0], length[1]]));
    let header = String::from_utf8_lossy(file.get(10..start).ok_or("no numpy header")?).into_owned();
    if !header.contains("'<u4'") || !header.contains("'fortran_order': False") {
        return Err(format!("{}: {header}", path.display()));
    }
    Ok(file[start..].to_vec())
}

impl Experiment {
    /// Writes the experiment as a spec into `folder`.
    pub fn write_spec(&self, folder: &Path) -> std::io::Result<()> {
        let name = self.name();
        let place = |file: String| folder.join(file).to_string_lossy().into_owned();
        let mut buffers = serde_json::Map::new();
        let mut cbs = Vec::new();
        for (id, ((format, bytes), tiles)) in self.inputs().into_iter().zip(INPUT_TILES).enumerate() {
            let page = format.tile_bytes(32, 32);
            let file = folder.join(format!("input{id}.{}.{}.npy", format as u8, digest(&bytes)));
            if !file.exists() {
                write_npy(&file, &bytes, page)?;
            }
            let buffer = json!({"dtype": "uint32", "layout": "row_major", "shape": [tiles, page / 4], "init": file});
            buffers.insert(format!("i{id}"), buffer);
            cbs.push(circular_buffer(id as u8, format, tiles));
        }
        let page = self.out.tile_bytes(32, 32);
        let out = json!({"dtype": "uint32", "layout": "row_major", "shape": [TILES, page / 4], "out": place(format!("{name}.out.npy"))});
        buffers.insert("out".to_owned(), out);
        cbs.push(circular_buffer(OUT, self.out, TILES));
        for (file, text) in [("feed.cpp", READER), ("drain.cpp", WRITER), ("kernel.cpp", KERNEL)] {
            fs::write(folder.join(file), text)?;
        }
        let streams = ["i0", "i1", "i2", "i2"];
        let mut reader_args: Vec<Value> = [0, 1, 2, 2].map(Value::from).to_vec();
        reader_args.extend(streams.iter().map(|name| json!(format!("accessor:{name}"))));
        let mut reader_words: Vec<Value> = streams.iter().map(|name| json!(format!("addr:{name}"))).collect();
        reader_words.extend(feed().into_iter().map(Value::from));
        let core = [0, 0];
        let mut compute = json!({"path": place("kernel.cpp".to_owned()), "kind": "compute", "cores": core,
            "runtime_args": [self.operation.id], "math_fidelity": format!("{:?}", self.fidelity), "fp32_dest_acc_en": self.wide});
        match self.variant {
            Variant::Direct => compute["unpack_to_dest_fp32"] = json!([0]),
            Variant::Precise => compute["bfp8_pack_precise"] = json!(true),
            _ => {}
        }
        let spec = json!({
            "arch": if self.arch == ArchName::Blackhole { "blackhole" } else { "wormhole_b0" },
            "buffers": buffers,
            "cbs": cbs,
            "kernels": [
                {"path": place("feed.cpp".to_owned()), "kind": "reader", "cores": core, "compile_args": reader_args, "runtime_args": reader_words},
                {"path": place("drain.cpp".to_owned()), "kind": "writer", "cores": core, "compile_args": [OUT, "accessor:out"],
                    "runtime_args": ["addr:out", TILES, TILES]},
                compute,
            ],
        });
        fs::write(folder.join(format!("{name}.json")), serde_json::to_string(&spec)?)
    }
}
