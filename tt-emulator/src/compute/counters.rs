//! What the compute engines of a core did.

use super::tile::Tile;

/// Tiles that went through each engine, and configuration calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComputeCounters {
    /// 32×32×32 tile products.
    pub matmul_tiles: u64,
    /// How far a chip's sums of products are from those that were formed.
    pub from_chip: FromChip,
    /// Element-wise operations of the matrix engine, on tiles.
    pub eltwise_tiles: u64,
    /// Tiles copied, transposed or broadcast into destination registers.
    pub copied_tiles: u64,
    /// Tiles reduced by the matrix engine.
    pub reduced_tiles: u64,
    /// SFPU operations on tiles.
    pub sfpu_tiles: u64,
    /// Tiles packed.
    pub packed_tiles: u64,
    /// Inits of any engine.
    pub inits: u64,
    /// Changes of a data format.
    pub reconfigurations: u64,
    /// Destination sections acquired.
    pub sections: u64,
}

impl ComputeCounters {
    /// Adds another core's counts.
    pub fn add(&mut self, other: &ComputeCounters) {
        self.matmul_tiles += other.matmul_tiles;
        self.from_chip.add(&other.from_chip);
        self.eltwise_tiles += other.eltwise_tiles;
        self.copied_tiles += other.copied_tiles;
        self.reduced_tiles += other.reduced_tiles;
        self.sfpu_tiles += other.sfpu_tiles;
        self.packed_tiles += other.packed_tiles;
        self.inits += other.inits;
        self.reconfigurations += other.reconfigurations;
        self.sections += other.sections;
    }
}

/// How far a chip's sums of products are from those that were formed in `f32`, by tile products that were formed both ways from the same
/// operands and registers. Launches whose clock is on do that with the first, fourth, ninth, sixteenth .. call of each core; with
/// `TT_EMULATOR_FPU=exact` all sums are a chip's, and nothing is compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FromChip {
    /// Tile products that were compared.
    pub compared: u64,
    /// Elements of them, but those that are no numbers.
    elements: u64,
    /// Squares of what the chip adds to them.
    added: f64,
    /// Squares of the differences, and their products with what is added.
    apart: f64,
    along: f64,
}

impl FromChip {
    /// A tile product that adds to `before`: as it was formed, and as the chip forms it.
    pub fn of(before: &Tile, formed: &Tile, chip: &Tile) -> FromChip {
        let mut found = FromChip {
            compared: 1,
            ..FromChip::default()
        };
        for ((before, formed), chip) in before.0.iter().zip(&formed.0).zip(&chip.0) {
            let [before, formed, chip] = [before, formed, chip].map(|value| f64::from(*value));
            let (added, apart) = (chip - before, chip - formed);
            // Sums that overflow are no measure of the others.
            if added.is_finite() && apart.is_finite() {
                found.elements += 1;
                found.added += added * added;
                found.apart += apart * apart;
                found.along += apart * added;
            }
        }
        found
    }

    /// Adds other comparisons.
    pub fn add(&mut self, other: &FromChip) {
        self.compared += other.compared;
        self.elements += other.elements;
        self.added += other.added;
        self.apart += other.apart;
        self.along += other.along;
    }

    /// By what part of their value a chip's sums are larger, on the average; nothing where none was compared, or all were 0. A chip rounds
    /// what it shifts out upwards where it lies in the middle, and more products have few bits than many.
    pub fn larger(&self) -> Option<f64> {
        (self.added > 0.0).then(|| self.along / self.added)
    }

    /// By how much a sum of 32 products is off that (root of the mean square); nothing where none was compared. What one is off does not
    /// depend on the others: a sum of 32 n products is off by √n times as much.
    pub fn of_32(&self) -> Option<f64> {
        let left = self.apart - self.larger().unwrap_or(0.0) * self.along;
        (self.elements > 0).then(|| (left.max(0.0) / self.elements as f64).sqrt())
    }

    /// How far sums of so many `products` are from a chip's, where the root of their mean square is `size` (and so is that of this).
    pub fn of_sums(&self, products: u64, size: f64) -> Option<f64> {
        let (larger, of_32) = (self.larger().unwrap_or(0.0), self.of_32()?);
        Some((larger * size).hypot(of_32 * (products as f64 / 32.0).sqrt()))
    }
}

/// Which calls of a core form a product both ways: those whose number, from 1, is a square.
#[derive(Clone, Debug)]
pub struct BothWays {
    /// Calls until the next one.
    left: u64,
    /// From that to the one after it.
    step: u64,
}

impl Default for BothWays {
    fn default() -> BothWays {
        BothWays { left: 0, step: 3 }
    }
}

impl BothWays {
    /// Counts a call of so many tile products: which of them is formed both ways, if any. It is another one each time.
    pub fn next(&mut self, products: usize) -> Option<usize> {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            return None;
        }
        self.left = self.step - 1;
        self.step += 2;
        Some(self.step as usize / 2 % products)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_square_numbers_are_compared() {
        let mut both_ways = BothWays::default();
        let compared: Vec<u32> = (1..=40).filter(|_| both_ways.next(6).is_some()).collect();
        assert_eq!(compared, [1, 4, 9, 16, 25, 36]);
        let mut both_ways = BothWays::default();
        let places: std::collections::BTreeSet<usize> = (0..200).filter_map(|_| both_ways.next(6)).collect();
        assert_eq!(places, (0..6).collect());
    }
}
