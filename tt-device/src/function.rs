//! Functions of the device's headers.

use crate::catalogue::SFPU_OPS;

/// A device function.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The header that declares it; none of what every file has.
    pub header: Option<&'static str>,
    /// A number that functions of one name have in common, and hardly any others: kernels are expanded in builds without optimisation
    /// too, where a comparison of texts is a call of calls.
    pub(crate) key: u64,
}

impl Function {
    /// The function of this name, which that header declares.
    pub const fn new(name: &'static str, header: Option<&'static str>) -> Function {
        // FNV-1a.
        let (bytes, mut key, mut at) = (name.as_bytes(), 0xcbf2_9ce4_8422_2325_u64, 0);
        while at < bytes.len() {
            key = (key ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
            at += 1;
        }
        Function { name, header, key }
    }

    /// Whether it is one of these.
    pub fn is_among(&self, functions: &[&Function]) -> bool {
        // A turn of a loop over an iterator is several calls, a pattern is none.
        let mut functions = functions;
        while let [function, others @ ..] = functions {
            if *self == **function {
                return true;
            }
            functions = others;
        }
        false
    }
}

/// What a file must mind that includes a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inclusion {
    /// Nothing.
    Plain,
    /// Its functions are good to bf16 only, unless the file defines `INP_FLOAT32`, as ttnn does for fp32 tensors
    /// (`ckernel_sfpu_erf.h`, `ckernel_sfpu_softplus.h`, `ckernel_sfpu_expm1_cw.h` of the device headers).
    OfTwoPrecisions,
    /// It stands after all others. `tanhshrink.h` brings the names of the matrix engine's thread to all three, as no other header
    /// does: after it the unpacker's own templates (`llk_unpack_A.h` of tile_move_copy.h) are ambiguous between `is_32bit_input` of
    /// both, which GCC 15 refuses.
    Last,
}

impl Inclusion {
    /// Of the header of this name, as the rows of its functions say.
    pub fn of(header: &str) -> Inclusion {
        let row = SFPU_OPS.iter().find(|row| row.call.header == Some(header));
        row.map_or(Inclusion::Plain, |row| row.inclusion)
    }
}

impl PartialEq for Function {
    // Passes and proofs compare functions more than anything else: in builds without optimisation too, that is no call.
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.name == other.name
    }
}

impl Eq for Function {}
