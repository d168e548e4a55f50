//! Data movement programs through the engine: what works, and what is refused.

mod address_generators;
mod allowed;
mod clock;
mod copies;
mod faults;
mod l1_addresses;
mod launches;
mod queue;
mod rig;
mod synchronisation;
mod violations;
