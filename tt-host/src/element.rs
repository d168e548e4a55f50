//! The element types of tensors and their host types.

use crate::block_float::{self, bfp4, bfp8};
use crate::host_memory::StagingBuffer;
use crate::tile::{Tiling, tilize, untilize, untilize_into};
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

        /// The elements of pages, behind what `to` holds.
        fn unpack_onto(pages: &StagingBuffer, tiling: Tiling, to: &mut Vec<Self>);

        /// The same, over what `to` holds, of which there are as many.
        fn unpack_into(pages: &StagingBuffer, tiling: Tiling, to: &mut [Self])
        where
            Self: Copy,
        {
            let mut elements = Vec::new();
            Self::unpack_onto(pages, tiling, &mut elements);
            to.copy_from_slice(&elements);
        }
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

    /// The float nearest to `value`, to even at halves; the integer that it is, none where the type has no such.
    fn from_f64(value: f64) -> Option<Self>;
}

/// The integer that `value` is, as `I`.
fn integer<I: TryFrom<i64>>(value: f64) -> Option<I> {
    let whole = value as i64;
    (whole as f64 == value).then(|| I::try_from(whole).ok()).flatten()
}

macro_rules! elements {
    ($($host:ty = $element:ident, $ones:expr, $zero:expr, $value:expr, $of:expr;)*) => {$(
        impl sealed::Sealed for $host {
            fn pack(elements: &[$host], tiling: Tiling, pages: &mut StagingBuffer) {
                let padding = if cfg!(tt_metal_sdk) { $zero } else { $ones };
                tilize(elements, tiling, padding, pages.elements_mut());
            }

            fn unpack_onto(pages: &StagingBuffer, tiling: Tiling, to: &mut Vec<$host>) {
                untilize(pages.elements(), tiling, to);
            }

            fn unpack_into(pages: &StagingBuffer, tiling: Tiling, to: &mut [$host]) {
                untilize_into(pages.elements(), tiling, to);
            }
        }
        impl Element for $host {
            const TYPE: ElementType = ElementType::$element;
            fn to_f64(self) -> f64 {
                let value: fn($host) -> f64 = $value;
                value(self)
            }

            fn from_f64(value: f64) -> Option<$host> {
                let of: fn(f64) -> Option<$host> = $of;
                of(value)
            }
        }
    )*};
}

elements! {
    bf16 = Bf16, bf16::from_bits(u16::MAX), bf16::ZERO, bf16::to_f64, |value| Some(bf16::from_f64(value));
    f32 = F32, f32::from_bits(u32::MAX), 0.0, f64::from, |value| Some(value as f32);
    i32 = I32, -1, 0, f64::from, integer;
    u32 = U32, u32::MAX, 0, f64::from, integer;
    u8 = U8, u8::MAX, 0, f64::from, integer;
    i8 = I8, -1, 0, f64::from, integer;
}

/// Elements that the device holds as others, which hold each of them.
macro_rules! held {
    ($($host:ty = $element:ident as $held:ty, $into:expr, $back:expr, $value:expr, $of:expr;)*) => {$(
        impl sealed::Sealed for $host {
            fn pack(elements: &[$host], tiling: Tiling, pages: &mut StagingBuffer) {
                let held: Vec<$held> = elements.par_iter().map(|element| $into(*element)).collect();
                <$held as sealed::Sealed>::pack(&held, tiling, pages);
            }

            fn unpack_onto(pages: &StagingBuffer, tiling: Tiling, to: &mut Vec<$host>) {
                let mut held = Vec::new();
                <$held as sealed::Sealed>::unpack_onto(pages, tiling, &mut held);
                to.par_extend(held.into_par_iter().map($back));
            }
        }
        impl Element for $host {
            const TYPE: ElementType = ElementType::$element;
            fn to_f64(self) -> f64 {
                let value: fn($host) -> f64 = $value;
                value(self)
            }

            fn from_f64(value: f64) -> Option<$host> {
                let of: fn(f64) -> Option<$host> = $of;
                of(value)
            }
        }
    )*};
}

held! {
    f16 = F16 as f32, f16::to_f32, f16::from_f32, f16::to_f64, |value| Some(f16::from_f64(value));
    u16 = U16 as i32, i32::from, |held| held as u16, f64::from, integer;
}

macro_rules! block_floats {
    ($($host:ident = $element:ident;)*) => {$(
        impl sealed::Sealed for $host {
            fn pack(elements: &[$host], tiling: Tiling, pages: &mut StagingBuffer) {
                block_float::pack(elements, tiling, pages.bytes_mut());
            }

            fn unpack_onto(pages: &StagingBuffer, tiling: Tiling, to: &mut Vec<$host>) {
                to.extend(block_float::unpack::<$host>(pages.bytes(), tiling));
            }
        }
        impl Element for $host {
            const TYPE: ElementType = ElementType::$element;
            fn to_f64(self) -> f64 {
                f64::from(self.to_f32())
            }

            fn from_f64(value: f64) -> Option<$host> {
                Some($host::from_f32(value as f32))
            }
        }
    )*};
}

block_floats! {
    bfp8 = Bfp8;
    bfp4 = Bfp4;
}

/// An element that is a float, which `f32` goes into and comes out of.
pub trait Float: Element {
    /// The nearest one, to even at halves; of those that share exponents the number itself, which is rounded where it is uploaded.
    fn from_f32(value: f32) -> Self;

    /// As it is; exact.
    fn to_f32(self) -> f32;
}

macro_rules! floats {
    ($($host:ident)*) => {$(
        impl Float for $host {
            fn from_f32(value: f32) -> $host {
                $host::from_f32(value)
            }

            fn to_f32(self) -> f32 {
                $host::to_f32(self)
            }
        }
    )*};
}

floats! { bf16 f16 bfp8 bfp4 }

impl Float for f32 {
    fn from_f32(value: f32) -> f32 {
        value
    }

    fn to_f32(self) -> f32 {
        self
    }
}
