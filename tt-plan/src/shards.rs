//! Where the pages of a sharded tensor lie: shards of equal size go round the banks in turn, and within a bank one follows the other,
//! as TT-Metalium's `BufferDistributionSpec` distributes them (`ROUND_ROBIN_1D`). Shards at the tensor's edges take the room of
//! whole ones.

use crate::{Bindings, CoreWork, DeviceGrid, Memory, PartitionMode, Plan, PlanError, ShardRegion, TensorLayout};
use std::collections::BTreeMap;
use tt_device::{TILE_SIDE, tiles_along};
use tt_lang::ir::Sharding;

/// A tensor of one shape in shards on one device. Shapes are in pages, outermost axis first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shards {
    /// Extents of the tensor.
    pages: Vec<u32>,
    /// Shape of what is cut: the tensor, or the plane of its matrices one below the other.
    pub tensor: Vec<u32>,
    /// Shape of a shard of it.
    pub shard: Vec<u32>,
    /// The banks that take shards, in turn.
    pub banks: Vec<Bank>,
}

/// A bank of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bank {
    /// A bank of DRAM, by its number.
    Dram(u32),
    /// The L1 of a core, by its column and row.
    L1(u32, u32),
}

/// The banks of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Banks {
    /// The grid of worker cores, each a bank of L1.
    pub cores: DeviceGrid,
    /// Banks of DRAM.
    pub dram: u32,
}

impl Banks {
    /// Those of a device with these cores, for shards in L1: the banks of DRAM do not matter to them.
    pub(crate) fn of_cores(cores: DeviceGrid) -> Banks {
        Banks { cores, dram: 1 }
    }
}

/// Of the words that describe a tensor to its accessor the first: it is in shards, and it is in DRAM (`ArgConfig` of
/// `hostdevcommon/tensor_accessor/arg_config.hpp`).
const SHARDED: u32 = 1;
const IN_DRAM: u32 = 2;

impl TensorLayout {
    /// The shards of a tensor with these extents, outermost first; `None` where it is interleaved.
    ///
    /// # Errors
    /// Where the device has too few cores for them, or the extents take more shards than the layout has.
    pub fn shards(&self, shape: &[usize], banks: Banks) -> Result<Option<Shards>, String> {
        let pages = in_pages(shape)?;
        let (tensor, shard) = match &self.sharding {
            Sharding::Interleaved => return Ok(None),
            Sharding::Height(bands) => {
                let [rows, columns] = plane(&pages)?;
                (vec![rows, columns], vec![share(rows, *bands), columns])
            }
            Sharding::Width(bands) => {
                let [rows, columns] = plane(&pages)?;
                (vec![rows, columns], vec![rows, share(columns, *bands)])
            }
            Sharding::Block(down, along) => {
                let [rows, columns] = plane(&pages)?;
                (vec![rows, columns], vec![share(rows, *down), share(columns, *along)])
            }
            Sharding::Nd { axes, grid, shard } => {
                let shard: Vec<usize> = shard.iter().map(|extent| *extent as usize).collect();
                let shard = in_pages(&shard)?;
                for (axis, ((tensor, shard), shards)) in pages.iter().zip(&shard).zip(grid).enumerate() {
                    let taken = u64::from(tensor.div_ceil(*shard));
                    if taken > *shards {
                        let axis = axes.get(axis).cloned().unwrap_or_else(|| axis.to_string());
                        return Err(format!("axis {axis} takes {taken} shards, its layout has {shards}"));
                    }
                }
                (pages.clone(), shard)
            }
        };
        let counts: Vec<u32> = tensor
            .iter()
            .zip(&shard)
            .map(|(all, each)| all.div_ceil(*each))
            .collect();
        let banks = self.banks(&counts, banks)?;
        // More than that, each of a KiB or so, no memory has.
        let each = counts
            .iter()
            .fold(1u32, |shards, count| shards.saturating_mul(*count))
            .div_ceil(banks.len().max(1) as u32);
        let of_bank = shard
            .iter()
            .fold(u64::from(each), |pages, extent| pages.saturating_mul((*extent).into()));
        if of_bank > u64::from(u32::MAX / TILE_SIDE) {
            return Err(format!("its shards are too large: {of_bank} tiles in a bank"));
        }
        Ok(Some(Shards {
            pages,
            tensor,
            shard,
            banks,
        }))
    }

