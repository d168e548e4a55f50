//! Who stored what: pages of tensors by the blocks that wrote them, for launches that say which tensors they store to.
//!
//! Two blocks that store the same element are an error of the launch, for one of the two is lost; what no block stored is
//! counted. Kernels whose blocks may meet say at which block they are; of the others it is enough to tell cores apart. A block,
//! or such a core, may write a place as often as it likes. A page that is written whole, as nearly all are, costs one number;
//! parts are kept in units of 32 bytes, or smaller ones where such are written. Padding does not count.
//!
//! What one core reads and another stores is an error too: what is read is chance. A transfer may take more than is needed, but not
//! without need: who reads a page whole wants its first element at least, and who reads a run of 16 one of the run, which is the
//! first but where reads take elements from the middle of it: then it may be one behind the edge. So what is found is certain;
//! reads of the core that stores have an order.
//!
//! Programs from the host API alone say nothing about tensors. They are watched where a kernel says at which block it is, and
//! then page by page: nobody knows what is padding there.

mod misused;
mod parts;
mod seen;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub(crate) use self::misused::{Misused, Touch};
use self::parts::Parts;
use self::seen::Seen;
use super::memory::machine::{BufferRange, Node};
use super::writers::{Writer, Writers};
use crate::arch::Arch;
use tt_device::DataFormat;

/// Rows and columns of a tile, and of a face.
const TILE: usize = tt_device::TILE_SIDE as usize;
const FACE: usize = tt_device::FACE_SIDE as usize;

/// A tensor that a launch stores to, a page for each tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTensor {
    /// Its name in the kernel.
    pub name: String,
    /// Address of its buffer in every bank.
    pub base: u64,
    /// Whether that is in DRAM, whose banks take its pages; otherwise in L1, whose cores do.
    pub in_dram: bool,
    /// Where its pages are in its buffer.
    pub pages: StoredPages,
    /// Its extents, outermost first.
    pub shape: Vec<usize>,
    /// What its elements are, and so where they lie in a page.
    pub format: DataFormat,
    /// The lines of the user's source that store to it.
    pub lines: Vec<u32>,
    /// Those that read it.
    pub read_lines: Vec<u32>,
    /// Whether some read takes elements from the middle of what 16 elements a face holds as a row.
    pub read_by_element: bool,
}

/// Where the pages of a tensor are in its buffer. Banks of L1 are cores, by row * columns of the grid + column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredPages {
    /// In all banks in turn, from this page of the buffer on.
    Interleaved(u64),
    /// In shards.
    Placed {
        /// The banks that have pages.
        banks: Vec<u32>,
        /// Pages that each of them has.
        of_bank: usize,
        /// Place of each page of the tensor, counted bank by bank.
        places: Vec<usize>,
    },
}

impl StoredTensor {
    /// Where the user's source stores to it.
    fn stored_at(&self) -> String {
        let lines: Vec<_> = self.lines.iter().map(u32::to_string).collect();
        match lines.as_slice() {
            [] => String::new(),
            [line] => format!("; line {line} stores to it"),
            lines => format!("; lines {} store to it", lines.join(", ")),
        }
    }
}

/// Blocks of a core, of which there is one at least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredBlocks {
    /// The core: its column and row.
    pub core: (usize, usize),
    /// The number of the first.
    pub start: u64,
    /// How many.
    pub count: u64,
    /// From one number to the next.
    pub step: u64,
}

impl StoredBlocks {
    fn has(&self, block: u64) -> bool {
        let step = self.step.max(1);
        let nth = block.checked_sub(self.start);
        nth.is_some_and(|behind| behind % step == 0 && behind / step < self.count)
    }
}

impl fmt::Display for StoredBlocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StoredBlocks { start, count, step, .. } = *self;
        let last = start + count.saturating_sub(1) * step;
        match (count, step) {
            (1, _) => write!(f, "{start}"),
            (_, 1) => write!(f, "{start} to {last}"),
            (2, _) => write!(f, "{start} and {last}"),
            _ => write!(f, "{start}, {} .. {last}", start + step),
        }
    }
}

