//! Reading the text form of an IR gives back what was printed: at every stage, for every kernel of the tests and examples.
//! Apart are only places in the source, names of variables that hide others, and in Device IR the definitions, which nobody
//! asks for there.

use std::fmt::Debug;
use std::fs;
use std::path::Path;
use tt_backend::device::read::Parse;
use tt_backend::device::{self, Parts, Programs, print::Show};
use tt_backend::flow::{self, DefinitionId, Flow, Sections, Sees};
use tt_backend::passes::b2_grid_to_cores::Facts;
use tt_backend::passes::split_conditions::Tile;
use tt_backend::passes::*;
use tt_backend::pipeline::Unit;
use tt_lang::ir::{Kernel, Op, Stmt};
use tt_lang::tree::Kind;
use tt_lang::tree::Stage;

/// Every kernel at the top of a file of the tests and examples.
fn kernels() -> Vec<Kernel> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut out = Vec::new();
    for folder in ["tests/kernels", "../examples", "../tests"] {
        let mut files: Vec<_> = fs::read_dir(here.join(folder))
            .expect("the folder is there")
            .map(|entry| entry.expect("it can be listed").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
            .collect();
        files.sort();
        for path in files {
            let file = syn::parse_file(&fs::read_to_string(&path).expect("it can be read")).expect("it is Rust");
            let name = path.file_name().expect("it has a name").to_string_lossy().into_owned();
            out.extend(file.items.iter().filter_map(|item| match item {
                syn::Item::Fn(function) => tt_lang::syntax::parse_item_fn(function, &name)?.kernel,
                _ => None,
            }));
        }
    }
    out
}

/// `text` with `with(n)` for every `word(n)`.
fn replace(text: &str, word: &str, with: impl Fn(u32) -> String) -> String {
    let opening = format!("{word}(");
    let mut parts = text.split(&opening);
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (number, rest) = part.split_once(')').expect("it is closed");
        out += &with(number.parse().expect("it is a number"));
        out += rest;
    }
    out
}

/// Everything of `flow` but places and the numbers of sets.
fn of_flow<S: Stage>(flow: &Flow<S>) -> String {
    let text = format!("{:?} {:?}", &flow.buffers[..], flow.body);
    let text = replace(&text, "Span", |_| "Span".to_string());
    replace(&text, "Sees", |number| {
        format!("{:?}", flow.sights.definitions(Sees(number)))
    })
}

/// Everything of programs but places and definitions.
fn of_programs(programs: &impl Debug) -> String {
    let text = replace(&format!("{programs:?}"), "Span", |_| "Span".to_string());
    let text = replace(&text, "Sees", |_| "Sees".to_string()).replace("Some(Sees)", "None");
    replace(&text, "DefinitionId", |_| "DefinitionId".to_string())
}

/// Where two texts differ.
fn same(what: &str, found: &str, wanted: &str) {
    if found != wanted {
        let at = found.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
        let around = |text: &str| {
            text.get(at.saturating_sub(300)..(at + 200).min(text.len()))
                .unwrap_or("")
                .to_string()
        };
        panic!("{what}:\nread back {}\nprinted   {}", around(found), around(wanted));
    }
}

/// The kernel that `text` is.
fn tile_ir(what: &str, text: &str) -> Kernel {
    let function = syn::parse_str(text).unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    let parsed = tt_lang::syntax::parse_item_fn(&function, "").expect("it is a kernel");
    let errors = parsed.diagnostics;
    parsed.kernel.unwrap_or_else(|| panic!("{what}: {errors:#?}\n{text}"))
}

/// Everything of `kernel` but places, and but names of variables and blocks, which may hide each other, and so what assertions
/// are called.
fn of_kernel(kernel: &Kernel) -> String {
    let mut kernel = kernel.clone();
    kernel.locations.clear();
    kernel.file.clear();
    kernel.variables.iter_mut().for_each(|variable| variable.name.clear());
    kernel.blocks.iter_mut().for_each(|block| block.name.clear());
    assertions(&mut kernel.body, &mut String::clear);
    for stage in &mut kernel.later {
        stage.variables.iter_mut().for_each(|variable| variable.name.clear());
        stage.blocks.iter_mut().for_each(|block| block.name.clear());
        assertions(&mut stage.body, &mut String::clear);
    }
    replace(&format!("{kernel:?}"), "Span", |_| "Span".to_string())
}

/// Calls `each` with the text of every assertion.
fn assertions(body: &mut [Stmt], each: &mut impl FnMut(&mut String)) {
    for stmt in body {
        if let Kind::Op(Op::Assert { text, .. }) = &mut stmt.kind {
            each(text);
        }
        stmt.bodies_mut().for_each(|body| assertions(body, each));
    }
}

fn kernel_reads_back(kernel: &Kernel) {
    let text = kernel.to_string();
    let read = tile_ir(&kernel.name, &text);
    same(&kernel.name, &of_kernel(&read), &of_kernel(kernel));
    same(&kernel.name, &read.to_string(), &text);
}

fn flow_reads_back<S: flow::print::Show + flow::read::Parse>(unit: &Unit<Flow<S>>, after: &str) {
    let Unit {
        facts: Facts { kernel, .. },
        program: flow,
    } = unit;
    let what = format!("{} after {after}", kernel.name);
    let text = flow::print::flow(kernel, flow);
    let mut names = kernel.clone();
    let mut read =
        flow::read::flow::<S>(&mut names, &text, 1).unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    same(&what, &of_flow(&read), &of_flow(flow));
    same(&what, &flow::print::flow(kernel, &read), &text);
    assert_eq!(names.variables, kernel.variables, "{what}: no variable is new");
    let DefinitionId(next) = read.sights.define();
    let DefinitionId(known) = flow.sights.clone().define();
    assert!(next <= known, "{what}: definitions stay apart");
}

