//! Where a tensor lies on its device.

use crate::{Error, ErrorKind, Result};
use std::fmt;
use tt_device::TILE_SIDE;
use tt_lang::ir::{self, Sharding};
use tt_plan::{Memory, TensorLayout};

/// Where a tensor lies on its device, as `#[layout(..)]` says it of a kernel's parameter: in which memory, and how its tiles go to the
/// banks of that memory. A bank of [`l1`](Layout::l1) is a core.
///
/// A layout never changes a result.
///
/// ```no_run
/// # use tt_host::{Device, Layout};
/// # fn main() -> tt_host::Result<()> {
/// let device = Device::open()?;
/// let rows = Layout::l1().height_sharded(8)?;
/// let tensor = device.upload_in(&rows, &[1.0f32; 256 * 64], [256, 64])?;
/// assert_eq!(tensor.layout(), rows);
/// # Ok(()) }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Layout {
    memory: Memory,
    sharding: Sharding,
}

impl Default for Layout {
    /// That of [`Device::upload`](crate::Device::upload): [`dram`](Layout::dram), interleaved.
    fn default() -> Layout {
        Layout::dram()
    }
}

impl Layout {
    /// In the device's DRAM; tile by tile over all its banks, unless it is cut into shards.
    pub fn dram() -> Layout {
        Layout {
            memory: Memory::Dram,
            sharding: Sharding::Interleaved,
        }
    }

    /// In the L1 of the cores, which circular buffers take from too; tile by tile over all cores, unless it is cut into shards.
    pub fn l1() -> Layout {
        Layout {
            memory: Memory::L1,
            sharding: Sharding::Interleaved,
        }
    }

    /// In `bands` bands of rows of tiles, those of all matrices one below the other. In L1 each has a core, row by row; in DRAM they go
    /// round the banks.
    ///
    /// # Errors
    /// Where `bands` is 0.
    pub fn height_sharded(self, bands: u64) -> Result<Layout> {
        self.cut(&[bands], Sharding::Height(bands))
    }

    /// In `bands` bands of columns of tiles, as [`height_sharded`](Layout::height_sharded).
    ///
    /// # Errors
    /// Where `bands` is 0.
    pub fn width_sharded(self, bands: u64) -> Result<Layout> {
        self.cut(&[bands], Sharding::Width(bands))
    }

    /// In `down` × `along` rectangles of tiles. In L1 they lie on as many rows and columns of cores.
    ///
    /// # Errors
    /// Where one of them is 0.
    pub fn block_sharded(self, down: u64, along: u64) -> Result<Layout> {
        self.cut(&[down, along], Sharding::Block(down, along))
    }

    /// In parts of `shard` elements along each axis, at most as many as `grid` says, which go round the cores row by row, or round the
    /// banks of DRAM.
    ///
    /// # Errors
    /// Where a number is 0, there are not as many of both, or a part of the last two axes is not whole tiles.
    pub fn nd_sharded(self, grid: &[u64], shard: &[u64]) -> Result<Layout> {
        let tiled = &shard[shard.len().saturating_sub(2)..];
        if grid.len() != shard.len() || !tiled.iter().all(|extent| extent.is_multiple_of(u64::from(TILE_SIDE))) {
            let message = format!(
                "shards of {shard:?} elements on a grid of {grid:?}: both have a number for every axis, and shards are multiples of \
                 {TILE_SIDE} along the last two"
            );
            return Err(Error::new(ErrorKind::Shape, message));
        }
        let sharding = Sharding::Nd {
            axes: Vec::new(),
            grid: grid.to_vec(),
            shard: shard.to_vec(),
        };
        self.cut(&[grid, shard].concat(), sharding)
    }

    fn cut(self, counts: &[u64], sharding: Sharding) -> Result<Layout> {
        if counts.contains(&0) {
            return Err(Error::new(ErrorKind::Shape, "a layout with a number that is 0"));
        }
        Ok(Layout { sharding, ..self })
    }

    /// The layout of a tensor in pages of so many bytes, as plans have it.
    pub(crate) fn of_pages(&self, page_size: u32) -> TensorLayout {
        TensorLayout {
            shard: self.memory,
            interleave: self.sharding == Sharding::Interleaved,
            sharding: self.sharding.clone(),
            tile_shape: [TILE_SIDE; 2],
            page_size,
        }
    }
}

impl From<&ir::Layout> for Layout {
    /// That of a parameter of a kernel.
    fn from(layout: &ir::Layout) -> Layout {
        Layout {
            memory: match layout.residence {
                ir::Residence::Dram => Memory::Dram,
                ir::Residence::L1 => Memory::L1,
            },
            sharding: without_names(&layout.sharding),
        }
    }
}

/// The same cut of axes without names.
fn without_names(sharding: &Sharding) -> Sharding {
    match sharding {
        Sharding::Nd { grid, shard, .. } => Sharding::Nd {
            axes: Vec::new(),
            grid: grid.clone(),
            shard: shard.clone(),
        },
        Sharding::Interleaved | Sharding::Height(_) | Sharding::Width(_) | Sharding::Block(..) => sharding.clone(),
    }
}

impl From<&TensorLayout> for Layout {
    /// The layout that a kernel's plan asks for.
    fn from(layout: &TensorLayout) -> Layout {
        Layout {
            memory: layout.shard,
            sharding: without_names(&layout.sharding),
        }
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Layout({self})")
    }
}

impl fmt::Display for Layout {
    /// As `#[layout(..)]` says it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.of_pages(0).fmt(f)
    }
}
