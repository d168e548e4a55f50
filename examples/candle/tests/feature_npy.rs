//! The feature `npy` of `tt`: files that another crate wrote are read, and those that it writes another crate reads.

use npyz::{NpyFile, WriteOptions, WriterBuilder};
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use tt::{Tensor, bf16};

#[test]
fn files_of_numpy_are_read_and_written() -> Result<(), Box<dyn Error>> {
    let path = |name| std::env::temp_dir().join(format!("tt-candle-{}-{name}.npy", std::process::id()));
    let (read, written) = (path("read"), path("written"));
    let values: Vec<f64> = (0..3 * 35).map(|at| f64::from(at) / 8.0 - 4.0).collect();
    let mut file = BufWriter::new(File::create(&read)?);
    let mut writer = WriteOptions::new()
        .default_dtype()
        .shape(&[3, 35])
        .writer(&mut file)
        .begin_nd()?;
    writer.extend(&values)?;
    writer.finish()?;
    file.flush()?;

    let device = tt::Device::open_named("emulator")?;
    let tensor: Tensor<bf16, 2> = Tensor::from_npy(&device, &read)?;
    assert_eq!(tensor.shape(), [3, 35]);
    tensor.to_npy(&written)?;
    let file = NpyFile::new(BufReader::new(File::open(&written)?))?;
    assert_eq!(file.shape(), [3, 35]);
    let found: Vec<f32> = file.into_vec()?;
    // Eighths below 16 are numbers of bf16.
    assert!(
        found
            .iter()
            .zip(&values)
            .all(|(found, value)| f64::from(*found) == *value),
        "{found:?}"
    );

    let said = Tensor::<i32, 2>::from_npy(&device, &read).unwrap_err().to_string();
    assert!(said.contains("is -3.875, which is no i32"), "{said}");
    let said = Tensor::<f32, 3>::from_npy(&device, &read).unwrap_err().to_string();
    assert!(said.contains("has 2 axes, [3, 35], not 3"), "{said}");
    std::fs::remove_file(read)?;
    std::fs::remove_file(written)?;
    Ok(())
}
