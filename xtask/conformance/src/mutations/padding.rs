//! Tensors whose last tiles hold numbers past the tensor's edge, as a kernel before this one may have left them.
//!
//! What is uploaded has zeros there, under which a kernel that forgets to mask would go unnoticed.

use crate::emulated::{self, OnDevice, TensorValues};
use tt_host::{Device, Kernel, Launch};
use tt_lang::ir::ElementType;
use tt_plan::Plan;

/// A kernel for each type and number of axes, which leaves 1e30 in the padding: whatever it is added to or multiplied with shows.
pub struct Padding {
    kernels: Vec<((ElementType, usize), &'static Kernel)>,
}

impl Padding {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// Where they do not compile.
    pub fn new() -> Result<Padding, String> {
        let mut kernels = Vec::new();
        for (element, name) in [(ElementType::Bf16, "bf16"), (ElementType::F32, "f32")] {
            kernels.push(((element, 2), kernel(name, "", "", "")?));
            kernels.push(((element, 3), kernel(name, "const B: usize, ", "B, ", "bz, ")?));
        }
        Ok(Padding { kernels })
    }

    /// `tensor` on the device, with 1e30 past its edges unless it is a vector or has an element that is 0.
    ///
    /// # Errors
    /// As [`emulated::upload`] and a launch.
    pub fn upload(&self, device: &Device, tensor: &TensorValues) -> Result<Box<dyn OnDevice>, String> {
        let mut clean = emulated::upload(device, tensor)?;
        let wanted = (tensor.element, tensor.shape.len());
        let known = self.kernels.iter().find(|(of, _)| *of == wanted);
        let Some((_, kernel)) = known.filter(|_| !tensor.before.contains(&0.0)) else {
            return Ok(clean);
        };
        let mut padded = emulated::upload(device, tensor)?;
        Launch::new(kernel, vec![clean.argument(false), padded.argument(true)])
            .run()
            .map_err(|error| error.to_string())?;
        Ok(padded)
    }
}

/// The kernel for elements of a type; where there is a third axis, its extent as it is declared and named, and its index.
fn kernel(element: &str, declared: &str, extent: &str, index: &str) -> Result<&'static Kernel, String> {
    let (grid, blocks) = match index {
        "" => ("(bx, by)", ""),
        _ => ("(bx, by, bz)", ", B"),
    };
    let at = format!("({index}by * 32 + i, bx * 32 + j)");
    let source = format!(
        "fn pad<{declared}const M: usize, const N: usize>(
            x: &Tensor<{element}, {extent}M, N>,
            y: &mut Tensor<{element}, {extent}M, N>,
        ) {{
            let {grid} = T.Kernel(N.div_ceil(32), M.div_ceil(32){blocks});
            for (i, j) in T.Parallel(32, 32) {{
                y[{at}] = T.select(x[{at}] == 0.0, 1e30, x[{at}]);
            }}
        }}"
    );
    let tokens = source.parse().map_err(|error| format!("`pad` is no Rust: {error}"))?;
    let parsed = tt_lang::syntax::parse(Default::default(), tokens, "padding.rs");
    let tile = parsed
        .kernel
        .ok_or_else(|| format!("`pad` does not parse: {:?}", parsed.diagnostics))?;
    let artifact = tt_backend::compile(&tile).map_err(|errors| format!("`pad` does not compile: {errors:?}"))?;
    let plan = Plan::from_json(&artifact.plan).map_err(|error| error.to_string())?;
    emulated::load(&tile, &artifact, &plan)
}
