//! Whether a plan is consistent in itself.

use crate::{
    CompileArg, DataFormat, Engine, Formula, KernelPlan, Number, Parameter, PartitionMode, Plan, Role, RuntimeValue,
    ShardRegion, Temporary, TensorLayout,
};
use std::collections::{HashMap, HashSet};
use tt_device::TILE_SIDE;
use tt_lang::ir::{ElementType, ScalarKind, Sharding};

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
        let mut stage = Validate::of(self);
        stage.names();
        stage.tensors();
        stage.derived();
        stage.grid();
        stage.circular_buffers();
        stage.kernels();
        stage.cost();
        stage.errors
    }
}

/// What is looked at of a plan of one stage, and what was found.
struct Validate<'p> {
    plan: &'p Plan,
    /// What formulas may name.
    integers: HashSet<&'p str>,
    /// What numbers may name besides.
    floats: HashSet<&'p str>,
    /// The tensors, each with whether it is written.
    tensors: HashMap<&'p str, bool>,
    errors: Vec<String>,
}

impl<'p> Validate<'p> {
    fn of(plan: &'p Plan) -> Validate<'p> {
        let mut stage = Validate {
            plan,
            integers: plan.extents.iter().map(String::as_str).collect(),
            floats: HashSet::new(),
            tensors: HashMap::new(),
            errors: Vec::new(),
        };
        for parameter in &plan.parameters {
            match parameter {
                Parameter::Scalar {
                    name,
                    kind: ScalarKind::F32,
                } => drop(stage.floats.insert(name)),
                Parameter::Scalar { name, .. } => drop(stage.integers.insert(name)),
                // The writer reads integers alone.
                Parameter::Tensor {
                    name, mutable, element, ..
                } => drop(stage.tensors.insert(name, *mutable || element.is_integer())),
            }
        }
        let temporaries = plan.temporaries.iter().map(|temporary| temporary.name.as_str());
        stage.tensors.extend(temporaries.map(|name| (name, true)));
        stage
            .integers
            .extend(plan.derived.iter().map(|derived| derived.name.as_str()));
        stage
    }

    fn cost(&mut self) {
        let Some(cost) = &self.plan.cost else { return };
        let transfers = [&cost.reads, &cost.writes].into_iter().chain(&cost.shared);
        let moved = transfers.flat_map(|moved| [&moved.count, &moved.bytes, &moved.waits]);
        let engines = cost.compute.iter().flat_map(|of| [&of.all, &of.in_steps]);
        let computed = engines.flat_map(|of| [&of.unpack, &of.math, &of.pack]);
        for formula in moved.chain(computed) {
            self.formula("the cost of a block", formula);
        }
    }

    fn names(&mut self) {
        let plan = self.plan;
        let mut names = HashSet::new();
        for name in plan
            .extents
            .iter()
            .map(String::as_str)
            .chain(plan.parameters.iter().map(Parameter::name))
            .chain(plan.temporaries.iter().map(|temporary| temporary.name.as_str()))
            .chain(plan.derived.iter().map(|derived| derived.name.as_str()))
        {
            if !names.insert(name) {
                self.errors.push(format!("the name `{name}` stands twice"));
            }
        }
    }

    fn tensors(&mut self) {
        for parameter in &self.plan.parameters {
            if let Parameter::Tensor {
                name,
                element,
                extents,
                layout,
                ..
            } = parameter
            {
                self.tensor(name, *element, extents, layout);
            }
        }
        for temporary in &self.plan.temporaries {
            let Temporary {
                name,
                element,
                extents,
                layout,
            } = temporary;
            self.tensor(name, *element, extents, layout);
        }
    }

    fn tensor(&mut self, name: &str, element: ElementType, extents: &[Formula], layout: &TensorLayout) {
        if extents.is_empty() || extents.len() > 6 {
            self.errors.push(format!(
                "tensor `{name}` has {} axes, 1 to 6 are possible",
                extents.len()
            ));
        }
        for extent in extents {
            self.formula(&format!("tensor `{name}`"), extent);
        }
        if layout.interleave != (layout.sharding == Sharding::Interleaved) {
            self.errors.push(format!(
                "tensor `{name}` is both interleaved and in shards, or neither: {layout}"
            ));
        }
        if let Sharding::Nd { grid, shard, .. } = &layout.sharding
            && (grid.len() != extents.len() || shard.len() != extents.len() || shard.contains(&0))
        {
            self.errors.push(format!(
                "tensor `{name}` has {} axes, its shards other ones: {layout}",
                extents.len()
            ));
        }
        if layout.tile_shape != [TILE_SIDE; 2] {
            let [rows, columns] = layout.tile_shape;
            self.errors.push(format!(
                "tensor `{name}` has tiles of {rows} × {columns}, tiles are {TILE_SIDE} × {TILE_SIDE}"
            ));
        }
        if layout.page_size != DataFormat::of(element).tile_bytes() {
            self.errors.push(format!(
                "tensor `{name}` has pages of {} bytes, not of one tile",
                layout.page_size
            ));
        }
    }

    fn derived(&mut self) {
        for derived in &self.plan.derived {
            for side in [&derived.a, &derived.b] {
                self.number(&format!("`{}`", derived.name), side);
            }
        }
    }

    fn grid(&mut self) {
        let plan = self.plan;
        let axes = plan.grid.len();
        if plan.grid.is_empty() || axes > 6 {
            self.errors
                .push(format!("the grid has {axes} axes, 1 to 6 are possible"));
        }
        for extent in &plan.grid {
            self.formula("the grid", extent);
        }
        for lone in &plan.lone_axes {
            if lone.axis >= axes {
                self.errors
                    .push(format!("the grid has no axis {}, which must have extent 1", lone.axis));
            }
        }
        for range in &plan.ranges {
            self.formula("a range", &range.length);
        }
        let mut on_shards = plan.circular_buffers.iter().filter_map(|cb| cb.shard.as_ref());
        if plan.work_partition.mode == PartitionMode::LocalShard && on_shards.clone().next().is_none() {
            self.errors
                .push("the blocks belong to shards, which no tensor has".into());
        }
        let fits = |region: &ShardRegion| {
            let tensor = plan.tensor(&region.tensor);
            tensor.is_some_and(|(layout, extents)| {
                layout.sharding != Sharding::Interleaved && extents.len() == region.first.len()
            }) && region.first.iter().all(|step| step.axis < axes.max(1))
        };
        if let Some(region) = on_shards.find(|region| !fits(region)) {
            self.errors.push(format!(
                "a circular buffer may lie on shards of `{}`, which has no such shards",
                region.tensor
            ));
        }
        if let Some([along, down]) = plan.work_partition.placement.rectangle()
            && ((along == down) != (axes == 1) || along.max(down) >= axes)
        {
            self.errors.push(format!(
                "axes {along} and {down} of the grid lie along a rectangle of cores, which are no two of its {axes}, nor its only one twice"
            ));
        }
    }

    fn circular_buffers(&mut self) {
        let is_wide = self.plan.compute.fp32_dest_acc_en;
        let mut indices = HashSet::new();
        for cb in &self.plan.circular_buffers {
            if !indices.insert(cb.index) {
                self.errors.push(format!("circular buffer {} stands twice", cb.index));
            }
            if cb.pages == 0 || cb.page_size != cb.data_format.tile_bytes() {
                self.errors.push(format!(
                    "circular buffer `{}` has {} pages of {} bytes",
                    cb.name, cb.pages, cb.page_size
                ));
            }
            if cb.unpack_to_dest_fp32 && !(cb.data_format == DataFormat::Float32 && is_wide) {
                self.errors.push(format!(
                    "circular buffer `{}` of {:?} cannot be unpacked into registers of {} bits as they are",
                    cb.name,
                    cb.data_format,
                    if is_wide { 32 } else { 16 }
                ));
            }
        }
    }

    fn kernels(&mut self) {
        let kernels = &self.plan.kernels;
        for role in [Role::Reader, Role::Compute, Role::Writer] {
            let count = kernels.iter().filter(|kernel| kernel.role == role).count();
            if count != 1 {
                self.errors.push(format!("there are {count} {} kernels", role.name()));
            }
        }
        for (before, kernel) in kernels.iter().enumerate() {
            if kernels[..before].iter().any(|other| other.engine == kernel.engine) {
                let role = kernel.role.name();
                self.errors.push(format!(
                    "the {role} kernel runs where another does: {:?}",
                    kernel.engine
                ));
            }
            self.kernel(kernel);
        }
    }

    fn kernel(&mut self, kernel: &KernelPlan) {
        let what = format!("the {} kernel", kernel.role.name());
        if kernel.runtime_args.len() > MAX_RUNTIME_ARGS {
            self.errors.push(format!(
                "{what} takes {} runtime arguments, {MAX_RUNTIME_ARGS} are possible",
                kernel.runtime_args.len()
            ));
        }
        for CompileArg::Accessor(name) in &kernel.compile_args {
            if !self.tensors.contains_key(name.as_str()) {
                self.errors
                    .push(format!("{what} accesses `{name}`, which is no tensor"));
            }
        }
        if (kernel.role == Role::Compute) != (kernel.engine == Engine::Compute) {
            self.errors.push(format!("{what} runs on {:?}", kernel.engine));
        }
        self.accesses(&what, kernel);
        for arg in &kernel.runtime_args {
            let what = format!("argument `{}` of {what}", arg.name);
            match &arg.value {
                RuntimeValue::Address(name) if !self.tensors.contains_key(name.as_str()) => {
                    self.errors
                        .push(format!("{what} is the address of `{name}`, which is no tensor"));
                }
                RuntimeValue::FirstPage(name) if !self.tensors.contains_key(name.as_str()) => {
                    self.errors
                        .push(format!("{what} is the first page of `{name}`, which is no tensor"));
                }
                RuntimeValue::Formula(value) => self.formula(&what, value),
                RuntimeValue::Number(value) => self.number(&what, value),
                RuntimeValue::Flag { a, b, .. } => [a, b].into_iter().for_each(|side| self.number(&what, side)),
                RuntimeValue::Address(_)
                | RuntimeValue::FirstPage(_)
                | RuntimeValue::StartId
                | RuntimeValue::Count
                | RuntimeValue::Step
                | RuntimeValue::RunLength
                | RuntimeValue::RunPitch
                | RuntimeValue::Place(_)
                | RuntimeValue::Cores(_)
                | RuntimeValue::Every(_)
                | RuntimeValue::Sender(_)
                | RuntimeValue::Noc { .. } => {}
            }
        }
    }

    /// Whether a kernel goes to its tensors with their own accessors, and the writer to those that are written, or hold integers that
    /// it needs. A launch would not tell: accessors of two tensors have the same words, and any address can be written to.
    fn accesses(&mut self, what: &str, kernel: &KernelPlan) {
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
                RuntimeValue::FirstPage(_)
                | RuntimeValue::StartId
                | RuntimeValue::Count
                | RuntimeValue::Step
                | RuntimeValue::RunLength
                | RuntimeValue::RunPitch
                | RuntimeValue::Place(_)
                | RuntimeValue::Cores(_)
                | RuntimeValue::Every(_)
                | RuntimeValue::Sender(_)
                | RuntimeValue::Noc { .. }
                | RuntimeValue::Formula(_)
                | RuntimeValue::Number(_)
                | RuntimeValue::Flag { .. } => None,
            })
            .collect();
        if accessors != addresses {
            self.errors.push(format!(
                "{what} has accessors of ({}), but addresses of ({})",
                accessors.join(", "),
                addresses.join(", ")
            ));
        }
        for name in &accessors {
            let error = match (kernel.role, self.tensors.get(name)) {
                (Role::Writer, Some(false)) => format!("{what} writes `{name}`, which is not mutable"),
                (Role::Compute, _) => format!("{what} accesses `{name}`, which only reader and writer can"),
                (Role::Reader | Role::Writer, _) => continue,
            };
            self.errors.push(error);
        }
    }

    fn formula(&mut self, what: &str, formula: &Formula) {
        formula.names(&mut |name| {
            if !self.integers.contains(name) {
                self.errors.push(format!(
                    "{what} uses `{name}`, which is no extent and no integer scalar"
                ));
            }
        });
    }

    fn number(&mut self, what: &str, value: &Number) {
        match value {
            Number::Bits(_) => {}
            Number::Scalar(name) if self.floats.contains(name.as_str()) => {}
            Number::Scalar(name) => self
                .errors
                .push(format!("{what} uses `{name}`, which is no f32 scalar")),
            Number::Int(int) => self.formula(what, int),
            Number::Call(op, args) => {
                if args.len() != op.row().arity {
                    self.errors.push(format!(
                        "{what} calls `{}` with {} arguments",
                        op.row().name,
                        args.len()
                    ));
                }
                args.iter().for_each(|arg| self.number(what, arg));
            }
            Number::Compare(_, a, b) => {
                self.number(what, a);
                self.number(what, b);
            }
            Number::Bf16(_, of) => self.number(what, of),
        }
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
                format!("{layout}/interleave"),
                json!(false),
                "tensor `a` is both interleaved and in shards, or neither: dram, interleaved",
            ),
            (
                layout.into(),
                json!({ "shard": "DRAM", "interleave": true, "sharding": { "height": 8 }, "tile_shape": [32, 32], "page_size": 2048 }),
                "tensor `a` is both interleaved and in shards, or neither: dram, height_sharded(8)",
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
