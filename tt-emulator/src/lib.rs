//! An embedded TT-Metalium: host and device API headers over an engine in Rust.
//!
//! Kernels are C++ against the real TT-Metalium 0.81 device API. [`kernel_object`] compiles them with the machine's own
//! compiler; the engine (feature `engine`) runs every RISC of every core as a coroutine, strictly: what silicon would
//! answer with silent corruption stops the run here with a [`Report`].
//!
//! The usual way in is the C++ host API (`host/include/tt-metalium`, the real names), which this crate implements with the
//! shim in `host/src`; the same engine can be driven from Rust:
//!
//! ```
//! use tt_emulator::kernel_config::{DataMovementProcessor, KernelRole};
//! use tt_emulator::kernel_object::KernelSource;
//! use tt_emulator::{ArchName, Device, Program, launch};
//!
//! let device = Device::open_arch(0, ArchName::Blackhole)?;
//! let mut program = Program::new();
//! let source = r#"
//!     #include "api/dataflow/dataflow_api.h"
//!     void kernel_main() {
//!         cb_reserve_back(0, 1);
//!     }
//! "#;
//! let kernel = KernelSource { file: "reader.cpp".to_owned(), source: source.to_owned(), ..Default::default() };
//! let role = KernelRole::DataMovement { processor: DataMovementProcessor::Ncrisc, noc: 0 };
//! program.create_kernel(kernel, role, vec![(3, 2)])?;
//! let error = launch(&device, &program, 2).unwrap_err();
//! assert!(error.to_string().starts_with("EMU0101: circular buffer that this core does not have"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without the feature `engine` only kernel compilation is left, which is what a build script needs.
//!
//! # Whose arithmetic
//!
//! Unpackers, the matrix engine's sums, products, reductions and moves, and the packer compute with the device's own
//! arithmetic, bit for bit: `docs/formats.md` has the table of what was compared with the simulated chips. Matmuls are the
//! exception, for speed: by default they see the bits that the fidelity multiplies, but add products up in `f32` (into a
//! 16-bit destination rounded to bf16 after every 16 products and phase), where the device aligns products to the
//! largest of eight and rounds what is shifted out. `TT_EMULATOR_FPU=exact` in the environment sends them through the
//! device's adders too, some ten to fifteen times slower, and launches with the clock send some of them both ways ([`FromChip`]).

#[cfg(feature = "engine")]
#[macro_use]
mod tables;
#[cfg(any(test, doc, not(tt_emulator_apart)))]
#[macro_use]
mod enumerations;

#[cfg(any(test, doc, not(tt_emulator_apart)))]
pub mod arch;
#[cfg(any(test, doc, not(tt_emulator_apart)))]
pub mod data_format;
#[cfg(any(test, doc, not(tt_emulator_apart)))]
pub mod kernel_config;
pub mod kernel_object;
#[cfg(any(test, doc, not(tt_emulator_apart)))]
pub mod rules;
pub mod settings;

// What takes time, compiled apart where this crate is not optimised: see `apart.rs`.
#[cfg(all(not(any(test, doc)), tt_emulator_apart))]
extern crate tt_emulator_calculation;
#[cfg(all(not(any(test, doc)), tt_emulator_apart))]
pub use tt_emulator_calculation::{arch, data_format, kernel_config, rules};

#[cfg(feature = "engine")]
pub mod abi;
#[cfg(feature = "engine")]
pub mod allowed;
#[cfg(feature = "engine")]
mod clock;
#[cfg(feature = "engine")]
mod compute;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "engine")]
mod host;
#[cfg(feature = "engine")]
pub mod report;

pub use arch::{Arch, ArchName};
pub use data_format::DataFormat;

#[cfg(feature = "engine")]
pub use clock::{Bound, Modelled, Use};
#[cfg(feature = "engine")]
pub use compute::{ComputeCounters, FromChip, vector_unit};
#[cfg(feature = "engine")]
pub use engine::counters::{CoreCounters, RiscCounters, RunCounters};
#[cfg(feature = "engine")]
pub use engine::device::{
    Buffer, BufferKind, Device, expect_stores, last_run_counters, select_arch, set_clock, zero_dram_buffer,
};
#[cfg(feature = "engine")]
pub use engine::launch::{LaunchError, launch};
#[cfg(feature = "engine")]
pub use engine::program::{CbIndex, CircularBuffer, CoreCoord, Program};
#[cfg(feature = "engine")]
pub use engine::sharding::Sharding;
#[cfg(feature = "engine")]
pub use engine::stores::{StoredBlocks, StoredPages, StoredTensor, Stores, Unstored};
#[cfg(feature = "engine")]
pub use kernel_object::register_precompiled;
#[cfg(feature = "engine")]
pub use report::Report;
#[cfg(feature = "engine")]
pub use settings::default_threads;
