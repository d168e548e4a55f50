//! Devices: opening, sharing and closing them.

mod name;
mod session;

pub use name::DEVICE_VARIABLE;
pub(crate) use name::DeviceName;
pub(crate) use session::{Pages, Session};

use crate::bridge::{self, DeviceFacts};
use crate::host_memory::StagingBuffer;
use crate::launch::Decisions;
use crate::{Error, ErrorKind, Result, emulator};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use tt_device::ArchName;
use tt_emulator::RunCounters;
use tt_plan::{Banks, DeviceGrid};

/// An open device: the embedded emulator or a card.
///
/// A clone is another handle of the same device. The device closes when [`Device::close`] is called or the last handle is
/// dropped; tensors are no handles. Handles may be used from any thread.
///
/// ```no_run
/// # fn main() -> tt_host::Result<()> {
/// let device = tt_host::Device::open()?;
/// println!("running on {device}");
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Device {
    handle: Arc<Handle>,
}

/// What the last clone of a [`Device`] drops.
struct Handle {
    core: Arc<DeviceCore>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        // Nobody is left to be given an error.
        if let Err(error) = self.core.close(Closed::Dropped) {
            eprintln!("tt: the last handle of {} was dropped, and then: {error}", self.core);
        }
    }
}

/// A device as its tensors see it.
pub(crate) struct DeviceCore {
    name: DeviceName,
    /// Its number in the host API.
    id: i32,
    arch: ArchName,
    facts: DeviceFacts,
    state: Mutex<State>,
    decisions: Mutex<Decisions>,
    handle: OnceLock<Weak<Handle>>,
}

enum State {
    Open(Box<Session>),
    Closed(Closed),
}

/// How a device was closed.
#[derive(Debug, Clone, Copy)]
enum Closed {
    /// By [`Device::close`].
    Asked,
    /// With its last handle.
    Dropped,
}

impl Device {
    /// Opens the device that the environment variable `TT_DEVICE` names: `emulator`, `emulator:wormhole_b0`,
    /// `emulator:blackhole`, or the number of a card. Where it is not set, the emulator of a `wormhole_b0`.
    ///
    /// # Errors
    /// Where the variable has another value, or the device cannot be opened. Another device is never taken instead.
    pub fn open() -> Result<Device> {
        Device::open_device(DeviceName::from_variable(std::env::var_os(DEVICE_VARIABLE).as_deref())?)
    }

    /// Opens the device called `name`, one of the values of `TT_DEVICE` (see [`Device::open`]).
    ///
    /// # Errors
    /// As [`Device::open`].
    pub fn open_named(name: &str) -> Result<Device> {
        Device::open_device(DeviceName::from_name(name)?)
    }

    fn open_device(name: DeviceName) -> Result<Device> {
        // Opening and closing go through state of the whole process.
        static OPENING: Mutex<()> = Mutex::new(());
        let _guard = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |error: cxx::Exception| bridge::thrown(ErrorKind::Device, &format!("cannot open {name}"), &error);
        let id = emulator::device_id(name)?;
        let mesh = bridge::open_device(id).map_err(failed)?;
        let facts = bridge::device_facts(&mesh).map_err(failed)?;
        let arch = facts.arch()?;
        let state = Mutex::new(State::Open(Box::new(Session::new(mesh))));
        let core = Arc::new(DeviceCore {
            name,
            id,
            arch,
            facts,
            state,
            decisions: Mutex::default(),
            handle: OnceLock::new(),
        });
        let handle = Arc::new(Handle { core: core.clone() });
        core.handle.get_or_init(|| Arc::downgrade(&handle));
        Ok(Device { handle })
    }

    /// Waits for everything that was enqueued.
    ///
    /// # Errors
    /// Where something enqueued has failed, or the device is closed.
    pub fn finish(&self) -> Result<()> {
        self.core().with(Session::finish)
    }

    /// Waits for everything that was enqueued and closes the device, for all its handles and tensors.
    ///
    /// # Errors
    /// Where something enqueued has failed, or the device was closed before. It is closed in any case.
    pub fn close(self) -> Result<()> {
        self.core().with(|_| Ok(()))?;
        self.core().close(Closed::Asked)
    }

