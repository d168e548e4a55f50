//! Whether the plan of a launch, as [`Execution`](crate::Execution) is written, is consistent: the five rules of the seeds
//! (architecture, appendix A).

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

/// What the rules look at.
#[derive(Deserialize)]
struct LaunchPlan {
    core_grid: [u64; 2],
    core_ranges: Vec<Range>,
    work_partition: BTreeMap<String, Vec<Item>>,
    layouts: BTreeMap<String, Layout>,
    #[serde(default)]
    later: Vec<LaunchPlan>,
}

#[derive(Deserialize)]
struct Range {
    start: [u64; 2],
    extent: [u64; 2],
}

#[derive(Deserialize)]
struct Item {
    io: u64,
    jo: u64,
    #[serde(default)]
    batch: u64,
}

#[derive(Deserialize)]
struct Layout {
    shard: String,
}

/// What is wrong with the plan of a launch of a kernel with these tensors; empty for a good one. Ranges lie in the grid of cores and do not
/// overlap; every block up to the last is given to one core, which is in a range; tensors lie in `DRAM` or `L1`; and there are no layouts but of
/// the kernel's tensors.
pub fn validate_launch(json: &str, tensors: &[&str]) -> Vec<String> {
    match serde_json::from_str::<LaunchPlan>(json) {
        Ok(plan) => plan.errors(tensors),
        Err(error) => vec![format!("it is no plan of a launch: {error}")],
    }
}

impl LaunchPlan {
    fn errors(&self, tensors: &[&str]) -> Vec<String> {
        let mut errors = Vec::new();
        let [columns, rows] = self.core_grid;
        let mut cores = BTreeSet::new();
        for Range {
            start: [x, y],
            extent: [width, height],
        } in &self.core_ranges
        {
            let ends = [x.checked_add(*width), y.checked_add(*height)];
            let [Some(right), Some(bottom)] = ends else {
                errors.push(format!("the range at ({x}, {y}) has no end"));
                continue;
            };
            if right > columns || bottom > rows {
                errors.push(format!(
                    "the range of {width} × {height} cores at ({x}, {y}) is not in the grid of {columns} × {rows}"
                ));
                continue;
            }
            let mut of_range = (*y..bottom).flat_map(|y| (*x..right).map(move |x| (x, y)));
            if let Some((x, y)) = of_range.find(|core| !cores.insert(*core)) {
                errors.push(format!("core ({x}, {y}) is in two ranges"));
            }
        }
        let mut blocks = BTreeSet::new();
        for (core, items) in &self.work_partition {
            if !cores.iter().any(|(x, y)| *core == format!("({x},{y})")) {
                errors.push(format!("core {core} has blocks and is in no range"));
            }
            for Item { io, jo, batch } in items {
                if !blocks.insert((*batch, *io, *jo)) {
                    errors.push(format!("block ({io}, {jo}) is given to two cores"));
                }
            }
        }
        let end =
            |of: fn(&(u64, u64, u64)) -> u64| blocks.iter().map(of).max().map_or(0, |last| last.saturating_add(1));
        let extents = [end(|at| at.0), end(|at| at.1), end(|at| at.2)];
        let all = extents.iter().try_fold(1u64, |all, extent| all.checked_mul(*extent));
        if all != Some(blocks.len() as u64) {
            errors.push(format!(
                "{} blocks of a grid of {extents:?} are given to cores",
                blocks.len()
            ));
        }
        for (name, Layout { shard }) in &self.layouts {
            if !["DRAM", "L1"].contains(&shard.as_str()) {
                errors.push(format!("`{name}` lies in `{shard}`, which is neither DRAM nor L1"));
            }
            if !tensors.contains(&name.as_str()) {
                errors.push(format!("`{name}` has a layout and is no tensor of the kernel"));
            }
        }
        errors.extend(self.later.iter().flat_map(|stage| stage.errors(tensors)));
        errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_rule_refuses_what_breaks_it() {
        let good = json!({
            "core_grid": [2, 1],
            "core_ranges": [{ "start": [0, 0], "extent": [2, 1] }],
            "work_partition": {
                "(0,0)": [{ "io": 0, "jo": 0, "tile_order": "row_major" }],
                "(1,0)": [{ "io": 0, "jo": 1, "tile_order": "row_major" }]
            },
            "layouts": { "a": { "shard": "L1", "interleave": false, "shape": [32, 64] } }
        });
        let refusal = |pointer: &str, value: serde_json::Value| {
            let mut plan = good.clone();
            *plan.pointer_mut(pointer).unwrap() = value;
            validate_launch(&plan.to_string(), &["a"]).join("; ")
        };
        assert_eq!(validate_launch(&good.to_string(), &["a"]), [""; 0]);
        assert!(refusal("/core_grid", json!([1, 1])).contains("is not in the grid of 1 × 1"));
        let twice = json!([{ "start": [0, 0], "extent": [2, 1] }, { "start": [1, 0], "extent": [1, 1] }]);
        assert!(refusal("/core_ranges", twice).contains("core (1, 0) is in two ranges"));
        assert!(
            refusal("/work_partition/(1,0)", json!([{ "io": 1, "jo": 1 }])).contains("2 blocks of a grid of [1, 2, 2]")
        );
        assert!(refusal("/work_partition/(1,0)", json!([{ "io": 0, "jo": 0 }])).contains("is given to two cores"));
        assert!(refusal("/core_ranges/0/extent", json!([1, 1])).contains("core (1,0) has blocks and is in no range"));
        assert!(refusal("/layouts/a/shard", json!("L2")).contains("neither DRAM nor L1"));
        assert!(refusal("/layouts", json!({ "b": { "shard": "L1" } })).contains("`b` has a layout and is no tensor"));
    }
}