/// What a launch says about its stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stores {
    /// The kernel's name, and what of it runs.
    pub kernel: String,
    /// Whether other programs of the same launch may store what this one leaves.
    pub others_may_store: bool,
    /// The tensors that it stores to.
    pub tensors: Vec<StoredTensor>,
    /// Cores with their blocks; a core whose blocks are several runs is there for each of them.
    pub blocks: Arc<[StoredBlocks]>,
}

/// What a launch left of a tensor as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unstored {
    /// The tensor's name in the kernel.
    pub tensor: String,
    /// How many elements.
    pub elements: u64,
    /// The first of them, in the order of rows.
    pub first: Vec<usize>,
}

impl fmt::Display for Unstored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unstored {
            tensor,
            elements,
            first,
        } = self;
        let plural = if *elements == 1 { "" } else { "s" };
        write!(f, "{elements} element{plural} of `{tensor}`, the first at {first:?}")
    }
}

/// A tensor while a launch runs.
struct Watched {
    base: u64,
    in_dram: bool,
    aligned_page_bytes: u64,
    bank_bytes: u64,
    pages: Pages,
    /// Who wrote each page whole.
    whole: Vec<AtomicU64>,
    /// Who wrote what of pages that were written in parts.
    parts: Mutex<BTreeMap<usize, Parts>>,
    /// Who read each page whole, from the first read on: most tensors that are stored to are not read.
    read: OnceLock<Vec<AtomicU64>>,
    /// Who read what of pages that were read in parts.
    read_parts: Mutex<BTreeMap<usize, Parts>>,
}

/// So many pages that nobody touched yet.
fn nobody(count: usize) -> Vec<AtomicU64> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

/// Which page is where.
enum Pages {
    /// In so many banks in turn, from a page of the buffer on.
    Interleaved { first: u64, banks: u64 },
    /// By bank the pages there, in order; some are none of the tensor's.
    Placed(BTreeMap<u32, Vec<Option<usize>>>),
}

/// What is watched while a launch runs: the tensors that it says, or all buffers from when a kernel first says its block.
#[derive(Default)]
pub(crate) struct StoreMap {
    watched: OnceLock<Vec<Watched>>,
    /// The file of the kernel that said so, where the launch said no tensors.
    kernel: OnceLock<String>,
    /// Banks of DRAM.
    banks: usize,
}

impl StoreMap {
    /// A map of `stores` on a device of this architecture.
    pub fn new(stores: &Stores, arch: &Arch) -> StoreMap {
        let watch = |tensor: &StoredTensor| {
            let (matrices, rows, columns) = matrices(&tensor.shape);
            let count = matrices * rows.div_ceil(TILE) * columns.div_ceil(TILE);
            let alignment = u64::from(arch.page_alignment(tensor.in_dram));
            let aligned_page_bytes = u64::from(tensor.format.tile_bytes()).next_multiple_of(alignment);
            let pages = match &tensor.pages {
                StoredPages::Interleaved(first) => Pages::Interleaved {
                    first: *first,
                    banks: if tensor.in_dram { arch.dram_banks } else { arch.cores() } as u64,
                },
                StoredPages::Placed { banks, of_bank, places } => {
                    let bank = |bank: &u32| (*bank, vec![None; *of_bank]);
                    let mut pages: BTreeMap<u32, Vec<Option<usize>>> = banks.iter().map(bank).collect();
                    for (page, place) in places.iter().enumerate() {
                        let bank = banks.get(place / of_bank.max(&1));
                        let there = bank.and_then(|bank| pages.get_mut(bank)?.get_mut(place % of_bank));
                        if let Some(there) = there {
                            *there = Some(page);
                        }
                    }
                    Pages::Placed(pages)
                }
            };
            Watched::new((tensor.base, tensor.in_dram), count, aligned_page_bytes, pages)
        };
        StoreMap {
            watched: OnceLock::from(stores.tensors.iter().map(watch).collect::<Vec<_>>()),
            kernel: OnceLock::new(),
            banks: arch.dram_banks,
        }
    }

