//! What must hold of Tile IR after each of its passes, and of what is known of it before its blocks are lowered.
//!
//! Each promise is what the head of the pass says of the program after it.

use super::progress::proved_of;
use super::{Proof, fault, unproved};
use crate::device::{Leaf, Loop, Parts};
use crate::flow::Depth;
use crate::ir::{Kind, has_loops_apart, visit};
use crate::names::is_reserved;
use crate::passes::a1_infer_layout::Laid;
use crate::passes::b1_partition_work::Divided;
use crate::passes::b2_grid_to_cores::Instance;
use crate::passes::give_names::{Named, index_name};
use crate::passes::orient_vectors::{of_region, of_shape};
use crate::passes::split_conditions::Tile;
use crate::pipeline::Unit;
use std::collections::BTreeMap;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::hash::HashSet;
use tt_lang::ir::{
    Access, Buffer, Element, ElementKind, ElementType, For, IntExpr, Kernel, Linear, LoopKind, Op, Param, Place,
    ReduceDim, Stmt, VarId,
};
use tt_plan::{DataFormat, Engine};

/// What a pass promises of the program that it gives.
pub type Promise = fn(&Kernel) -> Proof;

/// Whether a program keeps these promises, and what every one of Tile IR does.
///
/// # Errors
/// The first that it does not, as a fault of the compiler.
pub fn keeps<const COUNT: usize>(tile: &Tile, promises: [Promise; COUNT]) -> Result<(), Vec<Diagnostic>> {
    let all = [well_formed as Promise].into_iter().chain(promises);
    reported(&tile.kernel, all.into_iter().try_for_each(|holds| holds(&tile.kernel)))
}

fn reported(kernel: &Kernel, proof: Proof) -> Result<(), Vec<Diagnostic>> {
    proof.map_err(|fault| vec![unproved(kernel.span, &fault)])
}

/// A fault where `is_wrong` of any statement, at any depth.
fn none(kernel: &Kernel, what: &str, mut is_wrong: impl FnMut(&Stmt) -> bool) -> Proof {
    let mut wrong = None;
    visit(&kernel.body, &mut |stmt| {
        if wrong.is_none() && is_wrong(stmt) {
            wrong = Some(stmt);
        }
    });
    match wrong {
        None => Ok(()),
        Some(stmt) => fault(format!("{what}: {}", tt_lang::ir::Named(kernel, stmt))),
    }
}

/// Every loop has a variable of its own, and every access is of a block or tensor that there is, with an index for each of its
/// axes, of variables that there are.
pub fn well_formed(kernel: &Kernel) -> Proof {
    if !has_loops_apart(&kernel.body) {
        return fault("two loops have one variable");
    }
    let axes = |access: &Access| match access.buffer {
        Buffer::Block(block) => kernel.blocks.get(block.index()).map(|block| block.shape.len()),
        Buffer::Tensor(tensor) => match kernel.params.get(tensor.index())? {
            Param::Tensor(tensor) | Param::Temporary(tensor) => Some(tensor.extents.len()),
            Param::Scalar(_) | Param::Derived(_) => None,
        },
    };
    let is_variable = |index: &IntExpr| {
        let mut is_known = true;
        index.walk(&mut |part| {
            if let IntExpr::Var(var) | IntExpr::Fetched(var) = part {
                is_known &= var.index() < kernel.variables.len();
            }
        });
        is_known
    };
    none(kernel, "an access of no element", |stmt| {
        let mut is_wrong = false;
        stmt.accesses(&mut |access, _| {
            is_wrong |= axes(access) != Some(access.indices.len()) || !access.indices.iter().all(is_variable);
        });
        is_wrong
    })
}

/// After reduce_integers: no integers of a block are summed, and none is the greatest or the least of them.
pub fn reduces_no_integers(kernel: &Kernel) -> Proof {
    none(kernel, "integers are reduced", |stmt| {
        let Kind::Op(Op::Reduce { op, src, out, .. }) = &stmt.kind else {
            return false;
        };
        let [from, to] = [src, out].map(|block| kernel.block(block.value));
        // C1 refuses what is of two types, or of blocks of other axes.
        let is_compiled = from.element == to.element && from.shape.len() == 2;
        let is_integer = matches!(from.element, ElementType::I32 | ElementType::U32);
        is_compiled && is_integer && op.of_integers().is_some()
    })
}

