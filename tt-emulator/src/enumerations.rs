//! Enumerations that cross between Rust and C++ as numbers.
//!
//! A definition is a file of one `enumerations!` in `abi`, which the crate and its build script include, each with a macro of its
//! own. This one makes types of it. The build script makes the device headers of it, and holds those of the host, which have
//! Metalium's own text, to it (`build/numbers.rs`): a number that differs on the two sides does not compile.

/// Makes types of enumerations.
macro_rules! enumerations {
    ($(
        $(#[$doc:meta])*
        enumeration $name:ident $(device $space:literal $head:literal)? $(host $host:literal)? {
            $($(#[$row:meta])* $variant:ident: $metalium:ident = $number:literal,)*
        } $(others { $($other:ident = $other_number:literal,)* })?
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $name {
            $($(#[$row])* $variant = $number,)*
        }

        impl $name {
            /// What has this number in Metalium, where there is such.
            pub fn from_id(id: u32) -> Option<$name> {
                match id {
                    $($number => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

include!("abi/program_enumerations.rs");
