//! Programs on a device: built once per stage of a kernel and set of cores, kept, and run again with other runtime arguments.
//!
//! Sources, circular buffers and semaphores of a stage do not depend on the extents of a launch, nor do compile-time arguments, but for
//! those of tensors in shards; the cores it runs on do. So a program is kept under the kernel, its stage, the shape of its set of cores
//! and what its tensors in shards look like.

use super::decision::Decision;
use crate::bridge::{
    self, CircularBufferSpec, ComputeSpec, Core, DeviceFacts, MeshBuffer, MeshDevice, MeshWorkload, Mover, Rectangle,
};
use crate::device::DeviceCore;
use crate::kernel::Kernel;
use crate::{Error, ErrorKind, Result};
use cxx::{SharedPtr, UniquePtr};
use std::sync::Arc;
use tt_plan::{Bindings, CompileArg, CoreRange, CoreSet, CoreWork, DataMovementProcessor, Engine, Noc, Plan, Role};

/// Programs that a device keeps; each holds its kernels' binaries and little else.
const KEPT_WORKLOADS: usize = 64;

/// What a kept program is found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkloadKey {
    /// The address of the kernel's static.
    kernel: usize,
    /// The number of its stage.
    stage: usize,
    /// Its cores.
    cores: Vec<CoreRange>,
    /// The words of its tensors in shards, which are compile-time arguments, and where it lies on them.
    words: Vec<u32>,
}

impl WorkloadKey {
    pub(crate) fn new(kernel: &'static Kernel, stage: usize, cores: &[CoreWork], words: Vec<u32>) -> WorkloadKey {
        WorkloadKey {
            kernel: std::ptr::from_ref(kernel).addr(),
            stage,
            cores: tt_plan::ranges(cores),
            words,
        }
    }
}

/// A program on a device.
pub(crate) struct Workload {
    pub(crate) workload: UniquePtr<MeshWorkload>,
    pub(crate) kernels: Vec<(Role, u32)>,
    pub(crate) cores: Vec<Core>,
    /// The runtime arguments that its kernels have; none before its first run.
    pub(crate) arguments: Option<RuntimeArguments>,
    /// The tensors' buffers that circular buffers of it lie on.
    pub(crate) lies_on: Vec<u64>,
}

/// The runtime arguments of a program's kernels, with all that they follow from beside its plan and the device.
pub(crate) struct RuntimeArguments {
    /// Of each kernel the words of its cores, one after the other.
    pub(crate) words: Vec<(Role, Vec<u32>)>,
    /// Which core takes which blocks.
    pub(super) decision: Arc<Decision>,
    /// The values of the launch.
    pub(super) bindings: Bindings,
}

impl RuntimeArguments {
    /// Whether a launch that decided this and has these values has the same.
    pub(super) fn are_of(&self, decision: &Arc<Decision>, bindings: &Bindings) -> bool {
        Arc::ptr_eq(&self.decision, decision) && self.bindings.are(bindings)
    }
}

/// The programs that a device keeps, the one used last at the end.
#[derive(Default)]
pub(crate) struct WorkloadCache {
    kept: Vec<(WorkloadKey, Workload)>,
}

impl WorkloadCache {
    fn find(&self, key: &WorkloadKey) -> Option<usize> {
        self.kept.iter().rposition(|(kept, _)| kept == key)
    }

    /// The program of `key`.
    pub(crate) fn get(&self, key: &WorkloadKey) -> Option<&Workload> {
        self.find(key).map(|index| &self.kept[index].1)
    }

    /// Takes out the program of `key`.
    pub(crate) fn take(&mut self, key: &WorkloadKey) -> Option<Workload> {
        self.find(key).map(|index| self.kept.remove(index).1)
    }

    /// Takes out the programs that lie on this buffer.
    pub(crate) fn lying_on(&mut self, buffer: u64) -> Vec<Workload> {
        let found = self
            .kept
            .extract_if(.., |(_, workload)| workload.lies_on.contains(&buffer));
        found.map(|(_, workload)| workload).collect()
    }

