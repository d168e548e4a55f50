//! Who stored what: pages of tensors by the cores that wrote them, for launches that say which tensors they store to.
//!
//! Two cores that store the same element are an error of the launch, for one of the two is lost; what no core stored is counted.
//! A page that is written whole, as nearly all are, costs one number; parts are kept in units of 32 bytes. Only the lowest and
//! the highest core of a place are kept, so that what is found depends on no order. A core may write a place as often as it
//! likes: which of its blocks it was cannot be seen here. Padding does not count.
//!
//! Programs from the host API alone, which say nothing about tensors, are not watched.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Bytes that are told apart within a page.
const UNIT: usize = 32;

/// Rows and columns of a tile, and of a face.
const TILE: usize = tt_device::TILE_SIDE as usize;
const FACE: usize = tt_device::FACE_SIDE as usize;

/// A tensor that a launch stores to: interleaved DRAM pages, one for each tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredTensor {
    /// Its name in the kernel.
    pub name: String,
    /// Address of its first page in every bank.
    pub base: u64,
    /// Its extents, outermost first.
    pub shape: Vec<usize>,
    /// Bytes of a tile.
    pub tile_bytes: usize,
    /// Bytes of an element.
    pub element_bytes: usize,
}

/// What a launch says about its stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stores {
    /// The kernel's name.
    pub kernel: String,
    /// The tensors that it stores to.
    pub tensors: Vec<StoredTensor>,
    /// Cores with the first block of each and how many it has.
    pub blocks: Vec<((usize, usize), u64, u64)>,
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

/// The lowest and the highest core that wrote a place, each plus one; none where both are 0.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Writers(u32);

impl Writers {
    fn of(core: u16) -> Writers {
        Writers((u32::from(core) + 1) * 0x1_0001)
    }

    fn and(self, other: Writers) -> Writers {
        if self.0 == 0 || other.0 == 0 {
            return Writers(self.0 | other.0);
        }
        let low = (self.0 & 0xffff).min(other.0 & 0xffff);
        Writers((self.0 >> 16).max(other.0 >> 16) << 16 | low)
    }

    /// The two cores, where there are two.
    fn pair(self) -> Option<(u16, u16)> {
        let (low, high) = (self.0 as u16, (self.0 >> 16) as u16);
        (low != high).then(|| (low - 1, high - 1))
    }
}

/// A tensor while a launch runs.
struct Watched {
    base: u64,
    aligned_page_bytes: u64,
    bank_bytes: u64,
    /// Who wrote each page whole.
    whole: Vec<AtomicU32>,
    /// Who wrote each unit of pages that were written in parts.
    parts: Mutex<BTreeMap<usize, Vec<Writers>>>,
}

/// The tensors that are watched while a launch runs.
#[derive(Default)]
pub(crate) struct StoreMap {
    watched: Vec<Watched>,
    banks: u64,
}

impl StoreMap {
    /// A map of `stores` on a device with `banks` DRAM banks, whose pages start at multiples of `alignment`.
    pub fn new(stores: &Stores, banks: usize, alignment: u64) -> StoreMap {
        let watch = |tensor: &StoredTensor| {
            let (matrices, rows, columns) = matrices(&tensor.shape);
            let pages = matrices * rows.div_ceil(TILE) * columns.div_ceil(TILE);
            let aligned_page_bytes = (tensor.tile_bytes as u64).next_multiple_of(alignment);
            Watched {
                base: tensor.base,
                aligned_page_bytes,
                bank_bytes: (pages.div_ceil(banks) as u64) * aligned_page_bytes,
                whole: (0..pages).map(|_| AtomicU32::new(0)).collect(),
                parts: Mutex::default(),
            }
        };
        StoreMap {
            watched: stores.tensors.iter().map(watch).collect(),
            banks: banks as u64,
        }
    }

    /// Notes that `core` wrote `bytes` bytes at `offset` of a bank.
    #[inline]
    pub fn note(&self, core: u16, bank: u16, offset: u64, bytes: u32) {
        for watched in &self.watched {
            if let Some(within) = offset.checked_sub(watched.base)
                && within < watched.bank_bytes
            {
                watched.note(core, u64::from(bank), within, u64::from(bytes), self.banks);
                return;
            }
        }
    }

