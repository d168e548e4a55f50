//! What a kernel knows of the circular buffers of its cores while it is compiled: what the runtime's JIT writes into
//! `chlkc_descriptors.h`. Kernels compiled ahead of time know nothing of them, for their program is not made yet.

use std::fmt::Write;

use crate::data_format::DataFormat;
use crate::kernel_config::KernelRole;

/// A circular buffer as a kernel's constants describe it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CbDescriptor {
    /// Its id.
    pub id: u8,
    /// Format of its tiles.
    pub format: DataFormat,
    /// Rows and columns of a tile.
    pub tile: (u32, u32),
}

/// The define by which `emulator/descriptors.h` makes the constants; the fields have its names.
pub(super) fn define(buffers: &[CbDescriptor], role: &KernelRole) -> String {
    let mut text = String::from("#define TT_EMULATOR_CIRCULAR_BUFFERS ");
    for buffer in buffers {
        let (rows, columns) = buffer.tile;
        let bytes = buffer.format.tile_bytes(rows as usize, columns as usize);
        let registers = register_format(buffer, role) as u8;
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "{{.id={},.format={},.register_format={registers},.tile_rows={rows},.tile_columns={columns},.tile_bytes={bytes}}},",
            buffer.id, buffer.format as u8
        );
    }
    text
}

/// The format that registers have for a buffer: fp32 is cut on its way to the sources, and stays only where the buffer
/// unpacks straight to the destination.
fn register_format(buffer: &CbDescriptor, role: &KernelRole) -> DataFormat {
    let (wide, direct) = match role {
        KernelRole::DataMovement { .. } => (false, false),
        KernelRole::Compute(options) => {
            let direct = options.unpack_to_dest_fp32.get(usize::from(buffer.id));
            (options.fp32_dest_acc_en, direct.copied().unwrap_or(false))
        }
    };
    match buffer.format {
        DataFormat::Float32 if wide && direct => DataFormat::Float32,
        DataFormat::Float32 if wide => DataFormat::Tf32,
        DataFormat::Float32 => DataFormat::Float16_b,
        format => format,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_config::ComputeOptions;

    #[test]
    fn fp32_is_named_by_what_registers_keep_of_it() {
        let buffer = CbDescriptor {
            id: 3,
            format: DataFormat::Float32,
            tile: (32, 32),
        };
        let role = |wide, direct| {
            KernelRole::Compute(ComputeOptions {
                fp32_dest_acc_en: wide,
                unpack_to_dest_fp32: vec![direct; 4],
                ..ComputeOptions::default()
            })
        };
        assert_eq!(register_format(&buffer, &role(true, true)), DataFormat::Float32);
        assert_eq!(register_format(&buffer, &role(true, false)), DataFormat::Tf32);
        assert_eq!(register_format(&buffer, &role(false, false)), DataFormat::Float16_b);
        assert_eq!(
            define(&[buffer], &role(true, false)),
            "#define TT_EMULATOR_CIRCULAR_BUFFERS {.id=3,.format=0,.register_format=4,.tile_rows=32,.tile_columns=32,.tile_bytes=4096},"
        );
    }
}
