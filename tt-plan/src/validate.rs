//! Whether a plan is consistent in itself.

use crate::{
    CompileArg, DataFormat, Engine, Formula, KernelPlan, Memory, Number, Parameter, PartitionMode, Plan, Role,
    RuntimeValue, Temporary,
};
use std::collections::{HashMap, HashSet};
use tt_device::TILE_SIDE;
use tt_lang::ir::ScalarKind;

/// Runtime argument words of one kernel (metalium.md §1.2).
const MAX_RUNTIME_ARGS: usize = tt_device::MAX_RUNTIME_ARGS as usize;

impl Plan {
    /// Every contradiction found; empty for a good plan.
    pub fn validate(&self) -> Vec<String> {
        let mut errors = Vec::new();
        for stage in self.stages() {
            for error in stage.validate_stage() {
                // What is wrong with a parameter is wrong in all stages.
                if !errors.contains(&error) {
                    errors.push(error);
                }
            }
        }
        errors
    }

    fn validate_stage(&self) -> Vec<String> {
        let mut errors = Vec::new();
        let mut names = HashSet::new();
        for name in self
            .extents
            .iter()
            .map(String::as_str)
            .chain(self.parameters.iter().map(Parameter::name))
            .chain(self.temporaries.iter().map(|temporary| temporary.name.as_str()))
            .chain(self.derived.iter().map(|derived| derived.name.as_str()))
        {
            if !names.insert(name) {
                errors.push(format!("the name `{name}` stands twice"));
            }
        }
        if let Some([along, down]) = self.work_partition.placement.rectangle()
            && (along == down || along.max(down) >= self.grid.len())
        {
            errors.push(format!(
                "axes {along} and {down} of the grid lie along a rectangle of cores, which are no two of its {}",
                self.grid.len()
            ));
        }
        let mut integers: HashSet<&str> = self.extents.iter().map(String::as_str).collect();
        let mut floats = HashSet::new();
        // Each with whether it is written.
        let mut tensors = HashMap::new();
        for parameter in &self.parameters {
            match parameter {
                Parameter::Scalar {
                    name,
                    kind: ScalarKind::F32,
                } => drop(floats.insert(name.as_str())),
                Parameter::Scalar { name, .. } => drop(integers.insert(name)),
                // The writer reads integers alone.
                Parameter::Tensor {
                    name, mutable, element, ..
                } => drop(tensors.insert(name.as_str(), *mutable || element.is_integer())),
            }
        }
        for temporary in &self.temporaries {
            tensors.insert(temporary.name.as_str(), true);
        }
        integers.extend(self.derived.iter().map(|derived| derived.name.as_str()));
        let mut formula = |what: &str, formula: &Formula, errors: &mut Vec<String>| {
            formula.names(&mut |name| {
                if !integers.contains(name) {
                    errors.push(format!(
                        "{what} uses `{name}`, which is no extent and no integer scalar"
                    ));
                }
            });
        };
        let parameters = self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Tensor {
                name,
                element,
                extents,
                layout,
                ..
            } => Some((name, element, extents, layout)),
            Parameter::Scalar { .. } => None,
        });
        let temporaries = self.temporaries.iter().map(|temporary| {
            let Temporary {
                name,
                element,
                extents,
                layout,
            } = temporary;
            (name, element, extents, layout)
        });
        for (name, element, extents, layout) in parameters.chain(temporaries) {
            if extents.is_empty() || extents.len() > 6 {
                errors.push(format!(
                    "tensor `{name}` has {} axes, 1 to 6 are possible",
                    extents.len()
                ));
            }
            for extent in extents {
                formula(&format!("tensor `{name}`"), extent, &mut errors);
            }
            // Tensors are allocated so and not otherwise.
            if layout.shard != Memory::Dram || !layout.interleave {
                errors.push(format!(
                    "tensor `{name}` lives in `{}`{}, tensors are interleaved in DRAM",
                    layout.shard,
                    if layout.interleave { "" } else { ", not interleaved" }
                ));
            }
            if layout.tile_shape != [TILE_SIDE; 2] {
                let [rows, columns] = layout.tile_shape;
                errors.push(format!(
                    "tensor `{name}` has tiles of {rows} × {columns}, tiles are {TILE_SIDE} × {TILE_SIDE}"
                ));
            }
            if layout.page_size != DataFormat::of(*element).tile_bytes() {
                errors.push(format!(
                    "tensor `{name}` has pages of {} bytes, not of one tile",
                    layout.page_size
                ));
            }
        }
        for derived in &self.derived {
            for side in [&derived.a, &derived.b] {
                number(&format!("`{}`", derived.name), side, &floats, &mut formula, &mut errors);
            }
        }
        if self.grid.is_empty() || self.grid.len() > 6 {
            errors.push(format!("the grid has {} axes, 1 to 6 are possible", self.grid.len()));
        }
        for extent in &self.grid {
            formula("the grid", extent, &mut errors);
        }
        for lone in &self.lone_axes {
            if lone.axis >= self.grid.len() {
                errors.push(format!("the grid has no axis {}, which must have extent 1", lone.axis));
            }
        }
        for range in &self.ranges {
            formula("a range", &range.length, &mut errors);
        }
        if self.work_partition.mode != PartitionMode::Global {
            errors.push("the blocks belong to shards, which no tensor has".into());
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
            if cb.unpack_to_dest_fp32 && !(cb.data_format == DataFormat::Float32 && self.compute.fp32_dest_acc_en) {
                errors.push(format!(
                    "circular buffer `{}` of {:?} cannot be unpacked into registers of {} bits as they are",
                    cb.name,
                    cb.data_format,
                    if self.compute.fp32_dest_acc_en { 32 } else { 16 }
                ));
            }
        }
        for role in [Role::Reader, Role::Compute, Role::Writer] {
            let count = self.kernels.iter().filter(|kernel| kernel.role == role).count();
            if count != 1 {
                errors.push(format!("there are {count} {} kernels", role.name()));
            }
        }
        for (before, kernel) in self.kernels.iter().enumerate() {
            let what = format!("the {} kernel", kernel.role.name());
            if self.kernels[..before].iter().any(|other| other.engine == kernel.engine) {
                errors.push(format!("{what} runs where another does: {:?}", kernel.engine));
            }
            if kernel.runtime_args.len() > MAX_RUNTIME_ARGS {
                errors.push(format!(
                    "{what} takes {} runtime arguments, {MAX_RUNTIME_ARGS} are possible",
                    kernel.runtime_args.len()
                ));
            }
            for CompileArg::Accessor(name) in &kernel.compile_args {
                if !tensors.contains_key(name.as_str()) {
                    errors.push(format!("{what} accesses `{name}`, which is no tensor"));
                }
            }
            if (kernel.role == Role::Compute) != (kernel.engine == Engine::Compute) {
                errors.push(format!("{what} runs on {:?}", kernel.engine));
            }
            accesses(kernel, &tensors, &mut errors);
            for arg in &kernel.runtime_args {
                let what = format!("argument `{}` of {what}", arg.name);
                match &arg.value {
                    RuntimeValue::Address(name) if !tensors.contains_key(name.as_str()) => {
                        errors.push(format!("{what} is the address of `{name}`, which is no tensor"));
                    }
                    RuntimeValue::Formula(value) => formula(&what, value, &mut errors),
                    RuntimeValue::Number(value) => number(&what, value, &floats, &mut formula, &mut errors),
                    RuntimeValue::Flag { a, b, .. } => {
                        for side in [a, b] {
                            number(&what, side, &floats, &mut formula, &mut errors);
                        }
                    }
                    RuntimeValue::Address(_)
                    | RuntimeValue::StartId
                    | RuntimeValue::Count
                    | RuntimeValue::Place(_)
                    | RuntimeValue::Cores(_)
                    | RuntimeValue::Noc { .. } => {}
                }
            }
        }
        errors
    }
}

