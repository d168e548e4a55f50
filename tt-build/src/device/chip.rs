//! What the runtime's JIT says to the compiler about a chip, as data.
//!
//! Source of every row: the calls that the runtime of 0.81.1 made for both chips (logged with `TT_ORACLE_CCLOG`), and
//! `tt_metal/hw/inc/internal/tt-1xx/<chip>/dev_mem_map.h`. The numbers of banks and the coordinates of the PCIe tile
//! depend on what a card has fused off; the JIT asks the card. Those here are of the simulated chips, which have all of it.

use super::processor::ProcessorName;
use ProcessorName::{Brisc, Ncrisc, Trisc0, Trisc1, Trisc2};
use tt_device::{BLACKHOLE, WORMHOLE_B0};

/// A chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chip {
    /// Its name, as in `tt.plan.json`, and in the names of folders.
    pub name: &'static str,
    /// Its short name in the names of other folders.
    pub family: &'static str,
    /// Its name in `-mcpu=tt-..`.
    pub cpu: &'static str,
    /// Circular buffers of a core: how long the tables of formats are.
    pub circular_buffers: usize,
    /// Defines that say which chip it is and what it has.
    pub defines: &'static [&'static str],
    /// Folders of headers that only this chip has, below `tt_metal/`.
    pub includes: &'static [&'static str],
    /// Options of the link.
    pub link_options: &'static [&'static str],
    /// The objects of `runtime/hw/lib` that each program is linked with.
    pub objects: &'static [Objects],
    /// Bytes that the programs of all processors of a core may take together: the kernel configuration buffer.
    ///
    /// `dev_mem_map.h` says that this is the bound that matters; 69 KiB is `default_l1_kernel_config_size` of the HAL
    /// (`tt_metal/llrt/hal/tt-1xx/*/*_hal_tensix.cpp`).
    pub kernel_config_bytes: u32,
}

/// The objects that the programs of one processor are linked with, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Objects {
    /// Whose.
    pub processor: ProcessorName,
    /// Of the firmware.
    pub firmware: &'static [&'static str],
    /// Of a kernel.
    pub kernel: &'static [&'static str],
}

const fn objects(
    processor: ProcessorName,
    firmware: &'static [&'static str],
    kernel: &'static [&'static str],
) -> Objects {
    Objects {
        processor,
        firmware,
        kernel,
    }
}

/// Every chip.
pub const CHIPS: [Chip; 2] = [
    Chip {
        name: WORMHOLE_B0.name,
        family: "wormhole",
        cpu: "wh",
        circular_buffers: WORMHOLE_B0.circular_buffers as usize,
        defines: &[
            "ARCH_WORMHOLE",
            "ROUTING_FW_ENABLED",
            "IS_NOT_POW2_NUM_DRAM_BANKS=1",
            "IS_NOT_POW2_NUM_L1_BANKS=1",
            "NUM_DRAM_BANKS=12",
            "NUM_L1_BANKS=72",
            "PCIE_NOC_X=0",
            "PCIE_NOC_Y=3",
            "DISPATCH_MESSAGE_ADDR=4290183304",
        ],
        includes: &[],
        link_options: &[],
        objects: &[
            objects(
                Brisc,
                &["tmu-crt0.o", "noc.o", "substitutes.o"],
                &["noc.o", "substitutes.o"],
            ),
            objects(
                Ncrisc,
                &["tmu-crt0.o", "wh-iram-trampoline.o", "tdma_xmov.o", "substitutes.o"],
                &["wh-iram-start.o", "substitutes.o"],
            ),
            objects(Trisc0, &["tmu-crt0.o", "substitutes.o"], &["substitutes.o"]),
            objects(Trisc1, &["tmu-crt0.o", "substitutes.o"], &["substitutes.o"]),
            objects(Trisc2, &["tmu-crt0.o", "substitutes.o"], &["substitutes.o"]),
        ],
        kernel_config_bytes: 69 * 1024,
    },
    Chip {
        name: BLACKHOLE.name,
        family: "blackhole",
        cpu: "bh",
        circular_buffers: BLACKHOLE.circular_buffers as usize,
        defines: &[
            "ARCH_BLACKHOLE",
            "LOG_BASE_2_OF_NUM_DRAM_BANKS=3",
            "IS_NOT_POW2_NUM_L1_BANKS=1",
            "NUM_DRAM_BANKS=8",
            "NUM_L1_BANKS=130",
            "PCIE_NOC_X=19",
            "PCIE_NOC_Y=24",
            "DISPATCH_MESSAGE_ADDR=4290184248",
        ],
        includes: &["tt-llk/tt_llk_blackhole/llk_lib/hal"],
        link_options: &["-Wno-stringop-overflow"],
        objects: &[
            objects(
                Brisc,
                &["tmu-crt0.o", "noc.o", "substitutes.o"],
                &["noc.o", "substitutes.o"],
            ),
            objects(Ncrisc, &["tmu-crt0.o", "substitutes.o"], &["substitutes.o"]),
            objects(Trisc0, &["tmu-crt0.o", "substitutes.o"], &["substitutes.o"]),
            objects(Trisc1, &["tmu-crt0.o", "substitutes.o"], &["substitutes.o"]),
            objects(Trisc2, &["tmu-crt0.o", "substitutes.o"], &["substitutes.o"]),
        ],
        kernel_config_bytes: 69 * 1024,
    },
];

impl Chip {
    /// The chip of this name.
    pub fn named(name: &str) -> Option<&'static Chip> {
        CHIPS.iter().find(|chip| chip.name == name)
    }

    /// What the programs of `processor` are linked with.
    pub fn objects_of(&self, processor: ProcessorName) -> Option<&'static Objects> {
        self.objects.iter().find(|objects| objects.processor == processor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::PROCESSORS;

    #[test]
    fn every_chip_links_every_processor() {
        for chip in &CHIPS {
            for processor in &PROCESSORS {
                let objects = chip.objects_of(processor.id).expect("a row for every processor");
                assert!(objects.firmware.contains(&"tmu-crt0.o") && !objects.kernel.contains(&"tmu-crt0.o"));
            }
            assert_eq!(Chip::named(chip.name), Some(chip));
        }
        assert_eq!(Chip::named("grayskull"), None);
    }
}
