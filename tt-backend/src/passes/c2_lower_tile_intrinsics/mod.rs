//! C2: gemms and element expressions become passes over destination registers.
//!
//! Before: Flow IR with `Elementwise` and `Gemm`. After: `Section`s, each with its chunks of tiles, its steps in registers
//! and one pack; accumulations that outlive a section stand in `Accumulate`.
//!
//! 1. `transpose`: a transposed left operand gets a block of its own (the FPU transposes the right one only); a transposed
//!    right operand that comes from a tensor is laid column by column by the reader;
//! 2. `fuse`: an expression whose result is read once, by another expression, moves into it;
//! 3. `accumulate`: how each gemm carries its sums;
//! 4. `select`: operations of the language become operations of FPU and SFPU on registers, as the
//!    rows of the catalogue say.
//!
//! ```text
//!  for k { acc += a · b }          accumulate acc { for k { section 4 × 4, chunks 2 × 2: reg0 += a · b; add to acc } }
//!  y = gelu(acc + bias)      ⟹     section 4 × 4, chunks 1 × 2: reg0 = acc; reg1 = bias↓; reg0 += reg1; gelu reg0; pack y
//! ```

mod accumulate;
mod fuse;
mod select;
mod transpose;

use crate::flow::{Arg, Matmul, Section, operations};
use crate::flow::{Broadcast, Buffer, BufferId, BufferKind, Flow, FlowOp, FlowStmt, Step};
use crate::tile_ops::TileOp;
use std::cell::Cell;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::Span;
use tt_plan::DataFormat;

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

/// Runs the pass.
pub fn run(flow: &mut Flow, registers: Registers) -> Result<(), Vec<Diagnostic>> {
    transpose::run(flow);
    fuse::run(flow);
    let mut context = select::Context {
        registers,
        buffers: &mut flow.buffers,
        sights: &mut flow.sights,
        zeros: None,
        errors: Vec::new(),
    };
    flow.body = accumulate::run(std::mem::take(&mut flow.body), &mut context);
    let errors = context.errors;
    if !errors.is_empty() {
        return Err(errors);
    }
    unpack_to_dest(flow, registers);
    Ok(())
}

/// 32-bit buffers that only `copy_tile` reads go straight to 32-bit registers, unrounded (metalium.md §4).
fn unpack_to_dest(flow: &mut Flow, registers: Registers) {
    let through_fpu: Vec<Cell<bool>> = vec![Cell::new(false); flow.buffers.len()];
    let product = |matmul: &Matmul| {
        through_fpu[matmul.a.0].set(true);
        through_fpu[matmul.b.0].set(true);
    };
    let mut section = |section: &Section| {
        for step in &section.steps {
            match step {
                Step::Tile { op, args, .. } => {
                    for arg in args {
                        if let Arg::Tile(operand) = arg
                            && (*op != TileOp::Load || operand.broadcast != Broadcast::None)
                        {
                            through_fpu[operand.buffer.0].set(true);
                        }
                    }
                }
                Step::Matmul(matmul) => product(matmul),
                Step::Control(_) => {}
            }
        }
    };
    sections(&flow.body, &mut section, &mut |matmul| product(matmul));
    for (buffer, through_fpu) in flow.buffers.iter_mut().zip(through_fpu) {
        let unpacked_by_compute = matches!(buffer.kind, BufferKind::Incoming | BufferKind::Local);
        buffer.unpack_to_dest =
            registers.fp32 && buffer.format == DataFormat::Float32 && unpacked_by_compute && !through_fpu.get();
    }
}

/// Calls `visit` for every section and `multiply` for every product within one.
pub fn sections<'a>(
    body: &'a [FlowStmt],
    visit: &mut impl FnMut(&'a Section),
    multiply: &mut impl FnMut(&'a crate::flow::Matmul),
) {
    operations(body, &mut |op| match op {
        FlowOp::Section(section) => visit(section),
        FlowOp::Multiply(matmul) => multiply(matmul),
        FlowOp::Read { .. }
        | FlowOp::Write { .. }
        | FlowOp::Blank { .. }
        | FlowOp::Release { .. }
        | FlowOp::Elementwise(_)
        | FlowOp::Gemm(_) => {}
    });
}

/// Adds a local buffer that no user named.
fn scratch(buffers: &mut Vec<Buffer>, name: String, span: Span, format: DataFormat, tiles: [u32; 2]) -> BufferId {
    let mut unique = name.clone();
    let mut number = 1;
    while buffers.iter().any(|buffer| buffer.name == unique) {
        number += 1;
        unique = format!("{name}_{number}");
    }
    buffers.push(Buffer {
        name: unique,
        block: None,
        span,
        format,
        tiles,
        kind: BufferKind::Local,
        versions: 1,
        column_major: false,
        unpack_to_dest: false,
        index: None,
    });
    BufferId(buffers.len() - 1)
}
