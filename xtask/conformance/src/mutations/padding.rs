//! Tensors whose last tiles hold numbers past the tensor's edge, as a kernel before this one may have left them.
//!
//! What is uploaded has zeros there, under which a kernel that forgets to mask would go unnoticed.

use crate::emulated::{self, OnDevice, TensorValues};
use tt_host::{Device, Kernel, Launch};
use tt_lang::ir::ElementType;
use tt_plan::Plan;

/// A kernel for each type, which leaves 0.5 in the padding.
pub struct Padding {
    kernels: [(ElementType, &'static Kernel); 2],
}

impl Padding {
    /// Compiles the kernels.
    ///
    /// # Errors
    /// Where they do not compile.
    pub fn new() -> Result<Padding, String> {
        Ok(Padding {
            kernels: [(ElementType::Bf16, kernel("bf16")?), (ElementType::F32, kernel("f32")?)],
        })
    }

    /// A tensor with 0.5 minus the elements of `tensor`, and 0.5 past its edges; or just `tensor`, where it is written or no
    /// matrix.
    ///
    /// # Errors
    /// As [`emulated::upload`] and a launch.
    pub fn upload(&self, device: &Device, tensor: &TensorValues) -> Result<Box<dyn OnDevice>, String> {
        let mut clean = emulated::upload(device, tensor)?;
        let kernel = self.kernels.iter().find(|(element, _)| *element == tensor.element);
        let (Some((_, kernel)), false, 2) = (kernel, tensor.written, tensor.shape.len()) else {
            return Ok(clean);
        };
        let mut padded = emulated::upload(device, tensor)?;
        Launch::new(kernel, vec![clean.argument(false), padded.argument(true)])
            .run()
            .map_err(|error| error.to_string())?;
        Ok(padded)
    }
}

fn kernel(element: &str) -> Result<&'static Kernel, String> {
    let source = format!(
        "fn pad<const M: usize, const N: usize>(x: &Tensor<{element}, M, N>, y: &mut Tensor<{element}, M, N>) {{
            let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
            for (i, j) in T.Parallel(32, 32) {{
                y[(by * 32 + i, bx * 32 + j)] = 0.5 - x[(by * 32 + i, bx * 32 + j)];
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
