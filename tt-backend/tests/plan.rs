//! Every plan the compiler writes follows the published schema, loads again unchanged, and gives a launch.

use std::collections::BTreeMap;
use tt_lang::ir::Fidelity;
use tt_plan::{ArchName, Bindings, Cores, DeviceGrid, Parameter, Plan, Role};

fn on_64_cores() -> Cores {
    Cores::of(ArchName::WormholeB0, DeviceGrid { x: 8, y: 8 })
}

const KERNELS: &str = include_str!("kernels/assorted.rs");

/// bf16 elements and scalars, compared with a scalar.
const COMPARED: &str = "#[tt::kernel]
    fn compared<const N: usize>(x: &Tensor<bf16, 1, N>, s: f32, t: f32, y: &mut Tensor<bf16, 1, N>) {
        let bx = T.Kernel(N.div_ceil(64));
        let v = T.alloc_shared::<bf16>(1, 64);
        T.copy(x[(0, bx * 64)], v);
        for (i, j) in T.Parallel(1, 64) {
            v[(i, j)] = if v[(i, j)] < s || v[(i, j)] > s || v[(i, j)] == t || s < t { 1.0 } else { v[(i, j)] };
        }
        T.copy(v, y[(0, bx * 64)]);
    }";

/// Blocks along `bx` store the same.
const LONE: &str = "#[tt::kernel]
    fn lone<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, y: &mut Tensor<bf16, M, N>) {
        let (by, bx) = T.Kernel(M.div_ceil(32), N.div_ceil(128));
        let v = T.alloc_shared::<bf16>(32, 128);
        T.copy(x[(by * 32, bx * 128)], v);
        T.copy(v, y[(by * 32, 0)]);
    }";

/// What it copies is as long as the launch says.
const LONG: &str = "#[tt::kernel]
    fn long<const M: usize, const N: usize>(x: &Tensor<bf16, M, N>, n: u32, y: &mut Tensor<bf16, M, N>) {
        let by = T.Kernel(M / 32);
        let v = T.alloc_shared::<bf16>(32, 80);
        T.copy(x[(by * 32..by * 32 + n / 2, 0..80)], v);
        T.copy(v, y[(by * 32, 0)]);
    }";

/// How many blocks there are a comparison of numbers says.
const DERIVED: &str = "#[tt::kernel]
    fn derived<const M: usize>(x: &Tensor<bf16, M, 32>, alpha: f32, y: &mut Tensor<bf16, M, 32>) {
        let by = T.Kernel(if alpha * 2.0 > 1.5 { 1 } else { M.div_ceil(32) });
        let v = T.alloc_shared::<bf16>(32, 32);
        T.copy(x[(by * 32, 0)], v);
        T.copy(v, y[(by * 32, 0)]);
    }";

fn compiled(text: &str) -> tt_backend::Artifact {
    let syn::Item::Fn(function) = syn::parse_str(text).expect("a function") else {
        panic!("{text}")
    };
    let parsed = tt_lang::syntax::parse_item_fn(&function, "plan.rs").and_then(|parsed| parsed.kernel);
    tt_backend::compile(&parsed.expect("a kernel")).expect("it compiles")
}

fn plans() -> Vec<(String, String)> {
    let items = [KERNELS, COMPARED, LONE, LONG, DERIVED]
        .map(|text| syn::parse_file(text).expect("the test kernels are Rust").items);
    items
        .concat()
        .iter()
        .filter_map(|item| match item {
            syn::Item::Fn(function) => tt_lang::syntax::parse_item_fn(function, "assorted.rs"),
            _ => None,
        })
        .map(|parsed| {
            let kernel = parsed.kernel.unwrap_or_else(|| panic!("{:#?}", parsed.diagnostics));
            let artifact = tt_backend::compile(&kernel).unwrap_or_else(|errors| panic!("{}: {errors:#?}", kernel.name));
            (kernel.name, artifact.plan)
        })
        .collect()
}

#[test]
fn every_plan_follows_the_published_schema() {
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    let schema = include_str!("../../tt-plan/schema/tt.plan.schema.json");
    compiler
        .add_resource("tt.plan.schema.json", serde_json::from_str(schema).unwrap())
        .unwrap();
    let schema = compiler.compile("tt.plan.schema.json", &mut schemas).unwrap();
    let plans = plans();
    assert!(plans.len() >= 5);
    for (name, plan) in plans {
        let mut value: serde_json::Value = serde_json::from_str(&plan).unwrap();
        if let Err(error) = schemas.validate(&value, schema) {
            panic!("{name}: {error}");
        }
        value["surprise"] = serde_json::Value::Null;
        assert!(
            schemas.validate(&value, schema).is_err(),
            "the schema lets anything pass"
        );
    }
}