    /// Keeps a program; gives back the one it displaces.
    pub(crate) fn put(&mut self, key: WorkloadKey, workload: Workload) -> Option<Workload> {
        let displaced = (self.kept.len() >= KEPT_WORKLOADS).then(|| self.kept.remove(0).1);
        self.kept.push((key, workload));
        displaced
    }
}

/// Checks that the kernel was compiled for the device and keeps to its limits.
pub(crate) fn check_budgets(kernel: &Kernel, plan: &Plan, device: &DeviceCore) -> Result<()> {
    let (architecture, device) = (device.architecture(), device.facts());
    let refuse = |what: String| {
        let message = format!("kernel `{}` cannot run on a {architecture}: {what}", kernel.name());
        Err(Error::new(ErrorKind::Kernel, message))
    };
    if !plan.architectures.iter().any(|known| known == architecture) {
        return refuse(format!("it was compiled for {}", plan.architectures.join(", ")));
    }
    if let Some(cb) = plan
        .circular_buffers
        .iter()
        .find(|cb| u32::from(cb.index) >= device.circular_buffers)
    {
        return refuse(format!(
            "it uses circular buffer {}, a core has {}",
            cb.index, device.circular_buffers
        ));
    }
    let bytes: u64 = plan
        .circular_buffers
        .iter()
        .map(|cb| u64::from(cb.page_size) * u64::from(cb.pages))
        .sum();
    if bytes > u64::from(device.l1_bytes) {
        return refuse(format!(
            "its circular buffers take {bytes} bytes of L1, a core has {}",
            device.l1_bytes
        ));
    }
    Ok(())
}

/// What a program is built with of its tensors.
pub(crate) trait ByName {
    /// The compile-time words of the accessor of the tensor `name`.
    fn accessor_words(&self, name: &str) -> Result<Vec<u32>>;
    /// The buffer with this number.
    fn buffer(&self, number: u64) -> Result<&SharedPtr<MeshBuffer>>;
}

/// A circular buffer that lies on the shards of a tensor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnTensor {
    /// Its index.
    pub(crate) circular_buffer: u8,
    /// Its pages there.
    pub(crate) pages: u32,
    /// The number of the tensor's buffer.
    pub(crate) buffer: u64,
    /// Its address.
    pub(crate) address: u32,
}

