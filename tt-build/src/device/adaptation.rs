//! What has to be said differently to a compiler that is not the vendor's.
//!
//! The command lines of [`super::command`] are those of the JIT. A stock RISC-V GCC does not know some of their options and
//! needs others in their place; which, is data that whoever sets such a compiler up hands in.

use std::ffi::OsString;
use std::path::PathBuf;

/// The differences; by default none.
#[derive(Debug, Clone, Default)]
pub struct Adaptation {
    /// Options that begin like one of these are left out.
    pub dropped: Vec<String>,
    /// Options that are exactly the first are replaced by the second.
    pub replaced: Vec<(String, Vec<String>)>,
    /// The runtime's headers are system headers: of what is in them the compiler does not warn by default.
    pub system_headers: bool,
    /// Comes last in every compile.
    pub compile: Vec<OsString>,
    /// Comes first in every link.
    pub link: Vec<OsString>,
    /// Comes after the objects of every link.
    pub libraries: Vec<OsString>,
}

impl Adaptation {
    pub(super) fn compile_words(&self, words: Vec<OsString>) -> Vec<OsString> {
        let mut words = self.adapted(words);
        words.extend(self.compile.iter().cloned());
        words
    }

    pub(super) fn link_words(&self, words: Vec<OsString>) -> Vec<OsString> {
        let mut all = self.link.clone();
        all.extend(self.adapted(words));
        all
    }

    pub(super) fn include_words(&self, folders: &[PathBuf]) -> Vec<OsString> {
        let word = |folder: &PathBuf| {
            let mut word = OsString::from(if self.system_headers { "-isystem" } else { "-I" });
            word.push(folder);
            word
        };
        folders.iter().map(word).collect()
    }

    fn adapted(&self, words: Vec<OsString>) -> Vec<OsString> {
        let mut adapted = Vec::with_capacity(words.len());
        for word in words {
            let text = word.to_string_lossy();
            if let Some((_, others)) = self.replaced.iter().find(|(option, _)| *option == text) {
                adapted.extend(others.iter().map(OsString::from));
            } else if !self.dropped.iter().any(|start| text.starts_with(start.as_str())) {
                adapted.push(word);
            }
        }
        adapted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_dropped_by_their_beginning_and_replaced_whole() {
        let adaptation = Adaptation {
            dropped: vec!["-ftt-".into(), "-flto".into()],
            replaced: vec![("-mcpu=tt-wh".into(), vec!["-march=rv32im".into(), "-mabi=ilp32".into()])],
            compile: vec!["-O1".into()],
            ..Adaptation::default()
        };
        let words = ["-ftt-nttp", "-mcpu=tt-wh", "-flto=1", "-mcpu=tt-wh-tensix"]
            .map(OsString::from)
            .to_vec();
        let expected = ["-march=rv32im", "-mabi=ilp32", "-mcpu=tt-wh-tensix", "-O1"];
        assert_eq!(adaptation.compile_words(words), expected);
    }
}
