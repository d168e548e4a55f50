//! Functions that the emitted files define themselves: zeros where a tensor ends, rows that begin anywhere, constant tiles,
//! integers as numbers, integers of tensors, versions that cores share, what is printed, the packer's thread at the vector unit.
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
    /// `zero_block_rows<element_bits, exponents>(address, first_row)`
    BlockRows,
    /// `zero_block_columns<element_bits, exponents>(address, first_column)`
    BlockColumns,
    /// `read_placed_page(page, tensor, address)`
    ReadPlacedPage,
    /// `write_placed_page(page, tensor, address)`
    WritePlacedPage,
    /// `read_rows<row_bytes, page_rows, step, over, modulo>(tensor, page, pages, line, rows, columns, row, column, row_count, column_count,
    /// address)`
    ReadRows,
    /// `read_elements`, likewise
    ReadElements,
    /// `write_rows<row_bytes, page_rows, step>`, likewise
    WriteRows,
    /// `write_elements`, likewise
    WriteElements,
    /// `shift_elements<Element>(from, to, from_columns, to_columns, from_row, from_column, to_row, to_column, rows,
    /// columns)`
    ShiftElements,
    /// `number_tile<of_rows>(address)`
    NumberTile,
    /// `number_bits(value, least, most)`
    NumberBits,
    /// `floor_quotient(value, by)`
    FloorQuotient,
    /// `place_on_curve<is_hilbert, axis>(id, columns, rows)`
    PlaceOnCurve,
    /// `wide(value)`
    Wide,
    /// `read_integer<Word>(tensor, inside, page, row, column, scratch)`
    ReadInteger,
    /// `put_integer(address, value)`
    PutInteger,
    /// `expect_version(address, ready, sender_x, sender_y)`
    ExpectVersion,
    /// `send_version(address, bytes, number, others, ready, sent, first_x, first_y, last_x, last_y)`
    SendVersion,
    /// `receive_version(address, number, sent)`
    ReceiveVersion,
    /// `as_number(bits)`
    AsNumber,
    /// `print_element<Word>(address, tile_columns, row, column)`
    PrintElement,
    /// `print_block_element<element_bits>(address, tile_columns, row, column)`
    PrintBlockElement,
    /// `packer_sfpu_begin()`
    PackerSfpuBegin,
    /// `packer_sfpu_end()`
    PackerSfpuEnd,
}

const PAGE: &str = "\
// Zeros in a whole page.
inline void zero_page(uint32_t address, uint32_t bytes) {
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address));
    for (uint32_t word = 0; word < bytes / 4; ++word) {
        words[word] = 0;
    }
}";

const READ_PLACED_PAGE: &str = "\
// A page of a tensor. Where the circular buffer is the tensor's shard it lies at its place already.
template <typename Tensor>
inline void read_placed_page(uint32_t page, const Tensor& tensor, uint32_t address) {
    const uint64_t at = tensor.get_noc_addr(page);
    if (at != get_noc_addr(address)) {
        noc_async_read(at, address, tensor.get_aligned_page_size());
    }
}";

