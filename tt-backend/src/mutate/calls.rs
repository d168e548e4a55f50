//! What a statement says: other numbers, operators, buffers, tensors, templates, functions.

use super::same::{self, Why};
use super::tree::{self, Expr, Place, Stmt};
use super::{Kind, Maker};
use crate::device::function::{self, Function};
use crate::device::{Bits, Call, Device, Leaf, Loop, Operator, Template};
use crate::flow::{Broadcast, BufferId};
use crate::ir;
use crate::tile_ops::{FpuOp, PACKER_ROWS, PackerRow, SFPU_OPS, SfpuRow};
use std::collections::BTreeSet;

/// Functions that take the same arguments, so that one may stand where another should.
static FAMILIES: &[&[&Function]] = {
    use function::*;
    &[
        &[&CB_RESERVE_BACK, &CB_PUSH_BACK, &CB_WAIT_FRONT, &CB_POP_FRONT],
        &[
            &TILE_REGS_ACQUIRE,
            &TILE_REGS_COMMIT,
            &TILE_REGS_WAIT,
            &PACKER_SFPU_BEGIN,
            &PACKER_SFPU_END,
            &TILE_REGS_RELEASE,
        ],
        &[&NOC_ASYNC_READ_PAGE, &NOC_ASYNC_WRITE_PAGE],
        &[&READ_PLACED_PAGE, &WRITE_PLACED_PAGE],
        &[
            &NOC_ASYNC_READ_BARRIER,
            &NOC_ASYNC_WRITES_FLUSHED,
            &NOC_ASYNC_WRITE_BARRIER,
        ],
        &[&GET_WRITE_PTR, &GET_READ_PTR],
        &[&ZERO_TILE_ROWS, &ZERO_TILE_COLUMNS],
        &[&ZERO_BLOCK_ROWS, &ZERO_BLOCK_COLUMNS],
        &[
            &RECONFIG_DATA_FORMAT_SRCA,
            &RECONFIG_DATA_FORMAT_SRCB,
            &PACK_RECONFIG_DATA_FORMAT,
        ],
        &[&COPY_INIT, &TRANSPOSE_INIT],
        &[&COPY_TILE, &TRANSPOSE_TILE],
        &[
            &ADD_INIT,
            &SUB_INIT,
            &MUL_INIT,
            &ADD_BCAST_ROWS_INIT,
            &SUB_BCAST_ROWS_INIT,
            &MUL_BCAST_ROWS_INIT,
            &ADD_BCAST_COLS_INIT,
            &SUB_BCAST_COLS_INIT,
            &MUL_BCAST_COLS_INIT,
            &ADD_BCAST_SCALAR_INIT,
            &SUB_BCAST_SCALAR_INIT,
            &MUL_BCAST_SCALAR_INIT,
        ],
        &[
            &ADD_TILES,
            &SUB_TILES,
            &MUL_TILES,
            &ADD_TILES_BCAST_ROWS,
            &SUB_TILES_BCAST_ROWS,
            &MUL_TILES_BCAST_ROWS,
            &ADD_TILES_BCAST_COLS,
            &SUB_TILES_BCAST_COLS,
            &MUL_TILES_BCAST_COLS,
            &ADD_TILES_BCAST_SCALAR,
            &SUB_TILES_BCAST_SCALAR,
            &MUL_TILES_BCAST_SCALAR,
        ],
    ]
};

/// Template arguments that the same function takes.
static TEMPLATES: &[&[&str]] = &[
    &[
        "EltwiseBinaryReuseDestType::DEST_TO_SRCA",
        "EltwiseBinaryReuseDestType::DEST_TO_SRCB",
    ],
    &["true", "false"],
    &["2", "4"],
    &["DST_FORMAT", "DataFormat::Float32", "DataFormat::Float16_b"],
];

/// Operators that one may be mistaken for.
static OPERATORS: &[(Operator, &[Operator])] = &[
    (Operator::Add, &[Operator::Sub]),
    (Operator::Sub, &[Operator::Add]),
    (Operator::Mul, &[Operator::Add]),
    (Operator::Div, &[Operator::Rem]),
    (Operator::Rem, &[Operator::Div]),
    (Operator::Less, &[Operator::AtMost, Operator::AtLeast]),
    (Operator::AtMost, &[Operator::Less, Operator::Greater]),
    (Operator::Greater, &[Operator::AtLeast, Operator::AtMost]),
    (Operator::AtLeast, &[Operator::Greater, Operator::Less]),
    (Operator::Equal, &[Operator::NotEqual]),
    (Operator::NotEqual, &[Operator::Equal]),
    (Operator::And, &[Operator::Or]),
    (Operator::Or, &[Operator::And]),
];