/// After hold_elements: nothing is of `f16`, `u32` or `u16`, but that a number may be rounded to `f16`.
pub fn holds_elements(kernel: &Kernel) -> Proof {
    let is_held = |element| matches!(element, ElementType::F16 | ElementType::U32 | ElementType::U16);
    for block in &kernel.blocks {
        if is_held(block.element) {
            return fault(format!("{} is of {}", block.name, block.element.name()));
        }
    }
    for param in &kernel.params {
        if let Param::Tensor(tensor) | Param::Temporary(tensor) = param
            && is_held(tensor.element.value)
        {
            return fault(format!("{} is of {}", tensor.name, tensor.element.value.name()));
        }
    }
    none(kernel, "a cast to what is held as something else", |stmt| {
        is_any(stmt, |part| {
            matches!(part.kind, ElementKind::Cast(ElementType::U32 | ElementType::U16, _))
        })
    })
}

/// After split_conditions: no element is chosen by a comparison of integers that are the same for the whole block.
pub fn chooses_by_elements(kernel: &Kernel) -> Proof {
    none(kernel, "a choice that is the same for the whole block", |stmt| {
        let mut indices = [].as_slice();
        if let Kind::Op(Op::Parallel { indices: of, .. }) = &stmt.kind {
            indices = of;
        }
        let differs = |value: &IntExpr| indices.iter().any(|(var, _)| value.mentions(*var));
        is_any(stmt, |part| {
            let ElementKind::Select(condition, ..) = &part.kind else {
                return false;
            };
            matches!(&condition.kind, ElementKind::CompareInt(_, a, b) if !differs(a) && !differs(b))
        })
    })
}

fn is_any(stmt: &Stmt, is: impl Fn(&Element) -> bool) -> bool {
    let mut found = false;
    stmt.elements()
        .for_each(|value| value.walk(&mut |part| found |= is(part)));
    found
}

/// After unstack: no block is a stack of blocks.
pub fn has_no_stacks(kernel: &Kernel) -> Proof {
    match kernel.blocks.iter().find(|block| block.shape.len() == 3) {
        None => Ok(()),
        Some(block) => fault(format!("{} is a stack", block.name)),
    }
}

/// After orient_vectors: the elements of a vector are values of rows, or values of columns, and blocks of one column or one row lie as
/// those elements of tensors do that they are copied from and to.
pub fn vectors_lie_one_way(kernel: &Kernel) -> Proof {
    // What is first said of each, and whether something else is.
    let mut ways: BTreeMap<usize, bool> = BTreeMap::new();
    none(kernel, "a vector is of rows and of columns", |stmt| {
        let mut said = Vec::new();
        if let Kind::Op(Op::Parallel { indices, .. }) = &stmt.kind
            && let [(row, _), (column, _)] = indices.as_slice()
        {
            stmt.accesses(&mut |access, _| {
                if let (Buffer::Block(block), [index]) = (access.buffer, access.indices.as_slice()) {
                    let along = |var: &VarId| Linear::of(index).coefficient(*var) != 0;
                    if along(row) != along(column) {
                        said.push((block, along(row)));
                    }
                }
            });
        }
        if let Kind::Op(Op::Copy { src, dst }) = &stmt.kind
            && let (Place::Block(block), Place::Tensor(region)) | (Place::Tensor(region), Place::Block(block)) =
                (src, dst)
            && let (Some(block), Some(region)) = (of_shape(&kernel.block(block.value).shape), of_region(region))
            && block != region
        {
            return true;
        }
        if let Kind::Op(Op::Reduce { out, dim, .. }) = &stmt.kind
            && *dim != ReduceDim::All
        {
            said.push((out.value, *dim == ReduceDim::Rows));
        }
        said.retain(|(block, _)| kernel.block(*block).shape.len() == 1);
        said.into_iter()
            .any(|(block, is_rows)| *ways.entry(block.index()).or_insert(is_rows) != is_rows)
    })
}

