//! Names of devices, as `TT_DEVICE` holds them.

use crate::{Error, ErrorKind, Result};
use std::ffi::OsStr;
use std::fmt;
use std::str::FromStr;
use tt_emulator::ArchName;

/// The environment variable that names the device to open.
pub const DEVICE_VARIABLE: &str = "TT_DEVICE";

/// Which device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceName {
    /// The embedded emulator, as this chip.
    Emulator(ArchName),
    /// The card of this number.
    Card(i32),
}

/// What is taken where nothing is named.
pub(crate) const DEFAULT: DeviceName = DeviceName::Emulator(ArchName::WormholeB0);

/// What a device may be called, for messages.
const ACCEPTED: &str =
    "`emulator`, `emulator:wormhole_b0`, `emulator:blackhole`, or the number of a card (`0`, `1`, ..)";

impl DeviceName {
    /// The device that the value of `TT_DEVICE` names; unset means [`DEFAULT`].
    pub(crate) fn from_variable(value: Option<&OsStr>) -> Result<DeviceName> {
        let Some(value) = value else { return Ok(DEFAULT) };
        value.to_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
            let value = value.to_string_lossy();
            Error::new(
                ErrorKind::Device,
                format!("{DEVICE_VARIABLE} is `{value}`, which names no device: accepted are {ACCEPTED}"),
            )
        })
    }

    /// The device called `name`.
    pub(crate) fn from_name(name: &str) -> Result<DeviceName> {
        name.parse().map_err(|()| {
            Error::new(
                ErrorKind::Device,
                format!("`{name}` names no device: accepted are {ACCEPTED}"),
            )
        })
    }
}

impl FromStr for DeviceName {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        match text.split_once(':') {
            None if text == "emulator" => Ok(DEFAULT),
            Some(("emulator", chip)) => ArchName::named(chip).map(DeviceName::Emulator).ok_or(()),
            None if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().map(DeviceName::Card).map_err(drop)
            }
            _ => Err(()),
        }
    }
}

impl fmt::Display for DeviceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceName::Emulator(architecture) => write!(f, "emulator:{architecture}"),
            DeviceName::Card(number) => write!(f, "card {number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_names_are_accepted_and_nothing_else() {
        let name = |text: &str| DeviceName::from_variable(Some(OsStr::new(text)));
        assert_eq!(DeviceName::from_variable(None).unwrap(), DEFAULT);
        assert_eq!(name("emulator").unwrap(), DeviceName::Emulator(ArchName::WormholeB0));
        assert_eq!(
            name("emulator:wormhole_b0").unwrap(),
            DeviceName::Emulator(ArchName::WormholeB0)
        );
        assert_eq!(
            name("emulator:blackhole").unwrap(),
            DeviceName::Emulator(ArchName::Blackhole)
        );
        assert_eq!(name("0").unwrap(), DeviceName::Card(0));
        assert_eq!(name("12").unwrap(), DeviceName::Card(12));
        for wrong in [
            "",
            "gpu",
            "Emulator",
            "emulator:",
            "emulator:grayskull",
            "-1",
            "+1",
            "0x1",
            "99999999999",
            " 0",
        ] {
            let error = name(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Device);
            let message = error.to_string();
            assert!(message.starts_with(&format!("TT_DEVICE is `{wrong}`")), "{message}");
            assert!(
                message.contains("`emulator:blackhole`") && message.contains("number of a card"),
                "{message}"
            );
        }
    }
}
