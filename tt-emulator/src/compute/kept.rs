//! Operands of matrix products in the parts that are multiplied, kept from call to call.
//!
//! A tile is multiplied by many others, and to unpack it and cut it into its parts takes up to two fifths of a product. So parts are kept
//! while their page cannot have changed: during a turn, in which a thread runs one RISC and nothing else of its core. What writes pages
//! then is the packer, which says so ([`written`]), and a kernel that was told an address in L1, of which nothing is kept: it may store there.
//! Other cores write pages of this one only between turns that see it: a kernel knows of it by a circular buffer or a semaphore, for which
//! it waits.

use super::fpu::fidelity::{Cut, Part, Plan, split};
use super::fpu::left_out::{Columns, Rows};
use super::fpu::matmul::{Parts, RowPairs, has_largest_exponent, pairs_are_multiplied};
use super::matrix_calls::{BLOCK_LIMIT, Page, Pages};
use super::reused::reusable;
use super::tile::Tile;
use super::unpack::{Keep, Mask, to_source, transpose};
use crate::data_format::DataFormat;
use crate::kernel_config::MathFidelity;
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// What an operand was made of, and when.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    turn: u64,
    address: usize,
    format: DataFormat,
    /// Of a transposed tile.
    transposed: bool,
    /// Multiplied by one that keeps as much as bf16 has.
    are_bf16: bool,
}

impl Key {
    /// Of nothing: no turn has this number.
    const NONE: Key = Key {
        turn: u64::MAX,
        address: 0,
        format: DataFormat::Float16_b,
        transposed: false,
        are_bf16: false,
    };
}

/// An operand, unpacked: what most products read lies together.
#[repr(C)]
pub struct Kept<L> {
    /// Its low bits, where products of such are left out.
    pub low: L,
    /// Its parts.
    pub parts: Parts,
}

/// A place for an operand.
struct Entry<L> {
    /// What is kept; none where the turn is no turn.
    key: Key,
    /// Whether a number has the largest exponent.
    is_special: bool,
    kept: Option<Box<Kept<L>>>,
    /// The page that it was made of, to see that it did not change.
    #[cfg(debug_assertions)]
    page: Vec<u8>,
}

impl<L> Entry<L> {
    const EMPTY: Entry<L> = Entry {
        key: Key::NONE,
        is_special: false,
        kept: None,
        #[cfg(debug_assertions)]
        page: Vec::new(),
    };
}

/// Places for operands; as L1 has fewer pages of bf16 than this, each has its own.
const PLACES: usize = 1024;

/// The place for a page, beside that for the next one.
#[inline]
fn place_of(address: usize, bytes: u32) -> usize {
    (address >> bytes.ilog2()) % PLACES
}

/// Operands of one side of products.
pub struct Side<L> {
    entries: Vec<Entry<L>>,
    /// Which of [`WITHIN`] is of this one.
    within: usize,
    zero: fn() -> L,
    /// Places of the operands of the call.
    places: [usize; BLOCK_LIMIT],
    count: usize,
}

/// The operands that a thread keeps, for its next call, and the memory for them, for another thread when it ends.
pub struct Operands {
    pub rows: Side<Rows>,
    pub columns: Side<Columns>,
}

/// Turns of a thread, of which none has a number of another's: memory goes from thread to thread.
const TURNS: u64 = 1 << 40;

thread_local! {
    static TURN: Cell<u64> = {
        static THREADS: AtomicU64 = AtomicU64::new(0);
        Cell::new(THREADS.fetch_add(TURNS, Ordering::Relaxed))
    };
    /// Between which addresses pages lie of which something is kept in this turn: of rows and of columns.
    static WITHIN: [Cell<(usize, usize)>; 2] = const { [const { Cell::new(NOWHERE) }; 2] };
}

const NOWHERE: (usize, usize) = (usize::MAX, 0);

