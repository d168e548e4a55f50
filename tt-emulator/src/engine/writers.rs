//! Who wrote a place in memory: blocks of a grid, where the kernel says at which it is, else cores.

/// One that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// A core, by its number in the grid.
    Core(u16),
    /// A block, by its number.
    Block(u32),
}

/// Numbers of writers: cores first, then blocks. None is 0.
const FIRST_CORE: u32 = 1;
const FIRST_BLOCK: u32 = FIRST_CORE + (1 << 16);

impl Writer {
    fn number(self) -> u32 {
        match self {
            Writer::Core(core) => FIRST_CORE + u32::from(core),
            Writer::Block(block) => FIRST_BLOCK.saturating_add(block),
        }
    }

    fn numbered(number: u32) -> Writer {
        match number.checked_sub(FIRST_BLOCK) {
            Some(block) => Writer::Block(block),
            None => Writer::Core((number - FIRST_CORE) as u16),
        }
    }
}

/// The lowest and the highest writer of a place, so that what is found depends on no order; none at first.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Writers(pub u64);

impl Writers {
    /// One.
    pub fn of(writer: Writer) -> Writers {
        let number = u64::from(writer.number());
        Writers(number << 32 | number)
    }

    /// Those of both.
    pub fn and(self, other: Writers) -> Writers {
        if self.is_none() || other.is_none() {
            return Writers(self.0 | other.0);
        }
        let low = (self.0 & 0xffff_ffff).min(other.0 & 0xffff_ffff);
        Writers((self.0 >> 32).max(other.0 >> 32) << 32 | low)
    }

    /// Whether nobody wrote there.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The lowest and the highest, where there are any.
    pub fn ends(self) -> Option<[Writer; 2]> {
        (!self.is_none()).then(|| [self.0 as u32, (self.0 >> 32) as u32].map(Writer::numbered))
    }

    /// The two writers, where there are two.
    pub fn pair(self) -> Option<[Writer; 2]> {
        let (low, high) = (self.0 as u32, (self.0 >> 32) as u32);
        (low != high).then(|| [low, high].map(Writer::numbered))
    }
}