    /// The banks for so many shards along every axis.
    fn banks(&self, counts: &[u32], banks: Banks) -> Result<Vec<Bank>, String> {
        let shards = counts.iter().fold(1u32, |shards, count| shards.saturating_mul(*count));
        let DeviceGrid { x, y } = banks.cores;
        if self.shard == Memory::Dram {
            return Ok((0..shards.min(banks.dram)).map(Bank::Dram).collect());
        }
        let row_by_row = |count: u32, columns: u32| {
            (0..count)
                .map(|core| Bank::L1(core % columns, core / columns))
                .collect()
        };
        match &self.sharding {
            Sharding::Block(..) => {
                // Rows and columns of shards are rows and columns of cores.
                let columns = counts.last().copied().unwrap_or(1);
                let rows = shards / columns.max(1);
                if columns > x || rows > y {
                    return Err(format!(
                        "{rows} × {columns} shards take as many rows and columns of cores, the device has {y} × {x}"
                    ));
                }
                Ok(row_by_row(shards, columns))
            }
            Sharding::Nd { .. } => Ok(row_by_row(shards.min(x * y), x)),
            Sharding::Interleaved | Sharding::Height(_) | Sharding::Width(_) if shards > x * y => {
                Err(format!("{shards} shards take a core each, the device has {}", x * y))
            }
            Sharding::Interleaved | Sharding::Height(_) | Sharding::Width(_) => Ok(row_by_row(shards, x)),
        }
    }

    /// The compile-time words of the tensor's accessor in device code: those of `TensorAccessorArgs`. `noc` says where on the NoC a
    /// core is; pages are as far apart as they are large.
    pub fn words(&self, shards: Option<&Shards>, noc: &dyn Fn(u32, u32) -> [u32; 2]) -> Vec<u32> {
        let memory = match self.shard {
            Memory::Dram => IN_DRAM,
            Memory::L1 => 0,
        };
        let Some(Shards {
            tensor, shard, banks, ..
        }) = shards
        else {
            return vec![memory, self.page_size];
        };
        let (tensor, shard) = squeezed(tensor, shard);
        let mut words = vec![
            SHARDED | memory,
            self.page_size,
            tensor.len() as u32,
            banks.len() as u32,
        ];
        words.extend(tensor.iter().chain(&shard));
        // A bank of DRAM is its number in the place of the column.
        let places = banks.iter().map(|bank| match *bank {
            Bank::Dram(number) => [number, 0],
            Bank::L1(x, y) => noc(x, y),
        });
        let halves: Vec<u32> = places.map(|[x, y]| (x & 0xff) << 8 | (y & 0xff)).collect();
        words.extend(
            halves
                .chunks(2)
                .map(|pair| pair[0] | pair.get(1).map_or(0, |next| next << 16)),
        );
        words
    }

    /// [`words`](TensorLayout::words) of a tensor of this layout with `axes` axes that nothing else is known of: enough to compile a kernel.
    pub fn words_of_any(&self, axes: usize) -> Vec<u32> {
        let banks = Banks {
            cores: DeviceGrid { x: 8, y: 8 },
            dram: 12,
        };
        let shape = match &self.sharding {
            Sharding::Nd { shard, .. } => shard.iter().map(|extent| *extent as usize).collect(),
            Sharding::Interleaved | Sharding::Height(_) | Sharding::Width(_) | Sharding::Block(..) => vec![256; axes],
        };
        let shards = self.shards(&shape, banks).ok().flatten();
        self.words(shards.as_ref(), &|x, y| [x + 1, y + 1])
    }
}

impl Shards {
    /// Shards along every axis.
    fn grid(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.tensor
            .iter()
            .zip(&self.shard)
            .map(|(tensor, shard)| tensor.div_ceil(*shard))
    }

