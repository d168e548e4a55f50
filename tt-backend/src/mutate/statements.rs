//! Statements left out, done twice, moved; loops and branches run otherwise.

use super::tree::{self, Place};
use super::{Kind, Maker};
use crate::device::{Expr, Node};

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
    if parent.is_some_and(|parent| !matches!(parent, Node::Scope(_))) {
        for (kind, behind) in [(Kind::BeforeParent, false), (Kind::BehindParent, true)] {
            maker.at(kind, place, "", |device| place.move_out(device, behind));
        }
    }
    match &node {
        Node::If { .. } | Node::When { .. } => branch(maker, place),
        Node::Loop { .. } => {
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
        Node::Tiles { end, step, .. } => {
            for changed in [end.saturating_add(*step), end.saturating_sub(*step)] {
                maker.at(Kind::Rounds, place, &format!("0..{changed}"), |device| {
                    place.edit(device, |list, at| {
                        if let Node::Tiles { end, .. } = &mut list[at] {
                            *end = changed;
                        }
                    });
                });
            }
            if *step > 1 {
                maker.at(Kind::Rounds, place, "by 1", |device| {
                    place.edit(device, |list, at| {
                        if let Node::Tiles { step, .. } = &mut list[at] {
                            *step = 1;
                        }
                    });
                });
            }
        }
        Node::Leaf(_) | Node::Scope(_) | Node::Source(_) => {}
    }
}

/// Exchanged with the statement behind it, and moved into that.
fn exchanged(maker: &mut Maker, place: &Place) {
    let mut next = None;
    place.edit(&mut maker.device.clone(), |list, at| {
        let behind = list.iter().enumerate().skip(at + 1);
        let statement = behind.into_iter().find(|(_, node)| !matches!(node, Node::Source(_)));
        next = statement.map(|(at, node)| (at, tree::lists(node).len(), matches!(node, Node::Scope(_))));
    });
    let Some((other, lists, is_scope)) = next else { return };
    maker.at(Kind::Swapped, place, "", |device| {
        place.edit(device, |list, at| list.swap(at, other));
    });
    if is_scope {
        return;
    }
    for side in 0..lists {
        let note = ["", "else"][side.min(1)];
        maker.at(Kind::IntoNext, place, note, |device| {
            place.edit(device, |list, at| {
                let moved = list.remove(at);
                if let Some(inner) = tree::lists_mut(&mut list[other - 1]).into_iter().nth(side) {
                    inner.insert(0, moved);
                }
            });
        });
    }
}

fn branch(maker: &mut Maker, place: &Place) {
    maker.at(Kind::Sides, place, "", |device| {
        place.edit(device, |list, at| {
            if let Node::If { then, otherwise, .. } | Node::When { then, otherwise, .. } = &mut list[at] {
                std::mem::swap(then, otherwise);
            }
        });
    });
    for (holds, note) in [(1, "true"), (0, "false")] {
        maker.at(Kind::Always, place, note, |device| {
            place.edit(device, |list, at| {
                if let Node::If { cond, .. } | Node::When { cond, .. } = &mut list[at] {
                    *cond = Expr::Binary("!=", Box::new(Expr::Int(holds)), Box::new(Expr::Int(0)));
                }
            });
        });
    }
}
