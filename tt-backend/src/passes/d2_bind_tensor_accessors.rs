//! D2: tensors get accessors.
//!
//! Before: reader and writer that read and write regions of tensors. After: each lists the tensors it touches, in the order
//! of their compile-time words (that of the parameters); the address of each is a runtime argument. Each says in which pieces
//! its statements move them.
//!
//! ```text
//!  a read, b read, c written   ⟹   reader: a at word 0 (a_address), b after it (b_address); writer: c at word 0 (c_address)
//! ```

use super::d1_split_kernel::Split;
use super::facts;
use crate::device::{Accessor, Accessors, Move, Moves, Parts};
use crate::ir::{Kind, Stmt, operations, visit};
use crate::pipeline::{Form, Pass, Unit};
use crate::verify::progress::proved;
use std::collections::BTreeSet;
use tt_lang::ir::Kernel;
use tt_plan::TransferPlan;

/// The pass.
pub const PASS: Pass<Unit<Parts<Split, ()>>, Unit<Parts<Split>>> = Pass {
    name: "D2 bind_tensor_accessors",
    does: "accessors with their compile-time and runtime arguments",
    run: |unit| {
        unit.lowered(|facts, parts| {
            Ok(Parts {
                accessors: run(&facts.kernel, &parts.programs),
                buffers: parts.buffers,
                traffic: parts.traffic,
                registers: parts.registers,
                programs: parts.programs,
            })
        })
    },
    check: proved,
};

impl Form for Unit<Parts<Split>> {
    const NAME: &'static str = "Device IR: moves, and accessors";

    fn text(&self) -> Option<String> {
        Some(facts::bound(&self.facts.kernel, &self.program.accessors))
    }
}

/// Runs the pass.
pub fn run(kernel: &Kernel, split: &Split) -> Accessors {
    let bind = |body: &[Stmt<Moves>]| {
        let mut touched = BTreeSet::new();
        operations(body, &mut |op| match op {
            Move::Read(_, region, _) | Move::Write(_, region, _) => drop(touched.insert(region.tensor)),
            Move::Fetch(_, fetch) => drop(touched.insert(fetch.tensor)),
            Move::Protocol(_) | Move::Make(..) | Move::Shift { .. } | Move::Inspect(_) => {}
        });
        let accessor = |tensor: tt_lang::ir::ParamId| {
            let name = kernel.params[tensor.index()].name();
            Accessor {
                tensor,
                name: name.to_string(),
                address: format!("{name}_address"),
            }
        };
        touched.into_iter().map(accessor).collect()
    };
    Accessors {
        reader: bind(&split.reader),
        writer: bind(&split.writer),
        reads: transfers(kernel, &split.reader),
        writes: transfers(kernel, &split.writer),
    }
}

/// What a program moves to and from tensors, once for each statement of the source: the last that is said to begin.
fn transfers(kernel: &Kernel, body: &[Stmt<Moves>]) -> Vec<TransferPlan> {
    let (mut source, mut found) = (None, Vec::new());
    visit(body, &mut |stmt| {
        source = stmt.note.or(source);
        let (tensor, class) = match &stmt.kind {
            Kind::Op(Move::Read(_, region, _)) => (region.tensor, region.transfer.class_of_read()),
            Kind::Op(Move::Write(_, region, stored)) => {
                (region.tensor, region.transfer.class_of_write(stored.is_some()))
            }
            Kind::Op(Move::Fetch(..) | Move::Protocol(_) | Move::Make(..) | Move::Shift { .. } | Move::Inspect(_))
            | Kind::Group(..)
            | Kind::Loop(..)
            | Kind::If(..) => return,
        };
        let transfer = TransferPlan {
            tensor: kernel.params[tensor.index()].name().to_string(),
            line: source.map_or(0, |span| kernel.location(span).line),
            class,
        };
        if !found.contains(&transfer) {
            found.push(transfer);
        }
    });
    found
}