/// What must hold after A1: all that a kernel names has a layout, which holds its elements.
///
/// # Errors
/// What does not hold, as a fault of the compiler.
pub fn laid(unit: &Laid) -> Result<(), Vec<Diagnostic>> {
    let Laid { kernel, layouts, .. } = unit;
    let blocks = || {
        if [kernel.blocks.len(), kernel.params.len()] != [layouts.blocks.len(), layouts.tensors.len()] {
            return fault("there is not a layout for each block and parameter");
        }
        for (block, layout) in kernel.blocks.iter().zip(&layouts.blocks) {
            let is_whole = block.shape.iter().product::<u64>() == layout.extent.iter().product::<u64>();
            let is_vector = block.shape.len() == 1;
            let is_held = layout.format == DataFormat::of(block.element);
            if !is_whole || !is_held || is_vector != layout.orientation.is_some() {
                return fault(format!("the layout of {} is of another block", block.name));
            }
            if layout.format.is_integer() && !layouts.fp32_dest {
                return fault(format!("registers of 16 bits do not hold {}", block.name));
            }
        }
        Ok(())
    };
    reported(kernel, blocks())
}

/// What must hold after A2: a block is as deep as a loop asks for, or as by default.
///
/// # Errors
/// As [`laid`].
pub fn deep(unit: &Laid) -> Result<(), Vec<Diagnostic>> {
    laid(unit)?;
    let mut asked = HashSet::default();
    visit(&unit.kernel.body, &mut |stmt| {
        if let Kind::Loop(
            For {
                kind: LoopKind::Pipelined(stages),
                ..
            },
            _,
        ) = &stmt.kind
        {
            asked.insert(*stages);
        }
    });
    let depths = unit.layouts.blocks.iter().map(|block| block.depth);
    let wrong = depths.filter(|depth| *depth != Depth::Default && !asked.contains(&depth.versions()));
    let proof = match wrong.count() {
        0 => Ok(()),
        wrong => fault(format!("no loop asks for the depth of {wrong} blocks")),
    };
    reported(&unit.kernel, proof)
}

/// What must hold after B1: the grid is that of the kernel.
///
/// # Errors
/// As [`laid`].
pub fn divided(unit: &Divided) -> Result<(), Vec<Diagnostic>> {
    let axes = unit.source.grid.axes.len();
    let is_axis = |axis: usize| axis < axes;
    let proof = match unit.partition.grid.len() == axes && unit.partition.lone.iter().all(|lone| is_axis(lone.axis)) {
        true => Ok(()),
        false => fault(format!(
            "the work is divided along other axes than the {axes} of the grid"
        )),
    };
    reported(&unit.kernel, proof)
}

/// What must hold after B2: no two kernels of a launch have a part, a processor or a NoC in common.
///
/// # Errors
/// As [`laid`].
pub fn placed(unit: &Unit<()>) -> Result<(), Vec<Diagnostic>> {
    let instances = &unit.facts.instances;
    let proof = instances.iter().enumerate().try_for_each(|(at, one)| {
        let others = instances.iter().take(at);
        let meets = |other: &Instance| match (one.engine, other.engine) {
            (
                Engine::DataMovement { processor, noc },
                Engine::DataMovement {
                    processor: processor_of_other,
                    noc: noc_of_other,
                },
            ) => processor == processor_of_other || noc == noc_of_other,
            (Engine::Compute, Engine::Compute) => true,
            (Engine::DataMovement { .. }, Engine::Compute) | (Engine::Compute, Engine::DataMovement { .. }) => false,
        };
        match others.into_iter().any(|other| one.role == other.role || meets(other)) {
            false => Ok(()),
            true => fault(format!("the {:?} stands where another kernel does", one.role)),
        }
    });
    reported(&unit.facts.source, proof)
}

/// What must hold after give_names: what held before, of programs in which nothing has the name of anything else.
///
/// # Errors
/// As [`laid`].
pub fn named(unit: &Unit<Named>) -> Result<(), Vec<Diagnostic>> {
    let Named { parts, variables, .. } = &unit.program;
    proved_of(&unit.facts.source, parts)?;
    let buffers = parts.buffers.iter().map(|buffer| index_name(&buffer.name));
    let mut taken = HashSet::default();
    let proof = buffers
        .chain(variables.iter().cloned())
        .try_for_each(|name| match is_reserved(&name) {
            false if taken.insert(name.clone()) => Ok(()),
            false => fault(format!("two things are called {name}")),
            true => fault(format!("{name} is the compiler's own or the device's")),
        });
    reported(&unit.facts.source, proof)
}

