//! Files of NumPy, `.npy`.

use super::{element, shape_of};
use crate::{Device, Element, ElementType, Error, ErrorKind, Result, Tensor};
use npyz::{DType, NpyFile, Order, TypeChar, WriterBuilder};
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

impl<E: Element, const RANK: usize> Tensor<E, RANK> {
    /// The array of a `.npy` file as a new tensor: numbers of any type, floats rounded to the nearest that `E` has, integers such as `E`
    /// has.
    ///
    /// # Errors
    /// Where the file cannot be read or is no such file, is not in C order, has another number of axes, or numbers that `E` does not have;
    /// and as [`Device::upload`].
    pub fn from_npy(device: &Device, path: impl AsRef<Path>) -> Result<Tensor<E, RANK>> {
        let path = path.as_ref();
        let what = path.display().to_string();
        let failed = |error: std::io::Error| wrong(format!("{what}: {error}"));
        let file = NpyFile::new(BufReader::new(File::open(path).map_err(failed)?)).map_err(failed)?;
        if file.order() != Order::C && file.shape().len() > 1 {
            return Err(wrong(format!("{what} is in Fortran order: save it in C order")));
        }
        let extents = file.shape().iter().map(|extent| usize::try_from(*extent));
        let extents = extents.collect::<std::result::Result<Vec<usize>, _>>();
        let shape = shape_of(&extents.map_err(|error| wrong(format!("{what}: {error}")))?, &what)?;
        let elements = numbers(file, &what)?.into_iter().enumerate();
        let elements = elements.map(|(at, value)| element(value, at, &what));
        device.upload(&elements.collect::<Result<Vec<E>>>()?, shape)
    }

    /// Writes it to a `.npy` file: floats as `f32`, integers as they are. The file is written whole or not at all.
    ///
    /// # Errors
    /// Where the file cannot be written; and as [`download`](Tensor::download).
    pub fn to_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let (path, elements) = (path.as_ref(), self.download()?);
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}", std::process::id()));
        let beside = PathBuf::from(beside);
        let shape = self.shape().map(|extent| extent as u64);
        let written = File::create(&beside).and_then(|file| {
            let mut file = BufWriter::new(file);
            let values = elements.iter().map(|element| element.to_f64());
            match E::TYPE {
                ElementType::I32 => write(&mut file, &shape, values.map(|value| value as i32)),
                ElementType::U32 => write(&mut file, &shape, values.map(|value| value as u32)),
                ElementType::U16 => write(&mut file, &shape, values.map(|value| value as u16)),
                ElementType::U8 => write(&mut file, &shape, values.map(|value| value as u8)),
                ElementType::I8 => write(&mut file, &shape, values.map(|value| value as i8)),
                ElementType::Bf16 | ElementType::F32 | ElementType::F16 | ElementType::Bfp8 | ElementType::Bfp4 => {
                    write(&mut file, &shape, values.map(|value| value as f32))
                }
            }?;
            file.flush()?;
            std::fs::rename(&beside, path)
        });
        written.map_err(|error| {
            let _ = std::fs::remove_file(&beside);
            wrong(format!("cannot write {}: {error}", path.display()))
        })
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Argument, message)
}

fn write<T: npyz::AutoSerialize>(
    file: &mut BufWriter<File>,
    shape: &[u64],
    values: impl Iterator<Item = T>,
) -> std::io::Result<()> {
    let options = npyz::WriteOptions::new().default_dtype().shape(shape);
    let mut writer = options.writer(file).begin_nd()?;
    writer.extend(values)?;
    writer.finish()
}

/// The numbers of a file, each exact but for integers of 64 bits beyond 2^53.
fn numbers(file: NpyFile<BufReader<File>>, what: &str) -> Result<Vec<f64>> {
    fn read<T: npyz::Deserialize>(file: NpyFile<BufReader<File>>, to: fn(T) -> f64) -> std::io::Result<Vec<f64>> {
        let data = file.data::<T>().map_err(std::io::Error::other)?;
        data.map(|value| value.map(to)).collect()
    }
    let dtype = file.dtype();
    let kind = match &dtype {
        DType::Plain(kind) => Some((kind.type_char(), kind.size_field())),
        _ => None,
    };
    let read = match kind {
        Some((TypeChar::Float, 4)) => read::<f32>(file, f64::from),
        Some((TypeChar::Float, 8)) => read::<f64>(file, |value| value),
        Some((TypeChar::Int, 1)) => read::<i8>(file, f64::from),
        Some((TypeChar::Int, 2)) => read::<i16>(file, f64::from),
        Some((TypeChar::Int, 4)) => read::<i32>(file, f64::from),
        Some((TypeChar::Int, 8)) => read::<i64>(file, |value| value as f64),
        Some((TypeChar::Uint, 1)) => read::<u8>(file, f64::from),
        Some((TypeChar::Uint, 2)) => read::<u16>(file, f64::from),
        Some((TypeChar::Uint, 4)) => read::<u32>(file, f64::from),
        Some((TypeChar::Uint, 8)) => read::<u64>(file, |value| value as f64),
        _ => {
            return Err(wrong(format!(
                "{what} holds no numbers that a tensor has: {}",
                dtype.descr()
            )));
        }
    };
    read.map_err(|error| wrong(format!("{what}: {error}")))
}
