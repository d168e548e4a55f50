//! Data movement programs through the engine: what works, and what is refused.

mod copies;
mod launches;
mod rig;
mod synchronisation;
mod violations;