/// The mutants of what the statement at `place` says.
pub fn of(maker: &mut Maker, place: &Place) {
    let Some(node) = place.get(maker.device) else { return };
    let unused = match &node.kind {
        ir::Kind::Op(Leaf::Let { name, .. } | Leaf::Advance { name, .. }) => {
            !tree::is_used(&maker.device.programs[place.program()], name)
        }
        // Bounds of loops are changed where loops are.
        ir::Kind::Loop(Loop::Over { .. }, _) => true,
        _ => false,
    };
    if !unused {
        for (slot, expr) in tree::expressions(node).into_iter().enumerate() {
            for (kind, note, changed) in others(maker.device, place, expr, true) {
                let same = changed_expression(maker.device, place, (expr, &changed));
                maker.at(
                    kind,
                    place,
                    &format!("{}{note}", argument(node, slot)),
                    same,
                    |device| {
                        place.edit(device, |list, at| {
                            if let Some(expr) = tree::expressions_mut(&mut list[at]).into_iter().nth(slot) {
                                *expr = changed;
                            }
                        });
                    },
                );
            }
        }
    }
    let ir::Kind::Op(Leaf::Call(call)) = &node.kind else {
        return;
    };
    for at in 1..call.args.len() {
        let pair = &call.args[at - 1..=at];
        // An accessor is of no other argument's type.
        if pair[0] != pair[1] && !pair.iter().any(|arg| matches!(arg, Expr::Accessor(_))) {
            let note = format!("arguments {} and {at}", at - 1);
            let same = match pair {
                [Expr::Buffer(own), Expr::Buffer(other)] => same::buffer(maker.device, call.function, *own, *other),
                _ => None,
            };
            edit_call(maker, Kind::Exchanged, place, &note, same, |call| {
                call.args.swap(at - 1, at)
            });
        }
    }
    for template in templates(call.function, &call.template) {
        let note = match template.args() {
            [] => "no template arguments".to_string(),
            [_, ..] => template.to_string(),
        };
        edit_call(maker, Kind::Template, place, &note, None, |call| {
            call.template = template
        });
    }
    for other in family(call.function) {
        edit_call(maker, Kind::Function, place, other.name, None, |call| {
            call.function = other
        });
    }
}

fn argument(stmt: &Stmt, slot: usize) -> String {
    match &stmt.kind {
        ir::Kind::Op(Leaf::Call(_)) => format!("argument {slot}: "),
        _ => String::new(),
    }
}

/// Why a statement does the same with another expression, where that shows.
pub fn changed_expression(device: &Device, place: &Place, (own, other): (&Expr, &Expr)) -> Why {
    let of_buffer = match (place.get(device).map(|stmt| &stmt.kind), own, other) {
        (Some(ir::Kind::Op(Leaf::Call(call))), Expr::Buffer(own), Expr::Buffer(other)) => {
            same::buffer(device, call.function, *own, *other)
        }
        _ => None,
    };
    let advanced = || same::advance(device, place);
    of_buffer
        .or_else(advanced)
        .or_else(|| same::value(device, place, own, other))
}

fn edit_call(
    maker: &mut Maker,
    kind: Kind,
    place: &Place,
    note: &str,
    same: Why,
    change: impl FnOnce(&mut Call<Bits>),
) {
    maker.at(kind, place, note, same, |device| {
        place.edit(device, |list, at| {
            if let ir::Kind::Op(Leaf::Call(call)) = &mut list[at].kind {
                change(call);
            }
        });
    });
}

