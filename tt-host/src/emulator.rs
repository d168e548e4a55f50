//! What this crate asks of the emulator beyond the Metalium host API: which chip to be, the kernels compiled ahead of time,
//! and the counters of a run. Built against an SDK, it refuses.

use crate::device::DeviceName;
use crate::kernel::Precompiled;
use crate::{Error, ErrorKind, Result};
use std::sync::atomic::{AtomicI32, Ordering};
use tt_emulator::{RunCounters, Stores};

/// Whether the bridge was built against an SDK instead of the emulator.
const SDK: bool = cfg!(tt_metal_sdk);

/// The number under which the host API opens the device `name`.
pub(crate) fn device_id(name: DeviceName) -> Result<i32> {
    match name {
        DeviceName::Card(number) if SDK => Ok(number),
        DeviceName::Card(number) => {
            let message = format!(
                "cannot open card {number}: this program was built without the Metalium SDK and has the emulator only; \
                 build it with TT_METAL_HOME set to an SDK"
            );
            Err(Error::new(ErrorKind::Device, message))
        }
        DeviceName::Emulator(_) if SDK => {
            let message = format!(
                "cannot open {name}: this program was built against the Metalium SDK and has no emulator; \
                 set TT_DEVICE to the number of a card, or build it without TT_METAL_HOME"
            );
            Err(Error::new(ErrorKind::Device, message))
        }
        DeviceName::Emulator(architecture) => {
            // Every opening is a chip of its own.
            static NEXT: AtomicI32 = AtomicI32::new(0);
            let id = NEXT.fetch_add(1, Ordering::Relaxed);
            tt_emulator::select_arch(id, architecture);
            Ok(id)
        }
    }
}

/// Makes kernels compiled ahead of time known.
pub(crate) fn register(kernels: &[Precompiled]) {
    for kernel in kernels {
        // SAFETY: whoever made it has seen to it (see `Precompiled::new`).
        unsafe { tt_emulator::register_precompiled(kernel.key(), kernel.entry()) };
    }
}

/// Makes the buffer at `address` of the device opened as `id` read as zero, without touching memory that does already; false where
/// its owner has to write zeros.
pub(crate) fn zero(id: i32, address: u32) -> bool {
    !SDK && tt_emulator::zero_dram_buffer(id, u64::from(address))
}

/// Says what the next launch on the device opened as `id` stores to; a card is not watched.
pub(crate) fn expect_stores(id: i32, stores: impl FnOnce() -> Stores) {
    if !SDK {
        tt_emulator::expect_stores(id, stores());
    }
}

/// Turns the clock of the device opened as `id` on or off; a card has its own.
pub(crate) fn set_clock(id: i32, on: bool) {
    if !SDK {
        tt_emulator::set_clock(id, on);
    }
}

/// The counters of the last run on the device opened as `id`; none on a card.
pub(crate) fn counters(id: i32) -> Option<RunCounters> {
    if SDK { None } else { tt_emulator::last_run_counters(id) }
}

#[cfg(all(test, tt_metal_sdk))]
mod tests {
    use crate::{Device, ErrorKind};

    #[test]
    fn a_build_against_an_sdk_has_no_emulator() {
        let error = Device::open_named("emulator").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Device);
        let message = error.to_string();
        assert!(
            message.starts_with("cannot open emulator:wormhole_b0: this program was built against the Metalium SDK"),
            "{message}"
        );
    }
}
