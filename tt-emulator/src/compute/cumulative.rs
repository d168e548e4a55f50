//! Running sums down the columns of tiles (`cumsum.h`): each tile continues where the one before it on this core ended.

use super::destination::{Broken, Destination};
use super::rounding::flush_keeping_sign;
use super::tile::position;

/// The call.
pub const NAME: &str = "cumsum_tile";

/// Its init.
pub const INIT: &str = "cumsum_tile_init";

/// Rows and columns of a tile.
const EDGE: usize = 32;

/// Sums of the columns so far.
#[derive(Clone, Debug)]
pub struct Sums([f32; EDGE]);

impl Sums {
    /// Nothing summed yet.
    pub const fn new() -> Sums {
        Sums([0.0; EDGE])
    }

    /// Replaces a register by its running sums, starting anew if this is the `first` tile.
    ///
    /// # Errors
    /// Where the register holds nothing.
    pub fn run(&mut self, register: u32, first: bool, registers: &mut Destination) -> Result<(), Broken> {
        registers.require_written(register)?;
        if first {
            *self = Sums::new();
        }
        let wide = registers.is_wide();
        let tile = &mut registers.sfpu(&[register], register)[register as usize];
        for row in 0..EDGE {
            for (column, sum) in self.0.iter_mut().enumerate() {
                let value = &mut tile.0[position(row, column)];
                *sum += f32::from_bits(flush_keeping_sign(value.to_bits()));
                // Sums stay in 32 bits; a 16-bit register gets their upper half (SFPSTORE, default mode).
                let kept = if wide { u32::MAX } else { 0xffff_0000 };
                *value = f32::from_bits(flush_keeping_sign(sum.to_bits()) & kept);
            }
        }
        Ok(())
    }
}
