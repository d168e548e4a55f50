//! What becomes of a definition of tables in this crate: types with the layout that C++ has.
//!
//! A definition is a file of one `tables!`, which the crate and its build script include, each with a macro of its own. The
//! build script writes the C++ of it (`build/cpp.rs`); so neither side can know a table that the other one has not.

/// Makes types and constants of tables.
macro_rules! tables {
    ($($(#[$doc:meta])* $kind:ident $name:ident $($prefix:literal)? { $($row:tt)* })*) => {
        $($kind! { $(#[$doc])* $name { $($row)* } })*
    };
}

/// A table of functions.
macro_rules! functions {
    ($(#[$doc:meta])* $table:ident {
        $($(#[$row:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*
    }) => {
        $(#[$doc])*
        #[repr(C)]
        #[allow(missing_docs, reason = "the calls are Metalium's own")]
        pub struct $table {
            $($(#[$row])* pub $name: extern "C" fn($($argument: $type),*) $(-> $result)?,)*
        }
    };
}

/// A structure of plain values.
macro_rules! structure {
    ($(#[$doc:meta])* $name:ident { $($(#[$row:meta])* $field:ident: $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C)]
        pub struct $name {
            $($(#[$row])* pub $field: $type,)*
        }
    };
}

/// Constants.
macro_rules! numbers {
    ($(#[$doc:meta])* $module:ident { $($name:ident = $value:literal),* $(,)? }) => {
        $(#[$doc])*
        #[allow(missing_docs, reason = "the names say it")]
        pub mod $module {
            $(pub const $name: u32 = $value;)*
        }
    };
}
