//! Whether a plan is consistent in itself.

use crate::{CompileArg, DataFormat, Formula, Number, Parameter, Plan, Role, RuntimeValue};
use std::collections::HashSet;
use tt_lang::ir::ScalarKind;

/// Runtime argument words of one kernel (metalium.md §1.2).
const MAX_RUNTIME_ARGS: usize = 341;

impl Plan {
    /// Every contradiction found; empty for a good plan.
    pub fn validate(&self) -> Vec<String> {
        let mut errors = Vec::new();
        let mut names = HashSet::new();
        for name in self
            .extents
            .iter()
            .map(String::as_str)
            .chain(self.parameters.iter().map(Parameter::name))
        {
            if !names.insert(name) {
                errors.push(format!("the name `{name}` stands twice"));
            }
        }
        let mut integers: HashSet<&str> = self.extents.iter().map(String::as_str).collect();
        let mut floats = HashSet::new();
        let mut tensors = HashSet::new();
        for parameter in &self.parameters {
            match parameter {
                Parameter::Scalar {
                    name,
                    kind: ScalarKind::F32,
                } => drop(floats.insert(name.as_str())),
                Parameter::Scalar { name, .. } => drop(integers.insert(name)),
                Parameter::Tensor { name, .. } => drop(tensors.insert(name.as_str())),
            }
        }
        let mut formula = |what: &str, formula: &Formula, errors: &mut Vec<String>| {
            formula.names(&mut |name| {
                if !integers.contains(name) {
                    errors.push(format!(
                        "{what} uses `{name}`, which is no extent and no integer scalar"
                    ));
                }
            });
        };
        for parameter in &self.parameters {
            if let Parameter::Tensor {
                name,
                element,
                extents,
                layout,
                ..
            } = parameter
            {
                if extents.is_empty() || extents.len() > 6 {
                    errors.push(format!(
                        "tensor `{name}` has {} axes, 1 to 6 are possible",
                        extents.len()
                    ));
                }
                for extent in extents {
                    formula(&format!("tensor `{name}`"), extent, &mut errors);
                }
                if layout.shard != "DRAM" && layout.shard != "L1" {
                    errors.push(format!(
                        "tensor `{name}` lives in `{}`, which is neither DRAM nor L1",
                        layout.shard
                    ));
                }
                if layout.page_size != DataFormat::of(*element).tile_bytes() {
                    errors.push(format!(
                        "tensor `{name}` has pages of {} bytes, not of one tile",
                        layout.page_size
                    ));
                }
            }
        }
        if self.grid.is_empty() || self.grid.len() > 3 {
            errors.push(format!("the grid has {} axes, 1 to 3 are possible", self.grid.len()));
        }
        for extent in &self.grid {
            formula("the grid", extent, &mut errors);
        }
        let mut indices = HashSet::new();
        for cb in &self.circular_buffers {
            if !indices.insert(cb.index) {
                errors.push(format!("circular buffer {} stands twice", cb.index));
            }
            if cb.pages == 0 || cb.page_size != cb.data_format.tile_bytes() {
                errors.push(format!(
                    "circular buffer `{}` has {} pages of {} bytes",
                    cb.name, cb.pages, cb.page_size
                ));
            }
        }
        for role in [Role::Reader, Role::Compute, Role::Writer] {
            let count = self.kernels.iter().filter(|kernel| kernel.role == role).count();
            if count != 1 {
                errors.push(format!("there are {count} {} kernels", role.name()));
            }
        }
        for kernel in &self.kernels {
            let what = format!("the {} kernel", kernel.role.name());
            if kernel.runtime_args.len() > MAX_RUNTIME_ARGS {
                errors.push(format!(
                    "{what} takes {} runtime arguments, {MAX_RUNTIME_ARGS} are possible",
                    kernel.runtime_args.len()
                ));
            }
            for CompileArg::Accessor(name) in &kernel.compile_args {
                if !tensors.contains(name.as_str()) {
                    errors.push(format!("{what} accesses `{name}`, which is no tensor"));
                }
            }
            for arg in &kernel.runtime_args {
                let what = format!("argument `{}` of {what}", arg.name);
                match &arg.value {
                    RuntimeValue::Address(name) if !tensors.contains(name.as_str()) => {
                        errors.push(format!("{what} is the address of `{name}`, which is no tensor"));
                    }
                    RuntimeValue::Formula(value) => formula(&what, value, &mut errors),
                    RuntimeValue::Number(value) => number(&what, value, &floats, &mut formula, &mut errors),
                    RuntimeValue::Flag { scalar, .. } if !floats.contains(scalar.as_str()) => {
                        errors.push(format!("{what} compares `{scalar}`, which is no f32 scalar"));
                    }
                    _ => {}
                }
            }
        }
        errors
    }
}

fn number(
    what: &str,
    value: &Number,
    floats: &HashSet<&str>,
    formula: &mut impl FnMut(&str, &Formula, &mut Vec<String>),
    errors: &mut Vec<String>,
) {
    match value {
        Number::Bits(_) => {}
        Number::Scalar(name) if floats.contains(name.as_str()) => {}
        Number::Scalar(name) => errors.push(format!("{what} uses `{name}`, which is no f32 scalar")),
        Number::Int(int) => formula(what, int, errors),
        Number::Call(op, args) => {
            if args.len() != op.row().arity {
                errors.push(format!(
                    "{what} calls `{}` with {} arguments",
                    op.row().name,
                    args.len()
                ));
            }
            for arg in args {
                number(what, arg, floats, formula, errors);
            }
        }
    }
}
