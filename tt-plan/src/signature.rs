//! From the language's kernel to the plan's terms: formulas, numbers, and what a launch passes.
//!
//! Also kernels that no plan was made for have these: what their arguments are does not depend on a compiler.

use crate::{DataFormat, DerivedInteger, Formula, Memory, Number, Parameter, Temporary, TensorLayout};
use tt_device::TILE_SIDE;
use tt_lang::ir::{DerivedParam, IntExpr, Kernel, NumberExpr, Param, Residence, Sharding, TensorParam};

/// What is passed to a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The symbolic extents, in order.
    pub extents: Vec<String>,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// What the launcher allocates itself.
    pub temporaries: Vec<Temporary>,
    /// What the launcher computes itself, in order.
    pub derived: Vec<DerivedInteger>,
}

impl Signature {
    /// The signature of `kernel`; `None` where an extent of a tensor mentions a variable, which the language lets into none.
    pub fn of(kernel: &Kernel) -> Option<Signature> {
        let mut parameters = Vec::new();
        let mut temporaries = Vec::new();
        let mut derived = Vec::new();
        for param in &kernel.params {
            match param {
                Param::Scalar(scalar) => parameters.push(Parameter::Scalar {
                    name: scalar.name.clone(),
                    kind: scalar.kind,
                }),
                Param::Tensor(tensor) => parameters.push(Parameter::Tensor {
                    name: tensor.name.clone(),
                    element: tensor.element.value,
                    mutable: tensor.mutable,
                    extents: extents(kernel, tensor)?,
                    layout: layout(tensor),
                }),
                Param::Temporary(tensor) => temporaries.push(Temporary {
                    name: tensor.name.clone(),
                    element: tensor.element.value,
                    extents: extents(kernel, tensor)?,
                    layout: layout(tensor),
                }),
                Param::Derived(DerivedParam {
                    name,
                    op,
                    sides: [a, b],
                }) => derived.push(DerivedInteger {
                    name: name.clone(),
                    op: *op,
                    a: number(kernel, a)?,
                    b: number(kernel, b)?,
                }),
            }
        }
        Some(Signature {
            extents: kernel.extents.iter().map(|extent| extent.name.clone()).collect(),
            parameters,
            temporaries,
            derived,
        })
    }
}

fn extents(kernel: &Kernel, tensor: &TensorParam) -> Option<Vec<Formula>> {
    let formulas = tensor.extents.iter().map(|extent| formula(kernel, &extent.value));
    formulas.collect()
}

fn layout(tensor: &TensorParam) -> TensorLayout {
    TensorLayout {
        shard: match tensor.layout.residence {
            Residence::Dram => Memory::Dram,
            Residence::L1 => Memory::L1,
        },
        interleave: tensor.layout.sharding == Sharding::Interleaved,
        sharding: tensor.layout.sharding.clone(),
        tile_shape: [TILE_SIDE; 2],
        page_size: DataFormat::of(tensor.element.value).tile_bytes(),
    }
}

/// `expr` as a formula; `None` where it mentions a variable.
pub fn formula(kernel: &Kernel, expr: &IntExpr) -> Option<Formula> {
    Some(match expr {
        IntExpr::Const(value) => Formula::Const(*value),
        IntExpr::Extent(id) => Formula::Name(kernel.extent(*id).to_string()),
        IntExpr::Scalar(id) => Formula::Name(kernel.params[id.index()].name().to_string()),
        IntExpr::Var(_) | IntExpr::Fetched(_) => return None,
        IntExpr::Binary(op, a, b) => Formula::binary(*op, formula(kernel, a)?, formula(kernel, b)?),
    })
}

/// A number known at launch as one of the plan; `None` where it mentions a variable, which the language lets into none.
pub fn number(kernel: &Kernel, expr: &NumberExpr) -> Option<Number> {
    Some(match expr {
        NumberExpr::Literal(value) => Number::constant(value.0 as f32),
        NumberExpr::Scalar(id) => Number::Scalar(kernel.params[id.index()].name().to_string()),
        NumberExpr::Int(value) => Number::Int(formula(kernel, value)?),
        NumberExpr::Call(op, args) => {
            Number::Call(*op, args.iter().map(|arg| number(kernel, arg)).collect::<Option<_>>()?)
        }
    })
}
