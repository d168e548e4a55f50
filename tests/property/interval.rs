//! Intervals that hold both the exact value of an expression and whatever a device of given formats may compute for it.

/// A closed interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// How much a step of the computation may lose.
#[derive(Debug, Clone, Copy)]
pub struct Precision {
    /// Of an exact operation (a sum, a product, a stored value), relative to its result.
    pub step: f64,
    /// Of a function that the SFPU approximates, relative to its result.
    pub function: f64,
    /// Of the same, absolute: what polynomials are off near a zero of the function.
    pub floor: f64,
}

/// Results kept in bf16: 8 bits, and truncation instead of rounding in places. The functions' own errors are those
/// measured on both simulated chips (shared/oracle: exp 0.0057, tanh 0.0047, log 0.0040, silu 0.0050; gelu's table 0.024
/// absolute).
pub const BF16: Precision = Precision {
    step: 1.0 / 128.0,
    function: 1.0 / 64.0,
    floor: 0.03,
};
/// Results kept in f32, operands passing the FPU as TF32 (11 bits, truncated), functions evaluated to bf16's needs.
pub const F32: Precision = Precision {
    step: 1.0 / 256.0,
    function: 1.0 / 64.0,
    floor: 0.03,
};

impl Interval {
    pub fn exactly(value: f64) -> Interval {
        Interval {
            low: value,
            high: value,
        }
    }

    fn of(values: impl IntoIterator<Item = f64>) -> Interval {
        let start = Interval {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
        };
        values.into_iter().fold(start, |all, v| Interval {
            low: all.low.min(v),
            high: all.high.max(v),
        })
    }

    pub fn hull(self, other: Interval) -> Interval {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Wider by a relative and an absolute error.
    pub fn widened(self, relative: f64, absolute: f64) -> Interval {
        Interval {
            low: self.low - self.low.abs() * relative - absolute,
            high: self.high + self.high.abs() * relative + absolute,
        }
    }

    /// The image of both under a function that rises or falls throughout in each argument while the other stays.
    pub fn with(self, other: Interval, f: impl Fn(f64, f64) -> f64) -> Interval {
        Interval::of([
            f(self.low, other.low),
            f(self.low, other.high),
            f(self.high, other.low),
            f(self.high, other.high),
        ])
    }

    /// The image under a function that rises or falls throughout, or turns only at `turns`.
    pub fn map(self, turns: &[f64], f: impl Fn(f64) -> f64) -> Interval {
        let inner = turns.iter().copied().filter(|turn| self.contains(*turn));
        Interval::of([self.low, self.high].into_iter().chain(inner).map(f))
    }

    /// Whether every value of this lies above every value of `other`; none where some do.
    pub fn above(self, other: Interval) -> Option<bool> {
        match () {
            () if self.low > other.high => Some(true),
            () if self.high <= other.low => Some(false),
            () => None,
        }
    }
}
