//! Which elements of blocks are written.

use super::Way;
use super::touch::{self, Part};
use crate::persistent::Persistent;
use std::collections::BTreeSet;
use std::rc::Rc;
use tt_lang::ir::{BlockId, Kernel};

/// Elements in a word.
const WORD: usize = 64;

/// Of every block that is followed which elements are written.
#[derive(Clone)]
pub struct Written(Persistent<Rc<Elements>>);

/// A bit for each element, rows one after the other, each from a word on.
#[derive(Clone, PartialEq, Eq)]
struct Elements {
    words: Vec<u64>,
    words_of_row: usize,
}

impl Elements {
    /// The words that elements of `part` lie in, each by its number with their bits.
    fn words(&self, [rows, columns]: &Part) -> impl Iterator<Item = (usize, u64)> + use<> {
        let (first, end) = (columns.start / WORD, columns.end.div_ceil(WORD).min(self.words_of_row));
        let columns = columns.clone();
        let bits = move |at: usize| {
            let from = columns.start.saturating_sub(at.saturating_mul(WORD));
            let beyond = at.saturating_add(1).saturating_mul(WORD).saturating_sub(columns.end);
            u64::MAX.checked_shl(from as u32).unwrap_or(0) & u64::MAX.checked_shr(beyond as u32).unwrap_or(0)
        };
        let (rows, words_of_row) = (rows.clone(), self.words_of_row);
        rows.flat_map(move |row| {
            (first..end).map(move |at| (row.saturating_mul(words_of_row).saturating_add(at), bits(at)))
        })
    }
}

impl Written {
    /// Nothing of `blocks` is written.
    pub fn nothing(kernel: &Kernel, blocks: &BTreeSet<BlockId>) -> Written {
        let mut written = Written(Persistent::new(kernel.blocks.len()));
        blocks.iter().for_each(|block| written.forget(kernel, *block));
        written
    }

    /// Nothing of `block` is written any more.
    pub fn forget(&mut self, kernel: &Kernel, block: BlockId) {
        let [rows, columns] = touch::whole(kernel, block);
        let words_of_row = columns.end.div_ceil(WORD).max(1);
        let words = vec![0; rows.end.saturating_mul(words_of_row)];
        *self.0.at_mut(block.index()) = Some(Rc::new(Elements { words, words_of_row }));
    }

    /// What is written on all ways, and the words that were looked at.
    pub fn in_all(ways: Vec<Way>) -> (Written, usize) {
        let mut ways = ways.into_iter().map(|way| way.written);
        let mut common = ways.next().unwrap_or(Written(Persistent::new(0)));
        let mut looked_at: usize = 0;
        for other in ways {
            common.0.merge(&other.0, |elements, others| {
                let (elements, others) = (elements?, others?);
                looked_at = looked_at.saturating_add(elements.words.len());
                let words = elements.words.iter().zip(&others.words);
                Some(Rc::new(Elements {
                    words: words.map(|(word, other)| word & other).collect(),
                    ..**elements
                }))
            });
        }
        (common, looked_at)
    }

    /// Writes a part of a block; the words that were looked at.
    pub fn write(&mut self, block: BlockId, part: &Part) -> usize {
        let Some(elements) = self.0.at_mut(block.index()) else {
            return 0;
        };
        let copied = match Rc::get_mut(elements) {
            Some(_) => 0,
            None => elements.words.len(),
        };
        let elements = Rc::make_mut(elements);
        let mut looked_at = copied;
        for (at, bits) in elements.words(part) {
            elements.words[at] |= bits;
            looked_at = looked_at.saturating_add(1);
        }
        looked_at
    }

    /// Whether anything of a block is written.
    pub fn has_any(&self, block: BlockId) -> bool {
        let of_block = self.0.get(block.index());
        of_block.is_some_and(|elements| elements.words.iter().any(|word| *word != 0))
    }

    /// Whether all of a part of a block is written; the words that were looked at.
    pub fn has(&self, block: BlockId, part: &Part) -> (bool, usize) {
        let mut looked_at: usize = 0;
        let holds = self.0.get(block.index()).is_none_or(|elements| {
            elements.words(part).all(|(at, bits)| {
                looked_at = looked_at.saturating_add(1);
                elements.words[at] & bits == bits
            })
        });
        (holds, looked_at)
    }
}
