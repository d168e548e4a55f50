//! Repeatable inputs of launches.

use super::case::{Case, Domain};
use crate::emulated::TensorValues;
use tt_lang::ir::ElementType;
use tt_plan::{Bindings, CompileArg, Plan, Role};

/// A kind of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Numbers between -4 and 4 for which the operation has a value: what the reference is compared on.
    Ordinary,
    /// Numbers of any size; for element-wise kernels also infinities, NaN and what is next to the ends of the format.
    Extreme,
}

impl Kind {
    /// Every kind, with its name in folders.
    pub const ALL: [(Kind, &'static str); 2] = [(Kind::Ordinary, "ordinary"), (Kind::Extreme, "extreme")];
}

/// Values at the ends of formats and around 1.
const SPECIALS: [f32; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1.0e-40,
    -1.0e-40,
    1.0078125,
    0.99609375,
    88.5,
    -88.5,
    127.5,
];

/// What a tensor holds that the kernel writes and never reads: no result is this by chance.
const SENTINEL: f32 = -12_288.0;

/// What scalars may be: exact in every format, of both signs, above and below 1.
const FLOATS: [f32; 6] = [0.375, -1.5, 2.0, -0.3125, 3.0, 0.0625];
const INTEGERS: [i64; 4] = [3, 1, 2, 5];

/// What tensors of integers hold, which are indices and counts: also what lies outside.
const COUNTS: [f32; 7] = [2.0, 0.0, 1.0, 3.0, -1.0, 5.0, -2.0];

/// Fills the tensors of `case`, in place ones too, and gives its scalars values. What the kernel only writes holds
/// [`SENTINEL`] before.
pub fn fill(case: &Case, kind: Kind, seed: u64, plan: &Plan, (bindings, tensors): &mut (Bindings, Vec<TensorValues>)) {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    // The first seed has the first of each.
    let pick = |random: &mut Random, count: usize| {
        if seed == 1 {
            0
        } else {
            (random.bits() >> 32) as usize % count
        }
    };
    for value in bindings.floats.values_mut() {
        *value = FLOATS[pick(&mut random, FLOATS.len())];
    }
    for (name, value) in &mut bindings.integers {
        if !plan.extents.contains(name) {
            *value = INTEGERS[pick(&mut random, INTEGERS.len())];
        }
    }
    for tensor in tensors.iter_mut().filter(|tensor| tensor.element.is_integer()) {
        for value in &mut tensor.before {
            *value = COUNTS[(random.bits() >> 32) as usize % COUNTS.len()];
            if tensor.element != ElementType::I32 {
                *value = value.max(0.0);
            }
        }
    }
    let reader = plan.kernel(Role::Reader);
    let is_read = |tensor: &TensorValues| {
        let mut accessed = reader.iter().flat_map(|reader| &reader.compile_args);
        accessed.any(|CompileArg::Accessor(name)| *name == tensor.name)
    };
    let is_integer = |tensor: &TensorValues| tensor.element.is_integer();
    for tensor in tensors
        .iter_mut()
        .filter(|tensor| !is_read(tensor) && !is_integer(tensor))
    {
        tensor.before.fill(SENTINEL);
    }
    let read = (0..tensors.len()).filter(|at| is_read(&tensors[*at]) && !is_integer(&tensors[*at]));
    let read: Vec<usize> = read.collect();
    match (kind, &case.domain) {
        (Kind::Ordinary, Domain::Elementwise { value }) => {
            // The arrays are drawn together, so that the operation has a value for what meets in it.
            let count = read.iter().map(|at| tensors[*at].before.len()).max().unwrap_or(0);
            for element in 0..count {
                // Where an operation has no value for most numbers, a hundred draws do not miss all of the others.
                for _ in 0..100 {
                    let drawn: Vec<f64> = read
                        .iter()
                        .map(|at| {
                            let drawn = held(tensors[*at].element, (random.unit() * 8.0 - 4.0) as f32);
                            if let Some(place) = tensors[*at].before.get_mut(element) {
                                *place = drawn;
                            }
                            f64::from(drawn)
                        })
                        .collect();
                    if value(&drawn).is_finite() {
                        break;
                    }
                }
            }
        }
        (Kind::Ordinary, Domain::Sums) => {
            for at in read {
                let tensor = &mut tensors[at];
                for value in &mut tensor.before {
                    *value = held(tensor.element, (random.unit() * 2.0 - 1.0) as f32);
                }
            }
        }
        (Kind::Extreme, domain) => {
            for at in read {
                let tensor = &mut tensors[at];
                for value in &mut tensor.before {
                    *value = held(
                        tensor.element,
                        random.extreme(matches!(domain, Domain::Elementwise { .. })),
                    );
                }
            }
        }
    }
}

/// The nearest value that the type holds.
fn held(element: ElementType, value: f32) -> f32 {
    match element {
        ElementType::Bf16 => tt_host::bf16::from_f32(value).to_f32(),
        ElementType::F16 => tt_host::f16::from_f32(value).to_f32(),
        _ => value,
    }
}

/// xorshift64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Any sign and fraction; exponents near 0 or, with `specials`, anywhere, and now and then one of [`SPECIALS`].
    fn extreme(&mut self, specials: bool) -> f32 {
        let choice = self.bits() >> 32;
        if specials && choice.is_multiple_of(8) {
            return SPECIALS[(choice / 8) as usize % SPECIALS.len()];
        }
        let wide = specials && choice.is_multiple_of(2);
        let exponent = (if wide { 1 } else { 107 }) + (self.bits() >> 32) % (if wide { 254 } else { 41 });
        let rest = self.bits() >> 32;
        f32::from_bits((rest as u32 & 0x807F_FFFF) | (exponent as u32) << 23)
    }
}
