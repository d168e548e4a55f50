//! give_names: the names of the emitted code.
//!
//! Before: buffers, tensors and variables with the names of the user. After: each with a name of its own that C++, the
//! device's headers and the compiler leave free. A tensor that is read and written has one name in both programs.
//!
//! ```text
//!  buffers v, v; variable template   ⟹   buffers v, v_2; variable template_2
//! ```

use crate::device::{Accessors, Parts, print};
use crate::names::Names;
use crate::passes::d5_insert_dst_management::Symbolic;
use crate::pipeline::{Form, Pass, Unit};
use crate::verify::tile::named;
use tt_lang::hash::HashMap;
use tt_lang::ir::{Kernel, ParamId};

/// The pass.
pub const PASS: Pass<Unit<Parts<Symbolic>>, Unit<Named>> = Pass {
    name: "give_names",
    does: "names that nobody else has in the emitted code",
    run: |unit| unit.lowered(|facts, parts| Ok(run(&facts.kernel, parts))),
    check: named,
};

/// Programs with all that users named having its final name.
#[derive(Debug, Clone)]
pub struct Named {
    /// The programs, and what they run over.
    pub parts: Parts<Symbolic>,
    /// The name of every variable of the kernel, by `VarId`.
    pub variables: Vec<String>,
    /// What names are taken.
    pub names: Names,
}

impl Form for Unit<Named> {
    const NAME: &'static str = "Device IR: calls, with names";

    fn text(&self) -> Option<String> {
        let Named { parts, variables, .. } = &self.program;
        Some(print::named(&self.facts.kernel, parts, variables))
    }
}

/// The constant that holds the index of the circular buffer `name`.
pub fn index_name(name: &str) -> String {
    format!("cb_{name}")
}

/// The constant that holds the bytes of a page of the circular buffer `name`.
pub fn page_bytes_name(name: &str) -> String {
    format!("{name}_page_bytes")
}

/// What begins a version of the circular buffer `name` ahead.
pub fn begin_name(name: &str) -> String {
    format!("begin_{name}")
}

/// The argument that holds the address of the tensor `name`.
fn address_name(name: &str) -> String {
    format!("{name}_address")
}

/// The constant that holds the compile-time words of the accessor `name`.
pub fn accessor_args_name(name: &str) -> String {
    format!("{name}_args")
}

/// Runs the pass.
pub fn run(kernel: &Kernel, mut parts: Parts<Symbolic>) -> Named {
    let mut names = Names::default();
    for buffer in &mut parts.buffers {
        buffer.name = names.give_with(&buffer.name, |name| {
            vec![index_name(name), page_bytes_name(name), begin_name(name)]
        });
    }
    let mut tensors: HashMap<ParamId, String> = HashMap::default();
    let Accessors { reader, writer, .. } = &mut parts.accessors;
    for accessor in reader.iter_mut().chain(writer) {
        let name = tensors.entry(accessor.tensor).or_insert_with(|| {
            names.give_with(&accessor.name, |name| {
                vec![name.to_string(), address_name(name), accessor_args_name(name)]
            })
        });
        accessor.name = name.clone();
        accessor.address = address_name(name);
    }
    let variables = kernel.variables.iter().map(|variable| names.give(&variable.name));
    Named {
        variables: variables.collect(),
        parts,
        names,
    }
}
