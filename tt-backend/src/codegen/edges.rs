//! Functions that the emitted files define themselves: zeros where a tensor ends, constant tiles, integers as numbers.
//!
//! A tile is four faces of 16 × 16 elements (patterns.md §6), so a row of it is two runs of 16 elements. The stores are the
//! RISC's own: transfers into the same page must have arrived before (`verify::ring` checks it).

use crate::device::function::{self, Function};

/// A function that the emitted file defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeFunction {
    /// `zero_page(address, bytes)`
    Page,
    /// `zero_tile_rows<element_bytes>(address, first_row)`
    Rows,
    /// `zero_tile_columns<element_bytes>(address, first_column)`
    Columns,
    /// `number_tile<of_rows>(address)`
    NumberTile,
    /// `number_bits(value, least, most)`
    NumberBits,
    /// `wide(value)`
    Wide,
}

const PAGE: &str = "\
// Zeros in a whole page.
inline void zero_page(uint32_t address, uint32_t bytes) {
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address));
    for (uint32_t word = 0; word < bytes / 4; ++word) {
        words[word] = 0;
    }
}";

const ROWS: &str = "\
// Zeros in rows first_row .. 32 of a tile. A row is 16 elements in each of two faces.
template <uint32_t element_bytes>
inline void zero_tile_rows(uint32_t address, uint32_t first_row) {
    static_assert(element_bytes == 2 || element_bytes == 4, \"tiles of 16-bit or 32-bit elements\");
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address));
    constexpr uint32_t row_words = 16 * element_bytes / 4;
    for (uint32_t row = first_row; row < 32; ++row) {
        for (uint32_t half = 0; half < 2; ++half) {
            const uint32_t first = (((row >> 4) * 2 + half) * 16 + (row & 15)) * row_words;
            for (uint32_t word = first; word < first + row_words; ++word) {
                words[word] = 0;
            }
        }
    }
}";

const COLUMNS: &str = "\
// Zeros in columns first_column .. 32 of a tile, element by element: a column may begin inside a word.
template <uint32_t element_bytes>
inline void zero_tile_columns(uint32_t address, uint32_t first_column) {
    static_assert(element_bytes == 2 || element_bytes == 4, \"tiles of 16-bit or 32-bit elements\");
    for (uint32_t row = 0; row < 32; ++row) {
        for (uint32_t column = first_column; column < 32; ++column) {
            const uint32_t element = (((row >> 4) * 2 + (column >> 4)) * 16 + (row & 15)) * 16 + (column & 15);
            if constexpr (element_bytes == 2) {
                reinterpret_cast<volatile tt_l1_ptr uint16_t*>(static_cast<uintptr_t>(address))[element] = 0;
            } else {
                reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address))[element] = 0;
            }
        }
    }
}";

const NUMBER_TILE: &str = "\
// A tile of bf16 in which every element is the number of its row, or of its column.
template <bool of_rows>
inline void number_tile(uint32_t address) {
    volatile tt_l1_ptr uint16_t* elements = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(static_cast<uintptr_t>(address));
    for (uint32_t element = 0; element < 1024; ++element) {
        uint32_t number = of_rows ? (element >> 9) * 16 + (element >> 4 & 15) : (element >> 8 & 1) * 16 + (element & 15);
        uint32_t exponent = 134;
        while (exponent > 126 && (number & 128) == 0) {
            number <<= 1;
            --exponent;
        }
        elements[element] = exponent > 126 ? exponent << 7 | (number & 127) : 0;
    }
}";

const NUMBER_BITS: &str = "\
// The bits as f32 of what is nearest to an integer between two others, rounded to even: the RISCs have no floating point.
inline uint32_t number_bits(int64_t wide_value, int32_t least, int32_t most) {
    const int32_t value = wide_value < least ? least : wide_value > most ? most : static_cast<int32_t>(wide_value);
    uint32_t size = value < 0 ? 0u - static_cast<uint32_t>(value) : static_cast<uint32_t>(value);
    if (size == 0) {
        return 0;
    }
    uint32_t exponent = 158;
    while ((size & 0x80000000u) == 0) {
        size <<= 1;
        --exponent;
    }
    uint32_t bits = exponent << 23 | (size >> 8 & 0x7fffff);
    const uint32_t cut = size & 0xff;
    bits += cut > 0x80 || (cut == 0x80 && (bits & 1) != 0) ? 1 : 0;
    return value < 0 ? bits | 0x80000000u : bits;
}";

const WIDE: &str = "\
// An integer in 64 bits, for sums that 32 bits may not hold.
inline int64_t wide(int32_t value) { return value; }";

impl EdgeFunction {
    const ALL: [(EdgeFunction, &'static Function, &'static str); 6] = [
        (EdgeFunction::Page, &function::ZERO_PAGE, PAGE),
        (EdgeFunction::Rows, &function::ZERO_TILE_ROWS, ROWS),
        (EdgeFunction::Columns, &function::ZERO_TILE_COLUMNS, COLUMNS),
        (EdgeFunction::NumberTile, &function::NUMBER_TILE, NUMBER_TILE),
        (EdgeFunction::NumberBits, &function::NUMBER_BITS, NUMBER_BITS),
        (EdgeFunction::Wide, &function::WIDE, WIDE),
    ];

    /// The function of this name.
    pub fn named(name: &str) -> Option<EdgeFunction> {
        EdgeFunction::ALL
            .iter()
            .find(|(_, function, _)| function.name == name)
            .map(|(this, ..)| *this)
    }

    /// Its definition.
    pub fn definition(self) -> &'static str {
        EdgeFunction::ALL[self as usize].2
    }
}
