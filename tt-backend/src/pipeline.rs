//! The pipeline: every pass once, in order, with the IR after each kept as text.

use crate::artifact;
use crate::artifact::Artifact;
use crate::device::{Device, Programs};
use crate::passes::*;
use crate::verify::flow::Stage;
use crate::{codegen, device, flow, verify};
use std::time::{Duration, Instant};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Kernel;

/// Compiles `kernel`: runs the whole pipeline, verifies the result and writes the artifact.
///
/// # Errors
/// Every reason found why the kernel cannot be compiled, at the tokens at fault.
pub fn compile(kernel: &Kernel) -> Result<Artifact, Vec<Diagnostic>> {
    timed(kernel).map(|(artifact, _)| artifact)
}

/// How long each pass took, in order.
pub type Times = Vec<(&'static str, Duration)>;

/// As [`compile`], with the time each pass took.
///
/// # Errors
/// As [`compile`].
pub fn timed(kernel: &Kernel) -> Result<(Artifact, Times), Vec<Diagnostic>> {
    let (device, mut log) = lower(kernel)?;
    verify::verify(kernel, &device)?;
    log.time("F verify");
    write(kernel, &device, log)
}

/// As [`compile`], but writes also what could not be proved, with the reasons: for the mutation test, which has to see
/// that more than the verifier notices a broken pass. Nothing that is to run comes this way.
///
/// # Errors
/// As [`compile`], but for what the verifier finds.
#[doc(hidden)]
pub fn unverified(kernel: &Kernel) -> Result<(Artifact, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (device, log) = lower(kernel)?;
    let faults = verify::verify(kernel, &device).err().unwrap_or_default();
    let (artifact, _) = write(kernel, &device, log)?;
    Ok((artifact, faults))
}

/// The program as it leaves E1, before it is verified: what mutants are made of.
///
/// # Errors
/// As [`compile`], but for what the verifier finds.
#[doc(hidden)]
pub fn lowered(kernel: &Kernel) -> Result<Device, Vec<Diagnostic>> {
    lower(kernel).map(|(device, _)| device)
}

/// What is written of `device`, verified or not: for mutants, to see who else notices them.
///
/// # Errors
/// What the code writer refuses.
#[doc(hidden)]
pub fn written(kernel: &Kernel, device: &Device) -> Result<Artifact, Vec<Diagnostic>> {
    write(kernel, device, Log::new(kernel)).map(|(artifact, _)| artifact)
}

/// Stages A to E.
fn lower(kernel: &Kernel) -> Result<(Device, Log), Vec<Diagnostic>> {
    let mut log = Log::new(kernel);

    let split = split_conditions::run(kernel)?;
    // Few kernels choose so; those of the others are the same before and after.
    if split != *kernel {
        log.pass("split_conditions", || split.to_string());
    }
    let (parsed, kernel) = (kernel, &split);
    let layouts = a1_infer_layout::run(kernel)?;
    log.pass("A1 infer_layout", || format!("{layouts:#?}\n"));
    let geometry = a2_propagate_layout::run(kernel, &layouts);
    log.pass("A2 propagate_layout", || format!("{geometry:#?}\n"));
    let accessors = a3_attach_tensor_accessor::run(kernel, &layouts);
    log.pass("A3 attach_tensor_accessor", || format!("{accessors:#?}\n"));
    let partition = b1_partition_work::run(parsed)?;
    log.pass("B1 partition_work", || format!("{partition:#?}\n"));
    let arguments = b2_grid_to_cores::run();
    log.pass("B2 grid_to_cores", || format!("{arguments:#?}\n"));

    let capacity = crate::target::least(|target| target.dst_half_tiles) / if layouts.fp32_dest { 2 } else { 1 };
    let (mut flow, depths) = c1_lower_shared_to_cb::run(kernel, &layouts, &geometry)?;
    log.pass("C1 lower_shared_to_cb", || flow::print::flow(kernel, &flow));
    check(kernel, &flow, Stage::Buffers, capacity)?;
    pad_tiles::run(kernel, &mut flow)?;
    check(kernel, &flow, Stage::Buffers, capacity)?;
    log.pass("pad_tiles", || flow::print::flow(kernel, &flow));
    c2_lower_tile_intrinsics::run(
        &mut flow,
        c2_lower_tile_intrinsics::Registers {
            capacity,
            fp32: layouts.fp32_dest,
            approximate: kernel.options.approx,
        },
    )?;
    check(kernel, &flow, Stage::Sections, capacity)?;
    log.pass("C2 lower_tile_intrinsics", || flow::print::flow(kernel, &flow));
    c3_build_dataflow::run(&mut flow, &depths)?;
    check(kernel, &flow, Stage::Lifetimes, capacity)?;
    log.pass("C3 build_dataflow", || flow::print::flow(kernel, &flow));

    let split = d1_split_kernel::run(&flow);
    log.pass("D1 split_kernel", || {
        device::print::programs(kernel, &flow.buffers, &split)
    });
    let bound = d2_bind_tensor_accessors::run(kernel, &accessors, &split);
    log.pass("D2 bind_tensor_accessors", || format!("{bound:#?}\n"));
    let shared = multicast_reuse::run(kernel, &split.reader);
    log.pass("multicast_reuse", || format!("{shared:#?}\n"));

    let lowered = d3_lower_cb_protocol::run(&flow.buffers, split);
    log.pass("D3 lower_cb_protocol", || {
        device::print::programs(kernel, &flow.buffers, &lowered)
    });

    let engines = d4_insert_compute_init::Engines {
        buffers: &flow.buffers,
        zeros: flow.zeros(),
        approximate: kernel.options.approx,
    };
    let lowered = Programs {
        reader: lowered.reader,
        compute: d4_insert_compute_init::run(&engines, lowered.compute),
        writer: lowered.writer,
    };
    log.pass("D4 insert_compute_init", || {
        device::print::programs(kernel, &flow.buffers, &lowered)
    });
    let programs = Programs {
        reader: lowered.reader,
        compute: d5_insert_dst_management::run(&engines, lowered.compute),
        writer: lowered.writer,
    };
    log.pass("D5 insert_dst_management", || {
        device::print::programs(kernel, &flow.buffers, &programs)
    });

    let device = e1_finalize_signature::run(e1_finalize_signature::Inputs {
        kernel,
        layouts: &layouts,
        partition: &partition,
        buffers: flow.buffers,
        bound,
        programs,
    })?;
    log.pass("E1 finalize_signature", || device::print::device(kernel, &device));
    Ok((device, log))
}

/// Stage G.
fn write(kernel: &Kernel, device: &Device, mut log: Log) -> Result<(Artifact, Times), Vec<Diagnostic>> {
    let sources = codegen::write(kernel, device)?;
    let plan = device.plan.to_json();
    log.time("G codegen");

    let Log { stages, times, .. } = log;
    let codegen::Sources {
        reader,
        compute,
        writer,
        main,
    } = sources;
    Ok((
        Artifact {
            reader,
            compute,
            writer,
            main,
            plan,
            stages,
        },
        times,
    ))
}

/// What must hold of Flow IR after each pass.
fn check(kernel: &Kernel, flow: &flow::Flow, stage: Stage, capacity: u32) -> Result<(), Vec<Diagnostic>> {
    verify::flow::check(flow, stage, capacity).map_err(|reason| vec![verify::unproved(kernel, &verify::Fault(reason))])
}

/// The stages and times so far.
struct Log {
    stages: Vec<artifact::Stage>,
    times: Times,
    last: Instant,
}

impl Log {
    fn new(kernel: &Kernel) -> Log {
        Log {
            stages: vec![artifact::Stage {
                name: "tile",
                text: kernel.to_string(),
            }],
            times: Vec::new(),
            last: Instant::now(),
        }
    }

    fn pass(&mut self, name: &'static str, text: impl FnOnce() -> String) {
        self.time(name);
        self.stages.push(artifact::Stage { name, text: text() });
        self.last = Instant::now();
    }

    fn time(&mut self, name: &'static str) {
        self.times.push((name, self.last.elapsed()));
        self.last = Instant::now();
    }
}