/// What may stand where `expr` does: what is wrong, what is there instead in a few words, and the expression.
/// `whole` is whether it is no part of another.
pub fn others(device: &Device, place: &Place, expr: &Expr, whole: bool) -> Vec<(Kind, String, Expr)> {
    let mut out = Vec::new();
    let mut put = |kind, note: &str, expr| out.push((kind, note.to_string(), expr));
    match expr {
        Expr::Int(value) => {
            for by in [1, -1] {
                let value = value.saturating_add(by);
                put(Kind::Integer, &value.to_string(), Expr::Int(value));
            }
        }
        Expr::Bool(value) => put(Kind::Integer, &(!value).to_string(), Expr::Bool(!value)),
        Expr::Value(_) => put(Kind::Number, "1", Expr::Value(Bits(1.0_f32.to_bits()))),
        Expr::Buffer(own) => {
            for (id, name) in buffers(device, *own) {
                put(Kind::Buffer, name, Expr::Buffer(id));
            }
        }
        Expr::PageBytes(own) => {
            let bytes = |id: BufferId| device.buffers.get(id.0).map(|buffer| buffer.format.tile_bytes());
            if let Some((id, name)) = buffers(device, *own)
                .into_iter()
                .find(|(id, _)| bytes(*id) != bytes(*own))
            {
                put(Kind::Buffer, &format!("bytes of {name}"), Expr::PageBytes(id));
            }
        }
        Expr::Accessor(own) => {
            for accessor in device
                .programs
                .get(place.program())
                .iter()
                .flat_map(|program| &program.accessors)
            {
                if accessor.tensor != *own {
                    put(Kind::Tensor, &accessor.name, Expr::Accessor(accessor.tensor));
                }
            }
        }
        Expr::Name(_) | Expr::Binary(..) if whole && is_number(expr) => {
            for by in [1, -1] {
                let note = format!("{by:+}");
                put(
                    Kind::Integer,
                    &note,
                    Expr::binary(Operator::Add, expr.clone(), Expr::Int(by)),
                );
            }
            put(Kind::Zero, "0", Expr::Int(0));
        }
        Expr::Call(call) => {
            for function in family(call.function) {
                let mut call = call.clone();
                call.function = function;
                put(Kind::Function, function.name, Expr::Call(call));
            }
        }
        _ => {}
    }
    if let Expr::Binary(op, a, b) = expr {
        let others = OPERATORS
            .iter()
            .find(|(known, _)| known == op)
            .map_or(&[][..], |(_, others)| others);
        for other in others {
            put(Kind::Operator, other.word(), Expr::Binary(*other, a.clone(), b.clone()));
        }
        if matches!(op, Operator::Sub | Operator::Div | Operator::Rem) {
            put(
                Kind::Operator,
                "sides exchanged",
                Expr::Binary(*op, b.clone(), a.clone()),
            );
        }
    }
    for (at, operand) in tree::operands(expr).into_iter().enumerate() {
        for (kind, note, changed) in others(device, place, operand, false) {
            let mut whole = expr.clone();
            if let Some(operand) = tree::operands_mut(&mut whole).into_iter().nth(at) {
                *operand = changed;
            }
            out.push((kind, note, whole));
        }
    }
    out
}

/// Whether an operator is arithmetic: neither a comparison nor logic.
fn is_arithmetic(op: Operator) -> bool {
    matches!(
        op,
        Operator::Add | Operator::Sub | Operator::Mul | Operator::Div | Operator::Rem | Operator::Min | Operator::Max
    )
}

/// Whether an expression is arithmetic: neither a condition nor an address.
fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Int(_) | Expr::Name(_) | Expr::PageBytes(_) => true,
        Expr::Binary(op, a, b) => is_arithmetic(*op) && is_number(a) && is_number(b),
        _ => false,
    }
}

/// Every buffer but `own`, with its name.
fn buffers(device: &Device, own: BufferId) -> Vec<(BufferId, &str)> {
    let all = device.buffers.iter().enumerate();
    all.map(|(at, buffer)| (BufferId(at), buffer.name.as_str()))
        .filter(|(id, _)| *id != own)
        .collect()
}

fn templates(function: &Function, own: &Template) -> Vec<Template> {
    let template = |words: &&'static str| match words.parse() {
        Ok(value) => Template::from([value]),
        Err(_) => Template::from(*words),
    };
    let all = |row: &[&'static str]| row.iter().map(template).collect::<Vec<_>>();
    let mut out = match *function == function::COMPUTE_KERNEL_HW_STARTUP {
        true => all(&["", "SrcOrder::Reverse"]),
        false => {
            let mut rows = TEMPLATES.iter().map(|row| all(row));
            rows.find(|row| row.contains(own)).unwrap_or_default()
        }
    };
    out.retain(|other| other != own);
    out
}

