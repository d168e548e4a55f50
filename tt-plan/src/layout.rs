//! Where tensors lie, and which of their pages the blocks of a grid have.

use serde::{Deserialize, Serialize};
use std::fmt;
use tt_lang::ir::Sharding;

/// Where a tensor lives and how it is cut (`layouts` in the seeds).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorLayout {
    /// In which memory.
    pub shard: Memory,
    /// Page by page over all banks.
    pub interleave: bool,
    /// How it is cut into shards; not written where it is interleaved.
    #[serde(default, skip_serializing_if = "is_interleaved")]
    pub sharding: Sharding,
    /// Rows and columns of a tile.
    pub tile_shape: [u32; 2],
    /// Bytes of one page (one tile).
    pub page_size: u32,
}

fn is_interleaved(sharding: &Sharding) -> bool {
    *sharding == Sharding::Interleaved
}

impl TensorLayout {
    /// Whether it is one of an `other`, whatever the axes are called.
    pub fn lies_as(&self, other: &TensorLayout) -> bool {
        let cut = match (&self.sharding, &other.sharding) {
            (
                Sharding::Nd { grid, shard, .. },
                Sharding::Nd {
                    grid: grids,
                    shard: shards,
                    ..
                },
            ) => grid == grids && shard == shards,
            (one, two) => one == two,
        };
        self.shard == other.shard && cut
    }
}

/// A memory that tensors live in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Memory {
    /// The device's.
    #[serde(rename = "DRAM")]
    Dram,
    /// That of the cores.
    L1,
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Memory::Dram => "DRAM",
            Memory::L1 => "L1",
        })
    }
}

impl fmt::Display for TensorLayout {
    /// As `#[layout(..)]` says it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = match self.shard {
            Memory::Dram => "dram",
            Memory::L1 => "l1",
        };
        write!(f, "{memory}, ")?;
        match &self.sharding {
            Sharding::Interleaved => f.write_str("interleaved"),
            Sharding::Height(bands) => write!(f, "height_sharded({bands})"),
            Sharding::Width(bands) => write!(f, "width_sharded({bands})"),
            Sharding::Block(down, along) => write!(f, "block_sharded({down}, {along})"),
            Sharding::Nd { grid, shard, .. } => write!(f, "nd_sharded(grid = {grid:?}, shard = {shard:?})"),
        }
    }
}

/// The pages of a tensor that the version of a circular buffer has which a block of the grid makes or uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardRegion {
    /// The tensor.
    pub tensor: String,
    /// The first page along every axis of the tensor.
    pub first: Vec<GridStep>,
    /// Pages along the last two.
    pub tiles: [u32; 2],
    /// Whether a launch may lay the circular buffer there: the tensor is only read, or only stored to.
    pub lies_there: bool,
}

/// An index that goes along one axis of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridStep {
    /// At the first block.
    pub first: u64,
    /// From a block to the next.
    pub step: u64,
    /// Which axis.
    pub axis: usize,
}
