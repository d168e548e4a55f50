//! One mistake in every statement of its shape, as a pass makes it: where two things cover for each other, such as the zeros
//! past the edges of both operands of a product, a mistake in one of them changes nothing.

use super::calls::{changed_expression, others};
use super::tree::{self, Expr, Place, Stmt};
use super::{Kind, Maker, Mutant, Why};
use crate::device::{Device, Leaf, print};
use crate::ir;
use std::collections::BTreeMap;

/// Where a mistake is made: the place, which of the statement's expressions, and what stands there instead.
type Change = (Place, usize, Expr);

/// What makes mistakes one: the program, what the statement looks like, which of its expressions, and which mistake.
type Mistake = (usize, String, usize, usize);

/// The mutants of all programs.
pub fn of(maker: &mut Maker) {
    let device = maker.device;
    let mut changes: BTreeMap<Mistake, (String, Vec<Change>)> = BTreeMap::new();
    let mut scopes: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
    for place in tree::places(device) {
        let Some(stmt) = place.get(device) else { continue };
        if clears(stmt) {
            scopes.entry(place.program()).or_default().push(place.clone());
        }
        let of = match &stmt.kind {
            ir::Kind::Op(Leaf::Let { name, .. }) if tree::is_used(&device.programs[place.program()], name) => name,
            ir::Kind::If(branch, ..) if branch.cause.origin().is_none() => "when",
            _ => continue,
        };
        for (slot, expr) in tree::expressions(stmt).into_iter().enumerate() {
            let label = format!("{of} {}", shape(expr));
            for (number, (_, note, changed)) in others(device, &place, expr, true).into_iter().enumerate() {
                let key = (place.program(), label.clone(), slot, number);
                let (_, all) = changes.entry(key).or_insert_with(|| (note, Vec::new()));
                all.push((place.clone(), slot, changed));
            }
        }
    }
    for ((.., number), (note, all)) in changes.into_iter().filter(|(_, (_, all))| all.len() > 1) {
        let same = all.iter().map(|(place, slot, changed)| {
            let stmt = place.get(device)?;
            let own = tree::expressions(stmt).into_iter().nth(*slot)?;
            changed_expression(device, place, (own, changed))
        });
        let same = same.reduce(|a, b| a.and(b)).flatten();
        let first = all[0].0.clone();
        make(
            maker,
            &first,
            all.len(),
            &format!(" → {note} ({number})"),
            same,
            |device| {
                for (place, slot, changed) in all {
                    place.edit(device, |list, at| {
                        if let Some(expr) = tree::expressions_mut(&mut list[at]).into_iter().nth(slot) {
                            *expr = changed;
                        }
                    });
                }
            },
        );
    }
    for places in scopes.into_values().filter(|places| places.len() > 1) {
        make(maker, &places[0], places.len(), " left out", None, |device| {
            // The last first: the places before it stay as they are.
            for place in places.iter().rev() {
                place.edit(device, |list, at| drop(list.remove(at)));
            }
        });
    }
}

/// The mutant that `change` makes in `count` places, of which one is `first`.
fn make(maker: &mut Maker, first: &Place, count: usize, note: &str, same: Why, change: impl FnOnce(&mut Device)) {
    let Some(stmt) = first.get(maker.device) else { return };
    let text = print::statement(maker.kernel, maker.device, stmt);
    let mutant = Mutant {
        kind: Kind::Everywhere,
        program: maker.device.programs[first.program()].role.name(),
        subject: tree::name(stmt).to_string(),
        mentions: tree::mentions(maker.device, stmt),
        detail: format!("{text}{note} [{first} and {} more]", count - 1),
        same,
    };
    maker.make(mutant, change);
}

/// Whether a statement clears a tile past an edge and does nothing else.
fn clears(stmt: &Stmt) -> bool {
    let ir::Kind::Group(_, body) = &stmt.kind else {
        return false;
    };
    let mut clears = false;
    ir::operations(body, &mut |leaf| {
        clears |= matches!(leaf, Leaf::Call(call) if call.function.name.starts_with("zero_tile") || call.function.name.starts_with("zero_block"));
    });
    clears
}

/// An expression without its names and numbers.
fn shape(expr: &Expr) -> String {
    match expr {
        Expr::Binary(op, a, b) => format!("({} {op} {})", shape(a), shape(b)),
        Expr::Call(call) => {
            let args: Vec<String> = call.args.iter().map(shape).collect();
            format!("{}({})", call.function.name, args.join(", "))
        }
        Expr::Int(_) => "1".to_string(),
        Expr::Name(_) => "n".to_string(),
        Expr::Buffer(_) => "buffer".to_string(),
        Expr::PageBytes(_) => "bytes".to_string(),
        Expr::Accessor(_) => "accessor".to_string(),
        Expr::Bool(_) | Expr::Value(_) | Expr::Text(_) => format!("{expr:?}"),
    }
}
