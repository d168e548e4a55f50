//! Reports as rustc prints them, by the crate that it prints them with.

use super::expansion::Report;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::ops::Range;

/// The page of the file `path` with these `reports`, or why there is none.
pub(super) fn page(path: &str, text: &str, reports: &[Report]) -> Result<String, String> {
    // rustc looks for deprecated names only where there are no errors.
    let errors = reports.iter().any(|report| !report.warning);
    let reports: Vec<&Report> = reports.iter().filter(|report| report.warning != errors).collect();
    if reports.is_empty() {
        return Err("nothing is reported".to_string());
    }
    if let Some(report) = reports.iter().find(|report| report.place.is_empty()) {
        return Err(format!("this has no place: {}", report.text));
    }
    let level = match errors {
        true => None,
        false => Some(denied(text).ok_or("it has warnings only, so it needs `#![deny(deprecated)]`")?),
    };
    let at = |place: &Range<usize>| {
        let primary = AnnotationKind::Primary.span(place.clone());
        Snippet::source(text).path(path).annotation(primary)
    };
    let pages = reports.iter().enumerate().map(|(index, report)| {
        let mut groups = vec![
            Level::ERROR
                .primary_title(report.text.as_str())
                .element(at(&report.place)),
        ];
        if let Some(level) = level.as_ref().filter(|_| index == 0) {
            let note = Level::NOTE.secondary_title("the lint level is defined here");
            groups.push(note.element(at(level)));
        }
        // Without the blanks at the ends of lines, which `tests/ui.rs` does not keep either.
        let lines = Renderer::plain().render(&groups);
        lines.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    });
    Ok(pages.collect::<Vec<String>>().join("\n"))
}

/// Where the file says that a warning is an error.
fn denied(text: &str) -> Option<Range<usize>> {
    let (before, lint) = ("#![deny(", "deprecated");
    let start = text.find(&format!("{before}{lint})]"))? + before.len();
    Some(start..start + lint.len())
}
