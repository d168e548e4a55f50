//! The element types of tensors and their host types.

use crate::block_float::{self, bfp4, bfp8};
use crate::host_memory::StagingBuffer;
use crate::tile::{Tiling, tilize, untilize};
use half::{bf16, f16};
use rayon::prelude::*;
use tt_lang::ir::ElementType;

mod sealed {
    use crate::host_memory::StagingBuffer;
    use crate::tile::Tiling;

    pub trait Sealed: Sized {
        /// Writes `elements` as pages. Nobody promises kernels anything of what fills up the last tiles: other kernels leave what
        /// they please. On the emulator it is every bit, which is NaN or the largest number, so that what depends on it is seen.
        fn pack(elements: &[Self], tiling: Tiling, pages: &mut StagingBuffer);

        /// The elements of pages.
        fn unpack(pages: &StagingBuffer, tiling: Tiling) -> Vec<Self>;
    }
}

/// An element of a [`Tensor`](crate::Tensor).
///
/// Sealed: the implementors are plain numbers, and numbers with shared exponents. `f16` and `u16` take as much on the device as `f32`
/// and `i32`, which hold them there.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    /// The type in the language.
    const TYPE: ElementType;

    /// Its value; exact for every type.
    fn to_f64(self) -> f64;
}

macro_rules! elements {
    ($($host:ty = $element:ident, $ones:expr, $zero:expr, $value:expr;)*) => {$(
        impl sealed::Sealed for $host {
            fn pack(elements: &[$host], tiling: Tiling, pages: &mut StagingBuffer) {
                let padding = if cfg!(tt_metal_sdk) { $zero } else { $ones };
                tilize(elements, tiling, padding, pages.elements_mut());
            }

            fn unpack(pages: &StagingBuffer, tiling: Tiling) -> Vec<$host> {
                untilize(pages.elements(), tiling)
            }
        }
        impl Element for $host {
            const TYPE: ElementType = ElementType::$element;
            fn to_f64(self) -> f64 {
                let value: fn($host) -> f64 = $value;
                value(self)
            }
        }
    )*};
}

elements! {
    bf16 = Bf16, bf16::from_bits(u16::MAX), bf16::ZERO, bf16::to_f64;
    f32 = F32, f32::from_bits(u32::MAX), 0.0, f64::from;
    i32 = I32, -1, 0, f64::from;
    u32 = U32, u32::MAX, 0, f64::from;
    u8 = U8, u8::MAX, 0, f64::from;
    i8 = I8, -1, 0, f64::from;
}

/// Elements that the device holds as others, which hold each of them.
macro_rules! held {
    ($($host:ty = $element:ident as $held:ty, $into:expr, $back:expr, $value:expr;)*) => {$(
        impl sealed::Sealed for $host {
            fn pack(elements: &[$host], tiling: Tiling, pages: &mut StagingBuffer) {
                let held: Vec<$held> = elements.par_iter().map(|element| $into(*element)).collect();
                <$held as sealed::Sealed>::pack(&held, tiling, pages);
            }

            fn unpack(pages: &StagingBuffer, tiling: Tiling) -> Vec<$host> {
                let held = <$held as sealed::Sealed>::unpack(pages, tiling);
                held.into_par_iter().map($back).collect()
            }
        }
        impl Element for $host {
            const TYPE: ElementType = ElementType::$element;
            fn to_f64(self) -> f64 {
                let value: fn($host) -> f64 = $value;
                value(self)
            }
        }
    )*};
}

held! {
    f16 = F16 as f32, f16::to_f32, f16::from_f32, f16::to_f64;
    u16 = U16 as i32, i32::from, |held| held as u16, f64::from;
}

macro_rules! block_floats {
    ($($host:ident = $element:ident;)*) => {$(
        impl sealed::Sealed for $host {
            fn pack(elements: &[$host], tiling: Tiling, pages: &mut StagingBuffer) {
                block_float::pack(elements, tiling, pages.bytes_mut());
            }

            fn unpack(pages: &StagingBuffer, tiling: Tiling) -> Vec<$host> {
                block_float::unpack(pages.bytes(), tiling)
            }
        }
        impl Element for $host {
            const TYPE: ElementType = ElementType::$element;
            fn to_f64(self) -> f64 {
                f64::from(self.to_f32())
            }
        }
    )*};
}

block_floats! {
    bfp8 = Bfp8;
    bfp4 = Bfp4;
}
