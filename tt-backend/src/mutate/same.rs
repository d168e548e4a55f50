//! Why a mutant must change nothing, where that shows in the program: the emulator still has to agree.
//!
//! What is claimed here is read off the statements themselves. Everything else that changes nothing has to be argued for by a
//! person, in `xtask/conformance/src/ir_mutations/reasons.rs`.

use super::tree::{self, Expr, Place, Stmt};
use crate::device::function::{self, Function, factors};
use crate::device::parts::Parts;
use crate::device::{Argument, Bits, Call, Device, Leaf, Loop, Operator, Program};
use crate::flow::{Buffer, BufferId};
use crate::ir::{self, Kind};
use crate::passes::b2_grid_to_cores::BLOCK_ID;
use crate::tile_ops::{PackerRow, SfpuRow};
use std::collections::BTreeSet;
use tt_plan::RuntimeValue;

/// Why a mutant changes nothing.
pub type Why = Option<&'static str>;

/// What a statement may read or change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Thing {
    /// A variable.
    Variable(String),
    /// The pages and counters of a buffer.
    Buffer(BufferId),
    /// Pages that an address leads to, and transfers to and from them.
    Transfers,
    /// The set-up of the FPU.
    Fpu,
    /// The format that SrcA is set for.
    SourceA,
    /// The format that SrcB is set for.
    SourceB,
    /// The set-up of the SFPU.
    Sfpu,
    /// The format that the packer is set for.
    PackFormat,
    /// Whether the packer adds.
    PackAccumulation,
    /// Whether the packer makes what is negative zero.
    PackRelu,
    /// The destination registers.
    Registers,
}

/// What a statement reads and what it changes.
#[derive(Debug, Default)]
struct Effects {
    reads: BTreeSet<Thing>,
    writes: BTreeSet<Thing>,
}

impl Effects {
    fn of(stmt: &Stmt) -> Effects {
        let mut effects = Effects::default();
        effects.add(stmt);
        effects
    }

    fn add(&mut self, stmt: &Stmt) {
        for expr in tree::expressions(stmt) {
            // A setting takes of a buffer what does not change: its format.
            let is_setting = matches!((&stmt.kind, expr), (Kind::Op(Leaf::Call(call)), Expr::Buffer(_)) if is_setting(call.function));
            if !is_setting {
                self.expression(expr);
            }
        }
        match &stmt.kind {
            Kind::Op(Leaf::Call(call) | Leaf::Define { call, .. }) => self.call(call),
            Kind::Op(Leaf::Let { name, .. } | Leaf::Advance { name, .. }) => {
                self.writes.insert(Thing::Variable(name.clone()));
            }
            Kind::Loop(..) | Kind::If(..) | Kind::Group(..) => {}
        }
        stmt.bodies().flatten().for_each(|inner| self.add(inner));
    }

    fn expression(&mut self, expr: &Expr) {
        if let Expr::Name(name) = expr {
            self.reads.insert(Thing::Variable(name.clone()));
        }
        if let Expr::Buffer(id) = expr {
            self.reads.insert(Thing::Buffer(*id));
        }
        tree::operands(expr)
            .into_iter()
            .for_each(|operand| self.expression(operand));
    }

    fn call(&mut self, call: &Call<Bits>) {
        use Thing::*;
        use function::*;
        let buffers = call.args.iter().filter_map(|arg| match arg {
            Expr::Buffer(id) => Some(Thing::Buffer(*id)),
            _ => None,
        });
        let is = |family: &[&Function]| family.contains(&call.function);
        let (reads, writes): (&[Thing], &[Thing]) = match call.function.name {
            _ if is(&[&CB_RESERVE_BACK, &CB_PUSH_BACK, &CB_WAIT_FRONT, &CB_POP_FRONT]) => {
                self.writes.extend(buffers);
                (&[Transfers], &[])
            }
            name if name.starts_with("noc_") || name.starts_with("zero_") => (&[], &[Transfers]),
            _ if is(&[&READ_ROWS, &READ_ELEMENTS, &WRITE_ROWS, &WRITE_ELEMENTS]) => (&[], &[Transfers]),
            _ if is(&[&SHIFT_ELEMENTS]) => (&[Transfers], &[Transfers]),
            _ if is(&[&RECONFIG_DATA_FORMAT]) => (&[], &[SourceA, SourceB]),
            _ if is(&[&RECONFIG_DATA_FORMAT_SRCA]) => (&[], &[SourceA]),
            _ if is(&[&RECONFIG_DATA_FORMAT_SRCB]) => (&[], &[SourceB]),
            _ if is(&[&PACK_RECONFIG_DATA_FORMAT]) => (&[], &[PackFormat]),
            _ if is(&[&PACK_RECONFIG_L1_ACC]) => (&[], &[PackAccumulation]),
            _ if is(&[&PACK_RELU_CONFIG]) => (&[], &[PackRelu]),
            _ if is(&[&PACK_TILE]) => {
                self.writes.extend(buffers);
                (&[PackFormat, PackAccumulation, PackRelu, Registers], &[])
            }
            name if name.starts_with("tile_regs_") => (&[], &[Registers]),
            _ if is(&[&PACKER_SFPU_BEGIN, &PACKER_SFPU_END]) => (&[], &[Registers]),
            _ if !SfpuRow::of_init(call.function).is_empty() => (&[], &[Sfpu]),
            _ if PackerRow::of_init(call.function).is_some() => (&[], &[Sfpu]),
            _ if !SfpuRow::of_call(call.function).is_empty() => (&[Sfpu, Registers], &[Registers]),
            _ if PackerRow::of_call(call.function).is_some() => (&[Sfpu, Registers], &[Registers]),
            name if name.ends_with("_init") => (&[SourceA, SourceB], &[Fpu]),
            _ if is(&[&COMPUTE_KERNEL_HW_STARTUP]) => (
                &[],
                &[
                    Fpu,
                    SourceA,
                    SourceB,
                    PackFormat,
                    PackAccumulation,
                    PackRelu,
                    Sfpu,
                    Registers,
                ],
            ),
            _ if overwrites(call, false) => (&[Fpu, SourceA, SourceB], &[Registers]),
            _ => (&[Fpu, SourceA, SourceB, Registers], &[Registers]),
        };
        self.reads.extend(reads.iter().cloned());
        self.writes.extend(writes.iter().cloned());
    }