fn programs_read_back<R, C, W, A>(unit: &Unit<Parts<Programs<R, C, W>, A>>, after: &str)
where
    R: Parse + Show,
    C: Parse + Show,
    W: Parse + Show,
{
    let Unit {
        facts: Facts { kernel, .. },
        program: Parts { buffers, programs, .. },
    } = unit;
    let what = format!("{} after {after}", kernel.name);
    let text = device::print::programs(kernel, buffers, programs);
    let mut names = kernel.clone();
    let read = device::read::programs::<R, C, W>(&mut names, &text, 1)
        .unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    same(&what, &of_programs(&read.programs), &of_programs(programs));
    same(
        &what,
        &device::print::programs(&names, &read.buffers, &read.programs),
        &text,
    );
}

fn device_reads_back(kernel: &Kernel, made: &device::Device) {
    let what = format!("{} after E1", kernel.name);
    let text = device::print::device(kernel, made);
    let mut names = kernel.clone();
    for (variable, name) in names.variables.iter_mut().zip(&made.variables) {
        variable.name.clone_from(name);
    }
    let (buffers, programs) =
        device::read::device(&mut names, &text, 1).unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
    same(&what, &of_programs(&programs), &of_programs(&made.programs));
    let read = device::Device {
        buffers,
        programs,
        ..made.clone()
    };
    same(&what, &device::print::device(&names, &read), &text);
}

/// Every stage of `kernel`, and whether it gets to the end.
fn stages_read_back(kernel: &Kernel) -> Option<()> {
    kernel_reads_back(kernel);
    let parsed = kernel;
    let kernel = split_conditions::run(kernel.clone()).ok()?;
    // Both sides of a branch share the variables of the statement that it was; reading tells them apart.
    let text = kernel.to_string();
    same(&kernel.name, &tile_ir(&kernel.name, &text).to_string(), &text);
    let kernel = &orient_vectors::run(kernel);
    let unit = (split_conditions::PASS.run)(Tile::of(parsed)).ok()?;
    let unit = (assert_integers::PASS.run)(unit).ok()?;
    let unit = (orient_vectors::PASS.run)(unit).ok()?;
    let unit = (a2_propagate_layout::PASS.run)((a1_infer_layout::PASS.run)(unit).ok()?).ok()?;
    let unit = (b2_grid_to_cores::PASS.run)((b1_partition_work::PASS.run)(unit).ok()?).ok()?;

    let unit = (c1_lower_shared_to_cb::PASS.run)(unit).ok()?;
    flow_reads_back(&unit, "C1");
    let unit = (pad_tiles::PASS.run)(unit).ok()?;
    flow_reads_back(&unit, "pad_tiles");
    let unit = (c2_lower_tile_intrinsics::PASS.run)(unit).ok()?;
    flow_reads_back(&unit, "C2");
    let unit = (c3_build_dataflow::PASS.run)(unit).ok()?;
    flow_reads_back(&unit, "C3");

    let unit = (d1_split_kernel::PASS.run)(unit).ok()?;
    programs_read_back(&unit, "D1");
    let unit = (d3_lower_cb_protocol::PASS.run)((d2_bind_tensor_accessors::PASS.run)(unit).ok()?).ok()?;
    programs_read_back(&unit, "D3");
    let unit = (d4_insert_compute_init::PASS.run)(unit).ok()?;
    programs_read_back(&unit, "D4");
    let unit = (d5_insert_dst_management::PASS.run)(unit).ok()?;
    programs_read_back(&unit, "D5");
    let unit = (rasterize::PASS.run)((give_names::PASS.run)(unit).ok()?).ok()?;
    let unit = (e1_finalize_signature::PASS.run)(unit).ok()?;
    device_reads_back(kernel, &unit.program);
    Some(())
}

#[test]
fn what_is_printed_reads_back() {
    let compiled = kernels().iter().filter_map(stages_read_back).count();
    assert!(compiled >= 60, "{compiled} kernels of the tests and examples");
}

#[test]
fn what_cannot_be_read_says_its_line_and_what_was_wanted() {
    let kernel = kernels()
        .into_iter()
        .find(|kernel| kernel.name == "add")
        .expect("a kernel of the tests");
    let table = "buffers {\n  x: incoming, 1 x 1 Float16_b, 2 versions\n}\n";
    let cases = [
        ("body { release y }", "line 4: a buffer wanted, `y` found"),
        ("body {\n  release x", "line 5: a statement wanted, the end found"),
        (
            "body {\n  for k in 0..q { }\n}",
            "line 5: `q` is no variable, extent or integer",
        ),
        (
            "body {\n  write x to x tile (0, 0)\n}",
            "line 5: `@` wanted, `to` found",
        ),
        ("body { } body { }", "line 4: nothing more wanted, `body` found"),
        ("body { if 1 < { } }", "line 4: `(` wanted, `1` found"),
    ];
    for (text, wanted) in cases {
        let error = flow::read::flow::<Sections>(&mut kernel.clone(), &format!("{table}{text}"), 1).expect_err(text);
        assert_eq!(error.to_string(), wanted, "{text}");
    }
}
