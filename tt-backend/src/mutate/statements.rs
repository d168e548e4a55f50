//! Statements left out, done twice, moved; loops and branches run otherwise.

use super::tree::{self, Place};
use super::{Kind, Maker};
use crate::device::{Bits, Branch, Expr, Loop};
use crate::ir;

/// The mutants of the statement at `place` as a whole.
pub fn of(maker: &mut Maker, place: &Place) {
    let Some(node) = place.get(maker.device) else { return };
    maker.at(Kind::LeftOut, place, "", |device| {
        place.edit(device, |list, at| drop(list.remove(at)));
    });
    maker.at(Kind::Twice, place, "", |device| {
        place.edit(device, |list, at| list.insert(at, list[at].clone()));
    });
    exchanged(maker, place);
    let parent = place.parent().and_then(|parent| parent.get(maker.device));
    if parent.is_some_and(|parent| !matches!(parent.kind, ir::Kind::Group(..))) {
        for (kind, behind) in [(Kind::BeforeParent, false), (Kind::BehindParent, true)] {
            maker.at(kind, place, "", |device| place.move_out(device, behind));
        }
    }
    match &node.kind {
        ir::Kind::If(..) => branch(maker, place),
        ir::Kind::Loop(Loop::Over { .. }, _) => {
            for (slot, by) in [(0, 1), (1, 1), (1, -1)] {
                let side = ["start", "end"][slot];
                maker.at(Kind::Rounds, place, &format!("{side} {by:+}"), |device| {
                    place.edit(device, |list, at| {
                        if let Some(bound) = tree::expressions_mut(&mut list[at]).into_iter().nth(slot) {
                            *bound = Expr::binary("+", bound.clone(), Expr::Int(by));
                        }
                    });
                });
            }
        }
        ir::Kind::Loop(Loop::Tiles { end, step, .. }, _) => {
            for changed in [end.saturating_add(*step), end.saturating_sub(*step)] {
                maker.at(Kind::Rounds, place, &format!("0..{changed}"), |device| {
                    place.edit(device, |list, at| {
                        if let ir::Kind::Loop(Loop::Tiles { end, .. }, _) = &mut list[at].kind {
                            *end = changed;
                        }
                    });
                });
            }
            if *step > 1 {
                maker.at(Kind::Rounds, place, "by 1", |device| {
                    place.edit(device, |list, at| {
                        if let ir::Kind::Loop(Loop::Tiles { step, .. }, _) = &mut list[at].kind {
                            *step = 1;
                        }
                    });
                });
            }
        }
        ir::Kind::Loop(Loop::Blocks, _) | ir::Kind::Op(_) | ir::Kind::Group(..) => {}
    }
}

/// Exchanged with the statement behind it, and moved into that.
fn exchanged(maker: &mut Maker, place: &Place) {
    let mut next = None;
    place.edit(&mut maker.device.clone(), |list, at| {
        let behind = list.get(at + 1);
        next = behind.map(|stmt| (stmt.bodies().count(), matches!(stmt.kind, ir::Kind::Group(..))));
    });
    let Some((lists, is_scope)) = next else { return };
    maker.at(Kind::Swapped, place, "", |device| {
        place.edit(device, |list, at| list.swap(at, at + 1));
    });
    if is_scope {
        return;
    }
    for side in 0..lists {
        let note = ["", "else"][side.min(1)];
        maker.at(Kind::IntoNext, place, note, |device| {
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
    maker.at(Kind::Sides, place, "", |device| {
        place.edit(device, |list, at| {
            if let ir::Kind::If(_, then, otherwise) = &mut list[at].kind {
                std::mem::swap(then, otherwise);
            }
        });
    });
    for (holds, note) in [(1, "true"), (0, "false")] {
        maker.at(Kind::Always, place, note, |device| {
            place.edit(device, |list, at| {
                if let ir::Kind::If(Branch { cond, .. }, ..) = &mut list[at].kind {
                    *cond = Expr::<Bits>::operation("!=", Expr::Int(holds), Expr::Int(0));
                }
            });
        });
    }
}
