//! Launches: a kernel with its arguments, lazy until it is run.

mod argument;
mod binding;
mod check;
mod decision;
mod profile;
mod reference;
mod start;
mod tensors;
mod workload;

pub use argument::Argument;
pub use check::Comparison;
pub(crate) use decision::Decisions;
pub use profile::Profile;
pub use reference::Reference;
pub(crate) use workload::{RuntimeArguments, Workload, WorkloadCache};

use crate::kernel::Kernel;
use crate::{Error, ErrorKind, Result};
use binding::{Bound, bind};
use decision::{Choice, Chosen};
use start::Waiting;
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use tt_plan::{Cores, DeviceGrid, Execution, PartitionMode, Plan, PlanError, Report, Sharing};

/// A kernel with its arguments. Nothing happens before [`run`](Launch::run) or [`enqueue`](Launch::enqueue).
///
/// Made by calling the function that `#[tt::kernel]` leaves behind.
#[must_use = "a launch does nothing until `.run()?` or `.enqueue()?`"]
pub struct Launch<'t> {
    kernel: &'static Kernel,
    arguments: Vec<Argument<'t>>,
    /// Constants of the variant that is asked for.
    wanted: Vec<Constant>,
    /// What it runs.
    choice: Cell<Choice>,
    cores: Option<DeviceGrid>,
    sharing: Sharing,
    /// In how many parts its sum is cut, where that is asked for.
    parts: Option<u32>,
}

/// A constant of the option `variants` with the value that a launch asks for: `matmul::BM(64)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constant {
    name: &'static str,
    value: i64,
}

impl Constant {
    /// The constant `name`; launchers make these.
    #[doc(hidden)]
    pub const fn new(name: &'static str, value: i64) -> Constant {
        Constant { name, value }
    }
}

