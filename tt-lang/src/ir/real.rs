//! Numbers of a kernel's source.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A number that is what its bits are: NaN equals itself, and minus zero is not zero, so that kernels and their parts can be told apart.
/// Serialised as its bits.
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
        serializer.serialize_u64(self.0.to_bits())
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Real, D::Error> {
        u64::deserialize(deserializer).map(|bits| Real(f64::from_bits(bits)))
    }
}
