//! The element types of tensors and their host types.

use half::{bf16, f16};
use tt_lang::ir::ElementType;

mod sealed {
    pub trait Sealed {}
}

/// An element of a [`Tensor`](crate::Tensor).
///
/// Sealed: the implementors are plain numbers without padding whose every bit pattern is a value, and whose size is that
/// of the device's format; copying tiles relies on it.
pub trait Element: sealed::Sealed + Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    /// The type in the language.
    const TYPE: ElementType;

    /// Its value; exact for every type.
    fn to_f64(self) -> f64;
}

macro_rules! elements {
    ($($host:ty = $element:ident, $value:expr;)*) => {$(
        impl sealed::Sealed for $host {}
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
    bf16 = Bf16, bf16::to_f64;
    f16 = F16, f16::to_f64;
    f32 = F32, f64::from;
    i32 = I32, f64::from;
    u32 = U32, f64::from;
    u16 = U16, f64::from;
    u8 = U8, f64::from;
}
