//! C2: gemms and element expressions become passes over destination registers.
//!
//! Before: Flow IR over blocks. After: Flow IR over sections, each with its chunks of tiles, its steps in registers and one
//! pack; accumulations that outlive a section stand in `Accumulate`.
//!
//! 1. `transpose`: a transposed left operand gets a block of its own (the FPU transposes the right one only); a transposed
//!    right operand that comes from a tensor is laid column by column by the reader;
//! 2. `fuse`: an expression whose result is read once, by another expression, moves into it;
//! 3. `accumulate`, from blocks to sections: how each gemm carries its sums;
//! 4. `select`, which it asks for every expression: operations of the language become operations of FPU and SFPU on
//!    registers, as the rows of the catalogue say;
//! 5. `packer`: a ReLU that a section ends with is the packer's, another activation its thread's;
//! 6. `apart`: the FPU takes 19 bits of an f32. How a block is unpacked is the same for all that read it, so one that is a factor, and is read
//!    otherwise too, is a factor as a copy.
//!
//! ```text
//!  for k { acc += a · b }          accumulate acc { for k { section 4 × 4, chunks 2 × 2: reg0 += a · b; add to acc } }
//!  y = gelu(acc + bias)      ⟹     section 4 × 4, chunks 1 × 2: reg0 = acc; reg1 = bias↓; reg0 += reg1; gelu reg0; pack y
//! ```

mod accumulate;
mod apart;
mod copied;
mod fuse;
pub mod packer;
mod select;
mod transpose;

use crate::flow::{BlockOp, Blocks, BufferId, Flow, Index, Sections, Value, ValueKind};
use crate::ir::{Kind, operations, operations_mut};
use crate::pipeline::{Pass, Unit};
use crate::verify::flow::sections;
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{ElementOp, IntExpr};
use tt_plan::DataFormat;

/// The pass.
pub const PASS: Pass<Unit<Flow<Blocks>>, Unit<Flow<Sections>>> = Pass {
    name: "C2 lower_tile_intrinsics",
    does: "gemm and element expressions become passes over destination registers",
    run: |unit| {
        unit.lowered(|facts, flow| {
            let registers = Registers {
                capacity: facts.layouts.registers(),
                fp32: facts.layouts.fp32_dest,
                approximate: facts.kernel.options.approx,
            };
            run(flow, registers)
        })
    },
    check: sections,
};

/// What the pass must know besides the program.
#[derive(Debug, Clone, Copy)]
pub struct Registers {
    /// Tiles in one acquire.
    pub capacity: u32,
    /// 32-bit registers.
    pub fp32: bool,
    /// `approx = true`.
    pub approximate: bool,
}

/// Runs the pass. Where a block of 32 bits would lose some on its way to the registers because the FPU takes it too, it is run again with
/// the two apart.
pub fn run(mut flow: Flow<Blocks>, registers: Registers) -> Result<Flow<Sections>, Vec<Diagnostic>> {
    transpose::run(&mut flow);
    let mut exact = BTreeSet::new();
    loop {
        let (made, through_fpu) = lowered(flow.clone(), registers, &exact)?;
        let cut = apart::cut(&made, &through_fpu);
        if cut.is_empty() {
            return Ok(made);
        }
        apart::factors(&mut flow, &cut);
        exact.extend(cut);
    }
}

/// The sections, and what passes the FPU, but for the blocks that are to be `exact`.
fn lowered(
    mut flow: Flow<Blocks>,
    registers: Registers,
    exact: &BTreeSet<BufferId>,
) -> Result<(Flow<Sections>, BTreeSet<BufferId>), Vec<Diagnostic>> {
    fuse::run(&mut flow);
    packed_as_bytes(&mut flow);
    let mut context = select::Context {
        registers,
        through_fpu: through_fpu(&flow, registers, exact),
        buffers: flow.buffers,
        sights: flow.sights,
        constants: BTreeMap::new(),
        errors: Vec::new(),
    };
    let mut body = accumulate::run(flow.body, &mut context);
    packer::run(&mut body);
    if !context.errors.is_empty() {
        return Err(context.errors);
    }
    for buffer in 0..context.buffers.len() {
        context.buffers[buffer].unpack_to_dest = context.is_direct(BufferId(buffer));
    }
    let select::Context {
        buffers,
        sights,
        through_fpu,
        ..
    } = context;
    Ok((Flow { buffers, sights, body }, through_fpu))
}

/// The packer takes an integer of 8 bits as the lowest byte of the register, without a sign that it knows.
fn packed_as_bytes(flow: &mut Flow<Blocks>) {
    let buffers = &flow.buffers;
    operations_mut(&mut flow.body, &mut |op| {
        let BlockOp::Elementwise(elementwise) = op else { return };
        if buffers[elementwise.target.0].format != DataFormat::Int8 {
            return;
        }
        let span = elementwise.value.span;
        let byte = Value {
            kind: ValueKind::Integer(Index {
                row: 0,
                column: 0,
                rest: IntExpr::Const(255),
            }),
            span,
        };
        let empty = ValueKind::Call(ElementOp::BitAnd, Vec::new());
        let value = std::mem::replace(&mut elementwise.value.kind, empty);
        elementwise.value.kind = ValueKind::Call(ElementOp::BitAnd, vec![Value { kind: value, span }, byte]);
    });
}

/// What passes the FPU on its way to the registers: the operands of products; and where numbers may be off, those of sums, differences and
/// products of f32 elements that are formed once in a block, unless they are to be `exact`: what is carried round a loop would be cut in every
/// turn.
fn through_fpu(flow: &Flow<Blocks>, registers: Registers, exact: &BTreeSet<BufferId>) -> BTreeSet<BufferId> {
    let mut out = BTreeSet::new();
    operations(&flow.body, &mut |op| match op {
        BlockOp::Gemm(gemm) => out.extend([gemm.a, gemm.b]),
        BlockOp::Elementwise(_)
        | BlockOp::Read(_)
        | BlockOp::Write(_)
        | BlockOp::Inspect(_)
        | BlockOp::Shift(_)
        | BlockOp::Fetch(_) => {}
    });
    let may_be_cut =
        |buffer: &BufferId| flow.buffers[buffer.0].format == DataFormat::Float32 && !exact.contains(buffer);
    let once = flow.body.iter().filter(|_| registers.approximate && registers.fp32);
    for stmt in once {
        if let Kind::Op(BlockOp::Elementwise(elementwise)) = &stmt.kind {
            elementwise.value.walk(&mut |value| {
                if let ValueKind::Call(ElementOp::Add | ElementOp::Sub | ElementOp::Mul, args) = &value.kind
                    && let [a, b] = args.as_slice()
                    && let (ValueKind::Load(a), ValueKind::Load(b)) = (&a.kind, &b.kind)
                {
                    out.extend([a.buffer, b.buffer].into_iter().filter(may_be_cut));
                }
            });
        }
    }
    out
}
