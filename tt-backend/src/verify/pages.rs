//! Pages of a window, a bit each. Around every tile of an edge there may be a branch, of which what is known on both sides is copied and
//! joined, and a version has hundreds of pages: so both take a step for 64 of them.

use super::range::Range;
use std::fmt;

/// Bits of a word.
const BITS: i64 = u64::BITS as i64;

/// Some pages of a window, which count from its first.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Pages {
    /// The last word is not zero, so that the same pages are the same words.
    words: Vec<u64>,
}

impl Pages {
    /// Adds a page.
    pub fn insert(&mut self, page: i64) {
        let (word, bit) = place(page);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= bit;
    }

    /// Adds the pages of a range.
    pub fn insert_all(&mut self, pages: Range) {
        for page in pages.low..=pages.high {
            self.insert(page);
        }
    }

    /// Whether a page is among them.
    pub fn contains(&self, page: i64) -> bool {
        let (word, bit) = place(page);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Whether any page of a range is among them.
    pub fn contains_any(&self, pages: Range) -> bool {
        !self.is_empty() && (pages.low..=pages.high).any(|page| self.contains(page))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The first.
    pub fn first(&self) -> Option<i64> {
        let number = self.words.iter().position(|word| *word != 0)?;
        Some(number as i64 * BITS + i64::from(self.words[number].trailing_zeros()))
    }

    /// The first page before `end` that is not among them.
    pub fn first_missing(&self, end: i64) -> Option<i64> {
        let number = self.words.iter().position(|word| *word != u64::MAX);
        let page = match number {
            Some(number) => number as i64 * BITS + i64::from(self.words[number].trailing_ones()),
            None => self.words.len() as i64 * BITS,
        };
        (page < end).then_some(page)
    }

    /// Keeps those that are among `other` too.
    pub fn intersect(&mut self, other: &Pages) {
        self.words.truncate(other.words.len());
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
        self.trim();
    }

    /// Adds those of `other`.
    pub fn unite(&mut self, other: &Pages) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Those behind the first `count` pages, where the window begins then.
    pub fn behind(&self, count: i64) -> Pages {
        let (from, bit) = place(count);
        let by = bit.trailing_zeros();
        let word = |at: usize| self.words.get(at).copied().unwrap_or_default();
        let moved = |at: usize| word(at) >> by | word(at + 1).unbounded_shl(u64::BITS - by);
        let mut pages = Pages {
            words: (from..self.words.len()).map(moved).collect(),
        };
        pages.trim();
        pages
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

/// The word and the bit of a page: none is before the first of its window.
fn place(page: i64) -> (usize, u64) {
    ((page / BITS) as usize, 1 << (page % BITS))
}

impl fmt::Debug for Pages {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let end = self.words.len() as i64 * BITS;
        f.debug_set()
            .entries((0..end).filter(|page| self.contains(*page)))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn pages_are_sets_of_integers() {
        let mut seed = 1_u64;
        let mut some = |most: u64| {
            let mut pages = BTreeSet::new();
            for _ in 0..most {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                pages.insert((seed >> 33) as i64 % 200);
            }
            pages
        };
        let pages = |of: &BTreeSet<i64>| {
            let mut pages = Pages::default();
            of.iter().for_each(|page| pages.insert(*page));
            pages
        };
        for count in 0..300 {
            let (a, b) = (some(count % 250), some(count % 7));
            assert_eq!(format!("{:?}", pages(&a)), format!("{a:?}"));
            let [mut both, mut either] = [pages(&a), pages(&a)];
            both.intersect(&pages(&b));
            either.unite(&pages(&b));
            assert_eq!((both, either), (pages(&(&a & &b)), pages(&(&a | &b))));
            assert_eq!(
                (pages(&a).first(), pages(&a).is_empty()),
                (a.first().copied(), a.is_empty())
            );
            for at in [0, 1, 63, 64, 65, 128, 190, 300] {
                let behind = a.iter().filter(|page| **page >= at).map(|page| page - at);
                assert_eq!(pages(&a).behind(at), pages(&behind.collect()));
                assert_eq!(pages(&a).contains(at), a.contains(&at));
                assert_eq!(pages(&a).first_missing(at), (0..at).find(|page| !a.contains(page)));
                let range = Range::new(at, at + 3);
                assert_eq!(pages(&a).contains_any(range), a.range(at..=at + 3).next().is_some());
            }
        }
    }
}
