//! The published schema names every value that the types have: what the compiler can write, the schema lets pass.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use tt_lang::ir::{CompareOp, ElementType, Fidelity, ScalarKind};
use tt_plan::{CoreLine, DataFormat, InLine, NocAxis};

const SCHEMA: &str = include_str!("../schema/tt.plan.schema.json");

/// The values that the schema lets members called `name` have, wherever it speaks of such.
fn listed(name: &str) -> Vec<BTreeSet<String>> {
    fn find(schema: &Value, name: &str, found: &mut Vec<BTreeSet<String>>) {
        let inner = match schema {
            Value::Object(members) => {
                if let Some(values) = members.get(name).and_then(|member| member["enum"].as_array()) {
                    found.push(values.iter().map(|value| value.as_str().unwrap().to_owned()).collect());
                }
                members.values().collect::<Vec<_>>()
            }
            Value::Array(items) => items.iter().collect(),
            _ => Vec::new(),
        };
        inner.into_iter().for_each(|inner| find(inner, name, found));
    }
    let mut found = Vec::new();
    find(&serde_json::from_str(SCHEMA).unwrap(), name, &mut found);
    found
}

/// What plans write for these values.
fn written<T: Serialize>(values: impl IntoIterator<Item = T>) -> BTreeSet<String> {
    let text = |value: T| serde_json::to_value(value).unwrap().as_str().unwrap().to_owned();
    values.into_iter().map(text).collect()
}

/// Holds that members called `name`, of which the schema has `count`, may have `values` and no others.
fn has<T: Serialize>(name: &str, count: usize, values: impl IntoIterator<Item = T>) {
    let (found, wanted) = (listed(name), written(values));
    assert_eq!(found.len(), count, "{name} in {found:?}");
    found
        .iter()
        .for_each(|found| assert_eq!(*found, wanted, "the values of `{name}`"));
}

#[test]
fn elements_are_of_every_type() {
    has("element", 2, ElementType::ALL.iter().map(|(element, _)| element));
}

#[test]
fn circular_buffers_are_of_every_format_that_they_are_declared_in() {
    has("data_format", 1, DataFormat::ALL.iter().map(|format| format.moved_as()));
}

#[test]
fn cores_in_line_and_their_places_are_all_there() {
    has("core", 1, InLine::ALL);
    has("axis", 1, NocAxis::ALL);
    assert_eq!(listed("core_line"), [written(CoreLine::ALL)]);
}

/// Types without a list of their own: a value more is one that this match does not name.
#[test]
fn fidelities_scalars_and_comparisons_are_all_there() {
    let fidelities = [Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi3, Fidelity::HiFi4];
    for fidelity in fidelities {
        match fidelity {
            Fidelity::LoFi | Fidelity::HiFi2 | Fidelity::HiFi3 | Fidelity::HiFi4 => {}
        }
    }
    has("math_fidelity", 1, fidelities);
    let scalars = [ScalarKind::F32, ScalarKind::I32, ScalarKind::U32];
    for scalar in scalars {
        match scalar {
            ScalarKind::F32 | ScalarKind::I32 | ScalarKind::U32 => {}
        }
    }
    assert!(listed("kind").contains(&written(scalars)));
    use CompareOp::*;
    let comparisons = [Eq, Ne, Lt, Le, Gt, Ge];
    for comparison in comparisons {
        match comparison {
            Eq | Ne | Lt | Le | Gt | Ge => {}
        }
    }
    assert!(listed("op").contains(&written(comparisons)));
}