    /// A map for a launch that says nothing of its stores.
    pub fn of_blocks_alone(banks: usize) -> StoreMap {
        StoreMap {
            banks,
            ..StoreMap::default()
        }
    }

    /// The kernel of `file` says its blocks: if nothing is watched yet, `buffers` are.
    pub fn watch_blocks(&self, buffers: &[BufferRange], file: &str) {
        self.watched.get_or_init(|| {
            let _ = self.kernel.set(file.to_owned());
            let interleaved = buffers.iter().filter(|buffer| buffer.interleaved);
            let watch = |buffer: &BufferRange| {
                let page_bytes = u64::from(buffer.aligned_page_bytes);
                let pages = Pages::Interleaved {
                    first: 0,
                    banks: self.banks as u64,
                };
                Watched::new((buffer.base, true), buffer.pages as usize, page_bytes, pages)
            };
            interleaved.map(watch).collect()
        });
    }

    /// Whether it is settled what is watched, and none of a range in every bank is.
    pub fn never_watches(&self, in_dram: bool, range: Range<u64>) -> bool {
        let overlaps = |watched: &Watched| {
            let end = watched.base + watched.bank_bytes;
            watched.in_dram == in_dram && watched.base < range.end && range.start < end
        };
        self.watched.get().is_some_and(|watched| !watched.iter().any(overlaps))
    }

    /// Notes that `who` wrote `bytes` bytes at `offset` of a bank, or read them: where that is watched, its number.
    #[inline]
    pub fn note(&self, who: Writer, is_store: bool, at: Node, offset: u64, bytes: u32) -> Option<usize> {
        let (in_dram, bank) = match at {
            Node::Dram(bank) => (true, bank),
            Node::Core(core) => (false, core),
        };
        self.watched.get()?.iter().enumerate().find_map(|(number, watched)| {
            let within = offset.checked_sub(watched.base)?;
            if within >= watched.bank_bytes || watched.in_dram != in_dram {
                return None;
            }
            let place = (u32::from(bank), within, u64::from(bytes));
            let is_there = match is_store {
                true => watched.note(who, (&watched.whole, &watched.parts), place),
                false => {
                    let read = watched.read.get_or_init(|| nobody(watched.whole.len()));
                    watched.note(who, (read, &watched.read_parts), place)
                }
            };
            is_there.then_some(number)
        })
    }

    /// What `stores`, of which this is the map, comes to: what was not stored, or who stored the same, or stored what another read.
    pub fn judge(self, stores: &Stores, columns: usize) -> Result<Vec<Unstored>, Misused> {
        let mut unstored = Vec::new();
        let watched = self.watched.into_inner().unwrap_or_default();
        for (number, (watched, tensor)) in watched.into_iter().zip(&stores.tensors).enumerate() {
            let misused = |is_read, detail| Misused {
                is_read,
                tensor: number,
                detail,
            };
            let core_of = |writer| stores.core_of(writer, columns);
            let seen = Seen::of(watched, tensor, &core_of);
            if let Some((place, pair)) = seen.twice {
                let [one, other] = pair.map(|writer| stores.describe(writer, columns));
                let detail = format!(
                    "kernel `{}`: element {place:?} of `{}` is stored by {one} and by {other}{}",
                    stores.kernel,
                    tensor.name,
                    tensor.stored_at()
                );
                return Err(misused(false, detail));
            }
            if let Some((place, [reader, writer])) = seen.elsewhere {
                let [reader, writer] = [reader, writer].map(|who| stores.describe(who, columns));
                let detail = format!(
                    "kernel `{}`: element {place:?} of `{}` is read by {reader} and stored by {writer}{}",
                    stores.kernel,
                    tensor.name,
                    tensor.stored_at()
                );
                return Err(misused(true, detail));
            }
            if let Some(first) = seen.first_unstored {
                unstored.push(Unstored {
                    tensor: tensor.name.clone(),
                    elements: seen.unstored,
                    first,
                });
            }
        }
        Ok(unstored)
    }