const WRITE_PLACED_PAGE: &str = "\
// A page to a tensor. Where the circular buffer is the tensor's shard it lies at its place already.
template <typename Tensor>
inline void write_placed_page(uint32_t page, const Tensor& tensor, uint32_t address) {
    const uint64_t at = tensor.get_noc_addr(page);
    if (at != get_noc_addr(address)) {
        noc_async_write(address, at, tensor.get_aligned_page_size());
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

const BLOCK_ROWS: &str = "\
// Zeros in rows first_row .. 32 of a tile of elements of up to 8 bits, which begin behind shared exponents.
template <uint32_t element_bits, uint32_t exponents>
inline void zero_block_rows(uint32_t address, uint32_t first_row) {
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(address + exponents));
    constexpr uint32_t row_words = 16 * element_bits / 32;
    for (uint32_t line = first_row; line < 32; ++line) {
        for (uint32_t half = 0; half < 2; ++half) {
            const uint32_t first = (((line >> 4) * 2 + half) * 16 + (line & 15)) * row_words;
            for (uint32_t word = first; word < first + row_words; ++word) {
                words[word] = 0;
            }
        }
    }
}";

const BLOCK_COLUMNS: &str = "\
// Zeros in columns first_column .. 32 of a tile of elements of up to 8 bits; of two in a byte the first is its lower half.
template <uint32_t element_bits, uint32_t exponents>
inline void zero_block_columns(uint32_t address, uint32_t first_column) {
    volatile tt_l1_ptr uint8_t* bytes = reinterpret_cast<volatile tt_l1_ptr uint8_t*>(static_cast<uintptr_t>(address + exponents));
    for (uint32_t line = 0; line < 32; ++line) {
        for (uint32_t place = first_column; place < 32; ++place) {
            const uint32_t element = (((line >> 4) * 2 + (place >> 4)) * 16 + (line & 15)) * 16 + (place & 15);
            if constexpr (element_bits == 8) {
                bytes[element] = 0;
            } else {
                bytes[element / 2] = bytes[element / 2] & (element % 2 == 0 ? 0xf0 : 0x0f);
            }
        }
    }
}";

/// Row `at` of the tile at `address` is row `from` of the tensor: 16 elements in each of two faces. Those that follow each other in
/// a face are one transfer: rows of a tensor may (`page_rows` is 32), what has the same row in one matrix after the other (1) does
/// not. What is not there is left to `$otherwise`.
macro_rules! rows {
    ($comment:literal, $name:literal, $template:literal, $from:literal, $follow:literal, $scratch:literal, $before:literal, $transfer:literal, $otherwise:literal, $after:literal) => {
        concat!(
            $comment,
            "
template <uint32_t row_bytes, int32_t page_rows, int32_t step, ",
            $template,
            "typename Tensor>
inline void ",
            $name,
            "(const Tensor& tensor, int32_t page, int32_t pages, int32_t line, int32_t rows, int32_t columns, int32_t row,
                      int32_t column, int32_t row_count, int32_t column_count, uint32_t address",
            $scratch,
            ") {",
            $before,
            "
    for (int32_t half = 0; half < 2; ++half) {
        const int32_t first = column + half * 16;
        const bool has_columns = first >= 0 && first < columns && half * 16 < column_count;
        for (int32_t at = 0; at < 32;) {
            const int32_t from = ",
            $from,
            ";
            const uint32_t local = address + ((at / 16 * 2 + half) * 16 + at % 16) * row_bytes;
            int32_t run = 1;
            if (has_columns && at < row_count && from >= 0 && from < rows) {
                const int32_t in_tile = page_rows == 1 ? line : from % 32;
                if (page_rows == 32 && step == 1",
            $follow,
            ") {
                    const int32_t of_face = 16 - (in_tile % 16 > at % 16 ? in_tile % 16 : at % 16);
                    const int32_t present = row_count - at < rows - from ? row_count - at : rows - from;
                    run = of_face < present ? of_face : present;
                }
                const uint32_t bytes = static_cast<uint32_t>(run) * row_bytes;
                const uint32_t offset = ((in_tile / 16 * 2 + first / 16 % 2) * 16 + in_tile % 16) * row_bytes;
                const uint64_t remote = tensor.get_noc_addr(page + from / page_rows * pages + first / 32, offset);",
            $transfer,
            "
            }",
            $otherwise,
            "
            at += run;
        }
    }",
            $after,
            "
}"
        )
    };
}

