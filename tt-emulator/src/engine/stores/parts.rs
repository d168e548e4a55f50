//! Who wrote what of a page that was written in parts: bytes, and the elements that they are.

use super::FACE;
use crate::engine::writers::{Writer, Writers};
use tt_device::DataFormat;

/// Bytes that are told apart within a page at first.
const UNIT: usize = 32;

/// Who wrote what of a page.
pub(super) struct Parts {
    /// Bytes that are told apart, a power of two.
    unit: usize,
    pub writers: Vec<Writers>,
}

impl Parts {
    pub fn new(page_bytes: usize) -> Parts {
        Parts {
            unit: UNIT,
            writers: vec![Writers::default(); page_bytes.div_ceil(UNIT)],
        }
    }

    pub fn note(&mut self, writer: Writer, start: usize, length: usize) {
        let unit = 1 << (start | length).trailing_zeros().min(UNIT.trailing_zeros());
        if unit < self.unit {
            let times = self.unit / unit;
            let finer = self
                .writers
                .iter()
                .flat_map(|writers| std::iter::repeat_n(*writers, times));
            self.writers = finer.collect();
            self.unit = unit;
        }
        for written in &mut self.writers[start / self.unit..(start + length).div_ceil(self.unit)] {
            *written = written.and(Writers::of(writer));
        }
    }

    /// Who wrote the byte `at`.
    fn at(&self, at: usize) -> Writers {
        self.writers.get(at / self.unit).copied().unwrap_or_default()
    }

    /// Who wrote an element, by its number in the order of the page, beside those who wrote the `whole` page: nobody where its own
    /// byte was not written; where its exponent is that of a row of a face, also who wrote that. Elements that share a byte have the
    /// same writers.
    pub fn of_element(&self, whole: Writers, format: DataFormat, element: usize) -> Writers {
        let (exponents, bits) = (format.exponent_bytes() as usize, format.element_bits() as usize);
        let own = self.at(exponents + element * bits / 8).and(whole);
        match format.shares_exponents() && !own.is_none() {
            true => own.and(self.at(element / FACE)),
            false => own,
        }
    }
}
