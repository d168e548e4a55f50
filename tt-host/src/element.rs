//! The element types of tensors and their host types.

use crate::block_float::{self, bfp4, bfp8};
use crate::host_memory::StagingBuffer;
use crate::tile::{Tiling, tilize, untilize};
use half::{bf16, f16};
use tt_lang::ir::ElementType;

mod sealed {
    use crate::host_memory::StagingBuffer;
    use crate::tile::Tiling;

    pub trait Sealed: Sized {
        /// What fills up the last tiles of a tensor. Nobody promises kernels anything there: other kernels leave what they
        /// please. On the emulator it is every bit, which is NaN or the largest number, so that what depends on it is seen.
        const PADDING: Self;

        /// Writes `elements` as pages, filled up with the padding.
        fn pack(elements: &[Self], tiling: Tiling, pages: &mut StagingBuffer);

        /// The elements of pages.
        fn unpack(pages: &StagingBuffer, tiling: Tiling) -> Vec<Self>;
    }
}

/// An element of a [`Tensor`](crate::Tensor).
///
/// Sealed: the implementors are plain numbers, whose size is that of the device's format, and numbers with shared exponents.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    /// The type in the language.
    const TYPE: ElementType;

    /// Its value; exact for every type.
    fn to_f64(self) -> f64;
}

macro_rules! elements {
    ($($host:ty = $element:ident, $ones:expr, $zero:expr, $value:expr;)*) => {$(
        impl sealed::Sealed for $host {
            const PADDING: $host = if cfg!(tt_metal_sdk) { $zero } else { $ones };

            fn pack(elements: &[$host], tiling: Tiling, pages: &mut StagingBuffer) {
                tilize(elements, tiling, <$host as sealed::Sealed>::PADDING, pages.elements_mut());
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
    f16 = F16, f16::from_bits(u16::MAX), f16::ZERO, f16::to_f64;
    f32 = F32, f32::from_bits(u32::MAX), 0.0, f64::from;
    i32 = I32, -1, 0, f64::from;
    u32 = U32, u32::MAX, 0, f64::from;
    u16 = U16, u16::MAX, 0, f64::from;
    u8 = U8, u8::MAX, 0, f64::from;
    i8 = I8, -1, 0, f64::from;
}

macro_rules! block_floats {
    ($($host:ident = $element:ident;)*) => {$(
        impl sealed::Sealed for $host {
            const PADDING: $host = $host::from_f32(0.0);

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