impl<'t> Launch<'t> {
    /// A launch of `kernel`; `arguments` in the order of its parameters.
    pub fn new(kernel: &'static Kernel, arguments: Vec<Argument<'t>>) -> Launch<'t> {
        Launch {
            kernel,
            arguments,
            wanted: Vec::new(),
            choice: Cell::default(),
            cores: None,
            sharing: Sharing::WherePaying,
            parts: None,
        }
    }

    /// The same launch of a variant in which a constant of the option `variants` has this value: `.with(matmul::BM(64))`. Of the
    /// variants that are left, a launch takes the one that it [estimates](Launch::estimate) to be fastest for its shapes and device; of those within 3 % of
    /// it the one that moves least from and to DRAM.
    ///
    /// That there is such a variant is seen when the launch is run.
    pub fn with(mut self, constant: Constant) -> Launch<'t> {
        self.wanted.push(constant);
        self.choice = Cell::default();
        self
    }

    /// The same launch on the first `cores.x` columns and `cores.y` rows of the device only, so that more blocks fall to a
    /// core: for checks.
    #[doc(hidden)]
    pub fn on_cores(self, cores: DeviceGrid) -> Launch<'t> {
        Launch {
            cores: Some(cores),
            choice: Cell::default(),
            ..self
        }
    }

    /// The same launch with what cores can share read so or not, whichever is estimated to be faster: for checks.
    #[doc(hidden)]
    pub fn sharing(self, sharing: Sharing) -> Launch<'t> {
        Launch {
            sharing,
            choice: Cell::default(),
            ..self
        }
    }

    /// The same launch with its sum cut into so many parts, 1 where it is not cut: for checks.
    #[doc(hidden)]
    pub fn in_parts(self, parts: u32) -> Launch<'t> {
        Launch {
            parts: Some(parts),
            choice: Cell::default(),
            ..self
        }
    }

    /// Runs the kernel and waits for it and everything enqueued before.
    ///
    /// Where L1 has no room for it beside the tensors that lie there, another of its variants runs, or the same in another way, if one fits;
    /// from then on [`plan`](Launch::plan), [`variant`](Launch::variant) and [`report`](Launch::report) tell of that.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel or each other, their device is closed, or the run fails. Everything about
    /// the arguments is checked before anything is enqueued.
    pub fn run(&self) -> Result<()> {
        self.start(Waiting::AtTheEnd).map(drop)
    }

    /// Hands the kernel to the device without waiting. What is enqueued runs in order; [`download`](crate::Tensor::download)
    /// and [`finish`](crate::Device::finish) wait, and tell if it failed.
    ///
    /// # Errors
    /// As [`run`](Launch::run), but for what goes wrong while the kernel runs.
    pub fn enqueue(&self) -> Result<()> {
        self.start(Waiting::Not).map(drop)
    }

    /// The concrete plan of this launch: the cores, the blocks of each, and where the tensors lie.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel or each other, or their device is closed.
    pub fn plan(&self) -> Result<Execution> {
        self.choose()?;
        let (plan, bound) = self.bind(self.chosen())?;
        plan.instantiate(&bound.bindings, self.cores(self.kernel(), &bound))
            .map_err(|error| self.refused(&error))
    }

    /// Cycles of the chip that the launch is estimated to take, from the plan alone, without running it; none where that depends on
    /// what tensors hold. It is for comparing launches: [`profile`](Launch::profile) has what the emulator's clock says of a run.
    ///
    /// # Errors
    /// As [`plan`](Launch::plan).
    pub fn estimate(&self) -> Result<Option<f64>> {
        self.choose()?;
        Ok(self.estimate_of(self.chosen())?.map(|estimate| estimate.cycles))
    }

    /// What the launch takes of the chip, from the plan alone, without running it: circular buffers in L1, bytes of each tensor against its
    /// own, how busy its cores are, what bounds it, and what to change.
    ///
    /// # Errors
    /// As [`plan`](Launch::plan).
    pub fn report(&self) -> Result<Report> {
        self.choose()?;
        let (plan, bound) = self.bind(self.chosen())?;
        plan.report_of(&bound.bindings, self.cores(self.kernel(), &bound))
            .map_err(|error| self.refused(&error))
    }

    /// The constants of the variant that the launch takes; none of a kernel without variants.
    ///
    /// # Errors
    /// As [`plan`](Launch::plan).
    pub fn variant(&self) -> Result<&'static [(&'static str, i64)]> {
        self.choose()?;
        Ok(self.kernel().constants())
    }

    /// In how many parts the launch cuts the sum of its kernel, each of which other cores take; 1 where it does not. That is where a grid
    /// has few blocks and a loop many steps, and it is estimated to be faster; `#[tt::kernel(split = off)]` turns it off.
    ///
    /// # Errors
    /// As [`plan`](Launch::plan).
    pub fn parts(&self) -> Result<u32> {
        self.choose()?;
        Ok(self.chosen().count())
    }

    /// Runs the kernel, waits, and tells what the run took and, on the emulator, what it moved and computed.
    ///
    /// # Errors
    /// As [`run`](Launch::run).
    pub fn profile(&self) -> Result<Profile> {
        self.start(Waiting::AfterEveryStage)
    }

    /// The reference result: what the kernel's source says over real numbers, computed on the host from what the tensors
    /// hold now. The device's tensors are not changed. Of a kernel that the compiler refuses, `#[tt::kernel(reference)]`, this is
    /// the only result.
    ///
    /// # Errors
    /// Where the arguments do not fit the kernel or each other, or the source has no meaning for them.
    pub fn reference(&self) -> Result<Reference> {
        let bound = self.bind_signature()?;
        reference::run(self.kernel(), &bound)
    }

    /// The values of the launch as its source has them: also of a kernel without a plan.
    fn bind_signature(&self) -> Result<Bound<'t>> {
        self.choose()?;
        let kernel = self.kernel();
        let signature = kernel.signature()?;
        bind(kernel, &signature.parameters, &signature.extents, &self.arguments)
    }

    fn bind(&self, Chosen { kernel, parts }: Chosen) -> Result<(&'static Plan, Bound<'t>)> {
        let plan = kernel.plan()?;
        let mut arguments = Cow::Borrowed(&self.arguments);
        if let Some(parts) = parts {
            arguments.to_mut().push(Argument::from(parts));
        }
        let mut bound = bind(kernel, &plan.parameters, &plan.extents, &arguments)?;
        let derived = plan.derive(&mut bound.bindings);
        derived.map_err(|error| self.refused(&error))?;
        Ok((plan, bound))
    }

    /// The cores that blocks of `kernel` are given to.
    fn cores(&self, kernel: &Kernel, bound: &Bound<'_>) -> Cores {
        Cores {
            grid: match kernel.stages() {
                // Shards lie where the device has them.
                Ok(stages)
                    if stages
                        .iter()
                        .any(|of| of.work_partition.mode == PartitionMode::LocalShard) =>
                {
                    bound.device.grid()
                }
                Ok(_) | Err(_) => self.cores.unwrap_or(bound.device.grid()),
            },
            chip: bound.device.chip(),
            sharing: self.sharing,
        }
    }

    fn refused(&self, error: &PlanError) -> Error {
        Error::new(
            ErrorKind::Argument,
            format!("kernel `{}`: {error}", self.kernel().name()),
        )
    }
}

impl fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launch({})", self.kernel().name())
    }
}
