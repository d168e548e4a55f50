//! From the name of a pass and the text it takes to the text it gives.
//!
//! Passes over Tile IR take the kernel alone; the facts that a pass takes from passes before it are made of the kernel. What
//! a pass takes and gives must pass the check of its stage.

use tt_backend::device::{self, Calls, Compute, Leaf, Move, Moves, Parts, Programs, Protocol, Symbol, read::Text};
use tt_backend::flow::{self, Flow, print::Show, read::Parse};
use tt_backend::passes::b2_grid_to_cores::Facts;
use tt_backend::passes::give_names::Named;
use tt_backend::passes::split_conditions::Tile;
use tt_backend::passes::*;
use tt_backend::pipeline::{Errors, Form, Pass, Unit};
use tt_backend::verify::flow::{blocks, lifetimes, sections};
use tt_backend::verify::traffic::Traffic;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;
use tt_lang::tree::operations;
use tt_plan::Placement;

/// Text of a case, and the number of its first line.
pub struct Input<'a> {
    pub text: &'a str,
    pub line: u32,
}

/// Why a case says nothing about its pass.
#[derive(Debug)]
pub enum Failure {
    /// The pass refused the input.
    Refused(Vec<Diagnostic>),
    /// The case is wrong, or what the pass made of it.
    Wrong(String),
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Failure {
        Failure::Refused(diagnostics)
    }
}

fn wrong(error: impl std::fmt::Display) -> Failure {
    Failure::Wrong(error.to_string())
}

/// What `pass` gives for `input`, checked.
fn through<I, O: Form>(pass: &Pass<I, O>, input: I) -> Result<O, Failure> {
    let output = (pass.run)(input)?;
    proved(pass.name, (pass.check)(&output))?;
    Ok(output)
}

fn proved(what: &str, proof: Result<(), Errors>) -> Result<(), Failure> {
    proof.map_err(|faults| {
        let reasons = faults.iter().flat_map(|fault| fault.notes.iter().cloned());
        wrong(format!("{what}: {}", reasons.collect::<Vec<_>>().join("; ")))
    })
}

fn text(of: impl Form) -> String {
    of.text().unwrap_or_default()
}

/// What is known of `kernel` when its blocks are lowered.
fn facts(kernel: &Kernel) -> Result<Facts, Failure> {
    let skipping = through(&skip_turns::PASS, Tile::of(kernel))?;
    let reduced = through(&reduce_integers::PASS, skipping)?;
    let held = through(&hold_elements::PASS, reduced)?;
    let split = through(&split_conditions::PASS, held)?;
    let asserted = through(&assert_integers::PASS, split)?;
    let unstacked = through(&unstack::PASS, asserted)?;
    let filled = through(&fill_parts::PASS, unstacked)?;
    let laid = through(&a1_infer_layout::PASS, through(&orient_vectors::PASS, filled)?)?;
    let divided = through(&b1_partition_work::PASS, through(&a2_propagate_layout::PASS, laid)?)?;
    Ok(through(&b2_grid_to_cores::PASS, divided)?.facts)
}

/// The programs of a kernel with what lines of cores share.
fn shared(facts: Facts) -> Result<Unit<Parts<d1_split_kernel::Split, ()>>, Failure> {
    let blocks = through(&c1_lower_shared_to_cb::PASS, Unit { facts, program: () })?;
    let sections = through(&c2_lower_tile_intrinsics::PASS, through(&pad_tiles::PASS, blocks)?)?;
    let split = through(&d1_split_kernel::PASS, through(&c3_build_dataflow::PASS, sections)?)?;
    through(&multicast_reuse::PASS, split)
}

/// What the pass `pass` gives for `kernel` and `input`.
pub fn run_case(pass: &str, kernel: &mut Kernel, input: Option<Input>) -> Result<String, Failure> {
    let tile = Tile::of(kernel);
    let output = match pass {
        "skip_turns" => text(through(&skip_turns::PASS, tile)?),
        "reduce_integers" => text(through(&reduce_integers::PASS, tile)?),
        "hold_elements" => text(through(&hold_elements::PASS, tile)?),
        "split_conditions" => text(through(&split_conditions::PASS, tile)?),
        "assert_integers" => text(through(&assert_integers::PASS, tile)?),
        "unstack" => text(through(&unstack::PASS, tile)?),
        "fill_parts" => text(through(&fill_parts::PASS, tile)?),
        "orient_vectors" => text(through(&orient_vectors::PASS, tile)?),
        "a1_infer_layout" => text(through(&a1_infer_layout::PASS, tile)?),
        "a2_propagate_layout" => {
            let laid = through(&a1_infer_layout::PASS, tile)?;
            text(through(&a2_propagate_layout::PASS, laid)?)
        }
        "b1_partition_work" => {
            let laid = through(&a1_infer_layout::PASS, tile)?;
            text(through(&b1_partition_work::PASS, laid)?)
        }
        "b2_grid_to_cores" => {
            let program = ();
            text(Unit {
                facts: facts(kernel)?,
                program,
            })
        }
        "rasterize" => {
            let partition = shared(facts(kernel)?)?.facts.partition;
            let names: Vec<String> = kernel.variables.iter().map(|variable| variable.name.clone()).collect();
            let coordinates = rasterize::coordinates(kernel, partition.work, false, &names);
            device::print::statements(kernel, &[], &rasterize::of_writer(&partition, coordinates))
        }
        "c1_lower_shared_to_cb" => {
            let program = ();
            let facts = facts(kernel)?;
            text(through(&c1_lower_shared_to_cb::PASS, Unit { facts, program })?)
        }
        _ => {
            let Some(input) = input else {
                return Err(wrong("this pass takes an input"));
            };
            return match pass {
                "pad_tiles" => over_flow(&pad_tiles::PASS, blocks, kernel, &input),
                "c2_lower_tile_intrinsics" => over_flow(&c2_lower_tile_intrinsics::PASS, blocks, kernel, &input),
                "c3_build_dataflow" => over_flow(&c3_build_dataflow::PASS, sections, kernel, &input),
                "d1_split_kernel" => over_flow(&d1_split_kernel::PASS, lifetimes, kernel, &input),
                "multicast_reuse" | "d2_bind_tensor_accessors" | "d3_lower_cb_protocol" => {
                    after_d1(pass, kernel, &input)
                }
                "d4_insert_compute_init" | "d5_insert_dst_management" => after_d3(pass, kernel, &input),
                "give_names" | "e1_finalize_signature" => after_d5(pass, kernel, &input),
                _ => Err(wrong("there is no such pass")),
            };
        }
    };
    match input {
        None => Ok(output),
        Some(_) => Err(wrong("this pass takes the kernel alone")),
    }
}

