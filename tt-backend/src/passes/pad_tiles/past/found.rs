//! What a value is computed from, and what is past its edges.

use super::Both;
use crate::flow::{Broadcast, BufferId};
use crate::passes::pad_tiles::edges::{Edges, Past};

/// A value: what is past its edges, and the one operand that it is computed from, if there is just one.
pub(super) struct Found {
    pub of: Of,
    pub past: Both,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Of {
    Nothing,
    One(BufferId, [i32; 2], Broadcast),
    Many,
}

impl Of {
    pub(super) fn and(self, other: Of) -> Of {
        match (self, other) {
            (Of::Nothing, of) | (of, Of::Nothing) => of,
            (one, other) if one == other => one,
            (Of::One(..) | Of::Many, Of::One(..) | Of::Many) => Of::Many,
        }
    }
}

impl Found {
    pub(super) fn number(number: Option<f32>) -> Found {
        let past = Past::number(number);
        Found {
            of: Of::Nothing,
            past: [past.clone(), past],
        }
    }

    /// What is zero where both are.
    pub(super) fn and(self, other: Found) -> Found {
        let of = self.of.and(other.of);
        let is_same = self.is_same(&other);
        let past = [0, 1].map(|axis| self.past[axis].and(&other.past[axis], is_same));
        Found { of, past }
    }

    /// As it is, with the edges of `other` too.
    pub(super) fn reaching(self, other: &Found) -> Found {
        let is_same = self.is_same(other);
        let past = [0, 1].map(|axis| self.past[axis].reaching(&other.past[axis], is_same));
        Found {
            of: self.of.and(other.of),
            past,
        }
    }

    /// Either, by a condition on elements: where that has a value, and the side that is taken.
    pub(super) fn or(self, other: Found, condition: &Found) -> Found {
        let alone = [0, 1].map(|axis| {
            let [a, b, asked] = [&self, &other, condition].map(|of| of.past[axis].edges().copied().collect::<Edges>());
            &(&a ^ &b) - &asked
        });
        let mut found = self.and(other).reaching(condition);
        for (past, alone) in found.past.iter_mut().zip(alone) {
            *past = past.clone().unsure_past(alone);
        }
        found
    }

    /// Whether both are computed from one block, whose edges they share.
    pub(super) fn is_same(&self, other: &Found) -> bool {
        matches!(self.of, Of::One(..)) && self.of == other.of
    }

    pub(super) fn not_zero(self) -> Found {
        Found {
            of: self.of,
            past: self.past.map(Past::not_zero),
        }
    }
}