#[test]
fn every_plan_loads_again_and_gives_a_launch() {
    for (name, text) in plans() {
        let plan = Plan::from_json(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(plan.to_json(), text, "{name}");
        let mut bindings = Bindings::default();
        for extent in &plan.extents {
            bindings.integers.insert(extent.clone(), 100);
        }
        for parameter in &plan.parameters {
            match parameter {
                Parameter::Tensor { name, .. } => drop(bindings.addresses.insert(name.clone(), 0x1000)),
                Parameter::Scalar {
                    name,
                    kind: tt_lang::ir::ScalarKind::F32,
                } => drop(bindings.floats.insert(name.clone(), 0.75)),
                Parameter::Scalar { name, .. } => drop(bindings.integers.insert(name.clone(), 3)),
            }
        }
        plan.derive(&mut bindings).unwrap();
        let execution = plan.instantiate(&bindings, on_64_cores()).unwrap();
        let mut blocks = BTreeMap::new();
        for item in execution.work_partition.values().flatten() {
            *blocks.entry((item.io, item.jo, item.batch)).or_insert(0) += 1;
        }
        let [x, y, z, ..] = execution.grid;
        assert_eq!(blocks.len() as u64, x * y * z, "{name}: every block once");
        assert!(blocks.values().all(|count| *count == 1));
        for role in [Role::Reader, Role::Compute, Role::Writer] {
            let words = plan
                .runtime_args(role, &bindings, &execution.cores[..1], &Some)
                .unwrap();
            assert_eq!(words.len(), plan.kernel(role).unwrap().runtime_args.len());
        }
        let covered: u32 = execution
            .core_ranges
            .iter()
            .map(|range| range.extent[0] * range.extent[1])
            .sum();
        assert_eq!(
            covered as usize,
            execution.cores.len(),
            "{name}: the ranges are the cores"
        );
    }
}

#[test]
fn an_integer_that_does_not_fit_is_named_as_it_is_written() {
    let source = "#[tt::kernel]
    fn far<const N: usize>(x: &Tensor<bf16, 32, N>, n: u32, y: &mut Tensor<bf16, 32, N>) {
        let bx = T.Kernel(N.div_ceil(32));
        let v = T.alloc_shared::<bf16>(32, 32);
        T.clear(v);
        for k in 0..n + 1 {
            T.copy(x[(0, bx * 32)], v);
        }
        T.copy(v, y[(0, bx * 32)]);
    }";
    let parsed = tt_lang::syntax::parse_item_fn(&syn::parse_str(source).expect("a function"), "far.rs");
    let artifact =
        tt_backend::compile(&parsed.and_then(|parsed| parsed.kernel).expect("a kernel")).expect("it compiles");
    let plan = Plan::from_json(&artifact.plan).expect("a plan");
    let mut bindings = Bindings::default();
    bindings
        .integers
        .extend([("N".into(), 100), ("n".into(), i64::from(u32::MAX))]);
    bindings.addresses.extend([("x".into(), 0x1000), ("y".into(), 0x2000)]);
    let work = plan.partition(&bindings, on_64_cores()).expect("work").1;
    let error = plan
        .runtime_args(Role::Reader, &bindings, &work[..1], &Some)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`n + 1` is 4294967296, which does not fit in 32 bits with a sign"
    );
}

#[test]
fn a_grid_that_must_be_one_is_checked_by_the_plan_and_by_the_host_program() {
    let reason = "`y` is stored at the same place by all blocks along `bx`, so the grid must be 1 there";
    let artifact = compiled(LONE);
    let plan = Plan::from_json(&artifact.plan).expect("a plan");
    let [lone] = plan.lone_axes.as_slice() else {
        panic!("{:?}", plan.lone_axes)
    };
    assert_eq!((lone.axis, lone.reason.as_str()), (1, reason));
    let of = |columns: i64| {
        let mut bindings = Bindings::default();
        bindings.integers.extend([("M".into(), 100), ("N".into(), columns)]);
        plan.partition(&bindings, on_64_cores())
    };
    assert_eq!(of(128).expect("one block along `bx`").0, [4, 1, 1, 1, 1, 1]);
    let refused = of(129).expect_err("two blocks along `bx`").to_string();
    assert_eq!(refused, format!("{reason}, but is 2 (N.div_ceil(128))"));
    let check = format!(
        "    if (grid[1] > 1) {{
        throw std::invalid_argument(
            \"{reason}, \"
            \"but is \" + std::to_string(grid[1]) + \" (N.div_ceil(128))\");
    }}
"
    );
    assert!(artifact.main.contains(&check), "{}", artifact.main);
}