/// Builds the program of a stage of `kernel`, its number and its plan, on `cores`, with some of its circular buffers on shards.
pub(crate) fn build(
    mesh: &SharedPtr<MeshDevice>,
    device: &DeviceFacts,
    kernel: &Kernel,
    (stage, plan): (usize, &Plan),
    cores: &[CoreWork],
    tensors: &dyn ByName,
    on_shards: &[OnTensor],
) -> Result<Workload> {
    let failed = |error: cxx::Exception| {
        bridge::thrown(
            ErrorKind::Run,
            &format!("cannot build kernel `{}`", kernel.name()),
            &error,
        )
    };
    let ranges: Vec<Rectangle> = rectangles(cores);
    let mut program = bridge::create_program().map_err(failed)?;
    for cb in &plan.circular_buffers {
        let spec = CircularBufferSpec {
            index: cb.index,
            format: cb.data_format.into(),
            page_bytes: cb.page_size,
            pages: cb.pages,
        };
        match on_shards.iter().find(|on| on.circular_buffer == cb.index) {
            None => bridge::add_circular_buffer(program.pin_mut(), &ranges, &spec),
            Some(on) => {
                let spec = CircularBufferSpec {
                    pages: on.pages,
                    ..spec
                };
                bridge::add_circular_buffer_on(program.pin_mut(), &ranges, &spec, tensors.buffer(on.buffer)?)
            }
        }
        .map_err(failed)?;
    }
    for semaphore in &plan.semaphores {
        let id = bridge::add_semaphore(program.pin_mut(), &ranges, semaphore.initial).map_err(failed)?;
        if id != u32::from(semaphore.id) {
            return Err(kernel.damaged(&format!(
                "the plan numbers a semaphore {}, the device {id}",
                semaphore.id
            )));
        }
    }
    let sources = kernel.sources().stage(stage);
    let sources = sources.ok_or_else(|| kernel.damaged("a stage of its plan has no sources"))?;
    let mut kernels = Vec::with_capacity(plan.kernels.len());
    for part in &plan.kernels {
        let mut args = Vec::new();
        for CompileArg::Accessor(tensor) in &part.compile_args {
            args.extend(tensors.accessor_words(tensor)?);
        }
        let program = program.pin_mut();
        let source = match part.role {
            Role::Reader => sources.reader,
            Role::Compute => sources.compute,
            Role::Writer => sources.writer,
        };
        let CoreSet::Busy = part.cores;
        let handle = match part.engine {
            Engine::DataMovement { processor, noc } => {
                let mover = match (processor, noc) {
                    (DataMovementProcessor::Ncrisc, Noc::DramRead) => Mover::Reader,
                    (DataMovementProcessor::Brisc, Noc::DramWrite) => Mover::Writer,
                    (DataMovementProcessor::Ncrisc, Noc::DramWrite) | (DataMovementProcessor::Brisc, Noc::DramRead) => {
                        return Err(kernel.damaged(&format!("the plan has {processor:?} on the NoC {noc:?}")));
                    }
                };
                bridge::add_data_movement_kernel(program, &ranges, mover, source, &args).map_err(failed)?
            }
            Engine::Compute => bridge::add_compute_kernel(program, &ranges, source, &compute_spec(plan, device), &args)
                .map_err(failed)?,
        };
        kernels.push((part.role, handle));
    }
    let workload = bridge::create_workload(mesh, program).map_err(failed)?;
    let cores = cores.iter().map(|core| Core { x: core.x, y: core.y }).collect();
    Ok(Workload {
        workload,
        kernels,
        cores,
        arguments: None,
        lies_on: on_shards.iter().map(|on| on.buffer).collect(),
    })
}

/// The cores as few rectangles.
fn rectangles(cores: &[CoreWork]) -> Vec<Rectangle> {
    let rectangles = tt_plan::ranges(cores).into_iter().map(|range| Rectangle {
        x: range.start[0],
        y: range.start[1],
        columns: range.extent[0],
        rows: range.extent[1],
    });
    rectangles.collect()
}

fn compute_spec(plan: &Plan, device: &DeviceFacts) -> ComputeSpec {
    let compute = &plan.compute;
    ComputeSpec {
        math_fidelity: compute.math_fidelity.into(),
        fp32_dest_acc_en: compute.fp32_dest_acc_en,
        dst_full_sync_en: compute.dst_full_sync_en,
        math_approx_mode: compute.math_approx_mode,
        unpack_to_dest_fp32: plan
            .circular_buffers
            .iter()
            .filter(|cb| cb.unpack_to_dest_fp32)
            .map(|cb| cb.index)
            .collect(),
        circular_buffers: device.circular_buffers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_by_row(count: u32, columns: u32) -> Vec<CoreWork> {
        (0..count)
            .map(|i| CoreWork::run_of(i % columns, i / columns, 0, 1))
            .collect()
    }

    #[test]
    fn cores_become_full_rows_and_a_rest() {
        let found = |count, columns| {
            let rectangles = rectangles(&row_by_row(count, columns));
            rectangles
                .iter()
                .map(|r| (r.x, r.y, r.columns, r.rows))
                .collect::<Vec<_>>()
        };
        assert_eq!(found(1, 1), [(0, 0, 1, 1)]);
        assert_eq!(found(64, 8), [(0, 0, 8, 8)]);
        assert_eq!(found(5, 8), [(0, 0, 5, 1)]);
        assert_eq!(found(19, 8), [(0, 0, 8, 2), (0, 2, 3, 1)]);
        assert_eq!(found(3, 1), [(0, 0, 1, 3)]);
        assert_eq!(found(0, 8), []);
    }
}
