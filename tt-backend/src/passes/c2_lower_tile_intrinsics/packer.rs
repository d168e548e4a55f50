//! What the packer and its thread do on the way to L1.
//!
//! The packer makes what is negative zero for nothing (patterns.md §1b), where the SFPU takes a pass over the tile.
//!
//! The packer's thread can ask the SFPU for some functions too, while math is at the products of the next chunk: so does the wheel's
//! matmul (`bmm_fused_activation.hpp`). The registers of the SFPU are one set for both threads, so it is the packer's everywhere or
//! nowhere.

use crate::flow::{Arg, Around, PackMode, Section, SectionOp, SectionStmt};
use crate::ir::{Kind, operations, visit, visit_mut};
use crate::tile_ops::{PackerRow, SfpuOp, TileOp};
use tt_plan::Number;

/// Runs the step, in all sections of `body`.
pub fn run(body: &mut [SectionStmt]) {
    relu(body);
    if is_packers(body) {
        visit_mut(body, &mut |stmt| {
            if let Kind::Group(Around::Section(section), inside) = &mut stmt.kind {
                section.by_packer = last_steps(inside);
            }
        });
    }
}

/// Leaves all steps to math.
pub fn leave_to_math(body: &mut [SectionStmt]) {
    visit_mut(body, &mut |stmt| {
        if let Kind::Group(Around::Section(section), _) = &mut stmt.kind {
            section.by_packer = 0;
        }
    });
}

/// Whether the packer's thread may have the SFPU, and math has something to do meanwhile: all that the SFPU does comes last in sections, one
/// of which holds products.
fn is_packers(body: &[SectionStmt]) -> bool {
    let (mut on_sfpu, mut last, mut overlaps) = (0, 0, false);
    visit(body, &mut |stmt| match &stmt.kind {
        Kind::Op(SectionOp::Tile { op, .. }) => on_sfpu += u32::from(is_on_sfpu(*op)),
        Kind::Group(Around::Section(section), inside) => {
            let steps = last_steps(inside);
            last += steps;
            overlaps |= steps > 0 && holds_products(section, inside);
        }
        Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => {}
    });
    overlaps && on_sfpu == last
}

fn is_on_sfpu(op: TileOp) -> bool {
    match op {
        TileOp::Fill | TileOp::Sfpu(_) => true,
        TileOp::Load | TileOp::Fpu(_) | TileOp::MulReuse | TileOp::TransposeDest => false,
    }
}

/// How many steps at the end of a section the packer's thread can do.
fn last_steps(inside: &[SectionStmt]) -> u32 {
    let is_packers = |stmt: &&SectionStmt| match &stmt.kind {
        Kind::Op(SectionOp::Tile {
            op: TileOp::Sfpu(op),
            out,
            args,
        }) => {
            let in_place = args.first() == Some(&Arg::Register(*out));
            in_place && PackerRow::of(*op).is_some()
        }
        Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => false,
    };
    let steps = inside.iter().rev().take_while(is_packers).count();
    u32::try_from(steps).unwrap_or(0)
}

fn holds_products(section: &Section, inside: &[SectionStmt]) -> bool {
    let mut found = section.in_last_turn;
    operations(inside, &mut |op| found |= matches!(op, SectionOp::Matmul(_)));
    found
}

/// Whether an operation with these arguments behind the register makes what is negative zero.
fn is_relu(op: SfpuOp, others: &[Arg]) -> bool {
    let zero = [Arg::Number(Number::constant(0.0))];
    op == SfpuOp::Relu && others.is_empty() || op == SfpuOp::UnaryMax && *others == zero
}

/// A ReLU that a section ends with.
fn relu(body: &mut [SectionStmt]) {
    for stmt in body {
        let Kind::Group(Around::Section(section), inside) = &mut stmt.kind else {
            stmt.bodies_mut().for_each(|inside| relu(inside));
            continue;
        };
        let replaces = matches!(section.pack.mode, PackMode::Publish | PackMode::Overwrite);
        let last = inside.last().and_then(|stmt| match &stmt.kind {
            Kind::Op(SectionOp::Tile { op, out, args }) => Some((*op, *out, args.as_slice())),
            Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => None,
        });
        let of = match last {
            Some((TileOp::Sfpu(op), out, [Arg::Register(of), others @ ..]))
                if out == section.result && is_relu(op, others) =>
            {
                Some(*of)
            }
            Some(_) | None => None,
        };
        if let (Some(of), true) = (of, replaces) {
            (section.result, section.pack.relu) = (of, true);
            inside.pop();
        }
    }
}