    /// What `stores`, of which this is the map, comes to: what was not stored, or who stored the same.
    pub fn judge(self, stores: &Stores, columns: usize) -> Result<Vec<Unstored>, String> {
        let mut unstored = Vec::new();
        for (watched, tensor) in self.watched.into_iter().zip(&stores.tensors) {
            let seen = Seen::of(watched, tensor);
            if let Some((place, (low, high))) = seen.twice {
                let cores = [low, high].map(|core| stores.describe(usize::from(core), columns));
                return Err(format!(
                    "kernel `{}`: element {place:?} of `{}` is stored by {} and by {}",
                    stores.kernel, tensor.name, cores[0], cores[1]
                ));
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
}

impl Watched {
    fn note(&self, core: u16, bank: u64, within: u64, bytes: u64, banks: u64) {
        // A transfer may reach over the pages of a bank that follow each other.
        let (mut at, end) = (within, within + bytes);
        while at < end {
            let (row, start) = (at / self.aligned_page_bytes, at % self.aligned_page_bytes);
            let length = (end - at).min(self.aligned_page_bytes - start);
            at += length;
            let page = (row * banks + bank) as usize;
            let Some(whole) = self.whole.get(page) else { continue };
            if length == self.aligned_page_bytes {
                let mine = Writers::of(core);
                let merge = |seen| Some(Writers(seen).and(mine).0);
                let _ = whole.fetch_update(Ordering::Relaxed, Ordering::Relaxed, merge);
            } else {
                self.note_part(core, page, start as usize, length as usize);
            }
        }
    }

    #[cold]
    fn note_part(&self, core: u16, page: usize, start: usize, length: usize) {
        let units = (self.aligned_page_bytes as usize).div_ceil(UNIT);
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let page = match parts.entry(page) {
            Entry::Occupied(page) => page.into_mut(),
            Entry::Vacant(page) => page.insert(vec![Writers::default(); units]),
        };
        for unit in &mut page[start / UNIT..(start + length).div_ceil(UNIT)] {
            *unit = unit.and(Writers::of(core));
        }
    }
}

impl Stores {
    /// A core and its blocks, in words.
    fn describe(&self, core: usize, columns: usize) -> String {
        let place = (core % columns, core / columns);
        let on = format!("core ({},{})", place.0, place.1);
        match self.blocks.iter().find(|(known, ..)| *known == place) {
            Some((_, start, 1)) => format!("block {start} on {on}"),
            Some((_, start, count)) => format!("one of the blocks {start} to {} on {on}", start + count - 1),
            None => on,
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

/// Matrix, row and column of an element.
type Place = (usize, usize, usize);

/// What was found out about a tensor.
#[derive(Default)]
struct Seen {
    unstored: u64,
    first_unstored: Option<Vec<usize>>,
    /// The first element that two cores stored, and the cores.
    twice: Option<(Vec<usize>, (u16, u16))>,
}

impl Seen {
    fn of(watched: Watched, tensor: &StoredTensor) -> Seen {
        let (_, rows, columns) = matrices(&tensor.shape);
        let (tile_rows, tile_columns) = (rows.div_ceil(TILE), columns.div_ceil(TILE));
        let parts = watched.parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut unstored = 0;
        let mut first_unstored: Option<Place> = None;
        let mut twice: Option<(Place, (u16, u16))> = None;
        for (page, whole) in watched.whole.into_iter().enumerate() {
            let whole = Writers(whole.into_inner());
            let part = parts.get(&page);
            if part.is_none() && whole.0 != 0 && whole.pair().is_none() {
                continue;
            }
            let (matrix, tile) = (page / (tile_rows * tile_columns), page % (tile_rows * tile_columns));
            let (tile_row, tile_column) = (tile / tile_columns * TILE, tile % tile_columns * TILE);
            // A row of a face at a time: what lies together in memory and in the tensor.
            for run in 0..TILE * TILE / FACE {
                let (face, row) = (run / FACE, run % FACE);
                let (row, column) = (tile_row + face / 2 * FACE + row, tile_column + face % 2 * FACE);
                let valid = if row < rows {
                    columns.saturating_sub(column).min(FACE)
                } else {
                    0
                };
                for element in 0..valid {
                    let unit = (run * FACE + element) * tensor.element_bytes / UNIT;
                    let writers = part
                        .and_then(|units| units.get(unit))
                        .map_or(whole, |part| part.and(whole));
                    let place = (matrix, row, column + element);
                    if writers.0 == 0 {
                        unstored += 1;
                        first_unstored = Some(first_unstored.map_or(place, |first| first.min(place)));
                    } else if let Some(pair) = writers.pair()
                        && twice.is_none_or(|(first, _)| place < first)
                    {
                        twice = Some((place, pair));
                    }
                }
            }
        }
        let index = |(matrix, row, column)| index(&tensor.shape, matrix, row, column);
        Seen {
            unstored,
            first_unstored: first_unstored.map(index),
            twice: twice.map(|(place, pair)| (index(place), pair)),
        }
    }
}

/// The index of an element in a tensor.
fn index(shape: &[usize], mut matrix: usize, row: usize, column: usize) -> Vec<usize> {
    let Some(leading) = shape.len().checked_sub(2) else {
        return vec![column];
    };
    let mut index = vec![0; leading];
    for (place, extent) in index.iter_mut().zip(&shape[..leading]).rev() {
        *place = matrix % extent;
        matrix /= extent;
    }
    index.extend([row, column]);
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tensor of bf16 in 12 banks, and three cores with two, one and no blocks.
    fn stores(shape: &[usize]) -> Stores {
        Stores {
            kernel: "k".to_owned(),
            tensors: vec![StoredTensor {
                name: "c".to_owned(),
                base: 4096,
                shape: shape.to_vec(),
                tile_bytes: 2048,
                element_bytes: 2,
            }],
            blocks: vec![((0, 0), 0, 2), ((1, 0), 2, 1)],
        }
    }

    /// Judges after writes by core of pages, from an offset on, of so many bytes.
    fn judged(shape: &[usize], writes: &[(u16, u64, u64, u32)]) -> Result<Vec<Unstored>, String> {
        let stores = stores(shape);
        let map = StoreMap::new(&stores, 12, 32);
        for (core, page, offset, bytes) in writes {
            map.note(*core, (page % 12) as u16, 4096 + page / 12 * 2048 + offset, *bytes);
        }
        map.judge(&stores, 8)
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
}