    /// Whether what has these effects may stand before or behind what has those.
    fn apart(&self, other: &Effects) -> bool {
        self.writes.is_disjoint(&other.writes)
            && self.writes.is_disjoint(&other.reads)
            && self.reads.is_disjoint(&other.writes)
    }
}

/// Two statements in the other order.
pub fn exchanged(first: &Stmt, second: &Stmt) -> Why {
    let apart = Effects::of(first).apart(&Effects::of(second));
    apart.then_some("neither reads or changes what the other changes")
}

/// A statement once more.
pub fn twice(program: &Program, stmt: &Stmt) -> Why {
    let mut adds = false;
    ir::operations(&program.body, &mut |leaf| {
        adds |= matches!(leaf, Leaf::Call(call) if *call.function == function::PACK_RECONFIG_L1_ACC);
    });
    let mut all = true;
    let mut effects = Effects::default();
    let mut own = BTreeSet::new();
    ir::visit(std::slice::from_ref(stmt), &mut |stmt| {
        match &stmt.kind {
            Kind::Op(Leaf::Call(call)) => all &= overwrites(call, adds),
            Kind::Op(Leaf::Let { name, .. }) => {
                own.insert(Thing::Variable(name.clone()));
            }
            // What is fetched once more is the same.
            Kind::Op(Leaf::Define { .. } | Leaf::Advance { .. }) | Kind::Loop(..) | Kind::If(..) | Kind::Group(..) => {}
        }
        if let Kind::Op(Leaf::Advance { name, .. }) = &stmt.kind {
            all &= own.contains(&Thing::Variable(name.clone()));
        }
    });
    effects.add(stmt);
    let is_call = matches!(stmt.kind, Kind::Op(Leaf::Call(_)));
    // A statement by itself may read what it changes where it overwrites all of that with the same.
    let apart = is_call
        || effects
            .writes
            .iter()
            .all(|thing| own.contains(thing) || *thing == Thing::Transfers || !effects.reads.contains(thing));
    (all && apart).then_some("it sets, awaits or overwrites the same once more")
}

/// Whether a call done once more leaves what it left the first time, if nothing happens in between; `adds` is whether the
/// packer may add to pages.
fn overwrites(call: &Call<Bits>, adds: bool) -> bool {
    use function::*;
    let name = call.function.name;
    let is = |family: &[&Function]| family.contains(&call.function);
    if is(&[
        &CB_PUSH_BACK,
        &CB_POP_FRONT,
        &MATMUL_BLOCK,
        &MUL_REUSE_DEST_TILES,
        &TRANSPOSE_DEST,
        &PACKER_SFPU_BEGIN,
        &PACKER_SFPU_END,
    ]) || name.starts_with("tile_regs_")
        || PackerRow::of_call(call.function).is_some()
    {
        return false;
    }
    if is(&[&PACK_TILE]) {
        return !adds;
    }
    if let [row, ..] = SfpuRow::of_call(call.function) {
        // The result stands in another register than the operands.
        let registers: Vec<&Expr> = call.args.iter().filter(|arg| matches!(arg, Expr::Int(_))).collect();
        let fresh = registers
            .split_last()
            .is_some_and(|(last, operands)| !operands.is_empty() && !operands.contains(last));
        return fresh && row.init != *call.function || name.starts_with("fill_");
    }
    // The matrix engine adds products to what is in the register.
    !(name.starts_with("mul_") && name.contains("tiles"))
}

/// A buffer named where another should be, by a function that takes the format of it alone.
pub fn buffer(device: &Device, function: &Function, own: BufferId, other: BufferId) -> Why {
    let alike = match (device.buffers.get(own.0), device.buffers.get(other.0)) {
        (Some(own), Some(other)) => other.index.is_some() && format(own) == format(other),
        _ => false,
    };
    (is_setting(function) && alike).then_some("a setting takes the format of a buffer, which is the same")
}