    /// The architecture: `wormhole_b0` or `blackhole`.
    pub fn architecture(&self) -> &str {
        self.core().architecture()
    }

    /// The grid of worker cores.
    pub fn grid(&self) -> DeviceGrid {
        self.core().grid()
    }

    /// Whether it is the emulator, and no card.
    pub fn is_emulated(&self) -> bool {
        matches!(self.core().name, DeviceName::Emulator(_))
    }

    pub(crate) fn core(&self) -> &Arc<DeviceCore> {
        &self.handle.core
    }
}

impl DeviceCore {
    /// Does `action` with the open device, under its lock.
    ///
    /// # Errors
    /// Where the device is closed, and those of `action`.
    pub(crate) fn with<T>(&self, action: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
        match &mut *self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Open(session) => action(session),
            State::Closed(how) => Err(self.closed(*how)),
        }
    }

    fn closed(&self, how: Closed) -> Error {
        let message = match how {
            Closed::Asked => format!("{self} is closed"),
            Closed::Dropped => format!("{self} is closed: its last `Device` was dropped"),
        };
        Error::new(ErrorKind::Closed, message)
    }

    fn close(&self, how: Closed) -> Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Closed(how)) {
            State::Open(session) => session.close(),
            State::Closed(before) => {
                // The first closing counts.
                *state = State::Closed(before);
                Ok(())
            }
        }
    }

    /// What launches on it have decided.
    pub(crate) fn decisions(&self) -> MutexGuard<'_, Decisions> {
        self.decisions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frees a buffer; a closed device has freed it already.
    pub(crate) fn release(&self, buffer: u64) {
        let _ = self.with(|session| {
            session.release(buffer);
            Ok(())
        });
    }

    /// Keeps memory for the next transfer; a closed device has none.
    pub(crate) fn keep(&self, staging: StagingBuffer) {
        let _ = self.with(|session| {
            session.staging.give(staging);
            Ok(())
        });
    }

    /// A handle of the device.
    pub(crate) fn handle(&self) -> Result<Device> {
        self.with(|_| Ok(()))?;
        let handle = self.handle.get().and_then(Weak::upgrade);
        handle
            .map(|handle| Device { handle })
            .ok_or_else(|| self.closed(Closed::Dropped))
    }

    /// Makes a buffer that nothing uses yet read as zero, where that can be done without writing to it.
    pub(crate) fn zero(&self, address: u32) -> bool {
        emulator::zero(self.id, address)
    }

    /// Says what the next launch stores to.
    pub(crate) fn expect_stores(&self, stores: impl FnOnce() -> tt_emulator::Stores) {
        emulator::expect_stores(self.id, stores);
    }

    /// Turns the emulator's clock on or off.
    pub(crate) fn set_clock(&self, on: bool) {
        emulator::set_clock(self.id, on);
    }

    /// What the emulator counted in the last run.
    pub(crate) fn counters(&self) -> Option<RunCounters> {
        emulator::counters(self.id)
    }

    /// The name of its chip.
    pub(crate) fn architecture(&self) -> &'static str {
        self.arch.chip().name
    }

    pub(crate) fn chip(&self) -> ArchName {
        self.arch
    }

    pub(crate) fn facts(&self) -> &DeviceFacts {
        &self.facts
    }

    pub(crate) fn grid(&self) -> DeviceGrid {
        DeviceGrid {
            x: self.facts.columns,
            y: self.facts.rows,
        }
    }

    pub(crate) fn banks(&self) -> Banks {
        Banks {
            cores: self.grid(),
            dram: self.facts.dram_banks,
        }
    }
}

impl fmt::Display for DeviceCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DeviceFacts { columns, rows, .. } = &self.facts;
        let architecture = self.architecture();
        match self.name {
            DeviceName::Emulator(_) => write!(f, "emulator:{architecture} ({columns} × {rows} cores)"),
            DeviceName::Card(number) => write!(f, "card {number} ({architecture}, {columns} × {rows} cores)"),
        }
    }
}

/// Which device it is: `emulator:wormhole_b0 (8 × 8 cores)`, `card 0 (blackhole, 13 × 10 cores)`.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.core().fmt(f)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}
