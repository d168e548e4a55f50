//! Which elements of blocks are written.

use super::Way;
use super::touch::{self, Part};
use std::collections::{BTreeMap, BTreeSet};
use tt_lang::ir::{BlockId, Kernel};

/// Elements in a word.
const WORD: usize = 64;

/// Of every block that is followed which elements are written.
#[derive(Clone)]
pub struct Written(BTreeMap<BlockId, Elements>);

/// A bit for each element, rows one after the other, each from a word on.
#[derive(Clone)]
struct Elements {
    words: Vec<u64>,
    words_of_row: usize,
}

impl Elements {
    /// Calls `visit` for every word that elements of `part` lie in, with their bits, until it gives `false`; how many it was
    /// called for.
    fn words(&mut self, [rows, columns]: &Part, mut visit: impl FnMut(&mut u64, u64) -> bool) -> usize {
        let mut visited: usize = 0;
        let (first, end) = (columns.start / WORD, columns.end.div_ceil(WORD));
        for row in self.words.chunks_mut(self.words_of_row).take(rows.end).skip(rows.start) {
            for (at, word) in row.iter_mut().enumerate().take(end).skip(first) {
                let from = columns.start.saturating_sub(at.saturating_mul(WORD));
                let beyond = at.saturating_add(1).saturating_mul(WORD).saturating_sub(columns.end);
                let bits =
                    u64::MAX.checked_shl(from as u32).unwrap_or(0) & u64::MAX.checked_shr(beyond as u32).unwrap_or(0);
                visited = visited.saturating_add(1);
                if !visit(word, bits) {
                    return visited;
                }
            }
        }
        visited
    }
}

impl Written {
    /// Nothing of `blocks` is written.
    pub fn nothing(kernel: &Kernel, blocks: &BTreeSet<BlockId>) -> Written {
        let of_block = |block: &BlockId| {
            let [rows, columns] = touch::whole(kernel, *block);
            let words_of_row = columns.end.div_ceil(WORD).max(1);
            let words = vec![0; rows.end.saturating_mul(words_of_row)];
            (*block, Elements { words, words_of_row })
        };
        Written(blocks.iter().map(of_block).collect())
    }

    /// How many words it has.
    pub fn size(&self) -> usize {
        self.0
            .values()
            .fold(0, |sum, elements| sum.saturating_add(elements.words.len()))
    }

    /// What is written on all ways.
    pub fn in_all(ways: Vec<Way>) -> Written {
        let mut ways = ways.into_iter().map(|way| way.written);
        let mut common = ways.next().unwrap_or(Written(BTreeMap::new()));
        for other in ways {
            for (elements, others) in common.0.values_mut().zip(other.0.values()) {
                elements
                    .words
                    .iter_mut()
                    .zip(&others.words)
                    .for_each(|(word, other)| *word &= other);
            }
        }
        common
    }

    /// Writes a part of a block; the words that were looked at.
    pub fn write(&mut self, block: BlockId, part: &Part) -> usize {
        let of_block = self.0.get_mut(&block);
        of_block.map_or(0, |elements| {
            elements.words(part, |word, bits| {
                *word |= bits;
                true
            })
        })
    }

    /// Whether anything of a block is written.
    pub fn has_any(&self, block: BlockId) -> bool {
        let of_block = self.0.get(&block);
        of_block.is_some_and(|elements| elements.words.iter().any(|word| *word != 0))
    }

    /// Whether all of a part of a block is written; the words that were looked at.
    pub fn has(&mut self, block: BlockId, part: &Part) -> (bool, usize) {
        let mut holds = true;
        let of_block = self.0.get_mut(&block);
        let words = of_block.map_or(0, |elements| {
            elements.words(part, |word, bits| {
                holds &= *word & bits == bits;
                holds
            })
        });
        (holds, words)
    }
}
