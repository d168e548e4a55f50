//! Loops of tiles in parts: which tiles of a block a tensor has is asked once of a row or column of them, and not of every tile.
//!
//! Device IR has such a loop whole: each turn begins with the branch that asks whether the turn is one of those within. The emitted code has
//! the turns before these, these, and those behind, each as a loop that asks nothing; what is the same for all turns is asked once.
//!
//! ```text
//!  tiles row in 0..4, in parts { when row < rows_within { read; dst += bytes } else { zero; dst += bytes } }
//!  ⟹ int32_t row = 0; for (; row < rows_within; ++row) { read; dst += bytes; } for (; row < 4; ++row) { zero; dst += bytes; }
//! ```
//!
//! The turns are the same ones in the same order, where none of the parts ends behind the loop and no turn changes what is asked: `verify`
//! proves both (`walk`).

use super::{Branch, Calls, Cause, Expr, Operator};
use crate::ir::{Kind, Stmt};
use std::fmt::Debug;

/// The body of a loop in parts.
#[derive(Debug, Clone)]
pub struct Parts<'a, V: Debug + Clone + PartialEq> {
    /// What is asked, and is the same for all turns.
    pub of_all: Vec<&'a Expr<V>>,
    /// The first turn within; none where that is the first of all.
    pub from: Option<&'a Expr<V>>,
    /// One past the last turn within; none where that is the end of the loop.
    pub to: Option<&'a Expr<V>>,
    /// What a turn within begins with.
    pub within: &'a [Stmt<Calls<V>>],
    /// What any other turn begins with.
    pub without: &'a [Stmt<Calls<V>>],
    /// What every turn ends with.
    pub rest: &'a [Stmt<Calls<V>>],
}

impl<'a, V: Debug + Clone + PartialEq> Parts<'a, V> {
    /// Of a loop over `name`; none where its body begins with no branch of the compiler's, or one that asks something else of a turn than
    /// between which bounds it is.
    pub fn of(name: &str, body: &'a [Stmt<Calls<V>>]) -> Option<Parts<'a, V>> {
        let (first, rest) = body.split_first()?;
        let Kind::If(
            Branch {
                cond,
                cause: Cause::Compiler,
            },
            within,
            without,
        ) = &first.kind
        else {
            return None;
        };
        let mut parts = Parts {
            of_all: Vec::new(),
            from: None,
            to: None,
            within,
            without,
            rest,
        };
        for asked in cond.all_of() {
            if !asked.mentions(name) {
                parts.of_all.push(asked);
                continue;
            }
            let Expr::Binary(op, turn, bound) = asked else {
                return None;
            };
            let side = match op {
                Operator::AtLeast => &mut parts.from,
                Operator::Less => &mut parts.to,
                Operator::Add
                | Operator::Sub
                | Operator::Mul
                | Operator::Div
                | Operator::Rem
                | Operator::Min
                | Operator::Max
                | Operator::AtMost
                | Operator::Greater
                | Operator::Equal
                | Operator::NotEqual
                | Operator::And
                | Operator::Or => return None,
            };
            if side.is_some() || **turn != Expr::name(name) || bound.mentions(name) {
                return None;
            }
            *side = Some(bound);
        }
        Some(parts)
    }

    /// The bounds of the turns within, as far as there are some.
    pub fn bounds(&self) -> impl Iterator<Item = &'a Expr<V>> {
        self.from.into_iter().chain(self.to)
    }

    /// All that is asked, but for the turn.
    pub fn asked(&self) -> impl Iterator<Item = &'a Expr<V>> {
        self.of_all.iter().copied().chain(self.bounds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{Bits, when};

    fn less(turn: &str, bound: &str) -> Expr<Bits> {
        Expr::operation(Operator::Less, Expr::name(turn), Expr::name(bound))
    }

    fn from(turn: &str, bound: &str) -> Expr<Bits> {
        Expr::operation(Operator::AtLeast, Expr::name(turn), Expr::name(bound))
    }

    fn both(a: Expr<Bits>, b: Expr<Bits>) -> Expr<Bits> {
        Expr::operation(Operator::And, a, b)
    }

    /// What is asked of a loop over `row` before its turns, and between which bounds they are.
    fn parts(cond: Expr<Bits>) -> Option<String> {
        let body = [when(cond, Vec::new(), Vec::new())];
        let parts = Parts::of("row", &body)?;
        Some(format!("{:?} {:?} {:?}", parts.of_all, parts.from, parts.to))
    }

    #[test]
    fn bounds_of_the_turn_are_told_from_what_all_turns_share() {
        let all = both(
            both(less("there", "extent"), from("row", "before")),
            less("row", "within"),
        );
        let expected = r#"[Binary(Less, Name("there"), Name("extent"))] Some(Name("before")) Some(Name("within"))"#;
        assert_eq!(parts(all).as_deref(), Some(expected));
        let all = less("there", "extent");
        assert_eq!(
            parts(all).as_deref(),
            Some(r#"[Binary(Less, Name("there"), Name("extent"))] None None"#)
        );
    }

    #[test]
    fn what_is_not_one_run_of_turns_has_no_parts() {
        let sum = Expr::operation(Operator::Add, Expr::name("first"), Expr::name("row"));
        for cond in [
            both(less("row", "one"), less("row", "another")),
            Expr::operation(Operator::AtMost, Expr::name("row"), Expr::name("last")),
            Expr::operation(Operator::Less, sum, Expr::name("extent")),
            Expr::operation(Operator::Or, less("row", "within"), less("there", "extent")),
            less("row", "row"),
        ] {
            assert_eq!(parts(cond.clone()), None, "{cond:?}");
        }
        assert!(Parts::<Bits>::of("row", &[]).is_none());
    }
}
