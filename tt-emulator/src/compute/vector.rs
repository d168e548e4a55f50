//! One body, compiled for the vector units of the machine and chosen at run time.
//!
//! The loops of this module tree are plain Rust over fixed-size arrays. [`vectorised!`] compiles such a body once per
//! instruction set and calls the widest that the processor has. Bodies fuse a multiply-add only where they say so, which every
//! unit rounds alike, and reassociate nothing, so every version gives the same bits.
//!
//! Bodies go through arrays in loops. `map` and `from_fn` are compiled without the unit's instructions where the compiler does not
//! inline them, and whether it does changes with code elsewhere.

use std::sync::OnceLock;

/// Instruction sets that bodies are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VectorUnit {
    /// What the target guarantees.
    Baseline,
    /// AVX2 and FMA.
    Avx2,
    /// AVX-512 F, BW, DQ, VL and CD.
    Avx512,
}

/// The widest unit of this processor.
#[inline]
pub fn vector_unit() -> VectorUnit {
    static UNIT: OnceLock<VectorUnit> = OnceLock::new();
    *UNIT.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
fn detect() -> VectorUnit {
    let avx2 = std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma");
    let avx512 = std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512dq")
        && std::is_x86_feature_detected!("avx512vl")
        && std::is_x86_feature_detected!("avx512cd");
    match (avx2, avx512) {
        (true, true) => VectorUnit::Avx512,
        (true, false) => VectorUnit::Avx2,
        (false, _) => VectorUnit::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> VectorUnit {
    VectorUnit::Baseline
}

/// Declares a function whose body is compiled for every [`VectorUnit`], or has bodies of its own for those beyond the baseline.
macro_rules! vectorised {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block) => {
        vectorised! {
            $(#[$meta])* $visibility fn $name($($argument: $type),*) $(-> $result)? $body
            avx2 { body($($argument),*) }
            avx512 { body($($argument),*) }
        }
    };
    (
        $(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)? $body:block
        avx2 $avx2:block
        avx512 $avx512:block
    ) => {
        $(#[$meta])*
        #[allow(clippy::too_many_arguments, reason = "loops take what they need")]
        $visibility fn $name($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            fn body($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx2,fma")]
                fn avx512($($argument: $type),*) $(-> $result)? $avx512
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($argument: $type),*) $(-> $result)? $avx2
                match $crate::compute::vector::vector_unit() {
                    // SAFETY: `vector_unit` found the features on this processor.
                    $crate::compute::vector::VectorUnit::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: as above.
                    $crate::compute::vector::VectorUnit::Avx2 => return unsafe { avx2($($argument),*) },
                    $crate::compute::vector::VectorUnit::Baseline => {}
                }
            }
            body($($argument),*)
        }
    };
}
pub(crate) use vectorised;
