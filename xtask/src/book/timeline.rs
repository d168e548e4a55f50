//! A picture of what the processors of one core did when, from a trace of the emulator.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// How wide the picture is, and where time begins in it.
const WIDTH: f64 = 960.0;
const LEFT: f64 = 90.0;
/// How high the lane of a processor is.
const LANE: f64 = 34.0;

/// Something that a processor did.
struct Span {
    name: String,
    from: f64,
    until: f64,
}

/// An SVG of the core in `trace`, a Chrome trace, whose processors did the most; a call in which a processor may wait is light.
pub fn drawn(trace: &str) -> Result<String, String> {
    let trace: Value = serde_json::from_str(trace).map_err(|error| format!("no trace: {error}"))?;
    let events = trace["traceEvents"]
        .as_array()
        .ok_or("no trace: it has no `traceEvents`")?;
    let mut names: BTreeMap<(u64, u64), String> = BTreeMap::new();
    let mut cores: BTreeMap<u64, String> = BTreeMap::new();
    let mut spans: BTreeMap<(u64, u64), Vec<Span>> = BTreeMap::new();
    for event in events {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let core = event["pid"].as_u64().unwrap_or_default();
        let processor = (core, event["tid"].as_u64().unwrap_or_default());
        match (event["ph"].as_str(), event["name"].as_str()) {
            (Some("M"), Some("process_name")) => {
                cores.insert(core, text(&event["args"]["name"]));
            }
            (Some("M"), _) => {
                names.insert(processor, text(&event["args"]["name"]));
            }
            _ => {
                let from = event["ts"].as_f64().unwrap_or_default();
                let until = from + event["dur"].as_f64().unwrap_or_default();
                let name = text(&event["name"]);
                spans.entry(processor).or_default().push(Span { name, from, until });
            }
        }
    }
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for ((core, _), spans) in &spans {
        *counts.entry(*core).or_default() += spans.len();
    }
    let most = counts.values().max().ok_or("nothing happens in the trace")?;
    let core = counts
        .iter()
        .find(|(_, count)| *count == most)
        .map_or(0, |(core, _)| *core);
    let lanes: Vec<(&str, &[Span])> = names
        .iter()
        .filter(|((of, _), _)| *of == core)
        .map(|(processor, name)| (name.as_str(), spans.get(processor).map_or(&[][..], Vec::as_slice)))
        .collect();
    Ok(picture(cores.get(&core).map_or("", String::as_str), &lanes))
}

fn picture(core: &str, lanes: &[(&str, &[Span])]) -> String {
    let end = lanes
        .iter()
        .flat_map(|(_, spans)| spans.iter())
        .map(|span| span.until)
        .fold(0.0, f64::max);
    let scale = (WIDTH - LEFT) / end.max(f64::MIN_POSITIVE);
    let height = (lanes.len() as f64 + 1.0) * LANE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (lane, (name, spans)) in lanes.iter().enumerate() {
        let top = lane as f64 * LANE + 6.0;
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "<text x=\"4\" y=\"{:.0}\">{name}</text>", top + 16.0);
        for span in *spans {
            let _ = writeln!(
                text,
                "<rect x=\"{:.2}\" y=\"{top:.0}\" width=\"{:.2}\" height=\"{:.0}\" fill=\"{}\"/>",
                LEFT + span.from * scale,
                ((span.until - span.from) * scale).max(0.05),
                LANE - 12.0,
                colour(&span.name)
            );
        }
    }
    let _ = writeln!(
        text,
        "<text x=\"{LEFT}\" y=\"{:.0}\">{core}, {end:.1} µs</text>\n</svg>",
        lanes.len() as f64 * LANE + 20.0
    );
    text
}

/// Calls that wait for another processor or for the NoC are light; the engines' work, transfers and the rest are dark.
fn colour(name: &str) -> &'static str {
    match name {
        "cb_reserve_back"
        | "cb_wait_front"
        | "read barrier"
        | "write barrier"
        | "waits for a semaphore"
        | "tile_regs_acquire"
        | "tile_regs_wait" => "#dfe3ea",
        "matrix" => "#b5402f",
        "pack" => "#c98a2b",
        "read" | "write" | "multicast" => "#2f6db5",
        "cb_push_back" | "cb_pop_front" | "semaphore" | "tile_regs_commit" | "tile_regs_release" | "init" => "#7d8794",
        // A call of the vector unit.
        _ => "#4c8f4a",
    }
}

#[cfg(test)]
mod tests {
    use super::drawn;

    #[test]
    fn the_core_that_did_most_is_drawn_lane_by_lane() {
        let meta = |what: &str, pid: u8, tid: u8, name: &str| {
            format!("{{\"ph\":\"M\",\"name\":\"{what}\",\"pid\":{pid},\"tid\":{tid},\"args\":{{\"name\":\"{name}\"}}}}")
        };
        let span = |name: &str, pid: u8, tid: u8, at: u8| {
            format!("{{\"ph\":\"X\",\"name\":\"{name}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{at},\"dur\":2}}")
        };
        let events = [
            meta("process_name", 0, 0, "core (0,0)"),
            meta("process_name", 1, 1, "core (1,0)"),
            meta("thread_name", 0, 0, "reader"),
            meta("thread_name", 1, 1, "reader"),
            meta("thread_name", 1, 2, "matrix"),
            span("read", 0, 0, 0),
            span("read", 1, 1, 0),
            span("matrix", 1, 2, 8),
        ];
        let picture = drawn(&format!("{{\"traceEvents\":[{}]}}", events.join(","))).expect("it is a trace");
        assert!(picture.contains(">core (1,0), 10.0 µs<"), "{picture}");
        assert_eq!(picture.matches("<rect x=").count(), 2, "{picture}");
        assert!(drawn("{}").is_err());
    }
}