const READ_ROWS: &str = rows!(
    "// A tile of rows of a tensor that begin anywhere; zeros where there are none. A row of a tile is 16 elements in each of two faces.
// What lies otherwise in its place of DRAM than in the tile goes by way of a page of scratch: a transfer from DRAM keeps the lower
// bits of an address, one within L1 fewer of them.",
    "read_rows",
    "int32_t over = 1, int32_t modulo = INT32_MAX, ",
    "modulo == INT32_MAX ? (row + at * step) / over : (row + at * step) / over % modulo",
    " && over == 1 && modulo == INT32_MAX",
    ", uint32_t scratch",
    "
    constexpr uint32_t alignment = NOC_DRAM_READ_ALIGNMENT_BYTES;
    constexpr bool may_differ = row_bytes % alignment != 0;
    for (int32_t pass = 0; pass < (may_differ ? 2 : 1); ++pass) {
    uint32_t slot = scratch;",
    "
                if (!may_differ || (offset ^ local) % alignment == 0) {
                    if (pass == 0) {
                        noc_async_read(remote, local, bytes);
                    }
                } else {
                    const uint32_t place = slot + offset % alignment;
                    slot += (offset % alignment + bytes + alignment - 1) / alignment * alignment;
                    if (pass == 0) {
                        noc_async_read(remote, place, bytes);
                    } else {
                        noc_async_read(get_noc_addr(place), local, bytes);
                    }
                }",
    " else if (pass == 0) {
                volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(local));
                for (uint32_t word = 0; word < row_bytes / 4; ++word) {
                    words[word] = 0;
                }
            }",
    "
    if (may_differ) {
        noc_async_read_barrier();
    }
    }"
);

const WRITE_ROWS: &str = rows!(
    "// The rows of a tile to rows of a tensor that begin anywhere. A row of a tile is 16 elements in each of two faces.",
    "write_rows",
    "",
    "row + at * step",
    "",
    "",
    "",
    "
                noc_async_write(local, remote, bytes);",
    "",
    ""
);

const READ_ELEMENTS: &str = "\
// A tile of rows of a tensor whose columns begin anywhere; zeros where there are none. For half of the rows at a time, the runs of
// 16 elements that hold theirs, three each at most, come to a page of scratch, from where the RISC takes one element after the other.
template <uint32_t row_bytes, int32_t page_rows, int32_t step, int32_t over = 1, int32_t modulo = INT32_MAX, typename Tensor>
inline void read_elements(const Tensor& tensor, int32_t page, int32_t pages, int32_t line, int32_t rows, int32_t columns, int32_t row,
                          int32_t column, int32_t row_count, int32_t column_count, uint32_t address, uint32_t scratch) {
    constexpr uint32_t element_bytes = row_bytes / 16;
    using Element = std::conditional_t<element_bytes == 1, uint8_t, std::conditional_t<element_bytes == 2, uint16_t, uint32_t>>;
    constexpr uint32_t slot_bytes = 64;
    const int32_t first_run = column >> 4;
    const int32_t end = column_count < 32 ? column + column_count : column + 32;
    for (int32_t first_row = 0; first_row < 32; first_row += 16) {
        for (int32_t at = first_row; at < first_row + 16; ++at) {
            const int32_t from = modulo == INT32_MAX ? (row + at * step) / over : (row + at * step) / over % modulo;
            if (at >= row_count || from < 0 || from >= rows) {
                continue;
            }
            const int32_t in_tile = page_rows == 1 ? line : from % 32;
            for (int32_t run = 0; run < 3; ++run) {
                const int32_t first = (first_run + run) * 16;
                if (first < 0 || first >= columns || first >= end) {
                    continue;
                }
                const uint32_t offset = ((in_tile / 16 * 2 + first / 16 % 2) * 16 + in_tile % 16) * row_bytes;
                const uint32_t place = scratch + ((at - first_row) * 3 + run) * slot_bytes + offset % slot_bytes;
                noc_async_read(tensor.get_noc_addr(page + from / page_rows * pages + first / 32, offset), place, row_bytes);
            }
        }
        noc_async_read_barrier();
        for (int32_t at = first_row; at < first_row + 16; ++at) {
            const int32_t from = modulo == INT32_MAX ? (row + at * step) / over : (row + at * step) / over % modulo;
            const bool has_row = at < row_count && from >= 0 && from < rows;
            const int32_t in_tile = page_rows == 1 ? line : from % 32;
            const uint32_t runs = scratch + (at - first_row) * 3 * slot_bytes + in_tile * row_bytes % slot_bytes;
            for (int32_t to = 0; to < 32; ++to) {
                const int32_t of = column + to;
                const uint32_t element = (of >> 4) - first_run;
                const uintptr_t source = runs + element * slot_bytes + (of & 15) * element_bytes;
                const uintptr_t target = address + ((at / 16 * 2 + to / 16) * 16 + at % 16) * row_bytes + to % 16 * element_bytes;
                const bool has_value = has_row && of >= 0 && of < columns && of < end;
                *reinterpret_cast<volatile tt_l1_ptr Element*>(target) =
                    has_value ? *reinterpret_cast<volatile tt_l1_ptr Element*>(source) : 0;
            }
        }
    }
}";

