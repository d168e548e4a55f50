//! Where the pages of a sharded tensor lie: shards of equal size go round the banks in turn, and within a bank one follows
//! the other, as TT-Metalium's `BufferDistributionSpec` distributes them. Shards at the tensor's edges take the room of
//! whole ones.

/// How a tensor is cut into shards. Shapes are in pages, outermost dimension first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sharding {
    /// Shape of the tensor.
    pub tensor: Vec<u32>,
    /// Shape of a shard.
    pub shard: Vec<u32>,
    /// The banks that take shards, in turn: DRAM banks by number, worker cores by row * columns of the grid + column.
    pub banks: Vec<u32>,
}

impl Sharding {
    /// Pages of the tensor.
    pub fn pages(&self) -> u64 {
        volume(&self.tensor)
    }

    /// Pages that every bank has room for.
    pub fn pages_per_bank(&self) -> u64 {
        let shards: u64 = self.grid().map(u64::from).product();
        shards.div_ceil(self.banks.len() as u64) * volume(&self.shard)
    }

    /// Refuses what describes no sharding over `banks` banks.
    pub(super) fn check(&self, banks: usize) -> Result<(), String> {
        let what = if self.tensor.len() != self.shard.len() || self.tensor.is_empty() {
            "the shapes of tensor and shard have different ranks, or none"
        } else if self.tensor.iter().chain(&self.shard).any(|extent| *extent == 0) {
            "an extent is 0"
        } else if self.banks.is_empty() {
            "no bank takes shards"
        } else if self.banks.iter().any(|bank| *bank as usize >= banks) {
            "a bank is none of the device's"
        } else {
            return Ok(());
        };
        Err(format!("{self:?}: {what}"))
    }

    /// Shards along every dimension.
    fn grid(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator + '_ {
        self.tensor
            .iter()
            .zip(&self.shard)
            .map(|(tensor, shard)| tensor.div_ceil(*shard))
    }

    /// Bank of a page, and how many pages of that bank come before it.
    pub(super) fn place(&self, page: u64) -> (u32, u32) {
        let (mut rest, mut shard, mut within) = (page, 0, 0);
        let (mut shards, mut inside) = (1, 1);
        for ((extent, length), count) in self.tensor.iter().zip(&self.shard).zip(self.grid()).rev() {
            let position = rest % u64::from(*extent);
            rest /= u64::from(*extent);
            shard += position / u64::from(*length) * shards;
            within += position % u64::from(*length) * inside;
            shards *= u64::from(count);
            inside *= u64::from(*length);
        }
        let banks = self.banks.len() as u64;
        (
            self.banks[(shard % banks) as usize],
            (shard / banks * volume(&self.shard) + within) as u32,
        )
    }
}

fn volume(shape: &[u32]) -> u64 {
    shape.iter().map(|extent| u64::from(*extent)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_go_round_the_banks_and_edges_take_whole_shards() {
        let sharding = Sharding {
            tensor: vec![3, 4],
            shard: vec![2, 2],
            banks: vec![7, 9, 2],
        };
        assert_eq!(sharding.pages_per_bank(), 8);
        let places: Vec<_> = (0..12).map(|page| sharding.place(page)).collect();
        let first_two_rows = [(7, 0), (7, 1), (9, 0), (9, 1), (7, 2), (7, 3), (9, 2), (9, 3)];
        assert_eq!(places[..8], first_two_rows);
        // The third row starts new shards: the third bank, then the first again.
        assert_eq!(places[8..], [(2, 0), (2, 1), (7, 4), (7, 5)]);
    }

    #[test]
    fn what_describes_no_sharding_is_refused() {
        let good = Sharding {
            tensor: vec![4],
            shard: vec![2],
            banks: vec![0, 1],
        };
        assert!(good.check(2).is_ok());
        assert!(good.check(1).unwrap_err().contains("none of the device's"));
        let flat = Sharding { shard: vec![0], ..good };
        assert!(flat.check(2).unwrap_err().contains("an extent is 0"));
    }
}
