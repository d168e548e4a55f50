//! Smaller expressions.

use super::super::program::{Access, At, Expr, Form, Part, Reach, Sum, Test};

/// Smaller expressions that still read something.
pub(super) fn parts(expr: &Expr) -> Vec<Expr> {
    let direct: Vec<Expr> = match expr {
        Expr::Unary("bits", _) => Vec::new(),
        Expr::Unary(_, a) | Expr::Clamp(a, _) | Expr::Written(_, a) => vec![(**a).clone()],
        Expr::Binary(_, a, b) => vec![(**a).clone(), (**b).clone()],
        Expr::Ternary(_, parts) => parts.to_vec(),
        // Of the same kind as the whole. Without its mask an element is read where it is.
        Expr::Choice(_, _, parts) => parts
            .iter()
            .filter_map(|part| match part {
                Expr::Block(part, Access::Moved(_) | Access::Paced(_)) => Some(Expr::Block(*part, Access::Here)),
                part => (!part.is_guarded()).then(|| part.clone()),
            })
            .collect(),
        Expr::Cast(..)
        | Expr::Truth(_)
        | Expr::Block(..)
        | Expr::Tensor(..)
        | Expr::Number(_)
        | Expr::Whole(_)
        | Expr::Alpha
        | Expr::Sum(_) => Vec::new(),
    };
    let mut all: Vec<Expr> = direct.into_iter().filter(Expr::reads).collect();
    match expr {
        Expr::Binary(op, a, b) => {
            all.extend(parts(a).into_iter().map(|a| Expr::Binary(op, Box::new(a), b.clone())));
            all.extend(parts(b).into_iter().map(|b| Expr::Binary(op, a.clone(), Box::new(b))));
        }
        Expr::Ternary(name, of) => {
            all.extend(one_smaller(of, parts).map(|of| Expr::Ternary(name, Box::new(of))));
        }
        Expr::Choice(form, test, branches) => {
            let with = |form, test, branches| Expr::Choice(form, Box::new(test), Box::new(branches));
            if *form == Form::Select {
                all.push(with(Form::If, (**test).clone(), (**branches).clone()));
            }
            all.extend(one_smaller(branches, parts).map(|branches| with(*form, (**test).clone(), branches)));
            all.extend(
                tests(test)
                    .into_iter()
                    .map(|test| with(*form, test, (**branches).clone())),
            );
        }
        Expr::Truth(test) => all.extend(tests(test).into_iter().map(|test| Expr::Truth(Box::new(test)))),
        Expr::Unary(op, a) => all.extend(parts(a).into_iter().map(|a| Expr::Unary(op, Box::new(a)))),
        Expr::Cast(to, a) => all.extend(parts(a).into_iter().map(|a| Expr::Cast(*to, Box::new(a)))),
        Expr::Clamp(a, limit) => all.extend(parts(a).into_iter().map(|a| Expr::Clamp(Box::new(a), *limit))),
        Expr::Written(by, a) => all.extend(parts(a).into_iter().map(|a| Expr::Written(*by, Box::new(a)))),
        Expr::Block(part, access) if part.at != [At::FIRST; 2] => {
            let at = [At::FIRST; 2];
            all.push(Expr::Block(Part { at, ..*part }, *access));
        }
        Expr::Tensor(tensor, index, reach) if *reach != Reach::Here([0, 0]) => {
            all.push(Expr::Tensor(*tensor, *index, Reach::Here([0, 0])));
        }
        Expr::Sum(sum) => all.extend(sums(sum).into_iter().map(Expr::Sum)),
        Expr::Block(..) | Expr::Tensor(..) | Expr::Number(_) | Expr::Whole(_) | Expr::Alpha => {}
    }
    all
}

/// Smaller tests.
fn tests(test: &Test) -> Vec<Test> {
    match test {
        Test::Mask(sum, rel) => sums(sum).into_iter().map(|sum| Test::Mask(sum, rel)).collect(),
        Test::Compare(rel, compared) => {
            let smaller = one_smaller(compared, parts);
            smaller.map(|compared| Test::Compare(rel, Box::new(compared))).collect()
        }
        Test::Both(name, both) => {
            let smaller = one_smaller(both, tests).map(|both| Test::Both(name, Box::new(both)));
            both.iter().cloned().chain(smaller).collect()
        }
        Test::Not(of) => {
            let smaller = tests(of).into_iter().map(|of| Test::Not(Box::new(of)));
            [(**of).clone()].into_iter().chain(smaller).collect()
        }
    }
}

/// Smaller sums.
fn sums(sum: &Sum) -> Vec<Sum> {
    let without = |at: usize| {
        let mut fewer = sum.clone();
        fewer.terms.remove(at);
        fewer
    };
    let mut all: Vec<Sum> = (0..sum.terms.len()).map(without).collect();
    if sum.then.is_some() {
        all.push(Sum {
            then: None,
            ..sum.clone()
        });
    }
    all
}

/// The same, of which one is smaller.
fn one_smaller<T: Clone, const N: usize>(all: &[T; N], smaller: fn(&T) -> Vec<T>) -> impl Iterator<Item = [T; N]> {
    (0..N).flat_map(move |at| {
        smaller(&all[at]).into_iter().map(move |part| {
            let mut changed = all.clone();
            changed[at] = part;
            changed
        })
    })
}
