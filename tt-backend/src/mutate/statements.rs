//! Statements left out, done twice, moved; loops and branches run otherwise.

use super::same;
use super::tree::{self, Place};
use super::{Kind, Maker};
use crate::device::{Bits, Branch, Expr, Leaf, Loop, Operator};
use crate::ir;

/// The mutants of the statement at `place` as a whole.
pub fn of(maker: &mut Maker, place: &Place) {
    let Some(node) = place.get(maker.device) else { return };
    let advance = same::advance(maker.device, place);
    let unused = match &node.kind {
        ir::Kind::Op(Leaf::Let { name, .. }) => same::unused(&maker.device.programs[place.program()], name),
        _ => None,
    };
    maker.at(Kind::LeftOut, place, "", advance.or(unused), |device| {
        place.edit(device, |list, at| drop(list.remove(at)));
    });
    maker.at(
        Kind::Twice,
        place,
        "",
        advance.or_else(|| same::twice(&maker.device.programs[place.program()], node)),
        |device| {
            place.edit(device, |list, at| list.insert(at, list[at].clone()));
        },
    );
    exchanged(maker, place);
    let parent = place.parent().and_then(|parent| parent.get(maker.device));
    if let Some(parent) = parent.filter(|parent| !matches!(parent.kind, ir::Kind::Group(..))) {
        let before = same::declared_elsewhere(node, parent);
        for (kind, behind, same) in [(Kind::BeforeParent, false, before), (Kind::BehindParent, true, advance)] {
            maker.at(kind, place, "", same, |device| place.move_out(device, behind));
        }
    }
    match &node.kind {
        ir::Kind::If(..) => branch(maker, place),
        ir::Kind::Loop(Loop::Over { .. }, _) => {
            for (slot, by) in [(0, 1), (1, 1), (1, -1)] {
                let side = ["start", "end"][slot];
                maker.at(Kind::Rounds, place, &format!("{side} {by:+}"), None, |device| {
                    place.edit(device, |list, at| {
                        if let Some(bound) = tree::expressions_mut(&mut list[at]).into_iter().nth(slot) {
                            *bound = Expr::binary(Operator::Add, bound.clone(), Expr::Int(by));
                        }
                    });
                });
            }
        }
        ir::Kind::Loop(Loop::Tiles { end, step, .. }, _) => {
            let more = same::turn_more(maker.device, place);
            for (changed, same) in [(end.saturating_add(*step), more), (end.saturating_sub(*step), None)] {
                maker.at(Kind::Rounds, place, &format!("0..{changed}"), same, |device| {
                    place.edit(device, |list, at| {
                        if let ir::Kind::Loop(Loop::Tiles { end, .. }, _) = &mut list[at].kind {
                            *end = changed;
                        }
                    });
                });
            }
            if *step > 1 {
                maker.at(Kind::Rounds, place, "by 1", None, |device| {
                    place.edit(device, |list, at| {
                        if let ir::Kind::Loop(Loop::Tiles { step, .. }, _) = &mut list[at].kind {
                            *step = 1;
                        }
                    });
                });
            }
        }
        ir::Kind::Loop(Loop::Blocks { .. }, _) | ir::Kind::Op(_) | ir::Kind::Group(..) => {}
    }
}

/// Exchanged with the statement behind it, and moved into that.
fn exchanged(maker: &mut Maker, place: &Place) {
    let (Some(node), Some(next)) = (place.get(maker.device), place.next().get(maker.device)) else {
        return;
    };
    maker.at(Kind::Swapped, place, "", same::exchanged(node, next), |device| {
        place.edit(device, |list, at| list.swap(at, at + 1));
    });
    if matches!(next.kind, ir::Kind::Group(..)) {
        return;
    }
    let same = same::declared_elsewhere(node, next);
    for side in 0..next.bodies().count() {
        let note = ["", "else"][side.min(1)];
        maker.at(Kind::IntoNext, place, note, same, |device| {
            place.edit(device, |list, at| {
                let moved = list.remove(at);
                if let Some(inner) = list[at].bodies_mut().nth(side) {
                    inner.insert(0, moved);
                }
            });
        });
    }
}

fn branch(maker: &mut Maker, place: &Place) {
    maker.at(Kind::Sides, place, "", None, |device| {
        place.edit(device, |list, at| {
            if let ir::Kind::If(_, then, otherwise) = &mut list[at].kind {
                std::mem::swap(then, otherwise);
            }
        });
    });
    for (holds, note) in [(1, "true"), (0, "false")] {
        maker.at(Kind::Always, place, note, None, |device| {
            place.edit(device, |list, at| {
                if let ir::Kind::If(Branch { cond, .. }, ..) = &mut list[at].kind {
                    *cond = Expr::<Bits>::operation(Operator::NotEqual, Expr::Int(holds), Expr::Int(0));
                }
            });
        });
    }
}
