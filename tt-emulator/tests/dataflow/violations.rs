//! One bad kernel per rule of data movement: each must be stopped, with the rule, the kernel, the core, the RISC and the line
//! in the report.
//!
//! The kernels are the files of `tests/kernels/bad`; `<name>.reader.cpp`, `<name>.writer.cpp` and `<name>.compute.cpp` run
//! together, and the line that breaks the rule ends in `// breaks EMU..`. `cargo xtask conformance rules` shows the same
//! files in docs/rules.md.

use std::sync::Arc;

use tt_emulator::{ArchName, Device, Program, Report, rules};

use crate::rig::*;

const CORE: (usize, usize) = (2, 1);

/// What a bad kernel must be reported as.
struct Bad {
    name: String,
    file: String,
    code: String,
    risc: &'static str,
    /// The line that breaks the rule, counted from 1.
    line: u32,
}

/// Every line of a bad kernel that breaks a rule.
fn bad() -> Vec<Bad> {
    let mut files: Vec<_> = std::fs::read_dir(kernel_path("bad"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let mut all = Vec::new();
    for path in files {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let (name, role) = file.trim_end_matches(".cpp").split_once('.').unwrap();
        let risc = match role {
            "reader" => "NCRISC",
            "writer" => "BRISC",
            "compute" => "TRISC",
            _ => panic!("{file}: a kernel is a reader, a writer or a compute kernel"),
        };
        for (index, line) in text.lines().enumerate() {
            if let Some((_, code)) = line.split_once("// breaks ") {
                let (name, code, line) = (name.to_owned(), code.to_owned(), index as u32 + 1);
                let file = format!("bad/{file}");
                all.push(Bad {
                    name,
                    file,
                    code,
                    risc,
                    line,
                });
            }
        }
    }
    all
}

/// Runs the kernels `bad/<name>.{reader,writer,compute}.cpp` that exist on `cores`.
fn run(device: &Arc<Device>, name: &str, cores: &[(usize, usize)], threads: usize) -> Report {
    let source = dram(device, 12);
    let mut program = Program::new();
    program.create_circular_buffer(circular_buffer(0, 4, cores)).unwrap();
    program.create_circular_buffer(circular_buffer(1, 1, cores)).unwrap();
    program.create_circular_buffer(circular_buffer(2, 2, cores)).unwrap();
    program.create_semaphore(cores.to_vec(), 0).unwrap();
    let columns = device.arch().virtual_x;
    for (suffix, role) in [("reader", READER), ("writer", WRITER), ("compute", COMPUTE)] {
        let file = format!("bad/{name}.{suffix}.cpp");
        if !kernel_path(&file).exists() {
            continue;
        }
        let handle = program
            .create_kernel(kernel(&file, &accessor(&source)), role, cores.to_vec())
            .unwrap();
        for &(x, y) in cores {
            let partner = cores
                .iter()
                .find(|core| **core != (x, y))
                .map_or(0, |core| columns[core.0].into());
            program
                .set_runtime_args(handle, (x, y), &[source.address() as u32, 7, partner])
                .unwrap();
        }
    }
    report(device, &program, threads)
}

#[test]
fn every_bad_kernel_is_stopped_where_it_errs() {
    let device = device(ArchName::WormholeB0);
    let mut failures = Vec::new();
    for bad in bad() {
        let seen = run(&device, &bad.name, &[CORE], 1);
        let right = seen.rule.code == bad.code
            && seen.place.as_ref().is_some_and(|place| {
                (place.core, place.risc.to_string(), &place.kernel, place.line)
                    == (CORE, bad.risc.to_owned(), &bad.file, bad.line)
            });
        if !right {
            failures.push(format!(
                "{}:{} must break {}, not: {seen}",
                bad.file, bad.line, bad.code
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_bad_kernel_breaks_one_rule_and_every_rule_has_its_bad_kernel() {
    let bad = bad();
    let missing: Vec<_> = rules::DATAFLOW_RULES
        .iter()
        .filter(|rule| !rule.code.starts_with("EMU04") && !bad.iter().any(|bad| bad.code == rule.code))
        .map(|rule| rule.code)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
    let mut names: Vec<_> = std::fs::read_dir(kernel_path("bad"))
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_string_lossy()
                .split('.')
                .next()
                .unwrap()
                .to_owned()
        })
        .collect();
    names.sort();
    names.dedup();
    let shown: Vec<_> = bad.iter().map(|bad| bad.name.clone()).collect();
    assert_eq!(names, shown, "a bad kernel breaks exactly one rule");
}

#[test]
fn codes_are_unique() {
    let mut codes: Vec<_> = rules::all().map(|rule| rule.code).collect();
    let count = codes.len();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), count);
}

#[test]
fn a_report_names_the_users_source_line() {
    let device = device(ArchName::WormholeB0);
    let seen = run(&device, "push_before_read_barrier", &[CORE], 1);
    let source = seen.place.as_ref().unwrap().source.as_ref().unwrap();
    assert_eq!(source.line, "softmax.rs:31");
    let text = seen.to_string();
    for part in [
        "EMU0114",
        "push_before_read_barrier.reader.cpp",
        "core (2,1)",
        "NCRISC",
        "from softmax.rs:31\n",
        "| cb_push_back(",
        "reader kernel",
    ] {
        assert!(text.contains(part), "{part} is missing in: {text}");
    }
}

#[test]
fn an_assertion_is_reported_with_what_was_printed_before() {
    let device = device(ArchName::Blackhole);
    let seen = run(&device, "assertion", &[CORE], 1);
    assert_eq!(seen.detail, "`rows % 2 == 0`; the kernel printed last: 7 rows");
}

#[test]
fn a_deadlock_lists_who_waits_for_what() {
    let device = device(ArchName::WormholeB0);
    for threads in [1, 2] {
        let seen = run(&device, "deadlock_of_two_cores", &[(0, 0), (1, 0)], threads);
        assert_eq!(seen.rule, &rules::DEADLOCK);
        let text = seen.to_string();
        for part in [
            "core (0,0)",
            "core (1,0)",
            "semaphore 0 to be 1, it is 0",
            "2 RISCs wait",
        ] {
            assert!(text.contains(part), "{part} is missing in: {text}");
        }
        let ring = run(&device, "deadlock_of_a_full_ring", &[CORE], threads).to_string();
        assert!(
            ring.contains("1 free pages of circular buffer 0, 0 of 4 are free"),
            "{ring}"
        );
        assert!(
            ring.contains("1 filled pages of circular buffer 1, 0 of 1 are filled"),
            "{ring}"
        );
    }
}

#[test]
fn the_same_report_with_any_number_of_threads() {
    let device = device(ArchName::Blackhole);
    let cores: Vec<_> = (0..12).map(|index| (index, index % 3)).collect();
    let reports: Vec<_> = (1..4)
        .map(|threads| run(&device, "push_before_read_barrier", &cores, threads))
        .collect();
    assert!(reports.windows(2).all(|pair| pair[0] == pair[1]), "{reports:?}");
    assert_eq!(reports[0].place.as_ref().unwrap().core, (0, 0));
}