    /// Which two blocks stored the same, in a launch that said nothing of its stores.
    pub fn judge_blocks(self) -> Result<(), Misused> {
        let Some(file) = self.kernel.into_inner() else {
            return Ok(());
        };
        for (tensor, watched) in self.watched.into_inner().unwrap_or_default().into_iter().enumerate() {
            let base = watched.base;
            if let Some((page, [Writer::Block(one), Writer::Block(other)])) = watched.first_page_of_two() {
                let detail = format!(
                    "kernel {file}: page {page} of the DRAM buffer at {base:#x} is stored by block {one} and by block {other}"
                );
                let is_read = false;
                return Err(Misused {
                    is_read,
                    tensor,
                    detail,
                });
            }
        }
        Ok(())
    }
}

impl Pages {
    /// Rows of pages in a bank, of `count` pages.
    fn rows(&self, count: usize) -> u64 {
        match self {
            Pages::Interleaved { first, banks } => (first + count as u64).div_ceil(*banks),
            Pages::Placed(of_banks) => of_banks.values().map(Vec::len).max().unwrap_or(0) as u64,
        }
    }

    /// The page of a bank in this row.
    #[inline]
    fn at(&self, bank: u32, row: u64) -> Option<usize> {
        match self {
            Pages::Interleaved { first, banks } => Some((row * banks + u64::from(bank)).checked_sub(*first)? as usize),
            Pages::Placed(of_banks) => *of_banks.get(&bank)?.get(row as usize)?,
        }
    }
}

impl Watched {
    fn new((base, in_dram): (u64, bool), count: usize, aligned_page_bytes: u64, pages: Pages) -> Watched {
        Watched {
            base,
            in_dram,
            aligned_page_bytes,
            bank_bytes: pages.rows(count) * aligned_page_bytes,
            pages,
            whole: nobody(count),
            parts: Mutex::default(),
            read: OnceLock::new(),
            read_parts: Mutex::default(),
        }
    }

    /// The first page of which two wrote the same part.
    fn first_page_of_two(self) -> Option<(usize, [Writer; 2])> {
        let parts = self.parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.whole.into_iter().enumerate().find_map(|(page, whole)| {
            let whole = Writers(whole.into_inner());
            let units = parts.get(&page).into_iter().flat_map(|parts| &parts.writers);
            let pair = units.fold(whole.pair(), |pair, unit| pair.or(unit.and(whole).pair()))?;
            Some((page, pair))
        })
    }

    /// Notes that `who` touched so many bytes from `within` a bank on, pages as a whole or in parts; whether some of it is here.
    fn note(
        &self,
        who: Writer,
        (whole, parts): (&[AtomicU64], &Mutex<BTreeMap<usize, Parts>>),
        (bank, within, bytes): (u32, u64, u64),
    ) -> bool {
        let mut is_here = false;
        // A transfer may reach over the pages of a bank that follow each other.
        let (mut at, end) = (within, within + bytes);
        while at < end {
            let (row, start) = (at / self.aligned_page_bytes, at % self.aligned_page_bytes);
            let length = (end - at).min(self.aligned_page_bytes - start);
            at += length;
            let found = self.pages.at(bank, row);
            let Some((page, whole)) = found.and_then(|page| Some((page, whole.get(page)?))) else {
                continue;
            };
            is_here = true;
            if length == self.aligned_page_bytes {
                let merge = |seen| Some(Writers(seen).and(Writers::of(who)).0);
                let _ = whole.fetch_update(Ordering::Relaxed, Ordering::Relaxed, merge);
            } else {
                self.note_part(who, parts, page, start as usize, length as usize);
            }
        }
        is_here
    }

    #[cold]
    fn note_part(&self, who: Writer, parts: &Mutex<BTreeMap<usize, Parts>>, page: usize, start: usize, length: usize) {
        let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
        let page = parts
            .entry(page)
            .or_insert_with(|| Parts::new(self.aligned_page_bytes as usize));
        page.note(who, start, length);
    }
}

