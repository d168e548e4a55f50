//! Repeatable random numbers.

/// Makes choices, by a xorshift generator or as it is told, and remembers them.
pub struct Random {
    source: Source,
    made: Vec<usize>,
}

enum Source {
    Xorshift(u64),
    /// These, and 0 after them.
    Told(std::vec::IntoIter<usize>),
}

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x2545_F491_4F6C_DD1D | 1;
        // Near seeds give near first numbers.
        for _ in 0..8 {
            state = following(state);
        }
        Random {
            source: Source::Xorshift(state),
            made: Vec::new(),
        }
    }

    /// Chooses as `choices` say, as far as there is so much to choose from, and then always the first.
    pub fn told(choices: Vec<usize>) -> Random {
        Random {
            source: Source::Told(choices.into_iter()),
            made: Vec::new(),
        }
    }

    /// Every choice so far.
    pub fn into_choices(self) -> Vec<usize> {
        self.made
    }

    /// Below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        let choice = match &mut self.source {
            Source::Xorshift(state) => {
                *state = following(*state);
                (*state >> 16) as usize % end
            }
            Source::Told(choices) => choices.next().unwrap_or(0).min(end - 1),
        };
        self.made.push(choice);
        choice
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// From -2 to 2, exact in bf16.
    pub fn value(&mut self) -> f64 {
        (self.below(513) as f64 - 256.0) / 128.0
    }
}

fn following(mut state: u64) -> u64 {
    state ^= state << 13;
    state ^= state >> 7;
    state ^ (state << 17)
}
