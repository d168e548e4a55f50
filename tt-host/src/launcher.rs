//! The Rust that stands in place of a `#[tt::kernel]` function.
//!
//! The attribute calls this macro with everything the compiler made; what it leaves behind is a function with the kernel's
//! parameters over host tensors, and a module of the same name with the artifact.

/// Expands to the launcher of a kernel. Called by `#[tt::kernel]`; by hand in tests of kernels written in C++.
///
/// - `params`: name, then `input`, element type and rank of a `&Tensor`, `output` and the same of a `&mut Tensor`, or
///   `scalar` and its type;
/// - `chosen`: the constants of the option `variants` with the values that this kernel has; `variants`: the kernels that have others,
///   each from `reader`, or `refused`, to `chosen`, behind which stands `way` with a [`Way`](crate::Way) that is another; `constants`: a function for
///   each, which gives a [`Constant`](crate::Constant);
/// - `texts` and `ir`: name and place among the texts of every stage, several of which may have the same; `tile`: the Tile IR as it is stored;
/// - `later`, where there are stages after the first: reader, compute and writer of each;
/// - `precompiled`: role, key and symbol of every object that was compiled ahead of time. The caller answers for it that the
///   symbol is the entry of the object with that key ([`Precompiled::new`](crate::Precompiled::new)), and writes `unsafe`;
/// - `tuning`, where the package has such a file: what was measured of its kernels, as JSON;
/// - `refused`, in place of what the compiler makes: why it refuses the kernel, which then has a reference only.
#[macro_export]
macro_rules! launcher {
    (
        attributes: [$($attribute:tt)*],
        visibility: [$($visibility:tt)*],
        name: $name:ident,
        params: [$($params:tt)*],
        reader: $reader:expr,
        compute: $compute:expr,
        writer: $writer:expr,
        main: $main:expr,
        $(later: [$(($later_reader:expr, $later_compute:expr, $later_writer:expr)),* $(,)?],)?
        plan: $plan:expr,
        tile: $tile:expr,
        precompiled: [$(unsafe ($role:ident, $key:expr, $symbol:ident)),* $(,)?],
        chosen: [$(($chosen:expr, $is:expr)),* $(,)?],
        texts: [$($text:expr),* $(,)?],
        ir: [$(($stage:expr, $at:expr)),* $(,)?],
        variants: [$({ $($variant:tt)* }),* $(,)?],
        $(tuning: $tuning:expr,)?
        constants: { $($constants:item)* } $(,)?
    ) => {
        $crate::launcher_function! { [$($attribute)*] [$($visibility)*] $name [$($params)*] }

        #[doc = ::core::concat!("What was compiled for the kernel `", ::core::stringify!($name), "`.")]
        #[allow(non_snake_case)]
        $($visibility)* mod $name {
            /// The emitted C++.
            pub const SOURCES: $crate::Sources = $crate::Sources {
                reader: $reader,
                compute: $compute,
                writer: $writer,
                host: $main,
                later: &[$($($crate::StageSources {
                    reader: $later_reader,
                    compute: $later_compute,
                    writer: $later_writer,
                }),*)?],
            };

            /// The plan, as emitted (`tt.plan.json`).
            pub const PLAN: &str = $plan;

            /// The kernel after every stage of the compiler: the stage's name and the text.
            pub const IR: &[(&str, &str)] = {
                const TEXTS: &[&str] = &[$($text),*];
                &[$(($stage, TEXTS[$at])),*]
            };

            $(
                unsafe extern "C" {
                    fn $symbol(api: *const $crate::KernelApi);
                }
            )*

            pub(super) static KERNEL: $crate::Kernel = $crate::Kernel::new(
                ::core::stringify!($name),
                SOURCES,
                PLAN,
                $tile,
                // SAFETY: the caller of this macro has seen to it.
                &[$(unsafe { $crate::Precompiled::new($key, $symbol) }),*],
            )
            .chosen(&[$(($chosen, $is)),*], &[$($crate::launcher_variant! { $name $($variant)* }),*])
            $(.tuned(::core::module_path!(), $tuning))?;

            $($constants)*
        }
    };
    (
        attributes: [$($attribute:tt)*],
        visibility: [$($visibility:tt)*],
        name: $name:ident,
        params: [$($params:tt)*],
        refused: $why:expr,
        tile: $tile:expr,
        chosen: [$(($chosen:expr, $is:expr)),* $(,)?],
        ir: [$(($stage:expr, $text:expr)),* $(,)?],
        variants: [$({ $($variant:tt)* }),* $(,)?],
        $(tuning: $tuning:expr,)?
        constants: { $($constants:item)* } $(,)?
    ) => {
        $crate::launcher_function! { [$($attribute)*] [$($visibility)*] $name [$($params)*] }

        #[doc = ::core::concat!("The kernel `", ::core::stringify!($name), "`, which has a reference only.")]
        #[allow(non_snake_case)]
        $($visibility)* mod $name {
            /// Empty: the compiler refuses this kernel.
            pub const SOURCES: $crate::Sources = $crate::Sources::NONE;

            /// Empty: the compiler refuses this kernel.
            pub const PLAN: &str = "";

            /// The kernel as it was parsed.
            pub const IR: &[(&str, &str)] = &[$(($stage, $text)),*];

            pub(super) static KERNEL: $crate::Kernel =
                $crate::Kernel::refused(::core::stringify!($name), $tile, $why)
                    .chosen(&[$(($chosen, $is)),*], &[$($crate::launcher_variant! { $name $($variant)* }),*])
                    $(.tuned(::core::module_path!(), $tuning))?;

            $($constants)*
        }
    };
}

