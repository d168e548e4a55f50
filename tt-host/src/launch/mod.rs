//! Launches: a kernel with its arguments, lazy until it is run.

mod argument;
mod binding;
mod profile;
mod reference;
mod workload;

pub use argument::Argument;
pub use profile::Profile;
pub use reference::Reference;
pub(crate) use workload::WorkloadCache;

use crate::device::Session;
use crate::kernel::Kernel;
use crate::tensor::RawTensor;
use crate::tile::TILE_ELEMENTS;
use crate::{Error, ErrorKind, Result};
use binding::{Bound, bind};
use std::fmt;
use std::time::{Duration, Instant};
use tt_emulator::{StoredTensor, Stores};
use tt_plan::{Bindings, CoreWork, DataFormat, DeviceGrid, Execution, Plan, PlanError, Role};
pub(crate) use workload::Workload;
use workload::{WorkloadKey, build, check_budgets};

/// A kernel with its arguments. Nothing happens before [`run`](Launch::run) or [`enqueue`](Launch::enqueue).
///
/// Made by calling the function that `#[tt::kernel]` leaves behind.
#[must_use = "a launch does nothing until `.run()?` or `.enqueue()?`"]
pub struct Launch<'t> {
    kernel: &'static Kernel,
    arguments: Vec<Argument<'t>>,
    cores: Option<DeviceGrid>,
}