    /// The shards as a plane of rows and columns, all axes but the last one below the other: how many there are, and pages of each.
    pub fn projected(&self) -> [[u32; 2]; 2] {
        let plane = |extents: Vec<u32>| {
            let (columns, rows) = extents.split_last().map_or((1, &[][..]), |(last, rest)| (*last, rest));
            [rows.iter().product(), columns]
        };
        [plane(self.grid().collect()), plane(self.shard.clone())]
    }

    /// How many cores hold `part` of its rows, from 0 to 1, and how many rows of cores those stand in.
    pub(crate) fn touched(&self, part: f64) -> [u32; 2] {
        let [[rows, columns], _] = self.projected();
        let rows = (f64::from(rows) * part).ceil().max(1.0) as u32;
        let shards = rows.saturating_mul(columns) as usize;
        let touched = self.banks.iter().take(shards);
        let mut rows: Vec<u32> = touched
            .clone()
            .map(|bank| match bank {
                Bank::Dram(number) => *number,
                Bank::L1(_, row) => *row,
            })
            .collect();
        rows.dedup();
        [touched.len() as u32, rows.len() as u32]
    }

    /// Pages of a shard.
    fn shard_pages(&self) -> usize {
        self.shard.iter().map(|extent| *extent as usize).product()
    }

    /// Pages that lie in every bank.
    pub fn pages_of_bank(&self) -> usize {
        let shards = self.grid().map(|count| count as usize).product::<usize>();
        shards.div_ceil(self.banks.len().max(1)) * self.shard_pages()
    }

    /// Pages of all banks together, those of no element included.
    pub fn pages(&self) -> usize {
        self.banks.len() * self.pages_of_bank()
    }

    /// Where the pages of the tensor lie, counted bank by bank.
    pub fn places(&self) -> Vec<usize> {
        let pages = self.tensor.iter().map(|extent| *extent as usize).product();
        let of_bank = self.pages_of_bank();
        let place = |page: usize| {
            let mut rest = page;
            let mut at = vec![0; self.tensor.len()];
            for (at, extent) in at.iter_mut().zip(&self.tensor).rev() {
                *at = (rest % *extent as usize) as u64;
                rest /= *extent as usize;
            }
            let (bank, within) = self.within(&at);
            bank * of_bank + within
        };
        (0..pages).map(place).collect()
    }

    /// The bank of a page of what is cut, and its number in there.
    fn within(&self, at: &[u64]) -> (usize, usize) {
        let (mut shard, mut within) = (0, 0);
        let (mut shards, mut inside) = (1, 1);
        for ((at, length), count) in at.iter().zip(&self.shard).zip(self.grid()).rev() {
            let (at, length) = (*at as usize, *length as usize);
            shard += at / length * shards;
            within += at % length * inside;
            shards *= count as usize;
            inside *= length;
        }
        let banks = self.banks.len().max(1);
        (shard % banks, shard / banks * self.shard_pages() + within)
    }

    /// Where a page of the tensor lies, by its index along every axis: the bank, and its number in there. What is past the tensor's edge
    /// has a place too where the last shard has room for it; else `None`.
    pub fn place(&self, at: &[u64]) -> Option<(Bank, usize)> {
        let mut at = at.to_vec();
        if self.tensor.len() != self.pages.len() || self.pages.len() == 1 {
            // The plane of all matrices: a row past the end of one is one of the next.
            let (columns, leading) = at.split_last()?;
            let matrices: u32 = self.pages.iter().rev().skip(2).product();
            let rows = self.pages.iter().rev().nth(1).copied().unwrap_or(1);
            if matrices > 1 && leading.last().is_some_and(|row| *row >= u64::from(rows)) {
                return None;
            }
            let row = leading
                .iter()
                .zip(&self.pages)
                .fold(0, |row, (at, extent)| row * u64::from(*extent) + at);
            at = match self.tensor.len() {
                1 => vec![*columns],
                _ => vec![row, *columns],
            };
        }
        let mut inside = at.iter().zip(&self.shard).zip(self.grid());
        if !inside.all(|((at, length), count)| *at < u64::from(*length) * u64::from(count)) {
            return None;
        }
        let (bank, within) = self.within(&at);
        Some((*self.banks.get(bank)?, within))
    }
}

