//! Pages that the host fetches into its caches while it computes with others.
//!
//! A processor fetches some dozens of lines at a time and forgets what it is asked for beyond those. So pages are fetched a few lines at a
//! time, between the faces of a tile that is computed with and wherever pages are moved, and memory and arithmetic take their time
//! together.

use super::tile::TILE;
use std::cell::{Cell, RefCell};
use std::ptr::null;

/// Bytes of a cache line of the host.
const LINE: usize = 64;

/// Lines of a page of bf16.
pub const LINES_OF_PAGE: usize = TILE * 2 / LINE;

/// Lines that are fetched on the way where a page is moved, or a call is made about one.
pub const FEW: usize = 4;

/// A range of memory: where it begins, and its bytes.
pub type Memory = (*const u8, u32);

/// What is left of a page.
#[derive(Clone, Copy)]
struct Rest {
    /// The next line; null where there is no page.
    next: *const u8,
    lines: usize,
}

impl Rest {
    const NONE: Rest = Rest { next: null(), lines: 0 };

    fn of((start, bytes): Memory) -> Rest {
        Rest {
            next: start,
            lines: bytes as usize / LINE,
        }
    }
}

/// Pages that are to be fetched, of which none is read here: they may lie anywhere.
pub struct Ahead {
    now: Cell<Rest>,
    /// Those behind it, last first.
    pages: RefCell<Vec<Rest>>,
}

impl Default for Ahead {
    fn default() -> Ahead {
        Ahead {
            now: Cell::new(Rest::NONE),
            pages: RefCell::default(),
        }
    }
}

impl Ahead {
    /// Forgets what is left, for these pages and their bytes, last first.
    pub fn replace(&self, pages: impl Iterator<Item = Memory>) {
        let mut waiting = self.pages.borrow_mut();
        waiting.clear();
        waiting.extend(pages.map(Rest::of));
        self.now.set(waiting.pop().unwrap_or(Rest::NONE));
    }

    /// Starts to fetch so many lines. Into the second-level cache: the first one is too small for what a reader waits for, and waits
    /// longer for each line.
    #[inline]
    pub fn fetch_lines(&self, count: usize) {
        self.fetch::<false>(count);
    }

    /// As [`fetch_lines`](Ahead::fetch_lines), into the first-level cache: what is read soon and is not much.
    #[inline]
    fn fetch_near(&self, count: usize) {
        self.fetch::<true>(count);
    }

    /// Starts to fetch so many lines, into the first-level cache (`NEAR`) or the second.
    #[inline]
    fn fetch<const NEAR: bool>(&self, count: usize) {
        let Rest { next, lines } = self.now.get();
        if next.is_null() {
            return;
        }
        let fetched = if lines < count { lines } else { count };
        for line in 0..fetched {
            prefetch::<NEAR>(next.wrapping_add(line * LINE));
        }
        if lines <= count {
            return self.turn();
        }
        self.now.set(Rest {
            next: next.wrapping_add(fetched * LINE),
            lines: lines - fetched,
        });
    }

    #[cold]
    fn turn(&self) {
        self.now.set(self.pages.borrow_mut().pop().unwrap_or(Rest::NONE));
    }
}

/// Most pages that are noted: as many as there are registers.
const MOST_SUMS: usize = 16;

/// Pages that the packer is likely to add to next: as far behind those of the last section of the destination as these lie behind those of
/// the section before. It waits for them with nothing else to do.
#[derive(Default)]
pub struct NextSums {
    /// Since the last product, with their bytes.
    now: Vec<Memory>,
    /// Where the first of the section before begins.
    before: usize,
    pages: Ahead,
}

impl NextSums {
    /// Notes a page that is added to.
    #[inline]
    pub fn note(&mut self, page: &[u8]) {
        if self.now.len() < MOST_SUMS {
            self.now.push((page.as_ptr(), page.len() as u32));
        }
    }

    /// Guesses, where pages were noted.
    #[inline]
    pub fn follow(&mut self) {
        let Some((first, _)) = self.now.first() else { return };
        let first = first.addr();
        let distance = first.wrapping_sub(self.before);
        let guesses = self.now.drain(..).rev();
        let guesses = guesses.map(|(page, bytes)| (page.wrapping_add(distance), bytes));
        self.pages.replace(guesses);
        self.before = first;
    }

    /// Starts to fetch some lines.
    #[inline]
    pub fn fetch_lines(&self) {
        self.pages.fetch_near(4);
    }
}

#[inline(always)]
fn prefetch<const NEAR: bool>(line: *const u8) {
    // SAFETY: a prefetch touches no memory that the program could see, at any address.
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        match NEAR {
            true => _mm_prefetch::<_MM_HINT_T0>(line.cast()),
            false => _mm_prefetch::<_MM_HINT_T1>(line.cast()),
        }
    };
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = line;
}
