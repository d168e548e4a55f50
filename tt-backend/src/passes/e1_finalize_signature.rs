//! E1: runtime arguments, names, and the plan.
//!
//! Before: programs whose expressions mention extents, scalars and numbers. After: what is constant over a launch is a
//! runtime argument, once per kernel, with its formula in the plan; expressions mention only variables, arguments and
//! constants.
//!
//! ```text
//!  page = (first_row + row) * tiles(b, 1) + ..      ⟹   runtime argument N_tiles = N.div_ceil(32); page = .. * N_tiles + ..
//! ```

mod arguments;
mod plan;

use super::a1_infer_layout::Layouts;
use super::b1_partition_work::Partition;
use super::d2_bind_tensor_accessors::Bound;
use super::{b2_grid_to_cores, rasterize};
use crate::codegen::Uses;
use crate::device::{Accessor, Bits, Calls, Device, Loop, Program, Programs, Symbol};
use crate::flow::{Buffer, BufferId};
use crate::ir::{Kind, Rewrite, Stmt};
use crate::names::Names;
use arguments::Arguments;
use std::collections::HashMap;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Order, ParamId};
use tt_plan::{BlockOrder, DataFormat, Role};

/// The programs before E1.
pub type Symbolic = Programs<Calls<Symbol>, Calls<Symbol>, Calls<Symbol>>;

/// Everything the pass brings together.
pub struct Inputs<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// A1.
    pub layouts: &'a Layouts,
    /// B1.
    pub partition: &'a Partition,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// D2.
    pub bound: Bound,
    /// The programs.
    pub programs: Symbolic,
}

/// The constant that holds the index of the circular buffer `name`.
pub fn index_name(name: &str) -> String {
    format!("cb_{name}")
}

/// The constant that holds the bytes of a page of the circular buffer `name`.
pub fn page_bytes_name(name: &str) -> String {
    format!("{name}_page_bytes")
}

/// The argument that holds the address of the tensor `name`.
fn address_name(name: &str) -> String {
    format!("{name}_address")
}

/// The constant that holds the compile-time words of the accessor `name`.
pub fn accessor_args_name(name: &str) -> String {
    format!("{name}_args")
}

/// Runs the pass.
pub fn run(inputs: Inputs) -> Result<Device, Vec<Diagnostic>> {
    let Inputs {
        kernel,
        layouts,
        partition,
        mut buffers,
        mut bound,
        programs,
    } = inputs;
    let mut names = Names::default();
    for buffer in &mut buffers {
        buffer.name = names.give_with(&buffer.name, |name| vec![index_name(name), page_bytes_name(name)]);
    }
    // A tensor that is read and written has one name in both kernels.
    let mut tensors: HashMap<ParamId, String> = HashMap::new();
    for accessor in bound.reader.iter_mut().chain(&mut bound.writer) {
        let name = tensors.entry(accessor.tensor).or_insert_with(|| {
            names.give_with(&accessor.name, |name| {
                vec![name.to_string(), address_name(name), accessor_args_name(name)]
            })
        });
        accessor.name = name.clone();
        accessor.address = address_name(name);
    }
    let variables: Vec<String> = kernel
        .variables
        .iter()
        .map(|variable| names.give(&variable.name))
        .collect();
    let order: BlockOrder = partition.work.order;
    debug_assert!(!matches!(kernel.options.order.value, Order::ZOrder | Order::Hilbert));
    let coordinates = rasterize::run(kernel, order, &variables);

    let finish = |role, accessors: Vec<Accessor>, body| {
        let mut arguments = Arguments::new(kernel, &variables, names.clone());
        for (name, value) in b2_grid_to_cores::run() {
            arguments.fixed("int32_t", name, value);
        }
        for accessor in &accessors {
            arguments.address(accessor);
        }
        let body = arguments.body(at_every_block(&coordinates, body));
        Ok::<_, Vec<Diagnostic>>(Program {
            role,
            args: arguments.finish()?,
            accessors,
            defines: defines(&buffers, &body),
            body,
        })
    };
    let programs = [
        finish(Role::Reader, bound.reader, programs.reader)?,
        finish(Role::Compute, Vec::new(), programs.compute)?,
        finish(Role::Writer, bound.writer, programs.writer)?,
    ];
    let plan = plan::run(kernel, layouts, partition, &buffers, &programs)?;
    Ok(Device {
        buffers,
        programs,
        variables,
        plan,
    })
}

/// `body` with `coordinates` before what is done for a block.
fn at_every_block(coordinates: &[Stmt<Calls<Symbol>>], body: Vec<Stmt<Calls<Symbol>>>) -> Vec<Stmt<Calls<Symbol>>> {
    body.into_iter()
        .map(|stmt| match stmt.kind {
            Kind::Loop(Loop::Blocks, body) => Stmt::new(
                stmt.note,
                Kind::Loop(Loop::Blocks, coordinates.iter().cloned().chain(body).collect()),
            ),
            kind => Stmt::new(stmt.note, kind),
        })
        .collect()
}

/// Headers with functions that are good to bf16 only, unless the kernel defines `INP_FLOAT32`, as ttnn does for fp32 tensors
/// (`ckernel_sfpu_erf.h`, `ckernel_sfpu_softplus.h`, `ckernel_sfpu_expm1_cw.h` of the device headers).
const OF_TWO_PRECISIONS: [&str; 3] = [
    "api/compute/eltwise_unary/elu.h",
    "api/compute/eltwise_unary/erf_erfc.h",
    "api/compute/eltwise_unary/softplus.h",
];

/// The macros of a file: what makes functions of two precisions take the better one, where there is anything in f32.
fn defines(buffers: &[Buffer], body: &[Stmt<Calls<Bits>>]) -> Vec<(&'static str, &'static str)> {
    let uses = Uses::of(body);
    let is_f32 = |id: &BufferId| {
        buffers
            .get(id.0)
            .is_some_and(|buffer| buffer.format == DataFormat::Float32)
    };
    let of_two = OF_TWO_PRECISIONS.iter().any(|header| uses.headers.contains(header));
    match of_two && uses.buffers.iter().any(is_f32) {
        true => vec![("INP_FLOAT32", "1")],
        false => Vec::new(),
    }
}