impl Plan {
    /// The shards of a tensor in a launch; `None` where it is none or interleaved.
    pub(crate) fn shards_of(&self, name: &str, bindings: &Bindings, banks: Banks) -> Result<Option<Shards>, PlanError> {
        let Some((layout, extents)) = self.tensor(name) else {
            return Ok(None);
        };
        let extents = extents.iter().map(|extent| {
            let value = extent.evaluate(&|name| bindings.integers.get(name).copied());
            let value = value.map_err(|error| PlanError(error.to_string()))?;
            Ok(usize::try_from(value).unwrap_or(0))
        });
        let extents: Vec<usize> = extents.collect::<Result<_, PlanError>>()?;
        layout.shards(&extents, banks).map_err(PlanError)
    }

    /// The cores and their runs of blocks where every core takes the blocks whose shards lie with it: of the last circular buffer that
    /// may lie on shards, so that those that go out come before those that come in.
    ///
    /// # Errors
    /// Where the blocks of a core are not runs of numbers, all as long and as far apart, or all cores have some and blocks are left.
    pub(crate) fn by_shards(
        &self,
        bindings: &Bindings,
        grid: [u64; 6],
        cores: DeviceGrid,
    ) -> Result<Vec<CoreWork>, PlanError> {
        let region = self.circular_buffers.iter().rev().find_map(|cb| cb.shard.as_ref());
        let region = region.ok_or_else(|| PlanError("the blocks belong to shards, which no tensor has".into()))?;
        let shards = self.shards_of(&region.tensor, bindings, Banks::of_cores(cores))?;
        let shards = shards.ok_or_else(|| PlanError(format!("`{}` has no shards", region.tensor)))?;
        let blocks: u64 = grid.iter().product();
        let mut of_cores: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        // Those past the tensor's end have a core of their own.
        let mut past = Vec::new();
        for number in 0..blocks {
            let block = self.work_partition.order.position(number, grid);
            match shards.place(&region.at(block, [0; 2])) {
                Some((Bank::L1(x, y), _)) => of_cores.entry((y, x)).or_default().push(number),
                Some((Bank::Dram(_), _)) | None => past.push(number),
            }
        }
        if let Some(first) = past.first() {
            let mut free = (0..cores.y).flat_map(|y| (0..cores.x).map(move |x| (y, x)));
            let free = free.find(|core| !of_cores.contains_key(core)).ok_or_else(|| {
                let block = self.work_partition.order.position(*first, grid);
                PlanError(format!(
                    "block {} lies past the shards of `{}`, and no core is left for it",
                    position(&block, self.grid.len()),
                    region.tensor
                ))
            })?;
            of_cores.insert(free, past);
        }
        let work = of_cores.into_iter().map(|((y, x), numbers)| {
            evenly_spaced(x, y, &numbers).ok_or_else(|| {
                PlanError(format!(
                    "the blocks of the shards of `{}` on core ({x},{y}) are not runs of numbers as long and as far apart as each other: {}",
                    region.tensor,
                    numbers.iter().take(8).map(u64::to_string).collect::<Vec<_>>().join(", ") + if numbers.len() > 8 { ", .." } else { "" }
                ))
            })
        });
        work.collect()
    }

    /// The circular buffers that a launch lays on the shards of their tensors, each with its tensor and its pages there: those of which
    /// every core's blocks have the pages of its shard, one after the other.
    ///
    /// # Errors
    /// Where an extent of a tensor has no value.
    pub fn on_shards(
        &self,
        bindings: &Bindings,
        cores: DeviceGrid,
        (grid, work): ([u64; 6], &[CoreWork]),
    ) -> Result<Vec<OnShard<'_>>, PlanError> {
        let mut found = Vec::new();
        if self.work_partition.mode != PartitionMode::LocalShard {
            return Ok(found);
        }
        let regions = self
            .circular_buffers
            .iter()
            .filter_map(|cb| Some((cb, cb.shard.as_ref()?)));
        for (cb, region) in regions.filter(|(_, region)| region.lies_there) {
            let Some(shards) = self.shards_of(&region.tensor, bindings, Banks::of_cores(cores))? else {
                continue;
            };
            let [rows, columns] = region.tiles.map(u64::from);
            let of_block = (rows * columns) as usize;
            let follow = |core: &CoreWork| {
                (0..core.count).all(|nth| {
                    let block = self.work_partition.order.position(core.number(nth), grid);
                    (0..rows * columns).all(|page| {
                        let number = nth as usize * of_block + page as usize;
                        let at = region.at(block, [page / columns, page % columns]);
                        shards.place(&at) == Some((Bank::L1(core.x, core.y), number))
                    })
                })
            };
            let versions = shards.pages_of_bank() / of_block.max(1);
            if versions > 0 && work.iter().all(follow) {
                found.push(OnShard {
                    buffer: cb.index,
                    tensor: &region.tensor,
                    pages: (versions * of_block) as u32,
                });
            }
        }
        Ok(found)
    }
}

