//! The order of some steps of a program, as a line of text.

/// What becomes of a buffer's versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The producer appends one.
    Push,
    /// The consumer uses the front one.
    Use,
    /// The consumer drops the front one.
    Pop,
}

/// The order of the steps of one end of a buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    text: String,
    /// The loops and branches that are open in it.
    open: Vec<Within>,
}

/// A loop, or a side of a branch: its number, and which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    Loop(usize),
    Then(usize),
    Else(usize),
}

impl Line {
    /// What becomes of a version, under these loops and branches.
    pub fn step(&mut self, step: Step, path: &[Within]) {
        let letter = match step {
            Step::Push => '+',
            Step::Use => 'u',
            Step::Pop => '-',
        };
        self.enter(path);
        if step != Step::Use || !self.text.ends_with(letter) {
            self.text.push(letter);
        }
    }

    /// A word, under these loops and branches; the same one after the other is one.
    pub fn word(&mut self, word: &str, path: &[Within]) {
        self.enter(path);
        if !self.text.ends_with(word) {
            self.text.push_str(word);
        }
    }

    /// Opens and closes what is around the next step.
    fn enter(&mut self, path: &[Within]) {
        if self.open == path {
            return;
        }
        let same = self.open.iter().zip(path).take_while(|(a, b)| a == b).count();
        let other_side = match (self.open.get(same), path.get(same)) {
            (Some(Within::Then(a)), Some(Within::Else(b))) => a == b,
            _ => false,
        };
        self.close(same + usize::from(other_side));
        if other_side {
            self.text.push('|');
            self.open[same] = path[same];
        }
        for within in &path[self.open.len()..] {
            self.text.push_str(match within {
                Within::Loop(_) => "[",
                Within::Then(_) => "(",
                Within::Else(_) => "(|",
            });
            self.open.push(*within);
        }
    }

    /// The whole line.
    pub fn closed(mut self) -> String {
        self.close(0);
        self.text
    }

    /// Closes all but the outermost `keep`.
    fn close(&mut self, keep: usize) {
        while self.open.len() > keep {
            self.text.push(match self.open.pop() {
                Some(Within::Loop(_)) => ']',
                _ => ')',
            });
        }
    }
}