impl<'t> Launch<'t> {
    /// A launch of `kernel`; `arguments` in the order of its parameters.
    pub fn new(kernel: &'static Kernel, arguments: Vec<Argument<'t>>) -> Launch<'t> {
        Launch {
            kernel,
            arguments,
            cores: None,
        }
    }

    /// The same launch on the first `cores.x` columns and `cores.y` rows of the device only, so that more blocks fall to a
    /// core: for checks.
    #[doc(hidden)]
    pub fn on_cores(self, cores: DeviceGrid) -> Launch<'t> {
        Launch {
            cores: Some(cores),
            ..self
        }
    }

    /// Runs the kernel and waits for it and everything enqueued before.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel or each other, their device is closed, or the run fails. Everything about
    /// the arguments is checked before anything is enqueued.
    pub fn run(&self) -> Result<()> {
        self.start(true, |_| ())
    }

    /// Hands the kernel to the device without waiting. What is enqueued runs in order; [`download`](crate::Tensor::download)
    /// and [`finish`](crate::Device::finish) wait, and tell if it failed.
    ///
    /// # Errors
    /// As [`run`](Launch::run), but for what goes wrong while the kernel runs.
    pub fn enqueue(&self) -> Result<()> {
        self.start(false, |_| ())
    }

    /// The concrete plan of this launch: the cores, the blocks of each, and where the tensors lie.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel or each other, or their device is closed.
    pub fn plan(&self) -> Result<Execution> {
        let (plan, bound) = self.bind()?;
        plan.instantiate(&bound.bindings, self.cores(&bound))
            .map_err(|error| self.refused(&error))
    }

    /// Runs the kernel, waits, and tells what the run took and, on the emulator, what it moved and computed.
    ///
    /// # Errors
    /// As [`run`](Launch::run).
    pub fn profile(&self) -> Result<Profile> {
        let (_, bound) = self.bind()?;
        bound.device.with(Session::finish)?;
        self.start(true, |wall_time| Profile {
            wall_time,
            counters: bound.device.counters(),
        })
    }

    /// The reference result: what the kernel's source says over real numbers, computed on the host from what the tensors
    /// hold now. The device's tensors are not changed. Of a kernel that the compiler refuses, `#[tt::kernel(reference)]`, this is
    /// the only result.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel or each other, or the source has no meaning for them.
    pub fn reference(&self) -> Result<Reference> {
        let signature = self.kernel.signature()?;
        let bound = bind(self.kernel, &signature.parameters, &signature.extents, &self.arguments)?;
        reference::run(self.kernel, &bound)
    }

    fn bind(&self) -> Result<(&'static Plan, Bound<'t>)> {
        let plan = self.kernel.plan()?;
        let bound = bind(self.kernel, &plan.parameters, &plan.extents, &self.arguments)?;
        Ok((plan, bound))
    }

    /// The cores that blocks are given to.
    fn cores(&self, bound: &Bound<'_>) -> DeviceGrid {
        self.cores.unwrap_or(bound.device.grid())
    }

    /// Starts the kernel; `then` takes how long that took, before anything else can start.
    fn start<T>(&self, blocking: bool, then: impl FnOnce(Duration) -> T) -> Result<T> {
        let (plan, bound) = self.bind()?;
        check_budgets(self.kernel, plan, bound.device.facts())?;
        let (_, work) = plan
            .partition(&bound.bindings, self.cores(&bound))
            .map_err(|error| self.refused(&error))?;
        let args = self.runtime_args(plan, &bound.bindings, &work)?;
        let key = WorkloadKey::new(self.kernel, &work);
        bound.device.with(|session| {
            let mut workload = match session.workloads.take(key) {
                Some(workload) => workload,
                None => {
                    let accessor_words = |name: &str| match bound.tensors.iter().find(|(tensor, ..)| tensor == name) {
                        Some((_, _, tensor)) => session.accessor_words(tensor.buffer),
                        None => Err(self
                            .kernel
                            .damaged(&format!("the plan accesses `{name}`, which is no tensor"))),
                    };
                    build(
                        session.mesh(),
                        bound.device.facts(),
                        self.kernel,
                        plan,
                        &work,
                        &accessor_words,
                    )?
                }
            };
            let start = Instant::now();
            bound.device.expect_stores(|| self.stores(&bound, &work));
            // A program whose run failed is not kept.
            session.run(&mut workload, &args, blocking, self.kernel.name())?;
            let result = then(start.elapsed());
            if let Some(displaced) = session.workloads.put(key, workload) {
                session.finish()?;
                drop(displaced);
            }
            Ok(result)
        })
    }

    /// The tensors that the kernel may store to, and where its blocks run.
    fn stores(&self, bound: &Bound<'_>, work: &[CoreWork]) -> Stores {
        let written = bound.tensors.iter().filter(|(_, mutable, _)| *mutable);
        let tensor = |(name, _, tensor): &(String, bool, &RawTensor)| {
            let format = DataFormat::of(tensor.element);
            StoredTensor {
                name: name.clone(),
                base: tensor.address.into(),
                shape: tensor.shape.to_vec(),
                tile_bytes: format.tile_bytes() as usize,
                element_bytes: format.tile_bytes() as usize / TILE_ELEMENTS,
            }
        };
        let blocks = work
            .iter()
            .map(|core| ((core.x as usize, core.y as usize), core.start, core.count));
        Stores {
            kernel: self.kernel.name().to_owned(),
            tensors: written.map(tensor).collect(),
            blocks: blocks.collect(),
        }
    }

    /// The runtime argument words of each kernel, core after core.
    fn runtime_args(&self, plan: &Plan, bindings: &Bindings, work: &[CoreWork]) -> Result<Vec<(Role, Vec<u32>)>> {
        let mut all = Vec::with_capacity(plan.kernels.len());
        for kernel in &plan.kernels {
            let mut words = Vec::with_capacity(work.len() * kernel.runtime_args.len());
            for core in work {
                let core = plan
                    .runtime_args(kernel.role, bindings, *core)
                    .map_err(|error| self.refused(&error))?;
                words.extend(core);
            }
            all.push((kernel.role, words));
        }
        Ok(all)
    }

    fn refused(&self, error: &PlanError) -> Error {
        Error::new(ErrorKind::Argument, format!("kernel `{}`: {error}", self.kernel.name()))
    }
}

impl fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launch({})", self.kernel.name())
    }
}