/// A circular buffer that a launch lays on the shard of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnShard<'p> {
    /// Its index.
    pub buffer: u8,
    /// The tensor.
    pub tensor: &'p str,
    /// The pages that it then has.
    pub pages: u32,
}

impl ShardRegion {
    /// The index along every axis of the tensor of a page of a block.
    fn at(&self, block: [u64; 6], page: [u64; 2]) -> Vec<u64> {
        let steps = self
            .first
            .iter()
            .map(|step| step.first + step.step * block[step.axis.min(5)]);
        let mut at: Vec<u64> = steps.collect();
        for (at, within) in at.iter_mut().rev().zip(page.into_iter().rev()) {
            *at += within;
        }
        at
    }
}

/// A core with blocks of these numbers: runs of them, all but the last as long, and as far apart.
fn evenly_spaced(x: u32, y: u32, numbers: &[u64]) -> Option<CoreWork> {
    let (start, count) = (*numbers.first()?, numbers.len() as u64);
    let run = numbers
        .iter()
        .zip(start..)
        .take_while(|(number, next)| **number == *next)
        .count() as u64;
    let pitch = numbers.get(run as usize).map_or(count, |next| next - start);
    let work = CoreWork {
        run,
        pitch,
        ..CoreWork::run_of(x, y, start, count)
    };
    let is_so = numbers.iter().zip(0..).all(|(number, nth)| work.number(nth) == *number);
    is_so.then_some(work)
}

fn position(block: &[u64; 6], axes: usize) -> String {
    let position: Vec<String> = block.iter().take(axes).map(u64::to_string).collect();
    format!("({})", position.join(", "))
}

/// Extents in pages: tiles along the last two axes.
fn in_pages(shape: &[usize]) -> Result<Vec<u32>, String> {
    let last = shape.len().saturating_sub(2);
    let pages = shape.iter().enumerate().map(|(axis, extent)| match axis >= last {
        true => u32::try_from(tiles_along(*extent as u64)),
        false => u32::try_from(*extent),
    });
    // A tensor of one axis is one row.
    let pages: Result<Vec<u32>, _> = pages.collect();
    pages.map_err(|_| format!("the shape {shape:?} has too many elements"))
}

/// Rows and columns of pages, all matrices one below the other.
fn plane(pages: &[u32]) -> Result<[u32; 2], String> {
    let (columns, rows) = pages.split_last().ok_or("a tensor has an axis")?;
    let rows = rows.iter().try_fold(1u32, |rows, extent| rows.checked_mul(*extent));
    Ok([rows.ok_or("the tensor has too many pages")?, *columns])
}

/// What each of `shards` takes of `pages`: whole pages, as equally as that goes.
fn share(pages: u32, shards: u64) -> u32 {
    u64::from(pages).div_ceil(shards.max(1)) as u32
}