/// Whether a kernel goes to its tensors with their own accessors, and the writer to those that are written, or hold integers
/// that it needs. A launch
/// would not tell: accessors of two tensors have the same words, and any address can be written to.
fn accesses(kernel: &KernelPlan, tensors: &HashMap<&str, bool>, errors: &mut Vec<String>) {
    let what = format!("the {} kernel", kernel.role.name());
    let accessors: Vec<&str> = kernel
        .compile_args
        .iter()
        .map(|CompileArg::Accessor(name)| name.as_str())
        .collect();
    let addresses: Vec<&str> = kernel
        .runtime_args
        .iter()
        .filter_map(|arg| match &arg.value {
            RuntimeValue::Address(name) => Some(name.as_str()),
            RuntimeValue::StartId
            | RuntimeValue::Count
            | RuntimeValue::Place(_)
            | RuntimeValue::Cores(_)
            | RuntimeValue::Noc { .. }
            | RuntimeValue::Formula(_)
            | RuntimeValue::Number(_)
            | RuntimeValue::Flag { .. } => None,
        })
        .collect();
    if accessors != addresses {
        errors.push(format!(
            "{what} has accessors of ({}), but addresses of ({})",
            accessors.join(", "),
            addresses.join(", ")
        ));
    }
    for name in &accessors {
        match (kernel.role, tensors.get(name)) {
            (Role::Writer, Some(false)) => errors.push(format!("{what} writes `{name}`, which is not mutable")),
            (Role::Compute, _) => errors.push(format!("{what} accesses `{name}`, which only reader and writer can")),
            (Role::Reader | Role::Writer, _) => {}
        }
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
        Number::Compare(_, a, b) => {
            number(what, a, floats, formula, errors);
            number(what, b, floats, formula, errors);
        }
        Number::Bf16(_, of) => number(what, of, floats, formula, errors),
    }
}

#[cfg(test)]
mod tests {
    use crate::Plan;
    use serde_json::{Value, json};

    /// A plan that is good: `a` is copied to `c`.
    const COPY: &str = include_str!("../../tt-host/tests/kernels/copy.plan.json");

