//! From the name of a pass and the text it takes to the text it gives.
//!
//! Passes over Tile IR take the kernel alone; the facts that a pass takes from passes before it are made of the kernel. What
//! a pass over Flow IR takes and gives must pass the check of its stage.

use tt_backend::device::{self, Calls, Compute, Leaf, Moves, Programs, Protocol, Symbol, read::Text};
use tt_backend::flow::{self, Flow};
use tt_backend::passes::a1_infer_layout::Layouts;
use tt_backend::passes::*;
use tt_backend::verify::flow::{Stage, check};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;

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

/// What the pass `pass` gives for `kernel` and `input`.
pub fn run_case(pass: &str, kernel: &mut Kernel, input: Option<Input>) -> Result<String, Failure> {
    let output = match pass {
        "split_conditions" => split_conditions::run(kernel)?.to_string(),
        "a1_infer_layout" => facts::layouts(kernel, &a1_infer_layout::run(kernel)?),
        "a2_propagate_layout" => {
            let layouts = a1_infer_layout::run(kernel)?;
            facts::geometry(kernel, &a2_propagate_layout::run(kernel, &layouts))
        }
        "a3_attach_tensor_accessor" => {
            let layouts = a1_infer_layout::run(kernel)?;
            facts::accessors(kernel, &a3_attach_tensor_accessor::run(kernel, &layouts))
        }
        "b1_partition_work" => facts::partition(kernel, &b1_partition_work::run(kernel)?),
        "b2_grid_to_cores" => facts::arguments(&b2_grid_to_cores::run()),
        "rasterize" => {
            let order = b1_partition_work::run(kernel)?.work.order;
            let names: Vec<String> = kernel.variables.iter().map(|variable| variable.name.clone()).collect();
            device::print::statements(kernel, &[], &rasterize::run(kernel, order, &names))
        }
        "c1_lower_shared_to_cb" => {
            let layouts = a1_infer_layout::run(kernel)?;
            let geometry = a2_propagate_layout::run(kernel, &layouts);
            let (flow, depths) = c1_lower_shared_to_cb::run(kernel, &layouts, &geometry)?;
            holds(&flow, Stage::Buffers, &layouts)?;
            flow::print::flow_with_depths(kernel, &flow, &depths)
        }
        _ => {
            let Some(input) = input else {
                return Err(wrong("this pass takes an input"));
            };
            return match pass {
                "pad_tiles" | "c2_lower_tile_intrinsics" | "c3_build_dataflow" | "d1_split_kernel" => {
                    over_flow(pass, kernel, &input)
                }
                "d2_bind_tensor_accessors" | "multicast_reuse" | "d3_lower_cb_protocol" => {
                    after_d1(pass, kernel, &input)
                }
                "d4_insert_compute_init" | "d5_insert_dst_management" => after_d3(pass, kernel, &input),
                "e1_finalize_signature" => after_d5(kernel, &input),
                _ => Err(wrong("there is no such pass")),
            };
        }
    };
    match input {
        None => Ok(output),
        Some(_) => Err(wrong("this pass takes the kernel alone")),
    }
}

/// Tiles that registers hold in one acquire.
fn capacity(layouts: &Layouts) -> u32 {
    tt_backend::target::least(|target| target.dst_half_tiles) / if layouts.fp32_dest { 2 } else { 1 }
}

fn holds(flow: &Flow, stage: Stage, layouts: &Layouts) -> Result<(), Failure> {
    check(flow, stage, capacity(layouts)).map_err(|reason| Failure::Wrong(format!("{stage:?}: {reason}")))
}