#[test]
fn a_range_that_must_fit_is_checked_by_the_plan_and_by_the_host_program() {
    let reason = "a range of `x` must be at most the 32 rows of its block";
    let artifact = compiled(LONG);
    let plan = Plan::from_json(&artifact.plan).expect("a plan");
    let of = |rows: i64, n: i64| {
        let mut bindings = Bindings::default();
        let values = [("M", rows), ("N", 80), ("n", n)];
        bindings
            .integers
            .extend(values.map(|(name, value)| (name.into(), value)));
        plan.partition(&bindings, on_64_cores())
    };
    assert_eq!(of(64, 65).expect("it fits").0, [2, 1, 1, 1, 1, 1]);
    let refused = of(64, 66).expect_err("33 rows").to_string();
    assert_eq!(refused, format!("{reason}, but is 33 (n / 2)"));
    assert!(of(31, 66).expect("no block copies").1.is_empty());
    let check = format!(
        "    if (!work.empty() && arguments.n / 2 > 32) {{
        throw std::invalid_argument(
            \"{reason}, \"
            \"but is \" + std::to_string(arguments.n / 2) + \" (n / 2)\");
    }}
"
    );
    assert!(artifact.main.contains(&check), "{}", artifact.main);
}

#[test]
fn an_integer_that_numbers_decide_is_computed_by_the_launch_and_by_the_host_program() {
    let artifact = compiled(DERIVED);
    let plan = Plan::from_json(&artifact.plan).expect("a plan");
    for (alpha, blocks) in [(0.76, 1), (0.75, 3), (f32::NAN, 3)] {
        let mut bindings = Bindings::default();
        bindings.integers.insert("M".into(), 70);
        bindings.floats.insert("alpha".into(), alpha);
        plan.derive(&mut bindings).expect("it has a value");
        let (grid, _) = plan.partition(&bindings, on_64_cores()).expect("a grid");
        assert_eq!(grid[0], blocks, "{alpha}");
    }
    let computed = "    arguments.mul_alpha_2_above_1_5 = float(double(arguments.alpha) * 2.0) > float(1.5);\n";
    assert!(artifact.main.contains(computed), "{}", artifact.main);
}

#[test]
fn a_plan_that_contradicts_itself_is_refused() {
    let (_, text) = plans().swap_remove(0);
    let broken = [
        (text.replacen("\"schema\": 9", "\"schema\": 10", 1), "version 10"),
        (
            text.replacen("\"role\": \"writer\"", "\"role\": \"reader\"", 1),
            "writer",
        ),
        (text.replacen("\"ceil_div\"", "\"ceil\"", 1), "schema 9"),
        (
            text.replacen(
                "\"axes\": [\n          0,\n          1",
                "\"axes\": [\n          0,\n          6",
                1,
            ),
            "axes 0 and 6 of the grid",
        ),
        (text[..text.len() / 2].to_string(), "not JSON"),
    ];
    for (text, expected) in broken {
        let error = Plan::from_json(&text).expect_err(expected).to_string();
        assert!(error.contains(expected), "`{error}` does not mention `{expected}`");
    }
}

/// The multiplier takes 5 bits of the right operand of a product and 7 of the left in each of its phases; HiFi3 leaves out the product
/// of what is then left of both, which is nothing to a sum of products of bf16.
#[test]
fn the_default_fidelity_is_the_least_that_loses_nothing() {
    use Fidelity::*;
    for (left, right, least) in [
        ("bf16", "bf16", HiFi3),
        ("f32", "bf16", HiFi4),
        ("f32", "f32", HiFi4),
        ("f32", "bfp4", HiFi3),
        ("bf16", "bfp8", HiFi3),
        ("bf16", "bfp4", HiFi3),
        ("bfp8", "bf16", HiFi2),
        ("bfp8", "bfp8", HiFi2),
        ("bfp4", "bfp8", HiFi2),
        ("bfp8", "bfp4", LoFi),
        ("bfp4", "bfp4", LoFi),
    ] {
        for (option, fidelity) in [("", least), ("(fidelity = HiFi4)", HiFi4)] {
            let artifact = compiled(&format!(
                "#[tt::kernel{option}]
                fn product<const M: usize>(a: &Tensor<{left}, M, 64>, b: &Tensor<{right}, 64, 32>, y: &mut Tensor<f32, M, 32>) {{
                    let by = T.Kernel(M.div_ceil(32));
                    let x = T.alloc_shared::<{left}>(32, 64);
                    let w = T.alloc_shared::<{right}>(64, 32);
                    let acc = T.alloc_fragment::<f32>(32, 32);
                    T.copy(a[(by * 32, 0)], x);
                    T.copy(b[(0, 0)], w);
                    T.gemm(x, w, acc, clear_accum = true);
                    T.copy(acc, y[(by * 32, 0)]);
                }}"
            ));
            let plan = Plan::from_json(&artifact.plan).expect("the plan loads");
            assert_eq!(plan.compute.math_fidelity, fidelity, "{left} by {right}{option}");
        }
    }
}
