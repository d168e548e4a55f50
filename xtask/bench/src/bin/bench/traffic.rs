//! What launches move between DRAM and the cores, as the emulator counts it: exact, whatever else the machine does.

use std::fmt;
use std::iter::Sum;
use tt::Profile;

/// Bytes from and to DRAM.
#[derive(Debug, Clone, Copy, Default)]
pub struct Traffic {
    pub read: u64,
    pub written: u64,
}

impl Traffic {
    /// Both directions.
    pub fn bytes(self) -> u64 {
        self.read + self.written
    }
}

impl fmt::Display for Traffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mb = |bytes: u64| bytes as f64 / 1e6;
        write!(f, "{:.1} MB read, {:.1} MB written", mb(self.read), mb(self.written))
    }
}

impl Sum for Traffic {
    fn sum<I: Iterator<Item = Traffic>>(parts: I) -> Traffic {
        parts.fold(Traffic::default(), |sum, part| Traffic {
            read: sum.read + part.read,
            written: sum.written + part.written,
        })
    }
}

/// What a launch moved, all DRAM banks together.
pub fn traffic(profile: &Profile) -> Result<Traffic, &'static str> {
    let counters = profile
        .counters
        .as_ref()
        .ok_or("bytes are counted on the emulator only")?;
    Ok(Traffic {
        read: counters.total.dram_read_bytes.iter().sum(),
        written: counters.total.dram_write_bytes.iter().sum(),
    })
}