/// Forgets all that this thread keeps: another turn begins.
pub fn turn_over() {
    TURN.set(TURN.get().wrapping_add(1));
    WITHIN.with(|sides| sides.iter().for_each(|within| within.set(NOWHERE)));
}

/// Notes that some bytes of L1 are written.
#[inline]
pub fn written(address: usize, bytes: usize) {
    let meets = |within: &Cell<(usize, usize)>| {
        let (start, end) = within.get();
        address < end && start < address + bytes
    };
    if WITHIN.with(|sides| sides.iter().any(meets)) {
        turn_over();
    }
}

reusable!(
    Operands,
    Operands {
        rows: Side::new(0, || Rows::ZERO),
        columns: Side::new(1, || Columns::ZERO),
    }
);

impl Operands {
    /// Begins a call.
    pub fn begin(&mut self) {
        (self.rows.count, self.columns.count) = (0, 0);
    }
}

/// How the operands of a call are multiplied.
#[derive(Clone, Copy)]
pub struct Way {
    pub plan: Plan,
    /// Into a 32-bit destination.
    pub wide: bool,
    /// None keeps more than bf16 has.
    pub are_bf16: bool,
    /// As pairs of bf16.
    pub paired: bool,
    /// The columns are transposed.
    pub transposed: bool,
    /// The pages of rows have them as they are multiplied.
    rows_lie: bool,
}

impl<L> Side<L> {
    fn new(within: usize, zero: fn() -> L) -> Side<L> {
        Side {
            entries: (0..PLACES).map(|_| Entry::EMPTY).collect(),
            within,
            zero,
            places: [0; BLOCK_LIMIT],
            count: 0,
        }
    }

    /// Adds an operand to the call, from what is kept or as `unpack` makes it. Whether a number has the largest exponent, which `unpack`
    /// says.
    #[inline]
    fn add(&mut self, page: Page, way: Way, unpack: impl FnOnce(&mut Kept<L>) -> bool) -> bool {
        let (address, bytes) = (page.bytes.as_ptr().addr(), page.bytes.len());
        let mut place = place_of(address, bytes as u32);
        while self.places[..self.count].contains(&place) {
            place = (place + 1) % PLACES;
        }
        self.places[self.count] = place;
        self.count += 1;
        let wanted = Key {
            turn: TURN.get(),
            address,
            format: page.operand.format,
            transposed: way.transposed,
            are_bf16: way.are_bf16,
        };
        let entry = &mut self.entries[place];
        if entry.key == wanted {
            #[cfg(debug_assertions)]
            assert!(
                entry.page == page.bytes,
                "a page of which an operand is kept changed: {address:#x}"
            );
            return entry.is_special;
        }
        entry.key = Key::NONE;
        let zero = self.zero;
        let kept = entry.kept.get_or_insert_with(|| Kept::zero(zero));
        entry.is_special = unpack(kept);
        entry.key = wanted;
        #[cfg(debug_assertions)]
        page.bytes.clone_into(&mut entry.page);
        WITHIN.with(|sides| {
            let (start, end) = sides[self.within].get();
            sides[self.within].set((start.min(address), end.max(address + bytes)));
        });
        entry.is_special
    }

    /// The operands of the call.
    pub fn of_call(&self) -> impl Iterator<Item = &Kept<L>> {
        self.places[..self.count]
            .iter()
            .filter_map(|place| self.entries[*place].kept.as_deref())
    }
}

impl<L> Kept<L> {
    #[cold]
    #[inline(never)]
    fn zero(low: fn() -> L) -> Box<Kept<L>> {
        Box::new(Kept {
            low: low(),
            parts: Parts::zero(),
        })
    }
}

