//! What was measured of the variants of kernels: a file beside a package's `Cargo.toml`, written by `cargo xtask tune`, from which a
//! launch takes the variant that was fastest for its shapes and chip.

use crate::{DeviceGrid, Formula, Parameter, Signature};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use tt_device::TILE_SIDE;

/// The name of the file.
pub const TUNING_FILE: &str = "tt-tune.json";

/// The version of its form.
const VERSION: u32 = 1;

/// What was measured of a package's kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    version: u32,
    /// Each kernel at each class of shapes and device, in order.
    pub launches: Vec<TunedLaunch>,
}

/// What a launch is, as far as it decides how fast variants are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningKey {
    /// The crate, the modules and the function: `app::layers::matmul`.
    pub kernel: String,
    /// What [`Signature::class`] says of its arguments.
    pub class: BTreeMap<String, String>,
    /// The chip, as `TT_DEVICE` names it.
    pub arch: String,
    /// Columns and rows of its cores.
    pub cores: [u32; 2],
    /// The version of the compiler whose code was measured.
    pub compiler: String,
}

impl TuningKey {
    /// The key of a launch of `kernel` by the compiler of this version.
    pub fn new(kernel: &str, class: BTreeMap<String, String>, arch: &str, cores: DeviceGrid) -> TuningKey {
        TuningKey {
            kernel: kernel.to_string(),
            class,
            arch: arch.to_string(),
            cores: [cores.x, cores.y],
            compiler: env!("CARGO_PKG_VERSION").to_string(),
        }
    }
}

/// The variants of a launch that were measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TunedLaunch {
    /// What was launched.
    #[serde(flatten)]
    pub key: TuningKey,
    /// By what the time was measured.
    pub measured_by: MeasuredBy,
    /// The fastest first.
    pub variants: Vec<TunedVariant>,
}

/// What measured the time of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasuredBy {
    /// The clock of the emulator.
    Clock,
    /// The host, of launches on a card.
    Card,
}

/// A variant and its time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TunedVariant {
    /// Its constants.
    pub constants: BTreeMap<String, i64>,
    /// How long the launch took, in nanoseconds.
    pub nanoseconds: f64,
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning {
            version: VERSION,
            launches: Vec::new(),
        }
    }
}

impl Tuning {
    /// What the text of a file says.
    ///
    /// # Errors
    /// Where it is not of the form that this version writes, in one line.
    pub fn from_json(text: &str) -> Result<Tuning, String> {
        let tuning: Tuning = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if tuning.version != VERSION {
            return Err(format!("its version is {}, not {VERSION}", tuning.version));
        }
        for launch in &tuning.launches {
            if let Some(variant) = launch.variants.iter().find(|variant| variant.nanoseconds <= 0.0) {
                let (kernel, time) = (&launch.key.kernel, variant.nanoseconds);
                return Err(format!("`{kernel}` took {time} nanoseconds, which no launch does"));
            }
        }
        Ok(tuning)
    }

    /// The text of the file.
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("plain data has a text") + "\n"
    }

    /// What was measured of a launch.
    pub fn of(&self, key: &TuningKey) -> Option<&TunedLaunch> {
        self.launches.iter().find(|launch| launch.key == *key)
    }

    /// Adds a measurement, in place of an earlier one of the same variant by the same means. Those of a card are in place of those of
    /// the clock.
    pub fn add(&mut self, key: &TuningKey, measured_by: MeasuredBy, variant: TunedVariant) {
        let at = self.launches.iter().position(|launch| launch.key == *key);
        let at = at.unwrap_or_else(|| {
            self.launches.push(TunedLaunch {
                key: key.clone(),
                measured_by,
                variants: Vec::new(),
            });
            self.launches.len() - 1
        });
        let launch = &mut self.launches[at];
        if launch.measured_by != measured_by {
            launch.measured_by = measured_by;
            launch.variants.clear();
        }
        launch.variants.retain(|other| other.constants != variant.constants);
        launch.variants.push(variant);
        launch.variants.sort_by(|a, b| a.nanoseconds.total_cmp(&b.nanoseconds));
        self.launches.sort_by(|a, b| a.key.cmp(&b.key));
    }
}