    /// What is said of the plan with another value at `place`.
    fn refusal(place: &str, value: Value) -> String {
        let mut plan: Value = serde_json::from_str(COPY).unwrap();
        *plan.pointer_mut(place).unwrap_or_else(|| panic!("{place} is there")) = value;
        let error = Plan::from_json(&plan.to_string());
        error.err().unwrap_or_else(|| panic!("{place} is taken")).to_string()
    }

    #[test]
    fn what_a_launch_would_ignore_is_refused() {
        Plan::from_json(COPY).unwrap();
        let layout = "/parameters/0/tensor/layout";
        let writer = "/kernels/2";
        let cases = [
            (
                format!("{layout}/tile_shape"),
                json!([16, 32]),
                "tensor `a` has tiles of 16 × 32, tiles are 32 × 32",
            ),
            (
                format!("{layout}/shard"),
                json!("L1"),
                "tensor `a` lives in `L1`, tensors are interleaved in DRAM",
            ),
            (
                format!("{layout}/interleave"),
                json!(false),
                "tensor `a` lives in `DRAM`, not interleaved",
            ),
            (
                "/work_partition/mode".into(),
                json!("local_shard"),
                "the blocks belong to shards",
            ),
            (
                "/parameters/1/tensor/mutable".into(),
                json!(false),
                "the writer kernel writes `c`, which is not mutable",
            ),
            (
                format!("{writer}/compile_args/0/accessor"),
                json!("a"),
                "the writer kernel has accessors of (a), but addresses of (c)",
            ),
            (
                format!("{writer}/runtime_args/0/value/address"),
                json!("a"),
                "the writer kernel has accessors of (c), but addresses of (a)",
            ),
            (
                format!("{writer}/compile_args"),
                json!([]),
                "the writer kernel has accessors of (), but addresses of (c)",
            ),
            (
                "/kernels/1/compile_args".into(),
                json!([{ "accessor": "a" }]),
                "the compute kernel accesses `a`, which only reader and writer can",
            ),
            (
                "/circular_buffers/0/unpack_to_dest_fp32".into(),
                json!(true),
                "circular buffer `tiles` of Float16B cannot be unpacked into registers of 16 bits",
            ),
        ];
        for (place, value, message) in cases {
            let found = refusal(&place, value);
            assert!(found.contains(message), "{place}: {found}");
        }
    }

    #[test]
    fn a_range_that_has_a_limit_is_of_what_is_known() {
        let mut plan: Value = serde_json::from_str(COPY).unwrap();
        plan["ranges"] = json!([{ "length": "N", "most": 32, "reason": "it is at most 32" }]);
        Plan::from_json(&plan.to_string()).unwrap();
        plan["ranges"][0]["length"] = json!("Q");
        let error = Plan::from_json(&plan.to_string()).unwrap_err().to_string();
        assert!(error.contains("a range uses `Q`, which is no extent"), "{error}");
    }

    #[test]
    fn an_axis_that_must_be_one_is_an_axis_of_the_grid() {
        let mut plan: Value = serde_json::from_str(COPY).unwrap();
        plan["lone_axes"] = json!([{ "axis": 1, "reason": "two blocks would meet" }]);
        Plan::from_json(&plan.to_string()).unwrap();
        plan["lone_axes"][0]["axis"] = json!(2);
        let error = Plan::from_json(&plan.to_string()).unwrap_err().to_string();
        assert!(
            error.contains("the grid has no axis 2, which must have extent 1"),
            "{error}"
        );
    }

    #[test]
    fn accessors_in_another_order_than_the_addresses_are_refused() {
        let mut plan: Value = serde_json::from_str(COPY).unwrap();
        let address = |name: &str| json!({ "name": name, "value": { "address": name } });
        plan["kernels"][0]["runtime_args"] = json!([address("a"), address("c")]);
        plan["kernels"][0]["compile_args"] = json!([{ "accessor": "a" }, { "accessor": "c" }]);
        Plan::from_json(&plan.to_string()).unwrap();
        plan["kernels"][0]["compile_args"] = json!([{ "accessor": "c" }, { "accessor": "a" }]);
        let error = Plan::from_json(&plan.to_string()).unwrap_err().to_string();
        assert!(
            error.contains("accessors of (c, a), but addresses of (a, c)"),
            "{error}"
        );
    }

    #[test]
    fn fields_that_nobody_reads_are_refused() {
        for place in [
            "",
            "/parameters/0/tensor",
            "/parameters/0/tensor/layout",
            "/work_partition",
            "/circular_buffers/0",
            "/compute",
            "/kernels/0",
            "/kernels/0/runtime_args/0",
        ] {
            let mut plan: Value = serde_json::from_str(COPY).unwrap();
            plan.pointer_mut(place).unwrap()["mutabel"] = json!(true);
            let error = Plan::from_json(&plan.to_string());
            let error = error.err().unwrap_or_else(|| panic!("{place} is taken")).to_string();
            assert!(error.contains("unknown field `mutabel`"), "{place}: {error}");
        }
    }
}
