//! `TT_EMULATOR_ALLOW`: rules whose break a run may go on from.
//!
//! Some programs break a rule where the device shrugs: pages written or pushed that were free though nobody reserved them, a
//! section of the destination registers given back twice, pages of a filled buffer read without waiting for them, writes that
//! nobody waits for. The emulator stops them, for the same line is a fault elsewhere. Who has to run them as they are names the
//! rules, `TT_EMULATOR_ALLOW=EMU0104,EMU0506`; each place is then said once on stderr, and the run goes on as the device does.
//! What would harm on the device is refused all the same.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::compute::rules::DST_RELEASE;
use crate::report::Place;
use crate::rules::{self, Rule};

/// The variable that names them.
pub const VARIABLE: &str = "TT_EMULATOR_ALLOW";

/// Rules that can be allowed, with what the device does where they are broken, and where they are refused nevertheless.
pub static ALLOWABLE: &[(&Rule, &str)] = &[
    (
        &rules::CB_PUSH_BEYOND_RESERVE,
        "The device hands over pages that are free whether reserved or not. Where the ring has fewer free pages than are \
         pushed, this stays refused.",
    ),
    (
        &rules::CB_POP_BEYOND_WAIT,
        "Giving back what nobody handed over moves the read pointer, as always. Where the pages are not those of a buffer that \
         was filled before the run, or somebody hands some over, this stays refused.",
    ),
    (
        &rules::CB_FRONT_WINDOW,
        "The unpacker reads what lies at the read pointer. It stays refused in the same cases.",
    ),
    (
        &rules::CB_BACK_WINDOW,
        "The packer writes behind the write pointer whether pages are reserved or not. A page that is not free stays refused.",
    ),
    (
        &rules::NOC_WRITE_AT_END,
        "What is under way arrives all the same, unless its source is overwritten before it has left: that takes another program \
         on the core.",
    ),
    (
        &DST_RELEASE,
        "A second release clears a section that is clear already. A release of a section that is in use stays refused.",
    ),
];

/// Rules that a user allows to be broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowed(u32);

impl Allowed {
    /// What the environment allows.
    ///
    /// # Errors
    /// As [`Allowed::parse`]; also where the variable is no text.
    pub fn of_environment() -> Result<Allowed, String> {
        match std::env::var(VARIABLE) {
            Ok(text) => Allowed::parse(&text),
            Err(std::env::VarError::NotPresent) => Ok(Allowed::default()),
            Err(std::env::VarError::NotUnicode(_)) => Err(format!("{VARIABLE} is no text")),
        }
    }

    /// The rules of a list of codes, separated by commas.
    ///
    /// # Errors
    /// Where a code is none, or of a rule that cannot be allowed.
    ///
    /// # Examples
    /// ```
    /// use tt_emulator::allowed::Allowed;
    /// assert!(Allowed::parse("EMU0104, EMU0506").is_ok());
    /// assert!(Allowed::parse("EMU0003").unwrap_err().contains("cannot be allowed"));
    /// ```
    pub fn parse(text: &str) -> Result<Allowed, String> {
        let mut allowed = Allowed::default();
        for code in text.split(',').map(str::trim).filter(|code| !code.is_empty()) {
            let Some(index) = ALLOWABLE.iter().position(|(rule, _)| rule.code == code) else {
                let known: Vec<_> = ALLOWABLE.iter().map(|(rule, _)| rule.code).collect();
                let why = match rules::all().find(|rule| rule.code == code) {
                    Some(rule) => format!("{code} ({}) cannot be allowed", rule.title),
                    None => format!("`{code}` is the code of no rule"),
                };
                return Err(format!("{VARIABLE}: {why}; what can be is {}", known.join(", ")));
            };
            allowed.0 |= 1 << index;
        }
        Ok(allowed)
    }

    /// Whether `rule` may be broken.
    pub(crate) fn contains(self, rule: &Rule) -> bool {
        let index = ALLOWABLE.iter().position(|(known, _)| *known == rule);
        index.is_some_and(|index| self.0 & 1 << index != 0)
    }
}

/// Says on stderr that a rule is broken and the run goes on: once for each line of a kernel.
pub(crate) fn warn(rule: &'static Rule, place: &Place, detail: &str) {
    static SAID: Mutex<BTreeSet<(&str, String, u32)>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.insert((rule.code, place.kernel.clone(), place.line)) {
        eprintln!(
            "warning: {}: {}: {detail}\n  at {place}\n  allowed by {VARIABLE}",
            rule.code, rule.title
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_rules_that_can_be_allowed() {
        let both = Allowed::parse("EMU0506,EMU0104,").unwrap();
        assert!(both.contains(&rules::CB_PUSH_BEYOND_RESERVE) && both.contains(&DST_RELEASE));
        let one = Allowed::parse("EMU0104").unwrap();
        assert!(!one.contains(&DST_RELEASE) && !one.contains(&rules::DEADLOCK));
        assert_eq!(Allowed::parse(""), Ok(Allowed::default()));
        let unknown = Allowed::parse("EMU0104,all").unwrap_err();
        assert_eq!(
            unknown,
            "TT_EMULATOR_ALLOW: `all` is the code of no rule; what can be is EMU0104, EMU0105, EMU0111, EMU0112, EMU0211, EMU0506"
        );
        let other = Allowed::parse("EMU0003").unwrap_err();
        assert!(other.contains("EMU0003 (deadlock) cannot be allowed"), "{other}");
    }
}
