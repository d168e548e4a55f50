//! What every processor did when, as a Chrome trace: Perfetto and `chrome://tracing` show it.

use super::event::{Event, RegisterStep};
use crate::arch::Arch;
use std::fmt::Write;

/// A stretch of one processor's time.
pub(super) struct Span {
    /// The processor, by its place in the replay.
    pub processor: usize,
    /// What it did.
    pub name: &'static str,
    /// From when, in cycles.
    pub from: u64,
    /// Until when.
    pub until: u64,
}

/// Spans as they come, those of a processor that follow each other and are called the same as one.
#[derive(Default)]
pub(super) struct Timeline {
    spans: Vec<Span>,
    last: Vec<usize>,
}

impl Timeline {
    pub fn add(&mut self, span: Span) {
        if span.from == span.until {
            return;
        }
        if self.last.len() <= span.processor {
            self.last.resize(span.processor + 1, usize::MAX);
        }
        let last = &mut self.last[span.processor];
        match self.spans.get_mut(*last) {
            Some(before) if before.name == span.name && before.until == span.from => before.until = span.until,
            _ => {
                *last = self.spans.len();
                self.spans.push(span);
            }
        }
    }

    /// The file: `processors` are the core, by its number in the grid, and the name of each.
    pub fn json(&self, arch: &Arch, processors: &[(u16, &'static str)]) -> String {
        let mut text = String::from("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
        let mut first = true;
        let mut entry = |line: String| {
            text.push_str(if first { "" } else { ",\n" });
            first = false;
            text.push_str(&line);
        };
        for (thread, (core, name)) in processors.iter().enumerate() {
            let (x, y) = (usize::from(*core) % arch.grid.0, usize::from(*core) / arch.grid.0);
            entry(format!(
                "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{core},\"args\":{{\"name\":\"core ({x},{y})\"}}}}"
            ));
            entry(format!(
                "{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{core},\"tid\":{thread},\"args\":{{\"name\":\"{name}\"}}}}"
            ));
        }
        for span in &self.spans {
            let microseconds = |cycles: u64| cycles as f64 / f64::from(arch.clock_mhz);
            let mut line = String::new();
            let _ = write!(
                line,
                "{{\"ph\":\"X\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3},\"dur\":{:.3}}}",
                span.name,
                processors[span.processor].0,
                span.processor,
                microseconds(span.from),
                microseconds(span.until - span.from)
            );
            entry(line);
        }
        text.push_str("\n]}\n");
        text
    }
}

/// What an event is called.
pub(super) fn name(event: &Event) -> &'static str {
    match event {
        Event::Reserve { .. } => "cb_reserve_back",
        Event::Push { .. } => "cb_push_back",
        Event::Wait { .. } => "cb_wait_front",
        Event::Pop { .. } => "cb_pop_front",
        Event::Read { .. } => "read",
        Event::Write { .. } => "write",
        Event::Multicast { .. } => "multicast",
        Event::Signal { .. } | Event::SignalMulticast { .. } => "semaphore",
        Event::ReadBarrier { .. } => "read barrier",
        Event::WriteBarrier { .. } => "write barrier",
        Event::Semaphore { .. } => "waits for a semaphore",
        Event::Registers(RegisterStep::Acquire) => "tile_regs_acquire",
        Event::Registers(RegisterStep::Commit) => "tile_regs_commit",
        Event::Registers(RegisterStep::Wait) => "tile_regs_wait",
        Event::Registers(RegisterStep::Release) => "tile_regs_release",
        Event::Matrix { .. } => "matrix",
        Event::Vector { name, .. } => name,
        Event::Pack { .. } | Event::PackRows { .. } => "pack",
        Event::Configure { .. } => "init",
    }
}
