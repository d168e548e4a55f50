//! What the packer does on the way to L1: it makes what is negative zero for nothing (patterns.md §1b), where the SFPU takes a pass over
//! the tile.

use crate::flow::{Arg, Around, PackMode, SectionOp, SectionStmt};
use crate::ir::Kind;
use crate::tile_ops::{SfpuOp, TileOp};
use tt_plan::Number;

/// Runs the step, in all sections of `body`.
pub fn run(body: &mut [SectionStmt]) {
    for stmt in body {
        let Kind::Group(Around::Section(section), inside) = &mut stmt.kind else {
            stmt.bodies_mut().for_each(|inside| run(inside));
            continue;
        };
        let replaces = matches!(section.pack.mode, PackMode::Publish | PackMode::Overwrite);
        let last = inside.last().and_then(|stmt| match &stmt.kind {
            Kind::Op(SectionOp::Tile { op, out, args }) => Some((*op, *out, args.as_slice())),
            Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => None,
        });
        let of = match last {
            Some((TileOp::Sfpu(SfpuOp::Relu), out, [Arg::Register(of)])) if out == section.result => Some(*of),
            Some((TileOp::Sfpu(SfpuOp::UnaryMax), out, [Arg::Register(of), Arg::Number(least)]))
                if out == section.result && *least == Number::constant(0.0) =>
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
