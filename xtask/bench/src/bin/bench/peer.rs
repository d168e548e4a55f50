//! The simulator a user would pick otherwise: tt-lang-sim on its own tutorials, through `peer.py`. It ships none for softmax and
//! reductions; `peer_rows.py` has them in its language.

use crate::inputs::{seconds, values};
use crate::table::Row;
use crate::{Measured, Scale, kernels, rows};
use serde_json::Value;
use std::iter;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tt::{Tensor, Zeros, bf16};

/// The version that `peer.py` was written for.
const PEER: &str = "tt-lang-sim==1.1.6";

/// What ours is to be: several times as fast.
const FIVE_TIMES: (f64, &str) = (5.0, "at least 5 × faster");
const TEN_TIMES: (f64, &str) = (10.0, "at least 10 × faster");

/// How often each program is run, ours and each of theirs; the fastest counts.
const TRIES: usize = 6;

/// As long as ours is run at least. Each of theirs is a process, which takes longer.
const AT_LEAST: Duration = Duration::from_secs(2);

/// A program of the peer's.
struct Workload {
    /// As `peer.py` calls it.
    name: &'static str,
    /// Extent of its axes.
    n: usize,
    tries: usize,
    /// The steps of its tutorial that a user would time; none where it has no steps.
    steps: RangeInclusive<u32>,
    target: (f64, &'static str),
}

pub fn matmul(scale: Scale) -> Measured {
    let n = if scale.quick { 256 } else { 8192 };
    // A step of theirs takes half a minute.
    let tries = 2;
    let shapes = &[[n, n]; 3];
    let whole = ours(shapes, tries, |device, t| {
        let mut y = device.zeros::<bf16>([n, n])?;
        kernels::whole_matmul_relu(&t[0], &t[1], &t[2], &mut y).run()?;
        Ok(y)
    })?;
    let default = ours(shapes, tries, |device, t| {
        let mut y = device.zeros::<bf16>([n, n])?;
        kernels::matmul_relu(&t[0], &t[1], &t[2], &mut y).run()?;
        Ok(y)
    })?;
    // Step 1 works one tile at a time and would take hours. At 8192³, where each step takes minutes, step 4 was measured
    // once as half as fast as the others (73.5 s against 46.4 s and 50.1 s) and is left out.
    let workload = Workload {
        name: "matmul",
        n,
        tries,
        steps: 2..=if scale.quick { 2 } else { 3 },
        target: TEN_TIMES,
    };
    let theirs = theirs(&workload)?;
    // Theirs multiplies whole numbers, as HiFi4 does; HiFi3 leaves out one of the products of parts, so that two are formed.
    let row = |fidelity, ours| {
        let what = format!("relu(A·B + C), {n}³, {fidelity}, upload to download");
        compare(&what, &workload, ours, &theirs)
    };
    Ok(vec![row("HiFi4", whole), row("HiFi3, the default", default)])
}

pub fn elementwise(scale: Scale) -> Measured {
    let sizes: &[usize] = if scale.quick { &[256] } else { &[2048, 8192] };
    let mut rows = Vec::new();
    for n in sizes.iter().copied() {
        let ours = ours(&[[n, n]; 4], TRIES, |device, t| {
            let mut y = device.zeros::<bf16>([n, n])?;
            kernels::multiply_add(&t[0], &t[1], &t[2], &t[3], &mut y).run()?;
            Ok(y)
        })?;
        let workload = Workload {
            name: "elementwise",
            n,
            tries: TRIES,
            steps: 2..=if scale.quick { 2 } else { 4 },
            target: FIVE_TIMES,
        };
        let what = format!("(a·b + c)·d, {n}², upload to download");
        rows.push(compare(&what, &workload, ours, &theirs(&workload)?));
    }
    Ok(rows)
}

/// The size is that of the peer's tutorial of broadcasts.
pub fn rows(scale: Scale) -> Measured {
    let n = if scale.quick { 256 } else { 2048 };
    let workload = |name, steps| Workload {
        name,
        n,
        tries: TRIES,
        steps,
        target: FIVE_TIMES,
    };
    let broadcast = ours(&[[n, 1], [1, n], [1, 1], [n, n]], TRIES, |device, t| {
        let mut y = device.zeros::<bf16>([n, n])?;
        rows::broadcast(&t[0], &t[1], &t[2], &t[3], &mut y).run()?;
        Ok(y)
    })?;
    let softmax = ours(&[[n, n]], TRIES, |device, t| {
        let mut y = device.zeros::<bf16>([n, n])?;
        rows::online_softmax(&t[0], &mut y).run()?;
        Ok(y)
    })?;
    let sums = ours(&[[n, n]], TRIES, |device, t| {
        let mut y = device.zeros::<bf16>([n, 1])?;
        rows::row_sums(&t[0], &mut y).run()?;
        Ok(y)
    })?;
    let row = |what: &str, workload: Workload, ours| -> Result<Row, Box<dyn std::error::Error>> {
        let theirs = theirs(&workload)?;
        Ok(compare(
            &format!("{what} {n}², upload to download"),
            &workload,
            ours,
            &theirs,
        ))
    };
    Ok(vec![
        row(
            "(a·b + c)·d of a column, a row and a number with",
            workload("broadcast", 1..=2),
            broadcast,
        )?,
        row("softmax of rows,", workload("softmax", 0..=0), softmax)?,
        row("sums of rows,", workload("row_sums", 0..=0), sums)?,
    ])
}

/// The time from host values to host results, kernels compiled before, as the peer's are. Results go to memory that is there: on machines
/// that have to find new memory first, that takes up to half of the time (BENCHMARKS.md).
fn ours(
    shapes: &[[usize; 2]],
    tries: usize,
    run: impl Fn(&tt::Device, &[Tensor<bf16, 2>]) -> tt::Result<Tensor<bf16, 2>>,
) -> Result<Duration, tt::Error> {
    let device = tt::Device::open()?;
    let host: Vec<Vec<bf16>> = (1..).zip(shapes).map(|(seed, [h, w])| values(h * w, seed)).collect();
    let mut results = Vec::new();
    let mut best = Duration::MAX;
    let (first, mut count) = (Instant::now(), 0);
    while count < tries || first.elapsed() < AT_LEAST {
        count += 1;
        let start = Instant::now();
        let tensors = host
            .iter()
            .zip(shapes)
            .map(|(values, shape)| device.upload(values, *shape))
            .collect::<Result<Vec<_>, _>>()?;
        let y = run(&device, &tensors)?;
        if results.is_empty() {
            results = y.download()?;
        } else {
            y.download_into(&mut results)?;
        }
        best = best.min(start.elapsed());
    }
    Ok(best)
}

/// The fastest of the steps of the peer's program.
fn theirs(workload: &Workload) -> Result<(Duration, u32), Box<dyn std::error::Error>> {
    let python = python()?;
    let mut times = Vec::new();
    for step in workload
        .steps
        .clone()
        .flat_map(|step| iter::repeat_n(step, workload.tries))
    {
        let mut command = Command::new(&python);
        command
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("peer.py"))
            .args([workload.name, "--size", &workload.n.to_string()]);
        if step > 0 {
            command.args(["--step", &step.to_string()]);
        }
        let output = command.output()?;
        if !output.status.success() {
            return Err(format!("peer.py failed: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        let answer: Value = serde_json::from_slice(&output.stdout)?;
        let total = answer["seconds"]["total"].as_f64().ok_or("peer.py gave no time")?;
        times.push((Duration::from_secs_f64(total), step));
    }
    Ok(times.into_iter().min().ok_or("no step was run")?)
}

/// How many times as fast ours is.
fn compare(what: &str, workload: &Workload, ours: Duration, (best, step): &(Duration, u32)) -> Row {
    let ratio = best.as_secs_f64() / ours.as_secs_f64();
    let step = match step {
        0 => String::new(),
        step => format!(", its fastest step ({step})"),
    };
    let (least, target) = workload.target;
    Row::new(
        what,
        seconds(ours),
        format!("{}{step}: {}", PEER.replace("==", " "), seconds(*best)),
        format!("{ratio:.2} × faster"),
        target,
        ratio >= least,
    )
}

/// A Python that has the peer: `TT_BENCH_PEER_PYTHON`, else one made below the target folder.
fn python() -> Result<PathBuf, String> {
    if let Some(python) = std::env::var_os("TT_BENCH_PEER_PYTHON") {
        return Ok(python.into());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peer-venv");
    let python = folder.join("bin/python");
    if !python.is_file() {
        let run = |program: &Path, arguments: &[&str]| {
            let status = Command::new(program).args(arguments).status();
            match status {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(format!(
                    "{} {} ended with {status}",
                    program.display(),
                    arguments.join(" ")
                )),
                Err(error) => Err(format!("{}: {error}", program.display())),
            }
        };
        run(Path::new("python3"), &["-m", "venv", &folder.display().to_string()])?;
        run(&folder.join("bin/pip"), &["install", "--quiet", PEER])?;
    }
    Ok(python)
}