/// The same with as few axes as say it: what a shard has whole is one axis with the one before.
fn squeezed(tensor: &[u32], shard: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut tensors, mut shards): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    // From the last axis on; so is what they give.
    for (tensor, shard) in tensor.iter().zip(shard).rev() {
        match (tensors.last_mut(), shards.last_mut()) {
            (Some(whole), Some(part)) if whole == part => {
                *whole *= tensor;
                *part *= shard;
            }
            _ => {
                tensors.push(*tensor);
                shards.push(*shard);
            }
        }
    }
    tensors.reverse();
    shards.reverse();
    (tensors, shards)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(shard: Memory, sharding: Sharding) -> TensorLayout {
        TensorLayout {
            shard,
            interleave: sharding == Sharding::Interleaved,
            sharding,
            tile_shape: [TILE_SIDE; 2],
            page_size: 2048,
        }
    }

    const BANKS: Banks = Banks {
        cores: DeviceGrid { x: 8, y: 8 },
        dram: 12,
    };

    fn shards(shard: Memory, sharding: Sharding, shape: &[usize]) -> Shards {
        layout(shard, sharding).shards(shape, BANKS).unwrap().unwrap()
    }

    #[test]
    fn bands_of_rows_are_runs_of_pages() {
        let found = shards(Memory::L1, Sharding::Height(3), &[2, 70, 64]);
        assert_eq!(
            (found.tensor.as_slice(), found.shard.as_slice()),
            (&[6, 2][..], &[2, 2][..])
        );
        assert_eq!(found.banks, [Bank::L1(0, 0), Bank::L1(1, 0), Bank::L1(2, 0)]);
        assert_eq!(found.places(), (0..12).collect::<Vec<_>>());
    }

    #[test]
    fn rectangles_lie_on_a_rectangle_of_cores_and_edges_take_the_room_of_whole_shards() {
        let found = shards(Memory::L1, Sharding::Block(2, 4), &[96, 160]);
        assert_eq!(
            (found.tensor.as_slice(), found.shard.as_slice()),
            (&[3, 5][..], &[2, 2][..])
        );
        // Five columns of pages make three shards, not four.
        assert_eq!(found.banks.len(), 6);
        assert_eq!(found.banks[3], Bank::L1(0, 1));
        assert_eq!(found.pages(), 24);
        assert_eq!(found.places()[..5], [0, 1, 4, 5, 8]);
        assert_eq!(found.places()[10..], [12, 13, 16, 17, 20]);
    }

    #[test]
    fn shards_of_dram_go_round_the_banks() {
        let found = shards(Memory::Dram, Sharding::Width(14), &[32, 14 * 32]);
        assert_eq!(found.banks.len(), 12);
        assert_eq!(found.pages_of_bank(), 2);
        assert_eq!(found.places()[10..], [20, 22, 1, 3]);
    }

    #[test]
    fn what_a_device_has_no_room_for_is_an_error() {
        let refused = |sharding, shape: &[usize]| layout(Memory::L1, sharding).shards(shape, BANKS).unwrap_err();
        assert!(refused(Sharding::Height(65), &[65 * 32, 32]).contains("65 shards take a core each"));
        assert!(refused(Sharding::Block(1, 9), &[32, 9 * 32]).contains("1 × 9 shards"));
        let nd = Sharding::Nd {
            axes: vec!["B".into(), "M".into(), "N".into()],
            grid: vec![2, 1, 1],
            shard: vec![1, 64, 64],
        };
        assert!(refused(nd, &[3, 64, 64]).contains("axis B takes 3 shards"));
    }

    #[test]
    fn the_words_are_those_of_an_accessor() {
        let plain = layout(Memory::Dram, Sharding::Interleaved);
        assert_eq!(plain.words(None, &|x, y| [x, y]), [2, 2048]);
        let cut = layout(Memory::L1, Sharding::Block(2, 2));
        let found = cut.shards(&[64, 96], BANKS).unwrap();
        let words = cut.words(found.as_ref(), &|x, y| [x + 18, y + 18]);
        assert_eq!(words, [1, 2048, 2, 4, 2, 3, 1, 2, 0x1312_1212, 0x1313_1213]);
        // Rows of whole shards are one axis.
        let rows = layout(Memory::Dram, Sharding::Height(2));
        let found = rows.shards(&[64, 96], BANKS).unwrap();
        assert_eq!(
            rows.words(found.as_ref(), &|x, y| [x, y]),
            [3, 2048, 1, 2, 6, 3, 0x0100_0000]
        );
    }
}