impl Side<Columns> {
    /// Adds a tile of in1 to the call. Whether a number has the largest exponent.
    #[inline]
    pub fn add_column(&mut self, page: Page, way: Way, spread: &mut Tile) -> bool {
        self.add(page, way, |kept| {
            let keep = Keep::of(page.operand.format, way.wide);
            let (cut, parts) = (way.plan.cut_a(keep), &mut kept.parts);
            let is_special = if way.paired && !way.transposed && page.operand.format == DataFormat::Float16_b {
                parts.pair_column_page(page.bytes, cut)
            } else {
                let is_special = load_parts(parts, &page, cut, keep.and(Keep::AllA));
                if way.transposed {
                    for part in [&mut parts.first, &mut parts.rest] {
                        spread.0.copy_from_slice(&part.0);
                        transpose(spread, part);
                    }
                }
                if way.paired || way.plan.leaves_out {
                    parts.pair_columns(cut);
                }
                is_special
            };
            if way.plan.leaves_out {
                kept.low.take(parts.paired(Part::First).as_bytes());
                if !way.paired {
                    kept.low.numbers(&mut parts.rest);
                }
            }
            is_special
        })
    }
}

impl Side<Rows> {
    /// Adds a tile of in0 to the call. Whether a number has the largest exponent.
    #[inline]
    pub fn add_row(&mut self, page: Page, way: Way) -> bool {
        self.add(page, way, |kept| {
            let keep = Keep::of(page.operand.format, way.wide);
            let (cut, parts) = (way.plan.cut_b(keep), &mut kept.parts);
            let as_it_lies = way.row_as_it_lies(page);
            let is_special = match as_it_lies {
                // Its low bits say so.
                Some(_) if way.plan.leaves_out => false,
                Some(pairs) => has_largest_exponent(pairs),
                None if way.paired && page.operand.format == DataFormat::Float16_b => {
                    parts.pair_row_page(page.bytes, cut)
                }
                None => {
                    let is_special = load_parts(parts, &page, cut, keep.and(Keep::Tf32));
                    if way.paired || way.plan.leaves_out {
                        parts.pair_rows(cut);
                    }
                    is_special
                }
            };
            if !way.plan.leaves_out {
                return is_special;
            }
            let pairs = as_it_lies.unwrap_or_else(|| parts.paired(Part::First).as_bytes());
            kept.low.take(pairs);
            if !way.paired {
                kept.low.numbers(&mut parts.rest);
            }
            is_special || kept.low.has_largest_exponent()
        })
    }
}

impl Way {
    /// The way of a call's tiles of in0 and in1.
    pub fn of<'a>(
        fidelity: MathFidelity,
        wide: bool,
        transposed: bool,
        mut rows: impl Pages<'a>,
        mut columns: impl Pages<'a>,
    ) -> Way {
        let is_bf16 = |page: Page| Keep::of(page.operand.format, wide) == Keep::Bf16;
        let first = rows.clone().next();
        let are_bf16 = rows.all(is_bf16) && columns.all(is_bf16);
        let plan = Plan::of(fidelity, wide, are_bf16);
        let paired = are_bf16 && pairs_are_multiplied();
        let lies =
            |page: Page| page.operand.format == DataFormat::Float16_b && Parts::are_whole(plan.cut_b(Keep::Bf16));
        Way {
            plan,
            wide,
            are_bf16,
            paired,
            transposed,
            rows_lie: paired && first.is_some_and(lies),
        }
    }

    /// The pairs of a tile of in0, where its page has them as they are multiplied.
    #[inline]
    pub fn row_as_it_lies<'a>(&self, page: Page<'a>) -> Option<&'a RowPairs> {
        self.rows_lie.then(|| Parts::of_row_page(page.bytes)).flatten()
    }
}

/// Unpacks an operand into its parts, of which all phases see these bits; true if a value has the largest exponent.
pub(super) fn load_parts(parts: &mut Parts, page: &Page, cut: Cut, all: Mask) -> bool {
    let format = page.operand.format;
    if !cut.rest {
        return to_source(page.bytes, format, cut.first, false, &mut parts.first);
    }
    let special = to_source(page.bytes, format, all, false, &mut parts.first);
    split(&mut parts.first, all.0, cut.first.0, &mut parts.rest);
    special
}
