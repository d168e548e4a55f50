//! Other orders of what a chip leaves open: `TT_EMULATOR_ORDER`.
//!
//! A run has one course, in which a core goes on as long as it can, a read arrives at its barrier, a write at its flush, and what cores
//! tell each other between epochs. A chip promises none of that. Where the variable has a number, all of it is drawn, and each number is
//! another course: which cores go on in an epoch, which of a core's RISCs is first and where it gives way to the others, whether a transfer
//! takes place when it is issued or as late as it may, and how long a message takes from one core to another. What a chip does promise
//! stays: messages from one core to another arrive in order, and none that was sent after a flush or a barrier arrives before those of
//! before. Some cores and some ways are slower than others all along, since races are between the fast and the slow. Such a run has one
//! thread, and so one number has the same course every time, whatever the program does.

use std::cell::Cell;

use super::core::{Message, MessageTarget};
use super::memory::machine::Machine;

/// Where choices are drawn from: of a core, or of what is between them.
pub(crate) struct Order {
    number: u64,
    state: Cell<u64>,
}

/// A number that has little to do with this one (SplitMix64).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Order {
    /// The one of this number for the core of that one, or for what is between cores.
    pub fn of(number: u64, core: Option<u16>) -> Order {
        let state = mixed(number ^ mixed(core.map_or(0, |core| u64::from(core) + 1)));
        Order {
            number,
            state: Cell::new(state),
        }
    }

    fn next(&self) -> u64 {
        self.state.set(self.state.get().wrapping_add(1));
        mixed(self.state.get())
    }

    /// True half of the time.
    pub fn coin(&self) -> bool {
        self.next() & 1 == 1
    }

    /// Whether `what` goes on now: always, or one time in two, four or eight, and that all along.
    fn goes_on(&self, what: u64) -> bool {
        let slowness = mixed(self.number ^ mixed(what)) % 4;
        self.next().is_multiple_of(1 << slowness)
    }

    /// Whether a core goes on in this epoch.
    pub fn runs(&self, core: u16) -> bool {
        self.goes_on(u64::from(core))
    }

    /// Another order.
    pub fn shuffle<T>(&self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, (self.next() % (at as u64 + 1)) as usize);
        }
    }
}

/// What one core tells another, on its way.
struct Underway {
    from: u16,
    to: u16,
    message: Message,
}

/// All of it, oldest first.
pub(crate) struct Messages {
    order: Order,
    underway: Vec<Underway>,
}

impl Messages {
    pub fn new(number: u64) -> Messages {
        Messages {
            order: Order::of(number, None),
            underway: Vec::new(),
        }
    }

    /// The choices between cores.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Takes a message on its way, to each of its receivers by itself.
    pub fn send(&mut self, machine: &Machine, from: u16, message: Message) {
        let mut to = |to| self.underway.push(Underway { from, to, message });
        match message.target {
            MessageTarget::Core(core) => to(core),
            MessageTarget::Rectangle { rectangle, excluded } => {
                let cores = machine.cores_in(rectangle);
                cores.filter(|core| Some(*core) != excluded).for_each(to);
            }
        }
    }

    /// What arrives now, and where.
    pub fn arrive(&mut self) -> Vec<(u16, Message)> {
        let mut arrived = Vec::new();
        let mut later: Vec<Underway> = Vec::new();
        for one in self.underway.drain(..) {
            let is_behind = |other: &Underway| {
                other.from == one.from && (other.to == one.to || other.message.fence < one.message.fence)
            };
            let way = 1 << 32 | u64::from(one.from) << 16 | u64::from(one.to);
            match later.iter().any(is_behind) || !self.order.goes_on(way) {
                true => later.push(one),
                false => arrived.push((one.to, one.message)),
            }
        }
        self.underway = later;
        arrived
    }

    /// Whether some have not arrived.
    pub fn are_underway(&self) -> bool {
        !self.underway.is_empty()
    }
}
