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
use crate::device::{Device, Leaf, Node, Program};
use crate::flow::Buffer;
use crate::names::Names;
use arguments::Arguments;
use std::collections::HashMap;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{Kernel, Order, ParamId};
use tt_plan::{BlockOrder, Role};

/// What a program is made of before this pass.
pub struct Unfinished {
    /// Once, before the first block.
    pub before: Vec<Node<Leaf>>,
    /// For every block.
    pub body: Vec<Node<Leaf>>,
    /// Once, after the last block.
    pub after: Vec<Node<Leaf>>,
}

/// Everything the pass brings together.
pub struct Inputs<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// A1.
    pub layouts: &'a Layouts,
    /// B1.
    pub partition: &'a Partition,
    /// The buffers and their device indices.
    pub buffers: Vec<Buffer>,
    /// Device index of every buffer; 255 for those that are not used.
    pub indices: Vec<u8>,
    /// D2.
    pub bound: Bound,
    /// Reader, compute, writer.
    pub programs: [Unfinished; 3],
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
        indices,
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

    let mut finished = Vec::new();
    let roles = [
        (Role::Reader, bound.reader),
        (Role::Compute, Vec::new()),
        (Role::Writer, bound.writer),
    ];
    for ((role, accessors), program) in roles.into_iter().zip(programs) {
        let mut arguments = Arguments::new(kernel, &variables, names.clone());
        for (name, value) in b2_grid_to_cores::run() {
            arguments.fixed("int32_t", name, value);
        }
        for accessor in &accessors {
            arguments.address(accessor);
        }
        let coordinates: Vec<Leaf> = coordinates.iter().map(|leaf| arguments.leaf(leaf)).collect();
        let before = arguments.nodes(&program.before);
        let body = arguments.nodes(&program.body);
        let after = arguments.nodes(&program.after);
        finished.push(Program {
            role,
            args: arguments.finish()?,
            accessors,
            before,
            coordinates,
            body,
            after,
        });
    }
    let programs: [Program; 3] = finished
        .try_into()
        .unwrap_or_else(|_| unreachable!("three roles make three programs"));
    let plan = plan::run(kernel, layouts, partition, &buffers, &indices, &programs)?;
    Ok(Device {
        buffers,
        indices,
        programs,
        variables,
        plan,
    })
}