/// A transfer to DRAM has any length; both addresses agree in their lowest four bits (metalium.md §1.8). The wheel's
/// `writer_moe_grouped_topk.cpp` stores runs of 16-bit elements so.
const WRITE_ELEMENTS: &str = "\
// The elements of a tile to rows and columns of a tensor that begin anywhere, those alone where the tile at `stored` is not 0, if
// there is one. Elements that follow each other in 16 of the tensor are one transfer, for which they have to lie in L1 as they do in
// DRAM: those of 16 rows at a time come to a page of scratch, where each is as far into its 16 as it is there.
template <uint32_t row_bytes, int32_t page_rows, int32_t step, typename Tensor>
inline void write_elements(const Tensor& tensor, int32_t page, int32_t pages, int32_t line, int32_t rows, int32_t columns, int32_t row,
                           int32_t column, int32_t row_count, int32_t column_count, uint32_t address, uint32_t stored,
                           uint32_t scratch) {
    constexpr int32_t element_bytes = row_bytes / 16;
    using Element = std::conditional_t<element_bytes == 1, uint8_t, std::conditional_t<element_bytes == 2, uint16_t, uint32_t>>;
    volatile tt_l1_ptr Element* elements = reinterpret_cast<volatile tt_l1_ptr Element*>(static_cast<uintptr_t>(address));
    volatile tt_l1_ptr uint16_t* is_stored = reinterpret_cast<volatile tt_l1_ptr uint16_t*>(static_cast<uintptr_t>(stored));
    volatile tt_l1_ptr Element* places = reinterpret_cast<volatile tt_l1_ptr Element*>(static_cast<uintptr_t>(scratch));
    const int32_t first_run = column >> 4;
    const int32_t count = column_count < 32 ? column_count : 32;
    for (int32_t first_row = 0; first_row < 32; first_row += 16) {
        for (int32_t at = first_row; at < first_row + 16 && at < row_count; ++at) {
            const int32_t from = row + at * step;
            if (from < 0 || from >= rows) {
                continue;
            }
            const int32_t in_tile = page_rows == 1 ? line : from % 32;
            for (int32_t to = 0; to < count;) {
                const int32_t of = column + to;
                const int32_t begin = to;
                for (; to < count && (to == begin || (column + to) % 16 != 0); ++to) {
                    const int32_t element = ((at / 16 * 2 + to / 16) * 16 + at % 16) * 16 + to % 16;
                    if (column + to < 0 || column + to >= columns || (stored != 0 && is_stored[element] == 0)) {
                        break;
                    }
                    const int32_t run = ((column + to) >> 4) - first_run;
                    places[((at - first_row) * 3 + run) * 16 + (column + to) % 16] = elements[element];
                }
                if (to == begin) {
                    ++to;
                    continue;
                }
                const uint32_t offset = (((in_tile / 16 * 2 + of / 16 % 2) * 16 + in_tile % 16) * 16 + of % 16) * element_bytes;
                const uint32_t place = (((at - first_row) * 3 + (of >> 4) - first_run) * 16 + of % 16) * element_bytes;
                const uint64_t remote = tensor.get_noc_addr(page + from / page_rows * pages + of / 32, offset);
                noc_async_write(scratch + place, remote, static_cast<uint32_t>(to - begin) * element_bytes);
            }
        }
        noc_async_writes_flushed();
    }
}";