fn over_flow(pass: &str, kernel: &mut Kernel, input: &Input) -> Result<String, Failure> {
    let layouts = a1_infer_layout::run(kernel)?;
    let (mut flow, depths) = flow::read::flow(kernel, input.text, input.line).map_err(wrong)?;
    let before = flow::print::flow(kernel, &flow);
    let (taken, given) = match pass {
        "pad_tiles" => (Stage::Buffers, Stage::Buffers),
        "c2_lower_tile_intrinsics" => (Stage::Buffers, Stage::Sections),
        "c3_build_dataflow" => (Stage::Sections, Stage::Lifetimes),
        _ => (Stage::Lifetimes, Stage::Lifetimes),
    };
    holds(&flow, taken, &layouts)?;
    match pass {
        "pad_tiles" => pad_tiles::run(kernel, &mut flow)?,
        "c2_lower_tile_intrinsics" => {
            let registers = c2_lower_tile_intrinsics::Registers {
                capacity: capacity(&layouts),
                fp32: layouts.fp32_dest,
                approximate: kernel.options.approx,
            };
            c2_lower_tile_intrinsics::run(&mut flow, registers)?;
        }
        "c3_build_dataflow" => c3_build_dataflow::run(&mut flow, &depths)?,
        _ => {
            let split = d1_split_kernel::run(&flow);
            return Ok(changed(&before, device::print::programs(kernel, &flow.buffers, &split)));
        }
    }
    holds(&flow, given, &layouts)?;
    Ok(changed(&before, flow::print::flow(kernel, &flow)))
}

type Split = Text<Moves, Compute<Protocol>, Moves>;
type Lowered = Text<Calls<Symbol>, Compute<Leaf<Symbol>>, Calls<Symbol>>;
type Symbolic = Text<Calls<Symbol>, Calls<Symbol>, Calls<Symbol>>;

fn after_d1(pass: &str, kernel: &mut Kernel, input: &Input) -> Result<String, Failure> {
    let Split { buffers, programs, .. } = device::read::programs(kernel, input.text, input.line).map_err(wrong)?;
    Ok(match pass {
        "d2_bind_tensor_accessors" => {
            let layouts = a1_infer_layout::run(kernel)?;
            let accessors = a3_attach_tensor_accessor::run(kernel, &layouts);
            facts::bound(kernel, &d2_bind_tensor_accessors::run(kernel, &accessors, &programs))
        }
        "multicast_reuse" => facts::shared(kernel, &buffers, &multicast_reuse::run(kernel, &programs.reader)),
        _ => {
            let before = device::print::programs(kernel, &buffers, &programs);
            let lowered = d3_lower_cb_protocol::run(&buffers, programs);
            changed(&before, device::print::programs(kernel, &buffers, &lowered))
        }
    })
}

fn after_d3(pass: &str, kernel: &mut Kernel, input: &Input) -> Result<String, Failure> {
    let Lowered { buffers, programs, .. } = device::read::programs(kernel, input.text, input.line).map_err(wrong)?;
    let before = device::print::programs(kernel, &buffers, &programs);
    let zeros = buffers.iter().position(|buffer| buffer.kind == flow::BufferKind::Zeros);
    let engines = d4_insert_compute_init::Engines {
        buffers: &buffers,
        zeros: zeros.map(flow::BufferId),
        approximate: kernel.options.approx,
    };
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

fn after_d5(kernel: &mut Kernel, input: &Input) -> Result<String, Failure> {
    let Symbolic {
        buffers,
        programs,
        accessors: [reader, _, writer],
    } = device::read::programs(kernel, input.text, input.line).map_err(wrong)?;
    let before = device::print::programs(kernel, &buffers, &programs);
    let device = e1_finalize_signature::run(e1_finalize_signature::Inputs {
        kernel,
        layouts: &a1_infer_layout::run(kernel)?,
        partition: &b1_partition_work::run(kernel)?,
        buffers,
        bound: d2_bind_tensor_accessors::Bound { reader, writer },
        programs,
    })?;
    Ok(changed(&before, device::print::device(kernel, &device)))
}

/// `after`, without its table of buffers where that of `before` is the same.
fn changed(before: &str, after: String) -> String {
    let end = before.find("\n}\n").map_or(0, |end| end + "\n}\n".len());
    match after.strip_prefix(&before[..end]) {
        Some(rest) => rest.to_string(),
        None => after,
    }
}
