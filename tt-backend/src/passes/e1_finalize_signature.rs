//! E1: runtime arguments, and the plan.
//!
//! Before: programs whose expressions mention extents, scalars and numbers. After: what is constant over a launch is a
//! runtime argument, once per kernel, with its formula in the plan; expressions mention only variables, arguments and
//! constants.
//!
//! ```text
//!  page = (first_row + row) * tiles(b, 1) + ..      ⟹   runtime argument N_tiles = N.div_ceil(32); page = .. * N_tiles + ..
//! ```

mod arguments;
mod cost;
mod hits;
mod integers;
mod plan;
mod regions;
mod takes;

use super::b2_grid_to_cores::{Facts, blocks_of, noc_of, rounds_of};
use super::give_names::Named;
use crate::device::function::{EXPECT_VERSION, SEND_VERSION};
use crate::device::uses::Uses;
use crate::device::{
    Accessor, Bits, Call, Calls, CppType, Device, Expr, Leaf, Parts, Program, Programs, Symbol, print,
};
use crate::flow::{Buffer, BufferId};
use crate::ir::{Rewrite, Stmt, operations};
use crate::pipeline::{Form, Pass, Unit};
use arguments::Arguments;
use std::collections::BTreeSet;
use tt_device::Inclusion;
use tt_lang::diagnostic::Diagnostic;
use tt_plan::{CoreLine, DataFormat, InLine, Role, RuntimeValue};

/// The pass.
pub const PASS: Pass<Unit<Named>, Unit<Device>> = Pass {
    name: "E1 finalize_signature",
    does: "runtime arguments and the plan",
    run: |unit| unit.lowered(run),
    check: |_| Ok(()),
};

impl Form for Unit<Device> {
    const NAME: &'static str = "Device IR";

    fn text(&self) -> Option<String> {
        Some(print::device(&self.facts.kernel, &self.program))
    }
}

/// Runs the pass.
pub fn run(facts: &Facts, named: Named) -> Result<Device, Vec<Diagnostic>> {
    let Named {
        parts:
            Parts {
                buffers,
                traffic,
                registers,
                accessors,
                programs:
                    Programs {
                        reader,
                        compute,
                        writer,
                    },
            },
        variables,
        names,
    } = named;
    let cost = cost::Counted::of(&facts.kernel, (&buffers, registers), [&reader, &compute, &writer]);
    let finish = |role, accessors: Vec<Accessor>, body: Vec<Stmt<Calls<Symbol>>>| {
        let mut arguments = Arguments::new(&facts.kernel, &variables, names.clone());
        let work = facts.partition.work;
        let of_rounds = rounds_of(work.placement, &buffers);
        for (name, value) in blocks_of(work.mode, work.placement).into_iter().chain(of_rounds) {
            arguments.fixed(CppType::Int, &name, value);
        }
        for (name, value) in places_on_noc(&body) {
            arguments.fixed(CppType::Word, &name, value);
        }
        for accessor in &accessors {
            arguments.address(accessor);
        }
        let body = arguments.body(body);
        Ok::<_, Vec<Diagnostic>>(Program {
            role,
            args: arguments.finish(role)?,
            accessors,
            defines: defines(&buffers, &body),
            body,
        })
    };
    let programs = [
        finish(Role::Reader, accessors.reader, reader)?,
        finish(Role::Compute, Vec::new(), compute)?,
        finish(Role::Writer, accessors.writer, writer)?,
    ];
    let transfers = [accessors.reads, Vec::new(), accessors.writes];
    let mut plan = plan::run(facts, &buffers, &programs, transfers)?;
    plan.cost = cost.map(|cost| cost.at(plan.compute.math_fidelity));
    Ok(Device {
        buffers,
        programs,
        traffic,
        variables,
        plan,
    })
}

/// The runtime arguments that tell where on the NoC the cores are that a program shares versions with.
fn places_on_noc(body: &[Stmt<Calls<Symbol>>]) -> Vec<(String, RuntimeValue)> {
    let mut mentioned = BTreeSet::new();
    operations(body, &mut |leaf| {
        if let Leaf::Call(Call { function, args, .. }) = leaf
            && function.is_among(&[&EXPECT_VERSION, &SEND_VERSION])
        {
            mentioned.extend(args.iter().filter_map(|arg| {
                if let Expr::Name(name) = arg {
                    Some(name.clone())
                } else {
                    None
                }
            }));
        }
    });
    if mentioned.is_empty() {
        return Vec::new();
    }
    let cores = CoreLine::ALL
        .into_iter()
        .flat_map(|line| InLine::ALL.map(|core| noc_of(line, core)));
    cores.flatten().filter(|(name, _)| mentioned.contains(name)).collect()
}

/// The macros of a file: what makes functions of two precisions take the better one, where there is anything in f32.
fn defines(buffers: &[Buffer], body: &[Stmt<Calls<Bits>>]) -> Vec<(&'static str, &'static str)> {
    let uses = Uses::of(body);
    let is_f32 = |id: &BufferId| {
        buffers
            .get(id.0)
            .is_some_and(|buffer| buffer.format == DataFormat::Float32)
    };
    let mut inclusions = uses.headers.iter().map(|header| Inclusion::of(header));
    let of_two = inclusions.any(|inclusion| inclusion == Inclusion::OfTwoPrecisions);
    match of_two && uses.buffers.iter().any(is_f32) {
        true => vec![("INP_FLOAT32", "1")],
        false => Vec::new(),
    }
}