/// The wait for room that stands before it drops what a RISC of Blackhole has cached of L1 (`invalidate_l1_cache` in
/// `cb_reserve_back`; `cb_wait_front` has none).
const SHIFT_ELEMENTS: &str = "\
// Elements of a block, from a row and a column on, to rows and columns of another, in runs that lie in one face of both. Row r comes from
// row (from_row + step * r) / over % modulo, or the nearest that the block has, whose last is `last`; a modulo of 0 is none.
template <typename Element, int32_t step = 1, int32_t over = 1, int32_t modulo = 0, int32_t last = 0>
inline void shift_elements(uint32_t from, uint32_t to, uint32_t from_columns, uint32_t to_columns, uint32_t from_row,
                           uint32_t from_column, uint32_t to_row, uint32_t to_column, uint32_t rows, uint32_t columns) {
    volatile tt_l1_ptr Element* sources = reinterpret_cast<volatile tt_l1_ptr Element*>(static_cast<uintptr_t>(from));
    volatile tt_l1_ptr Element* places = reinterpret_cast<volatile tt_l1_ptr Element*>(static_cast<uintptr_t>(to));
    const auto place = [](uint32_t tile_columns, uint32_t row, uint32_t column) {
        const uint32_t tile = row / 32 * tile_columns + column / 32;
        return ((tile * 4 + row % 32 / 16 * 2 + column % 32 / 16) * 16 + row % 16) * 16 + column % 16;
    };
    for (uint32_t row = 0; row < rows; ++row) {
        uint32_t source_row = from_row + row;
        if constexpr (step != 1 || over != 1 || modulo != 0) {
            int32_t paced = (static_cast<int32_t>(from_row) + static_cast<int32_t>(row) * step) / over;
            if constexpr (modulo != 0) {
                paced %= modulo;
            }
            source_row = static_cast<uint32_t>(paced < 0 ? 0 : paced > last ? last : paced);
        }
        for (uint32_t column = 0; column < columns;) {
            const uint32_t source = place(from_columns, source_row, from_column + column);
            const uint32_t target = place(to_columns, to_row + row, to_column + column);
            const uint32_t of_source = 16 - source % 16;
            const uint32_t of_target = 16 - target % 16;
            const uint32_t in_both = of_source < of_target ? of_source : of_target;
            const uint32_t run = in_both < columns - column ? in_both : columns - column;
            for (uint32_t element = 0; element < run; ++element) {
                places[target + element] = sources[source + element];
            }
            column += run;
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

const FLOOR_QUOTIENT: &str = "\
// An integer divided by one above zero, rounded down, where C++ rounds towards zero. Of one beyond 32 bits it is that of the nearest.
inline int32_t floor_quotient(int64_t wide_value, int32_t by) {
    const int32_t value = wide_value < INT32_MIN ? INT32_MIN : wide_value > INT32_MAX ? INT32_MAX : static_cast<int32_t>(wide_value);
    return value / by - (value % by < 0 ? 1 : 0);
}";

const PLACE_ON_CURVE: &str = "\
// The column (axis 0) or row (1) of block `id` of a grid, in the order of a curve through the square around it: of each of the four
// quarters of a square, one after the other, as many as lie in the grid.
template <bool is_hilbert, int axis>
inline int32_t place_on_curve(int32_t id, int32_t columns, int32_t rows) {
    const uint32_t grid[2] = {static_cast<uint32_t>(columns), static_cast<uint32_t>(rows)};
    uint32_t left = static_cast<uint32_t>(id);
    uint32_t side = 1;
    while (side < grid[0] || side < grid[1]) {
        side *= 2;
    }
    uint32_t at[2] = {0, 0};
    // How the quarter that is gone through lies: its axes exchanged, and both turned around.
    uint32_t exchanged = 0, reversed = 0;
    while (side > 1) {
        side /= 2;
        for (uint32_t quarter = 0; quarter < 4; ++quarter) {
            const uint32_t place[2] = {
                is_hilbert ? quarter / 2 : quarter % 2, is_hilbert ? (quarter == 1 || quarter == 2) : quarter / 2};
            uint32_t first[2], blocks = 1;
            for (uint32_t each = 0; each < 2; ++each) {
                first[each] = at[each] + (place[each ^ exchanged] ^ reversed) * side;
                const uint32_t ahead = grid[each] > first[each] ? grid[each] - first[each] : 0;
                blocks *= ahead < side ? ahead : side;
            }
            if (left < blocks) {
                at[0] = first[0];
                at[1] = first[1];
                exchanged ^= is_hilbert && (quarter == 0 || quarter == 3) ? 1 : 0;
                reversed ^= is_hilbert && quarter == 3 ? 1 : 0;
                break;
            }
            left -= blocks;
        }
    }
    return static_cast<int32_t>(at[axis]);
}";

const WIDE: &str = "\
// An integer in 64 bits, for sums that 32 bits may not hold.
inline int64_t wide(int32_t value) { return value; }";

const READ_INTEGER: &str = "\
// The integer at a row and column of a page of a tensor, by way of 64 bytes in L1; 0 where it is none of the tensor's. A tile is
// four faces of 16 x 16; the piece of the page that holds it begins where any DRAM can be read.
template <typename Word, typename Tensor>
inline int32_t read_integer(const Tensor& tensor, bool inside, int32_t page, int32_t row, int32_t column, uint32_t scratch) {
    if (!inside) {
        return 0;
    }
    const uint32_t face = static_cast<uint32_t>(row % 32 / 16 * 2 + column % 32 / 16);
    const uint32_t offset = (face * 256 + static_cast<uint32_t>(row % 16 * 16 + column % 16)) * sizeof(Word);
    noc_async_read(tensor.get_noc_addr(static_cast<uint32_t>(page), offset / 64 * 64), scratch, 64);
    noc_async_read_barrier();
    const uintptr_t address = scratch + offset % 64;
    return static_cast<int32_t>(*reinterpret_cast<volatile tt_l1_ptr Word*>(address));
}";

const PUT_INTEGER: &str = "\
// An integer as the first word of a page.
inline void put_integer(uint32_t address, int32_t value) {
    *reinterpret_cast<volatile tt_l1_ptr int32_t*>(static_cast<uintptr_t>(address)) = value;
}";

const AS_NUMBER: &str = "\
// The number whose bits these are.
inline float as_number(uint32_t bits) { return __builtin_bit_cast(float, bits); }";

const PRINT_ELEMENT: &str = "\
// Prints an element of a block of tiles, each of four faces of 16 x 16.
template <typename Word>
inline void print_element(uint32_t address, int32_t tile_columns, int32_t row, int32_t column) {
    const int32_t face = (row / 32 * tile_columns + column / 32) * 4 + row % 32 / 16 * 2 + column % 32 / 16;
    const uintptr_t block = address;
    [[maybe_unused]] const Word element =
        reinterpret_cast<volatile tt_l1_ptr Word*>(block)[face * 256 + row % 16 * 16 + column % 16];
    if constexpr (sizeof(Word) == 2) {
        // bf16 is the upper half of an f32.
        DPRINT(\" {}\", __builtin_bit_cast(float, static_cast<uint32_t>(element) << 16));
    } else if constexpr (sizeof(Word) == 1) {
        DPRINT(\" {}\", static_cast<int32_t>(element));
    } else {
        DPRINT(\" {}\", element);
    }
}";

const PRINT_BLOCK_ELEMENT: &str = "\
// Prints an element of a block of tiles of block floats: 64 exponents, each of half a row, and then signs and magnitudes, of which
// two in a byte have the first in its lower half.
template <uint32_t element_bits>
inline void print_block_element(uint32_t address, int32_t tile_columns, int32_t row, int32_t column) {
    const uint32_t tile = address + (row / 32 * tile_columns + column / 32) * (64 + 128 * element_bits);
    volatile tt_l1_ptr uint8_t* bytes = reinterpret_cast<volatile tt_l1_ptr uint8_t*>(static_cast<uintptr_t>(tile));
    const uint32_t half = (row % 32 / 16 * 2 + column % 32 / 16) * 16 + row % 16;
    const uint32_t place = (half * 16 + column % 16) * element_bits;
    const uint32_t element = bytes[64 + place / 8] >> place % 8 & ((1u << element_bits) - 1);
    constexpr uint32_t magnitude_bits = element_bits - 1;
    const uint32_t magnitude = element & ((1u << magnitude_bits) - 1);
    [[maybe_unused]] uint32_t bits = 0;
    if (magnitude != 0) {
        // A magnitude has no hidden bit: as one of an f32 its highest becomes that.
        const int32_t zeros = __builtin_clz(magnitude) - (32 - static_cast<int32_t>(magnitude_bits));
        const int32_t exponent = bytes[half] - zeros;
        if (exponent > 0) {
            bits = element >> magnitude_bits << 31 | static_cast<uint32_t>(exponent) << 23 |
                   (magnitude << (zeros + 24 - magnitude_bits) & 0x7fffff);
        }
    }
    DPRINT(\" {}\", __builtin_bit_cast(float, bits));
}";

const EXPECT_VERSION: &str = "\
// Tells the sender of a line that there is room for a version here.
inline void expect_version(uint32_t, uint32_t ready, uint32_t sender_x, uint32_t sender_y) {
    noc_semaphore_inc(get_noc_addr(sender_x, sender_y, get_semaphore(ready)), 1);
}";

const SEND_VERSION: &str = "\
// Sends a version to the other cores of a line, once all of them have said as often that they have room as there were versions, and
// then its number. What is linked arrives in this order. It has left when writes are flushed.
inline void send_version(
    uint32_t address, uint32_t bytes, uint32_t number, uint32_t others, uint32_t ready, uint32_t sent,
    uint32_t first_x, uint32_t first_y, uint32_t last_x, uint32_t last_y) {
    const uint32_t count = get_semaphore(ready);
    const uint32_t mark = get_semaphore(sent);
    noc_semaphore_set(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(mark)), number);
    if (others == 0) {
        return;
    }
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(count)), number * others);
    noc_async_write_multicast(
        address, get_noc_multicast_addr(first_x, first_y, last_x, last_y, address), bytes, others, true);
    noc_semaphore_set_multicast(mark, get_noc_multicast_addr(first_x, first_y, last_x, last_y, mark), others);
}";

const RECEIVE_VERSION: &str = "\
// Waits until a version is there, which the sender of a line sends to where it is there too.
inline void receive_version(uint32_t, uint32_t number, uint32_t sent) {
    const uint32_t mark = get_semaphore(sent);
    noc_semaphore_wait_min(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(static_cast<uintptr_t>(mark)), number);
}";

/// The wheel's `bmm_fused_activation.hpp`, `apply_activation_from_pack`. The compute API has no names for these instructions.
const PACKER_SFPU_BEGIN: &str = "\
// The packer's thread waits until math has handed the registers over, and sends the vector unit to them: tile_regs_wait holds packs back,
// not what the thread asks of the vector unit.
inline void packer_sfpu_begin() {
    PACK(TTI_SEMWAIT(p_stall::STALL_TDMA | p_stall::STALL_CFG, semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_ZERO));
    PACK(TT_SETC16(DEST_TARGET_REG_CFG_MATH_Offset_ADDR32, ckernel::packer::get_packer_dest_offset()));
}";

const PACKER_SFPU_END: &str = "\
// The packer's packs wait until the vector unit is done.
inline void packer_sfpu_end() {
    PACK(TTI_STALLWAIT(p_stall::STALL_PACK, p_stall::WAIT_SFPU));
}";

impl EdgeFunction {
    const ALL: &'static [(EdgeFunction, &'static Function, &'static str)] = &[
        (EdgeFunction::Page, &function::ZERO_PAGE, PAGE),
        (EdgeFunction::Rows, &function::ZERO_TILE_ROWS, ROWS),
        (EdgeFunction::Columns, &function::ZERO_TILE_COLUMNS, COLUMNS),
        (EdgeFunction::BlockRows, &function::ZERO_BLOCK_ROWS, BLOCK_ROWS),
        (EdgeFunction::BlockColumns, &function::ZERO_BLOCK_COLUMNS, BLOCK_COLUMNS),
        (
            EdgeFunction::ReadPlacedPage,
            &function::READ_PLACED_PAGE,
            READ_PLACED_PAGE,
        ),
        (
            EdgeFunction::WritePlacedPage,
            &function::WRITE_PLACED_PAGE,
            WRITE_PLACED_PAGE,
        ),
        (EdgeFunction::ReadRows, &function::READ_ROWS, READ_ROWS),
        (EdgeFunction::ReadElements, &function::READ_ELEMENTS, READ_ELEMENTS),
        (EdgeFunction::WriteRows, &function::WRITE_ROWS, WRITE_ROWS),
        (EdgeFunction::WriteElements, &function::WRITE_ELEMENTS, WRITE_ELEMENTS),
        (EdgeFunction::ShiftElements, &function::SHIFT_ELEMENTS, SHIFT_ELEMENTS),
        (EdgeFunction::NumberTile, &function::NUMBER_TILE, NUMBER_TILE),
        (EdgeFunction::NumberBits, &function::NUMBER_BITS, NUMBER_BITS),
        (EdgeFunction::FloorQuotient, &function::FLOOR_QUOTIENT, FLOOR_QUOTIENT),
        (EdgeFunction::PlaceOnCurve, &function::PLACE_ON_CURVE, PLACE_ON_CURVE),
        (EdgeFunction::Wide, &function::WIDE, WIDE),
        (EdgeFunction::ReadInteger, &function::READ_INTEGER, READ_INTEGER),
        (EdgeFunction::PutInteger, &function::PUT_INTEGER, PUT_INTEGER),
        (EdgeFunction::ExpectVersion, &function::EXPECT_VERSION, EXPECT_VERSION),
        (EdgeFunction::SendVersion, &function::SEND_VERSION, SEND_VERSION),
        (
            EdgeFunction::ReceiveVersion,
            &function::RECEIVE_VERSION,
            RECEIVE_VERSION,
        ),
        (EdgeFunction::AsNumber, &function::AS_NUMBER, AS_NUMBER),
        (EdgeFunction::PrintElement, &function::PRINT_ELEMENT, PRINT_ELEMENT),
        (
            EdgeFunction::PrintBlockElement,
            &function::PRINT_BLOCK_ELEMENT,
            PRINT_BLOCK_ELEMENT,
        ),
        (
            EdgeFunction::PackerSfpuBegin,
            &function::PACKER_SFPU_BEGIN,
            PACKER_SFPU_BEGIN,
        ),
        (EdgeFunction::PackerSfpuEnd, &function::PACKER_SFPU_END, PACKER_SFPU_END),
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
        let of_this = EdgeFunction::ALL.iter().find(|(this, ..)| *this == self);
        of_this.map_or("", |(.., definition)| definition)
    }
}
