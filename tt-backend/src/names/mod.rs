//! Names of the emitted code: the user's own where nobody else has them, else with a number.
//!
//! All names that the emitted files give to what users named, or that derive from it, come from [`Names`]. None of them is
//! [`is_reserved`], and everything else that the files mention is: code writers refuse to declare anything that breaks this, and
//! tests hold the words of the headers to it.

mod reserved;

pub use reserved::is_reserved;
use tt_lang::hash::{HashMap, HashSet};

/// Gives out names, each once.
#[derive(Debug, Clone, Default)]
pub struct Names {
    taken: HashSet<String>,
    /// The last number tried behind each name.
    numbers: HashMap<String, usize>,
}

impl Names {
    /// `wanted` where it is free and may be an identifier of C++, else something like it.
    pub fn give(&mut self, wanted: &str) -> String {
        let base = identifier(wanted);
        let from = self.numbers.get(&base).copied().unwrap_or(1);
        let (name, number) = first_free(&base, from, |name| self.is_free(name));
        self.taken.insert(name.clone());
        self.numbers.insert(base, number);
        name
    }

    fn is_free(&self, name: &str) -> bool {
        !self.taken.contains(name) && !is_reserved(name)
    }

    /// As [`Names::give`], for a name of which only `derived` names are printed: all of them are free, and taken now.
    pub fn give_with(&mut self, wanted: &str, derived: impl Fn(&str) -> Vec<String>) -> String {
        let base = identifier(wanted);
        let from = self.numbers.get(&base).copied().unwrap_or(1);
        let are_free = |name: &str| derived(name).iter().all(|name| self.is_free(name));
        let (name, number) = first_free(&base, from, are_free);
        self.taken.extend(derived(&name));
        self.numbers.insert(base, number);
        name
    }
}

/// Gives out names as they are wanted, numbered where somebody has them.
#[derive(Debug, Clone, Default)]
pub struct Numbered {
    taken: HashSet<String>,
    /// The last number tried behind each name: none before it is free again.
    numbers: HashMap<String, usize>,
}

impl Numbered {
    /// Those that are given out.
    pub fn of(taken: impl IntoIterator<Item = String>) -> Numbered {
        Numbered {
            taken: taken.into_iter().collect(),
            numbers: HashMap::default(),
        }
    }

    /// `wanted` where it is free, else with a number.
    pub fn give(&mut self, wanted: &str) -> String {
        let from = self.numbers.get(wanted).copied().unwrap_or(1);
        let (name, number) = first_free(wanted, from, |name| !self.taken.contains(name));
        self.taken.insert(name.clone());
        self.numbers.insert(wanted.to_string(), number);
        name
    }
}

/// The first of `base`, `base_2`, `base_3` .. that is free, from this number on, and its number.
pub fn first_free(base: &str, from: usize, is_free: impl Fn(&str) -> bool) -> (String, usize) {
    let mut number = from;
    // Every round has another name, and those that are not free are finitely many.
    loop {
        let name = match number {
            1 => base.to_string(),
            number => format!("{base}_{number}"),
        };
        if is_free(&name) {
            return (name, number);
        }
        number += 1;
    }
}

/// What of `name` an identifier of C++ can keep: its ASCII letters and digits, with single underscores between. So
/// nothing put before or behind it with one more underscore is the implementation's.
fn identifier(name: &str) -> String {
    let words: Vec<&str> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let text = words.join("_");
    if text.is_empty() {
        "v".to_string()
    } else if name.starts_with('_') || text.starts_with(|c: char| c.is_ascii_digit()) {
        format!("v_{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_unless_somebody_has_them() {
        let mut names = Names::default();
        for (wanted, given) in [
            ("by", "by"),
            ("by", "by_2"),
            ("by_2", "by_2_2"),
            ("by", "by_3"),
            ("template", "template_2"),
            ("tt_arg", "tt_arg"),
            ("tt", "tt_2"),
            ("row", "row_2"),
            ("cb_wait_front", "cb_wait_front_2"),
            ("exp_tile", "exp_tile_2"),
            ("_", "v"),
            ("_", "v_2"),
            ("x_", "x"),
            ("x__", "x_2"),
            ("__x", "v_x"),
            ("вход", "v_3"),
            ("a変b", "a_b"),
            ("2d", "v_2d"),
            ("MATH", "MATH_2"),
            ("ALU_FORMAT_SPEC_REG_MASK", "ALU_FORMAT_SPEC_REG_MASK_2"),
        ] {
            assert_eq!(names.give(wanted), given, "{wanted}");
        }
    }

    #[test]
    fn names_that_others_derive_from_leave_room_for_these() {
        let mut names = Names::default();
        let tensor = |name: &str| vec![name.to_string(), format!("{name}_address")];
        assert_eq!(names.give_with("a_address", tensor), "a_address");
        assert_eq!(names.give_with("a", tensor), "a_2");
        let buffer = |name: &str| vec![format!("cb_{name}")];
        assert_eq!(names.give_with("wait_front", buffer), "wait_front_2");
        assert_eq!(names.give_with("wait_front", buffer), "wait_front_3");
    }

    #[test]
    fn as_many_names_as_one_likes_take_as_long_as_they_are_many() {
        let mut names = Names::default();
        let all: HashSet<String> = (0..20_000).map(|_| names.give("_")).collect();
        assert_eq!(all.len(), 20_000);
    }

    #[test]
    fn no_name_at_all_is_refused_or_given_twice() {
        let letters: Vec<char> = "_a1Zéя変".chars().collect();
        let mut names = Names::default();
        let mut given = HashSet::default();
        for mut at in 0..7_usize.pow(4) {
            let mut wanted = String::new();
            for _ in 0..4 {
                wanted.push(letters[at % 7]);
                at /= 7;
            }
            let name = names.give(&wanted);
            assert!(!is_reserved(&name), "{wanted}: {name}");
            assert!(
                name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'),
                "{wanted}: {name}"
            );
            assert!(given.insert(name), "{wanted}");
        }
    }
}
