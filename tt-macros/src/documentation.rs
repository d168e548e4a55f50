//! What `cargo doc` says of a launcher beyond the user's own words: the shape of every tensor, by the names of the extents, which
//! a launcher's types do not show.

use tt_lang::ir::{IntExpr, Kernel, Named, Param, ScalarKind, TensorParam};

/// The lines, as Markdown, behind those of the user, if it is `documented`.
pub(crate) fn lines(kernel: &Kernel, documented: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if !documented {
        lines.push(format!("Launches the kernel `{}`.", kernel.name));
    }
    lines.extend([String::new(), "# Arguments".to_string(), String::new()]);
    lines.extend(kernel.params.iter().filter_map(|param| match param {
        Param::Temporary(_) | Param::Derived(_) => None,
        Param::Tensor(tensor) => Some(format!(
            "- `{}`: {}, `{}` of {}",
            tensor.name,
            if tensor.mutable { "written" } else { "read" },
            tensor.element.value.name(),
            shape(kernel, tensor)
        )),
        Param::Scalar(scalar) => {
            let ty = match scalar.kind {
                ScalarKind::F32 => "f32",
                ScalarKind::I32 => "i32",
                ScalarKind::U32 => "u32",
            };
            Some(format!("- `{}`: `{ty}`", scalar.name))
        }
    }));
    if !kernel.extents.is_empty() {
        let names: Vec<String> = kernel
            .extents
            .iter()
            .map(|extent| format!("`{}`", extent.name))
            .collect();
        lines.push(String::new());
        lines.push(format!(
            "The extents {} are read off the tensors at launch; an extent of the same name is the same everywhere.",
            names.join(", ")
        ));
    }
    lines
}

/// `M × (2 * K)`
fn shape(kernel: &Kernel, tensor: &TensorParam) -> String {
    let extents: Vec<String> = tensor
        .extents
        .iter()
        .map(|extent| match &extent.value {
            IntExpr::Binary(..) => format!("({})", Named(kernel, &extent.value)),
            plain => Named(kernel, plain).to_string(),
        })
        .collect();
    format!("`{}`", extents.join(" × "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_shows_shapes_by_the_names_of_the_extents() {
        let source = "fn linear<const M: usize, const K: usize>(
            x: &Tensor<bf16, M, { 2 * K }>, bias: &Tensor<f32, K, 64>, alpha: f32, n: u32, y: &mut Tensor<f32, M, 64>,
        ) { let b = T.Kernel(M.div_ceil(32)); for (i, j) in T.Parallel(32, 64) { y[(b * 32 + i, j)] = bias[(0, j)]; } }";
        let parsed = tt_lang::syntax::parse(Default::default(), source.parse().unwrap(), "linear.rs");
        let kernel = parsed.kernel.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
        let expected = [
            "",
            "# Arguments",
            "",
            "- `x`: read, `bf16` of `M × (2 * K)`",
            "- `bias`: read, `f32` of `K × 64`",
            "- `alpha`: `f32`",
            "- `n`: `u32`",
            "- `y`: written, `f32` of `M × 64`",
            "",
            "The extents `M`, `K` are read off the tensors at launch; an extent of the same name is the same everywhere.",
        ];
        assert_eq!(lines(&kernel, true), expected);
        assert_eq!(lines(&kernel, false)[0], "Launches the kernel `linear`.");
    }
}