impl Stores {
    /// The core that has a block.
    fn place_of(&self, block: u32) -> Option<(usize, usize)> {
        let mut cores = self.blocks.iter();
        cores.find(|blocks| blocks.has(block.into())).map(|blocks| blocks.core)
    }

    /// The number of the core that one is, or whose block one is.
    fn core_of(&self, writer: Writer, columns: usize) -> Option<u16> {
        match writer {
            Writer::Core(core) => Some(core),
            Writer::Block(block) => {
                let (x, y) = self.place_of(block)?;
                u16::try_from(y * columns + x).ok()
            }
        }
    }

    /// A block and its core, or a core and its blocks, in words.
    fn describe(&self, writer: Writer, columns: usize) -> String {
        let on = |(x, y): (usize, usize)| format!("core ({x},{y})");
        match writer {
            Writer::Core(core) => {
                let place = (usize::from(core) % columns, usize::from(core) / columns);
                let runs = self.blocks.iter().filter(|blocks| blocks.core == place);
                let runs: Vec<String> = runs.map(StoredBlocks::to_string).collect();
                match runs.as_slice() {
                    [] => on(place),
                    [run] if !run.contains(' ') => format!("block {run} on {}", on(place)),
                    runs => format!("one of the blocks {} on {}", runs.join(", "), on(place)),
                }
            }
            Writer::Block(block) => match self.place_of(block) {
                Some(place) => format!("block {block} on {}", on(place)),
                None => format!("block {block}"),
            },
        }
    }
}

