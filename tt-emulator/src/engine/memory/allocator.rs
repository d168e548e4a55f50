//! Allocation of buffers: one address, valid in every bank, as the real allocator gives out.

/// Which end of the memory is filled first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// DRAM.
    BottomUp,
    /// L1, whose lower end belongs to circular buffers.
    TopDown,
}

/// First-fit allocation in a range of addresses.
pub(crate) struct Allocator {
    low: u64,
    high: u64,
    alignment: u64,
    /// Live ranges, sorted by start, as (start, end).
    live: Vec<(u64, u64)>,
}

impl Allocator {
    pub fn new(low: u64, high: u64, alignment: u64) -> Allocator {
        Allocator {
            low,
            high,
            alignment,
            live: Vec::new(),
        }
    }

    /// Takes `bytes` bytes, or says how many the largest free range has.
    pub fn allocate(&mut self, bytes: u64, direction: Direction) -> Result<u64, u64> {
        let bytes = bytes.max(1).next_multiple_of(self.alignment);
        let mut largest = 0;
        let mut found = None;
        let starts = std::iter::once(self.low).chain(self.live.iter().map(|range| range.1));
        let ends = self.live.iter().map(|range| range.0).chain(std::iter::once(self.high));
        for (start, end) in starts.zip(ends) {
            let first = start.next_multiple_of(self.alignment);
            let last = end / self.alignment * self.alignment;
            let free = last.saturating_sub(first);
            largest = largest.max(free);
            if free >= bytes {
                match direction {
                    Direction::BottomUp => {
                        found = Some(first);
                        break;
                    }
                    Direction::TopDown => found = Some(last - bytes),
                }
            }
        }
        let address = found.ok_or(largest)?;
        let index = self.live.partition_point(|range| range.0 < address);
        self.live.insert(index, (address, address + bytes));
        Ok(address)
    }

    /// Gives back the range that starts at `address`.
    pub fn free(&mut self, address: u64) {
        self.live.retain(|range| range.0 != address);
    }

    /// Lowest address in use, or the upper end.
    pub fn lowest(&self) -> u64 {
        self.live.first().map_or(self.high, |range| range.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_reuse_what_was_freed() {
        let mut allocator = Allocator::new(100, 1000, 32);
        let first = allocator.allocate(64, Direction::BottomUp).unwrap();
        let second = allocator.allocate(10, Direction::BottomUp).unwrap();
        assert_eq!((first, second), (128, 192));
        let top = allocator.allocate(40, Direction::TopDown).unwrap();
        assert_eq!(top, 992 - 64);
        allocator.free(first);
        assert_eq!(allocator.allocate(64, Direction::BottomUp).unwrap(), 128);
        assert_eq!(allocator.lowest(), 128);
        assert_eq!(allocator.allocate(10_000, Direction::BottomUp), Err(928 - 224));
    }
}