/// A variant of a kernel but the first.
#[doc(hidden)]
#[macro_export]
macro_rules! launcher_variant {
    (
        $name:ident
        reader: $reader:expr,
        compute: $compute:expr,
        writer: $writer:expr,
        main: $main:expr,
        later: [$(($later_reader:expr, $later_compute:expr, $later_writer:expr)),* $(,)?],
        plan: $plan:expr,
        tile: $tile:expr,
        precompiled: [$(unsafe ($role:ident, $key:expr, $symbol:ident)),* $(,)?],
        chosen: [$(($chosen:expr, $is:expr)),* $(,)?] $(, way: $way:ident)? $(,)?
    ) => {{
        $(
            unsafe extern "C" {
                fn $symbol(api: *const $crate::KernelApi);
            }
        )*
        static VARIANT: $crate::Kernel = $crate::Kernel::new(
            ::core::stringify!($name),
            $crate::Sources {
                reader: $reader,
                compute: $compute,
                writer: $writer,
                host: $main,
                later: &[$($crate::StageSources {
                    reader: $later_reader,
                    compute: $later_compute,
                    writer: $later_writer,
                }),*],
            },
            $plan,
            $tile,
            // SAFETY: the caller of `launcher!` has seen to it.
            &[$(unsafe { $crate::Precompiled::new($key, $symbol) }),*],
        )
        .chosen(&[$(($chosen, $is)),*], &[])
        $(.in_way($crate::Way::$way))?;
        &VARIANT
    }};
    (
        $name:ident
        refused: $why:expr,
        tile: $tile:expr,
        chosen: [$(($chosen:expr, $is:expr)),* $(,)?] $(,)?
    ) => {{
        static VARIANT: $crate::Kernel =
            $crate::Kernel::refused(::core::stringify!($name), $tile, $why).chosen(&[$(($chosen, $is)),*], &[]);
        &VARIANT
    }};
}

/// The function of a launcher.
#[doc(hidden)]
#[macro_export]
macro_rules! launcher_function {
    (
        [$($attribute:tt)*] [$($visibility:tt)*] $name:ident
        [$(($parameter:ident, $($kind:tt)+)),* $(,)?]
    ) => {
        $($attribute)*
        #[allow(clippy::too_many_arguments)]
        $($visibility)* fn $name<'t>($($parameter: $crate::launcher_parameter!('t, $($kind)+)),*) -> $crate::Launch<'t> {
            let arguments = ::std::vec![$($crate::Argument::from($parameter)),*];
            $crate::Launch::new(&$name::KERNEL, arguments)
        }
    };
}

/// The host type of a parameter.
#[doc(hidden)]
#[macro_export]
macro_rules! launcher_parameter {
    ($t:lifetime, input, $element:ty, $rank:literal) => { &$t $crate::Tensor<$element, $rank> };
    ($t:lifetime, output, $element:ty, $rank:literal) => { &$t mut $crate::Tensor<$element, $rank> };
    ($t:lifetime, scalar, $scalar:ty) => { $scalar };
}