/// What must hold after rasterize: what held before, and in every program each variable of the grid is given one value for a
/// block.
///
/// # Errors
/// As [`laid`].
pub fn rasterized(unit: &Unit<Named>) -> Result<(), Vec<Diagnostic>> {
    named(unit)?;
    let Named { parts, variables, .. } = &unit.program;
    let Parts { programs, .. } = parts;
    let grid = || {
        unit.facts
            .kernel
            .grid
            .axes
            .iter()
            .map(|(var, _)| &variables[var.index()])
    };
    let proof = [&programs.reader, &programs.compute, &programs.writer]
        .into_iter()
        .flatten()
        .try_for_each(|stmt| match &stmt.kind {
            Kind::Loop(Loop::Blocks { .. }, body) => {
                let values = |wanted: &String| {
                    let is_value = |stmt: &&crate::ir::Stmt<_>| {
                        matches!(&stmt.kind, Kind::Op(Leaf::Let { name, .. }) if name == wanted)
                    };
                    body.iter().filter(is_value).count()
                };
                match grid().find(|name| values(name) != 1) {
                    None => Ok(()),
                    Some(name) => fault(format!("{name} has not one value for a block")),
                }
            }
            Kind::Op(_) | Kind::Loop(Loop::Over { .. } | Loop::Tiles { .. }, _) | Kind::Group(..) | Kind::If(..) => {
                Ok(())
            }
        });
    reported(&unit.facts.source, proof)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::*;
    use tt_lang::ir::BlockId;

    fn parsed(body: &str) -> Tile {
        let text =
            format!("#[tt::kernel] fn k(n: i32, x: &Tensor<f32, 64, 64>, y: &mut Tensor<f32, 64, 64>) {{ {body} }}");
        let function: syn::ItemFn = syn::parse_str(&text).expect("Rust");
        let parsed = tt_lang::syntax::parse_item_fn(&function, "k.rs").expect("a kernel");
        Tile::of(&parsed.kernel.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics)))
    }

    fn reasons(proof: Result<(), Vec<Diagnostic>>) -> String {
        proof.map_or_else(|errors| format!("{errors:?}"), |()| "kept".to_string())
    }

    /// What each pass over Tile IR is for is a fault before it, and none after it.
    #[test]
    fn a_pass_that_did_nothing_is_noticed() {
        type Run = fn(Tile) -> Result<Tile, Vec<Diagnostic>>;
        let cases: [(&str, Run, Promise, &str); 5] = [
            (
                "let b = T.Kernel(1); let a = T.alloc_fragment::<i32>(32, 32); let s = T.alloc_fragment::<i32>(32);
                 T.clear(a); T.reduce_sum(a, s, dim = 1);",
                reduce_integers::PASS.run,
                reduces_no_integers,
                "integers are reduced",
            ),
            (
                "let b = T.Kernel(1); let a = T.alloc_fragment::<f16>(32, 32); T.clear(a);",
                hold_elements::PASS.run,
                holds_elements,
                "a is of f16",
            ),
            (
                "let b = T.Kernel(1); let a = T.alloc_fragment::<f32>(32, 32);
                 for (i, j) in T.Parallel(32, 32) { a[(i, j)] = if n > 2 { 1.0 } else { 2.0 }; }",
                split_conditions::PASS.run,
                chooses_by_elements,
                "the same for the whole block",
            ),
            (
                "let b = T.Kernel(1); let a = T.alloc_fragment::<f32>(2, 32, 32);
                 for s in 0..2 { for (i, j) in T.Parallel(32, 32) { a[(s, i, j)] = 1.0; } }",
                unstack::PASS.run,
                has_no_stacks,
                "a is a stack",
            ),
            (
                "let b = T.Kernel(1); let a = T.alloc_fragment::<f32>(32, 32); let v = T.alloc_fragment::<f32>(32);
                 T.clear(v); for (i, j) in T.Parallel(32, 32) { a[(i, j)] = v[i] * v[j]; }",
                orient_vectors::PASS.run,
                vectors_lie_one_way,
                "of rows and of columns",
            ),
        ];
        for (body, run, promise, expected) in cases {
            let before = parsed(body);
            let found = reasons(keeps(&before, [promise]));
            assert!(found.contains(expected), "{found} does not say {expected}");
            assert_eq!(
                reasons(keeps(&run(before).expect(expected), [promise])),
                "kept",
                "{expected}"
            );
        }
    }

    const COPY: &str = "let bx = T.Kernel(2); let a = T.alloc_fragment::<f32>(32, 32);
        for k in T.Pipelined(2, num_stages = 3) { T.copy(x[(bx * 32, k * 32)], a); T.copy(a, y[(bx * 32, k * 32)]); }";

    #[test]
    fn an_access_without_an_index_for_each_axis_is_noticed() {
        let mut tile = parsed(
            "let b = T.Kernel(1); let a = T.alloc_fragment::<f32>(32, 32);
             for (i, j) in T.Parallel(32, 32) { a[(i, j)] = 1.0; }",
        );
        assert_eq!(reasons(keeps(&tile, [])), "kept");
        tile.kernel.blocks[BlockId(0).index()].shape = vec![32];
        assert!(reasons(keeps(&tile, [])).contains("an access of no element"));
    }

    #[test]
    fn two_loops_of_one_variable_are_noticed() {
        let mut tile = parsed(COPY);
        assert_eq!(reasons(keeps(&tile, [])), "kept");
        let again = tile.kernel.body.clone();
        tile.kernel.body.extend(again);
        assert!(reasons(keeps(&tile, [])).contains("two loops have one variable"));
    }

    #[test]
    fn a_layout_of_another_block_is_noticed() {
        let mut of =
            (a2_propagate_layout::PASS.run)((a1_infer_layout::PASS.run)(parsed(COPY)).expect("A1")).expect("A2");
        assert_eq!(reasons(deep(&of)), "kept");
        of.layouts.blocks[0].depth = Depth::Asked(7);
        assert!(reasons(deep(&of)).contains("no loop asks"));
        of.layouts.blocks[0].extent = [32, 64];
        assert!(reasons(laid(&of)).contains("the layout of a is of another block"));
        of.layouts.blocks.clear();
        assert!(reasons(laid(&of)).contains("not a layout for each"));
    }

    /// `COPY` before C1.
    fn placed_copy() -> Unit<()> {
        let laid = (a1_infer_layout::PASS.run)(parsed(COPY)).expect("A1");
        let divided = (b1_partition_work::PASS.run)(laid).expect("B1");
        (b2_grid_to_cores::PASS.run)(divided).expect("B2")
    }

    #[test]
    fn a_grid_of_other_axes_is_noticed() {
        let laid = (a1_infer_layout::PASS.run)(parsed(COPY)).expect("A1");
        let mut of = (b1_partition_work::PASS.run)(laid).expect("B1");
        assert_eq!(reasons(divided(&of)), "kept");
        of.partition.grid.clear();
        assert!(reasons(divided(&of)).contains("other axes"));
    }

    #[test]
    fn two_kernels_in_one_place_are_noticed() {
        let mut of = placed_copy();
        assert_eq!(reasons(placed(&of)), "kept");
        of.facts.instances[2].engine = of.facts.instances[0].engine;
        assert!(reasons(placed(&of)).contains("where another kernel does"));
    }

    #[test]
    fn names_of_two_things_and_grids_without_values_are_noticed() {
        let unit = (c1_lower_shared_to_cb::PASS.run)(placed_copy()).expect("C1");
        let unit = (c2_lower_tile_intrinsics::PASS.run)((pad_tiles::PASS.run)(unit).expect("pad")).expect("C2");
        let unit = (d1_split_kernel::PASS.run)((c3_build_dataflow::PASS.run)(unit).expect("C3")).expect("D1");
        let unit =
            (d3_lower_cb_protocol::PASS.run)((d2_bind_tensor_accessors::PASS.run)(unit).expect("D2")).expect("D3");
        let unit =
            (d5_insert_dst_management::PASS.run)((d4_insert_compute_init::PASS.run)(unit).expect("D4")).expect("D5");
        let unit = (give_names::PASS.run)(unit).expect("names");
        assert_eq!(reasons(named(&unit)), "kept");
        assert!(reasons(rasterized(&unit)).contains("bx has not one value"));
        let mut unit = (rasterize::PASS.run)(unit).expect("coordinates");
        assert_eq!(reasons(rasterized(&unit)), "kept");
        unit.program.variables[1] = unit.program.variables[0].clone();
        assert!(reasons(named(&unit)).contains("two things are called"));
        unit.program.variables[1] = "get_arg_val".to_string();
        assert!(reasons(named(&unit)).contains("the compiler's own or the device's"));
    }
}
