//! What is fetched is one integer for all programs.
//!
//! Loops and branches that the programs run together mention integers that each has from a tensor by itself, so `progress` holds
//! only if these are the same: reader and writer read one element for it, and compute takes from a buffer what the reader put
//! there. Both stand in the same order; that they stand under the same loops and branches is `traffic`'s.
//!
//! ```text
//!  reader   n = read_integer(lens, b); put n              compute   n = take
//!  writer   n = read_integer(lens, b + 1)          ⟹      not the same n
//! ```

use super::steps::asked;
use super::{Proof, fault};
use crate::device::function::{PUT_INTEGER, READ_INTEGER, READ_TILE_VALUE};
use crate::device::{Bits, Calls, Device, Expr, Leaf, Program};
use crate::flow::BufferId;
use crate::ir::{Stmt, operations};
use std::collections::BTreeMap;

/// Proves that the programs of `device` have the same integers.
pub fn prove(device: &Device) -> Proof {
    let mut elements: BTreeMap<&str, String> = BTreeMap::new();
    let mut passed: BTreeMap<BufferId, [Vec<&str>; 2]> = BTreeMap::new();
    for program in &device.programs {
        for (name, element) in read(device, program) {
            let known = elements.entry(name).or_insert_with(|| element.clone());
            if *known != element {
                return fault(format!("`{name}` is read from {known} and from {element}"));
            }
        }
        for (buffer, is_taken, name) in ends(device, &program.body) {
            passed.entry(buffer).or_default()[usize::from(is_taken)].push(name);
        }
    }
    for (buffer, [put, taken]) in passed {
        if put != taken {
            let buffer = device.buffers.get(buffer.0).map_or("?", |buffer| &buffer.name);
            return fault(format!(
                "of {buffer}, which holds {}, is taken {}",
                put.join(", "),
                taken.join(", ")
            ));
        }
    }
    Ok(())
}

/// What a program reads, and the element that it is.
fn read<'d>(device: &'d Device, program: &Program) -> Vec<(&'d str, String)> {
    let mut out = Vec::new();
    operations(&program.body, &mut |leaf| {
        if let Leaf::Define { var, call } = leaf
            && *call.function == READ_INTEGER
            && let Some(name) = device.variables.get(var.index())
        {
            // The last argument is by way of what page.
            let element = call.args.iter().take(5).map(|arg| asked(arg, &program.args));
            out.push((
                name.as_str(),
                format!("{}({})", call.template, element.collect::<Vec<_>>().join(", ")),
            ));
        }
    });
    out
}

/// What a program puts into buffers and takes from them, in order: which buffer, whether it is taken, and the integer.
fn ends<'d>(device: &'d Device, body: &'d [Stmt<Calls<Bits>>]) -> Vec<(BufferId, bool, &'d str)> {
    let mut out = Vec::new();
    operations(body, &mut |leaf| match leaf {
        Leaf::Define { var, call } if *call.function == READ_TILE_VALUE => {
            if let (Some(Expr::Buffer(buffer)), Some(name)) = (call.args.first(), device.variables.get(var.index())) {
                out.push((*buffer, true, name.as_str()));
            }
        }
        Leaf::Call(call) if *call.function == PUT_INTEGER => {
            if let [Expr::Call(pointer), Expr::Name(name)] = call.args.as_slice()
                && let Some(Expr::Buffer(buffer)) = pointer.args.first()
            {
                out.push((*buffer, false, name.as_str()));
            }
        }
        Leaf::Call(_) | Leaf::Define { .. } | Leaf::Let { .. } | Leaf::Advance { .. } => {}
    });
    out
}

#[cfg(test)]
mod tests {
    use super::super::verify;
    use crate::device::{Device, Expr, Leaf};
    use crate::ir::operations_mut;
    use tt_lang::ir::Kernel;

    const KERNEL: &str = "#[tt::kernel] fn counted<const B: usize>(
            n: &Tensor<i32, B>, m: &Tensor<i32, B>, o: &mut Tensor<f32, B, 32, 32>) {
        let b = T.Kernel(B);
        let x = T.alloc_fragment::<f32>(32, 32);
        let first = n[b];
        let last = m[b];
        for k in first..last {
            T.fill(x, k as f32);
            T.copy(x, o[(k, 0, 0)]);
        }
    }";

    fn lowered() -> (Kernel, Device) {
        let function = syn::parse_str(KERNEL).expect("the kernel is Rust");
        let parsed = tt_lang::syntax::parse_item_fn(&function, "kernel.rs");
        let kernel = parsed.and_then(|parsed| parsed.kernel).expect("it is a kernel");
        let device = crate::pipeline::lowered(&kernel).expect("it is lowered");
        (kernel, device)
    }

    /// What is said of the programs when the `at`-th definition of one is changed.
    fn said(program: usize, at: usize, change: impl Fn(&mut Leaf<super::Bits>)) -> String {
        let (kernel, mut device) = lowered();
        let mut seen = 0;
        operations_mut(&mut device.programs[program].body, &mut |leaf| {
            if matches!(leaf, Leaf::Define { .. }) {
                if seen == at {
                    change(leaf);
                }
                seen += 1;
            }
        });
        assert!(seen > at, "there is such a definition");
        let errors = verify(&kernel, &device).expect_err("it must not pass");
        errors.iter().flat_map(|error| &error.notes).cloned().collect()
    }

    #[test]
    fn programs_that_have_different_integers_are_refused() {
        let (kernel, device) = lowered();
        assert_eq!(verify(&kernel, &device), Ok(()));
        let writer = said(2, 0, |leaf| {
            if let Leaf::Define { call, .. } = leaf {
                call.args[4] = Expr::Int(3);
            }
        });
        assert!(writer.contains("`first` is read from"), "{writer}");
        let compute = said(1, 0, |leaf| {
            if let Leaf::Define { var, .. } = leaf {
                var.0 += 1;
            }
        });
        assert!(compute.contains("holds first, last, is taken last, last"), "{compute}");
    }
}
