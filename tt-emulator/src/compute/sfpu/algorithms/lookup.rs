//! Straight lines over |x| from a table: what the device's lookup instructions compute.

use crate::compute::sfpu::lanes::Lanes;
use crate::compute::sfpu::unit::Unit;

/// Ends of the six segments but the last.
const ENDS: [f32; 5] = [0.5, 1.0, 1.5, 2.0, 3.0];

/// The line that holds the magnitude.
fn chosen<const N: usize>(x: &Lanes, ends: &[f32], values: [f32; N]) -> Lanes {
    let magnitude = x.set_sign(false);
    let mut value = Lanes::all(values[N - 1]);
    for (end, before) in ends.iter().zip(values).rev() {
        value = Lanes::all(before).select(magnitude.iless(end.to_bits()), value);
    }
    value
}

/// Slope and offset as the instruction reads them from 16 bits.
fn sixteen_bit(value: f32) -> f32 {
    let bits = value.to_bits();
    let rounded = f32::from_bits(bits.wrapping_add(0x1000) & 0xffff_e000);
    if (bits >> 23) & 255 < 112 { 0.0 } else { rounded }
}

/// Slope times |x| plus offset: slopes and offsets below 1/2, 1, 3/2, 2, 3 and above.
pub fn six_lines(unit: &Unit, x: &Lanes, lines: [(f32, f32); 6]) -> Lanes {
    let slope = chosen(x, &ENDS, lines.map(|(slope, _)| sixteen_bit(slope)));
    let offset = chosen(x, &ENDS, lines.map(|(_, offset)| sixteen_bit(offset)));
    unit.mad(slope, x.set_sign(false), offset)
}

/// Slope times |x| plus offset with the sign of x: below 1, 2 and above.
pub fn eight_bit(unit: &Unit, x: &Lanes, lines: [(f32, f32); 3]) -> Lanes {
    let slope = chosen(x, &[1.0, 2.0], lines.map(|(slope, _)| slope));
    let offset = chosen(x, &[1.0, 2.0], lines.map(|(_, offset)| offset));
    unit.mad(slope, x.set_sign(false), offset).copy_sign(x)
}