impl Signature {
    /// The class of the shapes of a launch, in which its variants take the same time: of an extent that is only the rows or columns of
    /// tiled matrices its number of tiles (`64 tiles`), of others, and of integer scalars, the value. A number that `integers` does not
    /// have is left out.
    pub fn class(&self, integers: &dyn Fn(&str) -> Option<i64>) -> BTreeMap<String, String> {
        let mut exact = BTreeSet::new();
        for parameter in &self.parameters {
            match parameter {
                Parameter::Tensor { extents, .. } => {
                    let leading = extents.len().saturating_sub(2);
                    for (axis, extent) in extents.iter().enumerate() {
                        if axis < leading || !matches!(extent, Formula::Name(_)) {
                            names(extent, &mut exact);
                        }
                    }
                }
                Parameter::Scalar { name, .. } => drop(exact.insert(name.as_str())),
            }
        }
        let scalars = exact.iter().copied();
        let known = self.extents.iter().map(String::as_str).chain(scalars);
        let class = known.filter_map(|name| {
            let value = integers(name)?;
            let class = if exact.contains(name) {
                value.to_string()
            } else {
                let side = i64::from(TILE_SIDE);
                format!("{} tiles", value.saturating_add(side - 1) / side)
            };
            Some((name.to_string(), class))
        });
        class.collect()
    }
}

fn names<'f>(formula: &'f Formula, found: &mut BTreeSet<&'f str>) {
    match formula {
        Formula::Const(_) => {}
        Formula::Name(name) => drop(found.insert(name)),
        Formula::Op(op) => {
            let (_, a, b) = op.parts();
            names(a, found);
            names(b, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tiles: &str) -> TuningKey {
        let class = BTreeMap::from([("M".to_string(), tiles.to_string())]);
        TuningKey::new("app::kernel", class, "blackhole", DeviceGrid { x: 13, y: 10 })
    }

    fn variant(block: i64, nanoseconds: f64) -> TunedVariant {
        TunedVariant {
            constants: BTreeMap::from([("BM".to_string(), block)]),
            nanoseconds,
        }
    }

    #[test]
    fn the_fastest_is_first_and_a_card_knows_better_than_the_clock() {
        let mut tuning = Tuning::default();
        for (block, time) in [(64, 30.0), (128, 20.0), (256, 25.0), (128, 27.0)] {
            tuning.add(&key("4 tiles"), MeasuredBy::Clock, variant(block, time));
        }
        tuning.add(&key("8 tiles"), MeasuredBy::Clock, variant(64, 1.0));
        let read = Tuning::from_json(&tuning.to_json()).expect("its own text");
        assert_eq!(read, tuning);
        let refused = Tuning::from_json(&tuning.to_json().replace("30.0", "-30.0"));
        assert!(refused.is_err_and(|error| error.contains("took -30 nanoseconds")));
        let found = read.of(&key("4 tiles")).expect("it was measured");
        let order: Vec<f64> = found.variants.iter().map(|variant| variant.nanoseconds).collect();
        assert_eq!(order, [25.0, 27.0, 30.0]);
        tuning.add(&key("4 tiles"), MeasuredBy::Card, variant(64, 50.0));
        assert_eq!(tuning.of(&key("4 tiles")).map(|launch| launch.variants.len()), Some(1));
        assert!(tuning.of(&key("5 tiles")).is_none());
    }

    #[test]
    fn another_form_is_refused() {
        let text = Tuning::default().to_json();
        let broken = [
            (text.replace('1', "2"), "its version is 2"),
            (text.replace("launches", "lunches"), "lunches"),
            (text[..text.len() / 2].to_string(), "EOF"),
        ];
        for (text, expected) in broken {
            let error = Tuning::from_json(&text).expect_err(expected);
            assert!(error.contains(expected), "`{error}` does not mention `{expected}`");
        }
    }
}
