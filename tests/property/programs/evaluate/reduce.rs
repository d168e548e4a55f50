//! Reductions.

use super::super::program::{Class, Element, Kind, Part, Stmt};
use super::{Inexact, LIMIT, Run};

impl Run<'_> {
    pub(super) fn reduce(&mut self, stmt: &Stmt) -> Result<(), Inexact> {
        let Stmt::Reduce {
            id,
            fold,
            class,
            from,
            into,
            to,
            positions,
            clear,
        } = stmt
        else {
            return Ok(());
        };
        let (rows, columns) = self.stage.extent(*class);
        let extent = self.stage.extent(*into);
        let count = extent.0 * extent.1;
        let element = self.stage.blocks[from.block].element;
        let nothing = match *fold {
            "max" if element == Element::I32 => f64::from(i32::MIN),
            "min" if element == Element::I32 => f64::from(i32::MAX),
            "max" if element == Element::U32 => 0.0,
            "min" if element == Element::U32 => f64::from(u32::MAX),
            "max" | "argmax" => f64::NEG_INFINITY,
            "min" | "argmin" => f64::INFINITY,
            "prod" => 1.0,
            _ => 0.0,
        };
        let held = |part: Option<Part>, start: f64| match part {
            Some(part) if !clear => self.part(part, extent),
            _ => Ok(vec![start; count]),
        };
        let base = positions.map_or(0.0, |(_, base)| self.term(base) as f64);
        let mut left = held(*to, nothing)?;
        let mut places = held(positions.map(|(to, _)| Part::whole(to)), base)?;
        // Bounds every partial result, in whatever order it is made.
        let mut most = vec![if *fold == "prod" { 1.0f64 } else { 0.0 }; count];
        let mut counts = vec![0.0; count];
        let values = self.part(*from, (rows, columns))?;
        for (at, value) in values.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
            let (to, along) = match into {
                Class::Rows => (at / columns, at % columns),
                Class::One => (0, at),
                _ => (at % columns, at / columns),
            };
            counts[to] += 1.0;
            let old = left[to];
            match *fold {
                "prod" => most[to] *= value.abs().max(1.0),
                _ => most[to] += value.abs(),
            }
            left[to] = match *fold {
                // It stays without a value.
                _ if old.is_nan() => old,
                "sum" | "mean" => old + value,
                "prod" => old * value,
                "max" | "argmax" => old.max(*value),
                "min" | "argmin" => old.min(*value),
                _ => old.abs().max(value.abs()),
            };
            if left[to] != old && !old.is_nan() {
                places[to] = base + along as f64;
            }
        }
        if to.is_some() && !clear {
            for (place, _) in places.iter_mut().zip(&left).filter(|(_, left)| left.is_nan()) {
                *place = f64::NAN;
            }
        }
        if *fold == "mean" {
            left = left.iter().zip(&counts).map(|(sum, count)| sum / count).collect();
        }
        if element.kind() != Kind::Number {
            // Sums wrap.
            let wrapped = |sum: f64| match element {
                Element::U32 => f64::from(sum as i64 as u32),
                _ => f64::from(sum as i64 as i32),
            };
            let left = left
                .into_iter()
                .map(|sum| if sum.is_nan() { sum } else { wrapped(sum) });
            return match to {
                Some(to) => self.put(*to, extent, left.collect(), *id),
                None => Ok(()),
            };
        }
        let is_bounded = !matches!(*fold, "sum" | "mean" | "prod") || most.iter().all(|most| *most <= LIMIT);
        // A maximum of nothing is infinite, and what is computed from that leaves the numbers that formats hold.
        let inexact = |value: &f64| value.abs() > LIMIT || value.fract() != 0.0 && !value.is_nan();
        if !is_bounded || to.is_some() && left.iter().any(inexact) {
            return Err(Inexact(*id));
        }
        if let Some(to) = to {
            self.put(*to, extent, left, *id)?;
        }
        if let Some((to, _)) = positions {
            self.blocks[*to] = Some(places);
        }
        Ok(())
    }
}
