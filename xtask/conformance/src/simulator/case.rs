//! The kernels that are run: one per operation of the language and way of using it.

use super::{blocks, elementwise, products, structures};

/// One kernel and the launches it is run with.
pub struct Case {
    /// What `--only` and folders call it.
    pub name: String,
    /// What its row of the table says it does.
    pub operation: String,
    /// The section of the table it stands in.
    pub section: &'static str,
    /// Its source: one function `case` under `#[tt::kernel]`.
    pub source: String,
    /// The extents of its launches.
    pub shapes: &'static [&'static [usize]],
    /// What its inputs are.
    pub domain: Domain,
}

/// What inputs an operation is tried on.
pub enum Domain {
    /// Any number for which `value` of the inputs that meet is finite.
    Elementwise {
        /// The operation over real numbers.
        value: Value,
    },
    /// Numbers between -1 and 1: what is summed up.
    Sums,
}

/// An operation over real numbers.
pub type Value = Box<dyn Fn(&[f64]) -> f64 + Send + Sync>;

impl Domain {
    /// Any number.
    pub fn any() -> Domain {
        Domain::Elementwise {
            value: Box::new(|_| 0.0),
        }
    }
}

/// Whole blocks, and one that is ragged in both directions.
pub const MATRICES: &[&[usize]] = &[&[96, 128], &[33, 70]];

/// Every kernel, in the order of the table.
pub fn all() -> Vec<Case> {
    let mut cases = elementwise::operations();
    cases.extend(elementwise::numbers());
    cases.extend(elementwise::comparisons());
    cases.extend(elementwise::broadcasts());
    cases.extend(blocks::cases());
    cases.extend(products::cases());
    cases.extend(structures::cases());
    cases
}

/// A source: `attribute` is what stands in `#[tt::kernel(..)]`, `parameters` come after the extents.
pub fn source(attribute: &str, extents: &[&str], parameters: &str, body: &str) -> String {
    let extents: Vec<String> = extents.iter().map(|name| format!("const {name}: usize")).collect();
    let attribute = if attribute.is_empty() {
        String::new()
    } else {
        format!("({attribute})")
    };
    format!(
        "use tt::prelude::*;\n\n#[tt::kernel{attribute}]\npub fn case<{}>({parameters}) {{\n{body}}}\n",
        extents.join(", ")
    )
}

/// Whether an expression mentions a name.
pub fn reads(expression: &str, name: &str) -> bool {
    expression
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tt_lang::ir::ELEMENT_OPS;

    #[test]
    fn every_operation_of_the_language_has_a_case_and_names_are_told_apart() {
        let cases = all();
        let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names.len(), cases.len());
        for row in ELEMENT_OPS {
            for variant in ["bf16", "f32", "approximate-bf16"] {
                let name = format!("{}-{variant}", row.name);
                assert!(names.contains(name.as_str()), "{name}");
            }
        }
    }
}
