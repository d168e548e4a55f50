//! Numbers in the serialised kernel: as text, because JSON has neither infinities nor a guarantee of every bit.

use serde::{Deserialize, Deserializer, Serializer, de::Error};

/// Writes `value` as the shortest text that reads back the same.
///
/// # Errors
/// As the serializer.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{value:?}"))
}

/// Reads what [`serialize`] wrote.
///
/// # Errors
/// Where the text is no number.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse()
        .map_err(|_| D::Error::custom(format!("`{text}` is not a number")))
}
