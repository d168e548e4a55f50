//! Upload and download, tilization and conversion included.

use crate::inputs::{fastest_in_turn, seconds, values};
use crate::table::Row;
use crate::{Measured, Scale};
use tt::bf16;

pub fn transfer(scale: Scale) -> Measured {
    let n = if scale.quick { 1024 } else { 4096 };
    let host = values(n * n, 5);
    let device = tt::Device::open()?;
    let tensor = device.upload(&host, [n, n])?;
    let mut copied = vec![bf16::ZERO; n * n];
    let mut copy = || {
        copied.copy_from_slice(std::hint::black_box(&host));
        std::hint::black_box(&mut copied);
        Ok(())
    };
    let [copy, up, down] = fastest_in_turn(
        10,
        [&mut copy, &mut || device.upload(&host, [n, n]).map(drop), &mut || {
            tensor.download().map(drop)
        }],
    )?;
    if tensor.download()? != host {
        return Err("what was downloaded is not what was uploaded".into());
    }
    let row = |what: &str, time: std::time::Duration| {
        let ratio = time.as_secs_f64() / copy.as_secs_f64();
        Row::new(
            format!("{what} of {n}² bf16"),
            seconds(time),
            format!("memory copy, 1 thread: {}", seconds(copy)),
            format!("{ratio:.1} ×"),
            "at most 4 ×",
            ratio <= 4.0,
        )
    };
    Ok(vec![row("upload", up), row("download", down)])
}
