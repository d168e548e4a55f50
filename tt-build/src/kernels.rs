//! The `#[tt::kernel]` functions of a file, compiled as the macro compiles them.

use crate::modules::SourceFile;
use syn::visit::Visit;
use syn::{ItemFn, ItemMod};
use tt_backend::Artifact;
use tt_lang::ir::{Kernel, SourceLocation};
use tt_lang::syntax::{parse_item_fn_variants, render_text};
use tt_plan::Way;

/// A kernel as found in a file.
#[derive(Debug)]
pub(crate) struct Found {
    /// The crate's name and the modules around it.
    pub modules: Vec<String>,
    /// The function's name.
    pub function: String,
    /// Of one of several variants its constants.
    pub constants: Vec<(String, i64)>,
    /// The way it is run in.
    pub way: Way,
    /// It says that it need not compile.
    pub is_reference: bool,
    /// The kernel and what is emitted for it, or its errors as text.
    pub outcome: Result<(Kernel, Artifact), Vec<String>>,
}

impl Found {
    /// The function's name; of several variants with their constants: `matmul-BM-64-BK-32`.
    pub(crate) fn name(&self) -> String {
        let constants = self.constants.iter();
        let name = constants.fold(self.function.clone(), |name, (constant, value)| {
            format!("{name}-{constant}-{value}")
        });
        match self.way {
            Way::Written => name,
            Way::InParts | Way::OnShards => format!("{name}-{}", self.way),
        }
    }
}

/// Every kernel of `file`, also those in inline modules and in functions.
pub(crate) fn in_file(file: &SourceFile) -> Vec<Found> {
    let name = file.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut search = Search {
        file: name,
        modules: file.modules.clone(),
        found: Vec::new(),
    };
    search.visit_file(&file.content);
    search.found
}

struct Search {
    file: String,
    modules: Vec<String>,
    found: Vec<Found>,
}

impl<'ast> Visit<'ast> for Search {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.modules
            .push(module.ident.to_string().trim_start_matches("r#").to_string());
        syn::visit::visit_item_mod(self, module);
        self.modules.pop();
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        let Some(variants) = parse_item_fn_variants(item, &self.file) else {
            return syn::visit::visit_item_fn(self, item);
        };
        let text = |diagnostics: &[tt_lang::diagnostic::Diagnostic], locations: &[SourceLocation]| {
            diagnostics
                .iter()
                .map(|diagnostic| render_text(diagnostic, locations, &self.file))
                .collect::<Vec<_>>()
        };
        let function = item.sig.ident.to_string().trim_start_matches("r#").to_string();
        for parsed in variants {
            let mut found = |way, outcome| {
                self.found.push(Found {
                    modules: self.modules.clone(),
                    function: function.clone(),
                    constants: parsed.variant.clone(),
                    way,
                    is_reference: parsed.reference.is_some(),
                    outcome,
                });
            };
            let Some(kernel) = &parsed.kernel else {
                found(Way::Written, Err(text(&parsed.diagnostics, parsed.spans.locations())));
                continue;
            };
            for compiled in tt_backend::compile_all_ways(&[kernel]) {
                let outcome = match compiled.outcome {
                    Ok(artifact) => Ok((compiled.kernel.into_owned(), artifact)),
                    Err(diagnostics) => Err(text(&diagnostics, &kernel.locations)),
                };
                found(compiled.way, outcome);
            }
        }
    }
}
