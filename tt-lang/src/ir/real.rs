//! Numbers of a kernel's source.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::fmt;

/// A number that is what its bits are: NaN equals itself, and minus zero is not zero, so that kernels and their parts can be told apart.
/// Serialised as text, because JSON has neither infinities nor a guarantee of every bit.
#[derive(Clone, Copy)]
pub struct Real(pub f64);

impl PartialEq for Real {
    fn eq(&self, other: &Real) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Real {}

impl fmt::Debug for Real {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl Serialize for Real {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:?}"))
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Real, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.parse().map(Real);
        number.map_err(|_| D::Error::custom(format!("`{text}` is not a number")))
    }
}
