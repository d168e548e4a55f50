//! From the language's kernel to the plan's terms: formulas, numbers, and what a launch passes.
//!
//! Also kernels that no plan was made for have these: what their arguments are does not depend on a compiler.

use crate::{DataFormat, Formula, Number, Parameter, TensorLayout};
use tt_device::TILE_SIDE;
use tt_lang::ir::{IntExpr, Kernel, NumberExpr, Param, Residence, Sharding};

/// What is passed to a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    /// The symbolic extents, in order.
    pub extents: Vec<String>,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
}

impl Signature {
    /// The signature of `kernel`; `None` where an extent of a tensor mentions a variable, which the language lets into none.
    pub fn of(kernel: &Kernel) -> Option<Signature> {
        let parameters = kernel.params.iter().map(|param| {
            Some(match param {
                Param::Scalar(scalar) => Parameter::Scalar {
                    name: scalar.name.clone(),
                    kind: scalar.kind,
                },
                Param::Tensor(tensor) => Parameter::Tensor {
                    name: tensor.name.clone(),
                    element: tensor.element.value,
                    mutable: tensor.mutable,
                    extents: tensor
                        .extents
                        .iter()
                        .map(|extent| formula(kernel, &extent.value))
                        .collect::<Option<_>>()?,
                    layout: TensorLayout {
                        shard: match tensor.layout.residence {
                            Residence::Dram => "DRAM".into(),
                            Residence::L1 => "L1".into(),
                        },
                        interleave: tensor.layout.sharding == Sharding::Interleaved,
                        tile_shape: [TILE_SIDE; 2],
                        page_size: DataFormat::of(tensor.element.value).tile_bytes(),
                    },
                },
            })
        });
        Some(Signature {
            extents: kernel.extents.iter().map(|extent| extent.name.clone()).collect(),
            parameters: parameters.collect::<Option<_>>()?,
        })
    }
}

/// `expr` as a formula; `None` where it mentions a variable.
pub fn formula(kernel: &Kernel, expr: &IntExpr) -> Option<Formula> {
    Some(match expr {
        IntExpr::Const(value) => Formula::Const(*value),
        IntExpr::Extent(id) => Formula::Name(kernel.extent(*id).to_string()),
        IntExpr::Scalar(id) => Formula::Name(kernel.params[id.index()].name().to_string()),
        IntExpr::Var(_) => return None,
        IntExpr::Binary(op, a, b) => Formula::binary(*op, formula(kernel, a)?, formula(kernel, b)?),
    })
}

/// A number known at launch as one of the plan; `None` where it mentions a variable, which the language lets into none.
pub fn number(kernel: &Kernel, expr: &NumberExpr) -> Option<Number> {
    Some(match expr {
        NumberExpr::Literal(value) => Number::constant(*value as f32),
        NumberExpr::Scalar(id) => Number::Scalar(kernel.params[id.index()].name().to_string()),
        NumberExpr::Int(value) => Number::Int(formula(kernel, value)?),
        NumberExpr::Call(op, args) => {
            Number::Call(*op, args.iter().map(|arg| number(kernel, arg)).collect::<Option<_>>()?)
        }
    })
}
