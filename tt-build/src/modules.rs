//! The files of a target: its root and every module that it declares, found as rustc finds them.
//!
//! Declarations under any `cfg` are followed: a kernel too many does no harm. A file that is missing or is no Rust is left
//! out: rustc says so.

use crate::targets::Target;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use syn::{Expr, ExprLit, Item, ItemMod, Lit, Meta};

/// A source file with its place in the crate.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Where it is.
    pub path: PathBuf,
    /// The crate's name and the modules down to this file.
    pub modules: Vec<String>,
    /// Its content.
    pub content: syn::File,
}

/// All files of `target`.
pub(crate) fn of_target(target: &Target) -> Vec<SourceFile> {
    let mut walk = Walk {
        files: Vec::new(),
        seen: BTreeSet::new(),
    };
    let folder = target.root.parent().unwrap_or(Path::new("")).to_path_buf();
    walk.file(target.root.clone(), folder, vec![target.crate_name.clone()]);
    walk.files
}

struct Walk {
    files: Vec<SourceFile>,
    seen: BTreeSet<(PathBuf, Vec<String>)>,
}

impl Walk {
    /// Reads the file at `path`, whose child modules lie in `children`.
    fn file(&mut self, path: PathBuf, children: PathBuf, modules: Vec<String>) {
        // A file that declares itself by `#[path]` would never end.
        let endless = modules.len() > 64;
        if endless || !self.seen.insert((path.clone(), modules.clone())) {
            return;
        }
        let Ok(text) = std::fs::read_to_string(&path) else {
            return;
        };
        // What is beyond the limits of a kernel could be beyond the stack too; the macro says so where it stands.
        let within = |tokens| tt_lang::syntax::kernels_are_within_limits(tokens);
        if !text.parse::<proc_macro2::TokenStream>().is_ok_and(within) {
            return;
        }
        let Ok(content) = syn::parse_file(&text) else { return };
        let beside = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let mut declared = Vec::new();
        declarations(&content.items, &children, &beside, &modules, &mut declared);
        self.files.push(SourceFile { path, modules, content });
        for Declared {
            path,
            children,
            modules,
        } in declared
        {
            self.file(path, children, modules);
        }
    }
}

struct Declared {
    path: PathBuf,
    children: PathBuf,
    modules: Vec<String>,
}

/// Collects the `mod name;` of `items`. `children` is where files of modules are looked for, `beside` what `#[path]` is
/// relative to.
fn declarations(items: &[Item], children: &Path, beside: &Path, modules: &[String], found: &mut Vec<Declared>) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        let name = module.ident.to_string().trim_start_matches("r#").to_string();
        let modules: Vec<String> = modules.iter().cloned().chain([name.clone()]).collect();
        match (&module.content, path_attribute(module)) {
            (Some((_, items)), None) => {
                let inner = children.join(&name);
                declarations(items, &inner, &inner, &modules, found);
            }
            (Some((_, items)), Some(path)) => {
                let inner = beside.join(path);
                declarations(items, &inner, &inner, &modules, found);
            }
            (None, Some(path)) => {
                let path = beside.join(path);
                let children = path.parent().unwrap_or(Path::new("")).to_path_buf();
                found.push(Declared {
                    path,
                    children,
                    modules,
                });
            }
            (None, None) => {
                let flat = children.join(format!("{name}.rs"));
                let folder = children.join(&name);
                let path = if flat.is_file() { flat } else { folder.join("mod.rs") };
                found.push(Declared {
                    path,
                    children: folder,
                    modules,
                });
            }
        }
    }
}

/// The text of `#[path = ".."]`.
fn path_attribute(module: &ItemMod) -> Option<String> {
    module.attrs.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_found_where_rustc_looks() {
        let root = std::env::temp_dir().join(format!("tt-build-modules-{}", std::process::id()));
        let files = [
            (
                "lib.rs",
                "mod a; mod b; mod c { mod d; } #[path = \"odd/name.rs\"] mod e; mod missing; mod r#type;",
            ),
            ("a.rs", "mod inner;"),
            ("a/inner.rs", ""),
            ("b/mod.rs", "mod inner;"),
            ("b/inner.rs", ""),
            ("c/d.rs", ""),
            ("odd/name.rs", "mod next;"),
            ("odd/next.rs", ""),
            ("type.rs", ""),
        ];
        for (name, text) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let target = Target {
            crate_name: "x".into(),
            root: root.join("lib.rs"),
            is_library: true,
        };
        let mut found: Vec<String> = of_target(&target).iter().map(|file| file.modules.join("::")).collect();
        found.sort();
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(
            found,
            [
                "x",
                "x::a",
                "x::a::inner",
                "x::b",
                "x::b::inner",
                "x::c::d",
                "x::e",
                "x::e::next",
                "x::type"
            ]
        );
    }
}
