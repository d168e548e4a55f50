//! What must hold between the stages of a kernel: a temporary is read only where an earlier stage may have stored to it.
//!
//! Everything else of a stage is looked at as in a kernel of its own. Which elements were stored is not asked: one that nobody
//! stored has no value. Once each is proved, the stages are joined: one plan says what a launch needs of all.
//!
//! Before (join_stages): stages, each proved (F). After: the same, with one plan.

use crate::artifact::file;
use crate::codes;
use crate::device::Device;
use crate::ir::operations;
use crate::pipeline::{Form, Pass};
use crate::verify::Verified;
use std::iter;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::hash::HashSet;
use tt_lang::ir::{Buffer, ElementKind, Kernel, Op, Param, ParamId, Place, Span};
use tt_plan::Plan;

/// The pass that joins the stages of a kernel.
pub const PASS: Pass<Vec<Verified>, Joined> = Pass {
    name: "join_stages",
    does: "one plan for all stages",
    run: |stages| {
        let stages = stages
            .into_iter()
            .map(|Verified(unit)| (unit.facts.source, unit.program));
        // A kernel has a stage.
        Joined::of(stages).ok_or_else(Vec::new)
    },
    check: |_| Ok(()),
};

/// A kernel of all its stages, as it is written.
#[derive(Debug, Clone)]
pub struct Joined {
    /// Each stage, in order.
    pub stages: Vec<(Kernel, Device)>,
    /// What a launch needs, of all.
    pub plan: Plan,
}

impl Joined {
    /// The kernel of `stages`; none of no stages.
    pub fn of(stages: impl IntoIterator<Item = (Kernel, Device)>) -> Option<Joined> {
        let stages: Vec<_> = stages.into_iter().collect();
        let plans = stages.iter().enumerate().map(|(number, (_, device))| {
            let mut plan = device.plan.clone();
            for kernel in &mut plan.kernels {
                kernel.file = file(kernel.role, number);
            }
            plan
        });
        let plan = plans.reduce(Plan::then)?;
        Some(Joined { stages, plan })
    }
}

impl Form for Vec<Verified> {
    const NAME: &'static str = Verified::NAME;

    fn text(&self) -> Option<String> {
        None
    }
}

impl Form for Joined {
    const NAME: &'static str = "all stages, verified";

    fn text(&self) -> Option<String> {
        None
    }
}

/// Every read of a temporary that comes before all stores to it.
pub fn check(kernel: &Kernel) -> Vec<Diagnostic> {
    let mut stores = Stores {
        kernel,
        stored: HashSet::default(),
        errors: Vec::new(),
    };
    let later = kernel.later.iter().map(|stage| &stage.body);
    for body in iter::once(&kernel.body).chain(later) {
        operations(body, &mut |op| stores.operation(op));
    }
    stores.errors
}

/// What was stored so far, in the order of the source.
struct Stores<'a> {
    kernel: &'a Kernel,
    stored: HashSet<ParamId>,
    errors: Vec<Diagnostic>,
}

impl Stores<'_> {
    fn read(&mut self, tensor: ParamId, span: Span) {
        if let Some(Param::Temporary(temporary)) = self.kernel.params.get(tensor.index())
            && !self.stored.contains(&tensor)
        {
            let name = &temporary.name;
            let message = format!("`{name}` is read before any stage stores to it");
            self.errors.push(
                Diagnostic::new(&codes::TEMPORARY_UNSTORED, span, message)
                    .label(temporary.span, "nothing is in it at first")
                    .note(format!("store to it in an earlier stage: `T.copy(block, {name}[..])`")),
            );
        }
    }

    fn place(&mut self, place: &Place) {
        if let Place::Tensor(region) = place {
            self.read(region.tensor, region.span);
        }
    }

    fn operation(&mut self, op: &Op) {
        match op {
            Op::Copy { src, dst } => {
                self.place(src);
                if let Place::Tensor(region) = dst {
                    self.stored.insert(region.tensor);
                }
            }
            Op::Gemm { a, b, .. } => {
                self.place(a);
                self.place(b);
            }
            Op::Parallel { assigns, .. } => {
                for assign in assigns {
                    assign.value.walk(&mut |part| {
                        if let ElementKind::Load(access) = &part.kind
                            && let Buffer::Tensor(tensor) = access.buffer
                        {
                            self.read(tensor, part.span);
                        }
                    });
                    if let Buffer::Tensor(tensor) = assign.target.buffer {
                        self.stored.insert(tensor);
                    }
                }
            }
            Op::Fetch { from, .. } => {
                if let Buffer::Tensor(tensor) = from.buffer {
                    self.read(tensor, from.span);
                }
            }
            Op::Fill { .. }
            | Op::Reduce { .. }
            | Op::ReduceArg { .. }
            | Op::Transpose { .. }
            | Op::Print { .. }
            | Op::Assert { .. } => {}
        }
    }
}