/// The functions that may stand where `own` does.
fn family(own: &Function) -> Vec<&'static Function> {
    let family = FAMILIES.iter().find(|family| family.contains(&own));
    let mut out: Vec<&'static Function> = family.iter().flat_map(|family| family.iter().copied()).collect();
    for of in [(|row| &row.init) as fn(&'static SfpuRow) -> &'static Function, |row| {
        &row.call
    }] {
        if let Some(other) = SFPU_OPS.iter().find(|row| of(row) == own).and_then(rival) {
            out.push(of(other));
        }
    }
    // Of the other thread.
    out.extend(PackerRow::of_init(own).map(|row| &row.op.row().init));
    out.extend(PackerRow::of_call(own).map(|row| &row.op.row().call));
    out.retain(|other| *other != own);
    out
}

/// The next operation of the SFPU with as many operands of each sort.
fn rival(own: &'static SfpuRow) -> Option<&'static SfpuRow> {
    let from = SFPU_OPS.iter().position(|row| row.call == own.call)?;
    let (before, behind) = SFPU_OPS.split_at(from);
    behind
        .iter()
        .skip(1)
        .chain(before)
        .find(|row| row.form == own.form && row.call != own.call)
}

/// An operation: its init, its call, and where both have them, the template arguments.
#[derive(Clone, Copy)]
struct Operation {
    init: &'static Function,
    call: &'static Function,
    template: Option<&'static str>,
}

/// Every operation with one that may be mistaken for it.
fn rivals() -> Vec<(Operation, Operation)> {
    let fpu = |(init, call)| Operation {
        init,
        call,
        template: None,
    };
    let sfpu = |row: &'static SfpuRow| Operation {
        init: &row.init,
        call: &row.call,
        template: row.call_template.is_empty().then_some(row.exact),
    };
    let (copy, transpose) = (
        fpu((&function::COPY_INIT, &function::COPY_TILE)),
        fpu((&function::TRANSPOSE_INIT, &function::TRANSPOSE_TILE)),
    );
    let mut out = vec![(copy, transpose), (transpose, copy)];
    let broadcasts = [Broadcast::None, Broadcast::Row, Broadcast::Column, Broadcast::Scalar];
    for (op, other) in [
        (FpuOp::Add, FpuOp::Sub),
        (FpuOp::Sub, FpuOp::Mul),
        (FpuOp::Mul, FpuOp::Add),
    ] {
        for (at, broadcast) in broadcasts.into_iter().enumerate() {
            let others = [(other, broadcast), (op, broadcasts[(at + 1) % broadcasts.len()])];
            for (other, as_broadcast) in others {
                if let (Some(own), Some(other)) = (op.functions(broadcast), other.functions(as_broadcast)) {
                    out.push((fpu(own), fpu(other)));
                }
            }
        }
    }
    let rows = SFPU_OPS.iter().filter_map(|row| Some((row, rival(row)?)));
    out.extend(rows.map(|(row, other)| (sfpu(row), sfpu(other))));
    let of_packer = |row: &'static PackerRow| Operation {
        init: row.init,
        call: row.call,
        ..sfpu(row.op.row())
    };
    let rows = PACKER_ROWS.iter().zip(PACKER_ROWS.iter().skip(1));
    let alike = rows.filter(|(row, other)| row.op.row().form == other.op.row().form);
    out.extend(alike.map(|(row, other)| (of_packer(row), of_packer(other))));
    out
}

/// The mutants in which all uses of an operation are of another.
pub fn operations(maker: &mut Maker) {
    for at in 0..maker.device.programs.len() {
        let mut used = BTreeSet::new();
        let role = maker.device.programs[at].role.name();
        ir::visit(&maker.device.programs[at].body, &mut |stmt| {
            used.insert(tree::name(stmt));
        });
        for (own, other) in rivals() {
            if !used.contains(own.call.name) {
                continue;
            }
            let mutant = super::Mutant {
                kind: Kind::Operation,
                program: role,
                subject: own.call.name.to_string(),
                mentions: vec![own.call.name.to_string()],
                detail: format!("{} → {}", own.call.name, other.call.name),
                same: None,
            };
            maker.make(mutant, |device| {
                ir::operations_mut(&mut device.programs[at].body, &mut |leaf| {
                    let Leaf::Call(call) = leaf else { return };
                    let function = match call.function {
                        function if function == own.call => other.call,
                        function if function == own.init => other.init,
                        _ => return,
                    };
                    call.function = function;
                    if let Some(template) = other.template {
                        call.template = template.into();
                    }
                });
            });
        }
    }
}
