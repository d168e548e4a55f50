//! Runtime arguments as kernels read them.

use crate::rules;

use super::risc::Risc;

impl Risc {
    /// The unique runtime argument `index`.
    #[inline]
    pub fn argument(&mut self, index: u32, line: i32) -> *const u32 {
        match self.arguments.get(index as usize) {
            Some(word) => word,
            None => {
                let detail = format!("argument {index}, the host set {}", self.arguments.len());
                self.violation(&rules::ARGUMENT_INDEX, line, detail)
            }
        }
    }

    /// The common runtime argument `index`.
    #[inline]
    pub fn common_argument(&mut self, index: u32, line: i32) -> *const u32 {
        match self.part.arguments.get(index as usize) {
            Some(word) => word,
            None => {
                let detail = format!("common argument {index}, the host set {}", self.part.arguments.len());
                self.violation(&rules::ARGUMENT_INDEX, line, detail)
            }
        }
    }
}
