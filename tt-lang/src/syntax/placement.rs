//! Where a kernel stands: what a function alone does not show, and rustc explains in terms of the launcher that the user never
//! wrote.
//!
//! A kernel leaves a function and a module of its name. A module cannot stand in an `impl` or `trait`, and no other module
//! or type of the name can stand beside it.

use super::frontend::name_of;
use super::{Parsed, is_kernel};
use crate::codes;
use crate::diagnostic::Diagnostic;
use syn::ext::IdentExt;
use syn::visit::Visit;
use syn::{ImplItem, Item, Stmt, TraitItem};

/// Where a kernel stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// In a module or function, or where this is not known.
    Free,
    /// In an `impl` or `trait`.
    Associated,
    /// Beside a module or type of its name.
    Taken,
}

impl Parsed {
    /// Looks the kernel up in `text`, the file it stands in, and reports what is wrong with its place. What a file does
    /// not tell for certain, as where macros make the kernel, is left to rustc.
    pub fn check_placement(&mut self, text: &str) -> Placement {
        let Some(ident) = self.signature.as_ref().map(|signature| signature.name.clone()) else {
            return Placement::Free;
        };
        let name = name_of(&ident);
        if !worth_reading(text, &name) {
            return Placement::Free;
        }
        let Ok(file) = syn::parse_file(text) else {
            return Placement::Free;
        };
        let mut search = Search {
            name,
            free: 0,
            associated: Vec::new(),
            taken: Vec::new(),
        };
        search.visit_file(&file);
        let span = self.spans.of(&ident);
        let name = &search.name;
        match (search.free, search.associated.as_slice(), search.taken.as_slice()) {
            (0, [place, ..], _) => {
                let message = format!("the kernel `{name}` stands inside {place}");
                let note = "write the kernel outside, and call it from the method";
                self.refuse(Diagnostic::new(&codes::KERNEL_IN_IMPL, span, message).note(note));
                Placement::Associated
            }
            (1, [], [other, ..]) => {
                let message = format!("{other} is called `{name}` too");
                let note = format!("a kernel leaves a module of its name, `{name}::SOURCES`: rename one of the two");
                self.refuse(Diagnostic::new(&codes::KERNEL_NAME, span, message).note(note));
                Placement::Taken
            }
            _ => Placement::Free,
        }
    }

    fn refuse(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        self.kernel = None;
        self.warnings.clear();
    }
}

/// Whether `text` has the words of a place that is wrong: most files do not, and are not read again.
fn worth_reading(text: &str, name: &str) -> bool {
    let introduces = ["mod", "struct", "enum", "union", "trait", "type"];
    let is_introduced = |at: usize| {
        let before = text[..at].trim_end_matches(|c: char| !is_of_word(c));
        introduces.iter().any(|word| {
            let rest = before.strip_suffix(word);
            rest.is_some_and(|rest| !rest.ends_with(is_of_word))
        })
    };
    words(text, "impl").next().is_some()
        || words(text, "trait").next().is_some()
        || words(text, name).any(is_introduced)
}

/// Where `word` stands in `text` by itself.
fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        let (before, after) = (&text[..*at], &text[*at + word.len()..]);
        !before.ends_with(is_of_word) && !after.starts_with(is_of_word)
    })
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Finds the kernels of a name, and what stands beside them.
struct Search {
    name: String,
    /// Kernels in modules and functions.
    free: usize,
    /// What is around the others.
    associated: Vec<&'static str>,
    /// What else has the name, beside a kernel.
    taken: Vec<&'static str>,
}

impl Search {
    fn is_kernel(&self, attributes: &[syn::Attribute], name: &syn::Ident) -> bool {
        name.unraw() == self.name && attributes.iter().any(is_kernel)
    }

    /// Items that see each other.
    fn scope<'a>(&mut self, items: impl Iterator<Item = &'a Item> + Clone) {
        let kernels = items
            .clone()
            .filter(|item| matches!(item, Item::Fn(item) if self.is_kernel(&item.attrs, &item.sig.ident)));
        let count = kernels.count();
        self.free += count;
        if count > 0 {
            self.taken.extend(items.filter_map(|item| type_named(item, &self.name)));
        }
    }
}

/// What kind of module or type `item` is, if it is called `name` and always there.
#[expect(clippy::wildcard_enum_match_arm, reason = "Rust has more than the language")]
fn type_named(item: &Item, name: &str) -> Option<&'static str> {
    let (what, ident, attributes) = match item {
        Item::Mod(item) => ("a module", &item.ident, &item.attrs),
        Item::Struct(item) => ("a struct", &item.ident, &item.attrs),
        Item::Enum(item) => ("an enum", &item.ident, &item.attrs),
        Item::Union(item) => ("a union", &item.ident, &item.attrs),
        Item::Trait(item) => ("a trait", &item.ident, &item.attrs),
        Item::Type(item) => ("a type", &item.ident, &item.attrs),
        _ => return None,
    };
    let conditional = attributes.iter().any(|attribute| attribute.path().is_ident("cfg"));
    (ident.unraw() == name && !conditional).then_some(what)
}

impl<'ast> Visit<'ast> for Search {
    fn visit_file(&mut self, file: &'ast syn::File) {
        self.scope(file.items.iter());
        syn::visit::visit_file(self, file);
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if let Some((_, items)) = &module.content {
            self.scope(items.iter());
        }
        syn::visit::visit_item_mod(self, module);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.scope(block.stmts.iter().filter_map(|stmt| match stmt {
            Stmt::Item(item) => Some(item),
            Stmt::Local(_) | Stmt::Expr(..) | Stmt::Macro(_) => None,
        }));
        syn::visit::visit_block(self, block);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if let ImplItem::Fn(item) = item
            && self.is_kernel(&item.attrs, &item.sig.ident)
        {
            self.associated.push("an `impl`");
        }
        syn::visit::visit_impl_item(self, item);
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        if let TraitItem::Fn(item) = item
            && self.is_kernel(&item.attrs, &item.sig.ident)
        {
            self.associated.push("a `trait`");
        }
        syn::visit::visit_trait_item(self, item);
    }
}