/// `holds`: what the pass before proves of what this one takes.
fn over_flow<S: Show + Parse, O: Form>(
    pass: &Pass<Unit<Flow<S>>, O>,
    holds: fn(&Unit<Flow<S>>) -> Result<(), Errors>,
    kernel: &mut Kernel,
    input: &Input,
) -> Result<String, Failure> {
    let program = flow::read::flow(kernel, input.text, input.line).map_err(wrong)?;
    let before = flow::print::flow(kernel, &program);
    let unit = Unit {
        facts: facts(kernel)?,
        program,
    };
    proved("the input", holds(&unit))?;
    Ok(changed(&before, text(through(pass, unit)?)))
}

type Split = Text<Moves, Compute<Protocol>, Moves>;
type Lowered = Text<Calls<Symbol>, Compute<Leaf<Symbol>>, Calls<Symbol>>;
type Symbolic = Text<Calls<Symbol>, Calls<Symbol>, Calls<Symbol>>;

fn after_d1(pass: &str, kernel: &mut Kernel, input: &Input) -> Result<String, Failure> {
    let Split {
        buffers, mut programs, ..
    } = device::read::programs(kernel, input.text, input.line).map_err(wrong)?;
    Ok(match pass {
        "multicast_reuse" => {
            let before = device::print::programs(kernel, &buffers, &programs);
            let placement = multicast_reuse::run(&facts(kernel)?, &mut programs);
            let after = device::print::programs(kernel, &buffers, &programs);
            format!("{placement:?}\n{}", changed(&before, after))
        }
        "d2_bind_tensor_accessors" => facts::bound(kernel, &d2_bind_tensor_accessors::run(kernel, &programs)),
        _ => {
            let before = device::print::programs(kernel, &buffers, &programs);
            let mut placement = Placement::Linear;
            operations(&programs.reader, &mut |op| {
                if let Move::Read(_, _, Some(_)) = op {
                    placement = Placement::Rectangle { axes: [0, 1] };
                }
            });
            let lowered = d3_lower_cb_protocol::run((kernel, placement), &buffers, programs);
            changed(&before, device::print::programs(kernel, &buffers, &lowered))
        }
    })
}

fn after_d3(pass: &str, kernel: &mut Kernel, input: &Input) -> Result<String, Failure> {
    let Lowered { buffers, programs, .. } = device::read::programs(kernel, input.text, input.line).map_err(wrong)?;
    let before = device::print::programs(kernel, &buffers, &programs);
    let engines = d4_insert_compute_init::Engines::of(&facts(kernel)?, &buffers);
    let Programs {
        reader,
        compute,
        writer,
    } = programs;
    let after = match pass {
        "d4_insert_compute_init" => {
            let compute = d4_insert_compute_init::run(&engines, compute);
            let programs = Programs {
                reader,
                compute,
                writer,
            };
            device::print::programs(kernel, &buffers, &programs)
        }
        _ => {
            let compute = d5_insert_dst_management::run(&engines, compute);
            let programs = Programs {
                reader,
                compute,
                writer,
            };
            device::print::programs(kernel, &buffers, &programs)
        }
    };
    Ok(changed(&before, after))
}

/// E1 takes what has names and coordinates: both are given to the input first.
fn after_d5(pass: &str, kernel: &mut Kernel, input: &Input) -> Result<String, Failure> {
    let Symbolic {
        buffers,
        programs,
        accessors: [reader, _, writer],
    } = device::read::programs(kernel, input.text, input.line).map_err(wrong)?;
    let before = device::print::programs(kernel, &buffers, &programs);
    let unit = Unit {
        facts: facts(kernel)?,
        program: Parts {
            traffic: Traffic::of_stage(&buffers, &programs).map_err(|fault| wrong(fault.0))?,
            registers: 0,
            buffers,
            accessors: device::Accessors {
                reader,
                writer,
                reads: Vec::new(),
                writes: Vec::new(),
            },
            programs,
        },
    };
    let unit: Unit<Named> = through(&give_names::PASS, unit)?;
    let after = match pass {
        "give_names" => text(unit),
        _ => text(through(&e1_finalize_signature::PASS, through(&rasterize::PASS, unit)?)?),
    };
    Ok(changed(&before, after))
}

/// `after`, without its table of buffers where that of `before` is the same.
fn changed(before: &str, after: String) -> String {
    let end = before.find("\n}\n").map_or(0, |end| end + "\n}\n".len());
    match after.strip_prefix(&before[..end]) {
        Some(rest) => rest.to_string(),
        None => after,
    }
}