/// Matrices, rows and columns of a shape.
fn matrices(shape: &[usize]) -> (usize, usize, usize) {
    let (columns, leading) = shape
        .split_last()
        .map_or((1, shape), |(last, leading)| (*last, leading));
    let (rows, leading) = leading
        .split_last()
        .map_or((1, leading), |(last, leading)| (*last, leading));
    (leading.iter().product(), rows, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arch::WORMHOLE_B0;

    /// A tensor in 12 banks, and three cores with two, one and no blocks.
    fn stores(format: DataFormat, shape: &[usize]) -> Stores {
        Stores {
            kernel: "k".to_owned(),
            others_may_store: false,
            tensors: vec![StoredTensor {
                name: "c".to_owned(),
                base: 4096,
                in_dram: true,
                pages: StoredPages::Interleaved(0),
                shape: shape.to_vec(),
                format,
                lines: Vec::new(),
                read_lines: Vec::new(),
                read_by_element: false,
            }],
            blocks: [((0, 0), 0, 2), ((1, 0), 2, 1)]
                .map(|(core, start, count)| StoredBlocks {
                    core,
                    start,
                    count,
                    step: 1,
                })
                .into(),
        }
    }

    /// Judges after writes by core of pages, from an offset on, of so many bytes.
    fn judged(shape: &[usize], writes: &[(u16, u64, u64, u32)]) -> Result<Vec<Unstored>, String> {
        let of_cores = writes
            .iter()
            .map(|(core, page, offset, bytes)| (Writer::Core(*core), *page, *offset, *bytes));
        judged_of(shape, &of_cores.collect::<Vec<_>>())
    }

    fn judged_of(shape: &[usize], writes: &[(Writer, u64, u64, u32)]) -> Result<Vec<Unstored>, String> {
        judged_in(DataFormat::Float16B, shape, writes)
    }

    /// Likewise of a tensor in another format; pages after the first lie as those of bf16 do.
    pub(super) fn judged_in(
        format: DataFormat,
        shape: &[usize],
        writes: &[(Writer, u64, u64, u32)],
    ) -> Result<Vec<Unstored>, String> {
        let stores = stores(format, shape);
        let map = StoreMap::new(&stores, &WORMHOLE_B0);
        for (writer, page, offset, bytes) in writes {
            let bank = Node::Dram((page % 12) as u16);
            map.note(*writer, true, bank, 4096 + page / 12 * 2048 + offset, *bytes);
        }
        map.judge(&stores, 8).map_err(|misused| misused.detail)
    }

    #[test]
    fn what_is_stored_once_is_well_and_again_by_the_same_core() {
        assert_eq!(
            judged(
                &[33, 40],
                &[
                    (0, 0, 0, 2048),
                    (0, 0, 0, 2048),
                    (1, 1, 0, 2048),
                    (0, 2, 0, 2048),
                    (1, 3, 0, 2048)
                ]
            ),
            Ok(vec![])
        );
        // Two cores, two halves of a tile.
        assert_eq!(judged(&[32, 32], &[(0, 0, 0, 1024), (1, 0, 1024, 1024)]), Ok(vec![]));
        // Other memory is nobody's business.
        assert_eq!(judged(&[32, 32], &[(0, 0, 0, 2048), (1, 12, 0, 2048)]), Ok(vec![]));
    }

    #[test]
    fn the_first_element_of_two_cores_is_named_in_any_order() {
        let message = "kernel `k`: element [0, 32] of `c` is stored by one of the blocks 0 to 1 on core (0,0) and by block 2 on core (1,0)";
        let mut writes = vec![
            (0, 0, 0, 2048),
            (1, 1, 0, 2048),
            (0, 1, 0, 2048),
            (1, 3, 0, 2048),
            (0, 3, 0, 64),
            (0, 2, 0, 2048),
        ];
        for _ in 0..writes.len() {
            assert_eq!(judged(&[64, 64], &writes), Err(message.to_owned()));
            writes.rotate_left(1);
        }
        // Row 1 of the first face, and a core without blocks.
        let error = judged(&[2, 3, 32, 32], &[(0, 4, 0, 2048), (9, 4, 32, 32)]).unwrap_err();
        assert!(
            error.contains("element [1, 1, 1, 0] of `c`") && error.ends_with("by core (1,1)"),
            "{error}"
        );
    }

    #[test]
    fn blocks_that_say_who_they_are_are_told_apart_on_one_core_too() {
        let block = |block, page| (Writer::Block(block), page, 0, 2048);
        // The first again and again, which is its own affair.
        let own = [
            block(0, 0),
            block(0, 0),
            block(1, 1),
            block(2, 2),
            block(2, 3),
            block(2, 2),
        ];
        assert_eq!(judged_of(&[64, 64], &own), Ok(vec![]));
        let error = judged_of(&[64, 64], &[&own[..], &[block(1, 0), block(2, 0)]].concat()).unwrap_err();
        assert_eq!(
            error,
            "kernel `k`: element [0, 0] of `c` is stored by block 0 on core (0,0) and by block 2 on core (1,0)"
        );
        let part = |block, offset, bytes| (Writer::Block(block), 0, offset, bytes);
        assert_eq!(
            judged_of(&[32, 32], &[part(0, 0, 1024), part(1, 1024, 1024)]),
            Ok(vec![])
        );
        let error = judged_of(&[32, 32], &[part(0, 0, 1056), part(1, 1024, 1024)]).unwrap_err();
        assert_eq!(
            error,
            "kernel `k`: element [16, 0] of `c` is stored by block 0 on core (0,0) and by block 1 on core (0,0)"
        );
        // A block that is past the last core's, and the largest there can be.
        let error = judged_of(&[32, 32], &[block(70_000, 0), block(u32::MAX, 0)]).unwrap_err();
        assert!(error.contains("by block 70000 and by block"), "{error}");
    }

    #[test]
    fn a_launch_that_says_no_tensors_is_watched_from_the_first_block_on() {
        let buffer = BufferRange {
            base: 4096,
            page_bytes: 2048,
            aligned_page_bytes: 2048,
            pages: 30,
            bank_bytes: 3 * 2048,
            interleaved: true,
        };
        let map = || StoreMap::of_blocks_alone(12);
        let write = |map: &StoreMap, writer| map.note(writer, true, Node::Dram(1), 4096 + 2048, 2048);
        let silent = map();
        write(&silent, Writer::Core(0));
        write(&silent, Writer::Core(1));
        assert_eq!(silent.judge_blocks(), Ok(()));
        for (second, found) in [(7, false), (9, true)] {
            let map = map();
            map.watch_blocks(&[buffer], "writer.cpp");
            write(&map, Writer::Block(7));
            map.watch_blocks(&[buffer], "writer.cpp");
            write(&map, Writer::Block(second));
            let message = "kernel writer.cpp: page 13 of the DRAM buffer at 0x1000 is stored by block 7 and by block 9"
                .to_owned();
            assert_eq!(
                map.judge_blocks().map_err(|misused| misused.detail),
                if found { Err(message) } else { Ok(()) }
            );
        }
    }

    #[test]
    fn a_view_and_shards_are_watched_where_they_are() {
        let on = |pages: StoredPages, in_dram, writes: &[(u16, Node, u64)]| {
            let mut stores = stores(DataFormat::Float16B, &[64, 32]);
            stores.tensors[0].pages = pages;
            stores.tensors[0].in_dram = in_dram;
            let map = StoreMap::new(&stores, &WORMHOLE_B0);
            for (core, at, row) in writes {
                map.note(Writer::Core(*core), true, *at, 4096 + row * 2048, 2048);
            }
            map.judge(&stores, 8).map_err(|misused| misused.detail)
        };
        // Pages 23 and 24 of the buffer: the last of the second row, the first of the third.
        let view = |writes: &[(u16, Node, u64)]| on(StoredPages::Interleaved(23), true, writes);
        let (own, next) = (Node::Dram(11), Node::Dram(0));
        assert_eq!(view(&[(0, own, 1), (1, next, 2)]), Ok(vec![]));
        let beside = [
            (0, own, 1),
            (1, next, 2),
            (1, own, 0),
            (1, Node::Dram(10), 1),
            (1, Node::Dram(1), 2),
        ];
        assert_eq!(view(&beside), Ok(vec![]));
        assert!(view(&[(0, own, 1), (1, own, 1)]).is_err_and(|error| error.contains("element [0, 0]")));
        assert!(view(&[(0, own, 1)]).is_ok_and(|left| left[0].first == [32, 0]));
        // A page in each of two cores, behind one that is none of the tensor's.
        let shards = |writes: &[(u16, Node, u64)]| {
            let (banks, places) = (vec![9, 3], vec![1, 3]);
            let of_bank = 2;
            on(StoredPages::Placed { banks, of_bank, places }, false, writes)
        };
        assert_eq!(shards(&[(9, Node::Core(9), 1), (3, Node::Core(3), 1)]), Ok(vec![]));
        let beside = [
            (9, Node::Core(9), 1),
            (3, Node::Core(3), 1),
            (0, Node::Core(9), 0),
            (0, Node::Dram(3), 1),
        ];
        assert_eq!(shards(&beside), Ok(vec![]));
        let twice = [(9, Node::Core(9), 1), (3, Node::Core(3), 1), (9, Node::Core(3), 1)];
        assert!(shards(&twice).is_err_and(|error| error.contains("element [32, 0]")));
    }

    #[test]
    fn single_elements_of_two_cores_lie_beside_each_other() {
        assert_eq!(judged(&[1, 16], &[(0, 0, 0, 6), (1, 0, 6, 26)]), Ok(vec![]));
        let message = "kernel `k`: element [0, 3] of `c` is stored by one of the blocks 0 to 1 on core (0,0) and by block 2 on core (1,0)";
        assert_eq!(
            judged(&[1, 16], &[(1, 0, 0, 8), (0, 0, 6, 26)]),
            Err(message.to_owned())
        );
        let unstored = judged(&[1, 16], &[(0, 0, 0, 32), (0, 0, 4, 2)]);
        assert_eq!(unstored, Ok(vec![]));
        let unstored = judged(&[1, 16], &[(0, 0, 4, 2)]);
        assert!(
            matches!(unstored.as_deref(), Ok([Unstored { elements: 15, .. }])),
            "{unstored:?}"
        );
    }

    #[test]
    fn padding_does_not_count() {
        // The second core writes rows 16 to 31 of a tile of which 9 are there, and columns that are not.
        assert_eq!(
            judged(&[9, 16], &[(0, 0, 0, 2048), (1, 0, 1024, 1024), (1, 0, 512, 512)]),
            Ok(vec![])
        );
        assert_eq!(judged(&[9, 16], &[(0, 0, 0, 512)]), Ok(vec![]));
    }

    #[test]
    fn what_nobody_stored_is_counted_with_its_first_place() {
        let left = |shape: &[usize], writes| {
            judged(shape, writes)
                .unwrap()
                .into_iter()
                .map(|left| left.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(left(&[40, 50], &[]), ["2000 elements of `c`, the first at [0, 0]"]);
        assert_eq!(
            left(&[40, 50], &[(0, 0, 0, 2048), (0, 1, 0, 2048), (0, 2, 0, 2048)]),
            ["144 elements of `c`, the first at [32, 32]"]
        );
        assert_eq!(left(&[33], &[(0, 0, 0, 2048)]), ["1 element of `c`, the first at [32]"]);
        // All but the row 1 of the second face.
        assert_eq!(
            left(&[32, 32], &[(0, 0, 0, 544), (0, 0, 576, 1472)]),
            ["16 elements of `c`, the first at [1, 16]"]
        );
    }

    /// Judges after the second core stored, and the first read, so many bytes from an offset of the first page on.
    fn judged_after(read_by_element: bool, store: (u64, u32), read: (u64, u32)) -> Option<String> {
        judged_in_columns(32, read_by_element, store, read)
    }

    fn judged_in_columns(columns: usize, read_by_element: bool, store: (u64, u32), read: (u64, u32)) -> Option<String> {
        let mut stores = stores(DataFormat::Float16B, &[32, columns]);
        stores.tensors[0].read_by_element = read_by_element;
        let map = StoreMap::new(&stores, &WORMHOLE_B0);
        for (core, is_store, (offset, bytes)) in [(1, true, store), (0, false, read)] {
            let tensor = map.note(Writer::Core(core), is_store, Node::Dram(0), 4096 + offset, bytes);
            assert_eq!(tensor, Some(0));
        }
        let misused = map.judge(&stores, 8).err()?;
        assert!(misused.is_read);
        Some(misused.detail)
    }

    #[test]
    fn what_another_stores_of_what_is_read_is_named_where_it_is_certain() {
        let says = |element: &str| {
            let read = "is read by one of the blocks 0 to 1 on core (0,0) and stored by block 2 on core (1,0)";
            Some(format!("kernel `k`: element {element} of `c` {read}"))
        };
        let row = |row: u64| (row * 32, 32);
        // A row of the first face, among several, and a page of which the first element is stored.
        assert_eq!(judged_after(false, row(5), row(5)), says("[5, 0]"));
        assert_eq!(judged_after(false, row(5), (0, 512)), says("[5, 0]"));
        assert_eq!(judged_after(false, (0, 2), (0, 2048)), says("[0, 0]"));
        assert_eq!(judged_after(false, (0, 2048), row(17)), says("[1, 16]"));
        // Other rows, and of a page only another than the first.
        assert_eq!(judged_after(false, row(5), row(6)), None);
        assert_eq!(judged_after(false, row(5), (0, 2048)), None);
        // Elements of one row: the first is wanted, or any of them.
        assert_eq!(judged_after(false, (5 * 32, 2), row(5)), says("[5, 0]"));
        assert_eq!(judged_after(false, (5 * 32 + 2, 30), row(5)), None);
        assert_eq!(judged_after(true, (5 * 32, 30), row(5)), None);
        assert_eq!(judged_after(true, row(5), row(5)), says("[5, 0]"));
        // Four columns are there: a block that begins at the ninth wants none of them.
        assert_eq!(judged_in_columns(4, true, row(5), row(5)), None);
        assert_eq!(judged_in_columns(4, false, row(5), row(5)), says("[5, 0]"));
    }
}
