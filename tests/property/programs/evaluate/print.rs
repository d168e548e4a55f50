//! The lines that blocks of the grid print.

use super::super::program::{Grid, Shown};
use super::Run;

impl Run<'_> {
    /// Where the block lies along the axes of its grid.
    fn coordinates(&self) -> Vec<usize> {
        let (by, bx) = self.place;
        let (_, width, _) = self.stage.block;
        match self.stage.grid {
            Grid::Plain => vec![bx, by],
            Grid::Flat => vec![by * self.shape.n.div_ceil(width) + bx],
            Grid::Matrices => vec![bx, by, self.matrix],
            Grid::Split => vec![bx, by / 2, by % 2, self.matrix],
        }
    }

    /// Texts and values that follow each other make a line, and each row of a block does.
    pub(super) fn print(&mut self, items: &[Shown]) {
        let coordinates: Vec<String> = self.coordinates().iter().map(usize::to_string).collect();
        let head = format!("block ({}):", coordinates.join(", "));
        let mut line = Vec::new();
        let mut lines = Vec::new();
        let mut end = |line: &mut Vec<String>| {
            if !line.is_empty() {
                lines.push(format!("{head} {}", line.join(" ")));
                line.clear();
            }
        };
        for item in items {
            match item {
                Shown::Text(text) => line.push((*text).to_owned()),
                Shown::Integer(term) => line.push(self.term(*term).to_string()),
                Shown::Number(eighths) => {
                    let number = f64::from(self.shape.alpha) + f64::from(*eighths) / 8.0;
                    line.push(number.to_string());
                }
                Shown::Truth(cond) => line.push(self.condition(cond).to_string()),
                Shown::Block(block) => {
                    end(&mut line);
                    let values = self.block(*block).iter().map(|value| match value {
                        value if value.is_nan() => "-".to_owned(),
                        // Whether a zero has a sign is nobody's business.
                        value => (value + 0.0).to_string(),
                    });
                    let values: Vec<String> = values.collect();
                    if self.stage.blocks[*block].is_vector {
                        line = vec![format!("b{block} {}", values.join(" "))];
                        end(&mut line);
                        continue;
                    }
                    let (_, columns) = self.stage.extent_of(*block);
                    for (row, values) in values.chunks(columns).enumerate() {
                        line = vec![format!("b{block}[{row}] {}", values.join(" "))];
                        end(&mut line);
                    }
                }
            }
        }
        end(&mut line);
        self.lines.extend(lines);
    }
}