/// Whether a function takes the formats of its buffers alone.
fn is_setting(function: &Function) -> bool {
    let name = function.name;
    name.ends_with("_init") || name.contains("reconfig_data_format") || name == "compute_kernel_hw_startup"
}

fn format(buffer: &Buffer) -> (tt_plan::DataFormat, bool) {
    (buffer.format, buffer.unpack_to_dest)
}

/// Two buffers that have exchanged their indices in the programs.
pub fn indices(own: &Buffer, other: &Buffer) -> Why {
    let alike = format(own) == format(other) && own.pages() == other.pages() && own.tiles == other.tiles;
    let placed = own.index.is_some() && other.index.is_some();
    (alike && placed).then_some("the two are alike, so each serves as the other")
}

/// A value that is computed otherwise: the same, where loops of one round count 0 only.
pub fn value(device: &Device, place: &Place, own: &Expr, other: &Expr) -> Why {
    let zeros = place.names_of_single_rounds(device);
    (folded(own, &zeros) == folded(other, &zeros)).then_some("a loop of one round counts 0 only")
}

/// An expression without terms that are 0.
fn folded(expr: &Expr, zeros: &[&str]) -> Expr {
    match expr {
        Expr::Name(name) if zeros.contains(&name.as_str()) => Expr::Int(0),
        Expr::Binary(op, a, b) => {
            let (a, b) = (folded(a, zeros), folded(b, zeros));
            match (*op, &a, &b) {
                (Operator::Add | Operator::Sub, _, Expr::Int(0)) => a,
                (Operator::Add, Expr::Int(0), _) => b,
                (Operator::Mul, Expr::Int(0), _) | (Operator::Mul, _, Expr::Int(0)) => Expr::Int(0),
                _ => Expr::Binary(*op, Box::new(a), Box::new(b)),
            }
        }
        Expr::Call(call) => {
            let mut call = call.clone();
            call.args = call.args.iter().map(|arg| folded(arg, zeros)).collect();
            Expr::Call(call)
        }
        other => other.clone(),
    }
}

/// A change of the statement at `place`, which advances an address: nothing uses it any more.
pub fn advance(device: &Device, place: &Place) -> Why {
    let Some(Stmt {
        kind: Kind::Op(Leaf::Advance { name, .. }),
        ..
    }) = place.get(device)
    else {
        return None;
    };
    place
        .is_last_use(device, name)
        .then_some("nothing uses the address behind the last page")
}

/// A turn more of the loop of tiles at `place`: it is behind those of its parts that the bounds let be, and does what such turns do.
pub fn turn_more(device: &Device, place: &Place) -> Why {
    let Some(Stmt {
        kind:
            Kind::Loop(
                Loop::Tiles {
                    name, in_parts: true, ..
                },
                body,
            ),
        ..
    }) = place.get(device)
    else {
        return None;
    };
    let parts = Parts::of(name, body).filter(|parts| parts.to.is_some() && parts.without.is_empty())?;
    let is_idle =
        |stmt: &Stmt| matches!(&stmt.kind, Kind::Op(Leaf::Advance { name, .. }) if place.is_last_use(device, name));
    parts
        .rest
        .iter()
        .all(is_idle)
        .then_some("a turn behind what the tensor has advances an address that nothing uses any more")
}

/// A runtime argument of another value.
pub fn argument(program: &Program, argument: &Argument) -> Why {
    let counted = argument.value == RuntimeValue::StartId && !tree::is_used(program, BLOCK_ID);
    let counted = counted.then_some("the program asks for the number of its blocks, not for which they are");
    counted.or_else(|| unused(program, &argument.name))
}

/// A variable that is left out.
pub fn unused(program: &Program, name: &str) -> Why {
    (!tree::is_used(program, name)).then_some("the program does not use it")
}

/// A variable that is declared further out or further in: its value is that of the same names.
pub fn declared_elsewhere(stmt: &Stmt, around: &Stmt) -> Why {
    let Kind::Op(Leaf::Let { name, .. }) = &stmt.kind else {
        return None;
    };
    let mut changed = BTreeSet::new();
    for inner in around.bodies().flatten().filter(|inner| *inner != stmt) {
        changed.extend(Effects::of(inner).writes);
    }
    let stays = !changed.contains(&Thing::Variable(name.clone())) && Effects::of(stmt).reads.is_disjoint(&changed);
    stays.then_some("a value of what does not change there")
}

/// A compute kernel of another fidelity.
pub fn fidelity(device: &Device) -> Why {
    let mut multiplied = false;
    for program in &device.programs {
        ir::operations(&program.body, &mut |leaf| {
            if let Leaf::Call(call) = leaf {
                multiplied |= factors(call.function).is_some();
            }
        });
    }
    (!multiplied).then_some("the matrix engine multiplies nothing")
}
