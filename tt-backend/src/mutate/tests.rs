//! Mutants are many, named apart, and always the same.

use super::{Kind, Mutant, mutants};
use crate::verify;
use crate::verify::fixture::{device, kernel};
use std::collections::BTreeSet;

fn made() -> Vec<(Mutant, bool)> {
    let mut out = Vec::new();
    mutants(&kernel(), &device(), &mut |mutant, make| {
        if let Some(device) = make() {
            out.push((mutant, verify::verify(&kernel(), &device).is_err()));
        }
    });
    out
}

#[test]
fn mutants_come_in_one_order_and_each_has_a_name_of_its_own() {
    let names = || made().iter().map(|(mutant, _)| mutant.to_string()).collect::<Vec<_>>();
    let all = names();
    assert!(all.len() > 300, "{}", all.len());
    assert_eq!(all, names());
    let mut seen = BTreeSet::new();
    let again: Vec<&String> = all.iter().filter(|name| !seen.insert(*name)).collect();
    assert!(again.is_empty(), "{again:#?}");
}

#[test]
fn most_mistakes_in_a_protocol_are_refused() {
    let all = made();
    for kind in [Kind::LeftOut, Kind::Swapped, Kind::Buffer, Kind::Pages, Kind::Order] {
        let (refused, passed): (Vec<_>, Vec<_>) = all
            .iter()
            .filter(|(mutant, _)| mutant.kind == kind)
            .partition(|(_, refused)| *refused);
        assert!(refused.len() > passed.len(), "{kind:?}: {passed:#?}");
    }
}
