//! What a name of the emitted code must not be.

use crate::device::function::FUNCTIONS;
use crate::passes::b2_grid_to_cores::{blocks_of, every_of, noc_of, versions_of};
use crate::tile_ops::SFPU_OPS;
use std::borrow::Cow;
use std::sync::LazyLock;
use tt_lang::hash::HashSet;
use tt_plan::{CoreLine, InLine, PartitionMode, Placement};

/// Keywords of C++20, the alternative operators, and words with a meaning in some places.
const KEYWORDS: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class \
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype \
    default delete do double dynamic_cast else enum explicit export extern false final float for friend goto if import \
    inline int long module mutable namespace new noexcept not not_eq nullptr operator or or_eq override private protected \
    public register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch \
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t \
    while xor xor_eq";

/// What the compiler names itself, what else the emitted files mention, and the macros of sfpi.h, which the headers that are asked for
/// [their names](HEADERS) lack.
const OWN: &str = "\
    main kernel_main block_id block_step shard_block run_length run_pitch plane_id is_own across down plane_rounds column_at row_at block_at band band_row rows rows_left within group_blocks group_column columns columns_left rest \
    first_row first_column rows_before columns_before rows_within columns_within row column tile_row tile_column reduced_row reduced_column inner dst src stored filled edge \
    std tt ckernel sfpi noc noc_index CBIndex TensorAccessor TensorAccessorArgs get_arg_val \
    DST_FORMAT DST_ACCUM_MODE DataFormat Float32 Float16_b Int32 SrcOrder Reverse PoolType SUM MAX MIN ReduceDim REDUCE_COL REDUCE_ROW \
    EltwiseBinaryReuseDestType DEST_TO_SRCA DEST_TO_SRCB BroadcastType ROW COL SCALAR \
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t size_t \
    sfpi_inline v_and v_block v_else v_elseif v_endblock v_endif v_if \
    TTI NAN INFINITY VALID INVALID FORCE_INLINE errno linux unix";

/// Macros and others of the headers, one a line: `cargo xtask conformance names` writes it.
const HEADERS: &str = include_str!("headers.txt");

/// Fields of the registers of a chip have macros for their address, mask, shift and what they are written by: 3,700 of
/// them, which all end so.
const REGISTER_FIELDS: [&str; 4] = ["_ADDR32", "_MASK", "_RMW", "_SHAMT"];

/// The lines of [`HEADERS`], in the order of their letters, as they stand there: taken apart where this is compiled, not in every build
/// of a kernel.
static OF_HEADERS: [&str; count(HEADERS)] = {
    let (mut lines, mut at, mut rest) = ([""; count(HEADERS)], 0, HEADERS);
    while at < lines.len() {
        let mut end = 0;
        while rest.as_bytes()[end] != b'\n' {
            end += 1;
        }
        (lines[at], rest) = rest.split_at(end);
        rest = rest.split_at(1).1;
        at += 1;
    }
    lines
};

/// How many lines end in `text`.
const fn count(text: &str) -> usize {
    let (mut lines, mut at) = (0, 0);
    while at < text.len() {
        lines += (text.as_bytes()[at] == b'\n') as usize;
        at += 1;
    }
    lines
}

/// All others.
static OF_COMPILER: LazyLock<HashSet<Cow<'static, str>>> = LazyLock::new(|| {
    let sfpu = SFPU_OPS.iter().flat_map(|row| [row.init.name, row.call.name]);
    let words = KEYWORDS
        .split_whitespace()
        .chain(OWN.split_whitespace())
        .chain(FUNCTIONS.iter().map(|function| function.name))
        .chain(sfpu)
        .map(Cow::Borrowed);
    let of_blocks = blocks_of(PartitionMode::Global, Placement::Rectangle { axes: [0, 1] });
    let of_cores = CoreLine::ALL.into_iter().flat_map(|line| {
        let on_noc = InLine::ALL.into_iter().flat_map(move |core| noc_of(line, core));
        let names = on_noc.map(|(name, _)| name);
        names.chain([versions_of(line), every_of(line)])
    });
    let of_blocks = of_blocks.into_iter().map(|(name, _)| name);
    words.chain(of_blocks.chain(of_cores).map(Cow::Owned)).collect()
});

/// Whether two underscores stand in `name` side by side. Every name is asked, and patterns are no calls where nothing is optimised.
fn has_two_underscores(name: &str) -> bool {
    let mut rest = name.as_bytes();
    while let [letter, behind @ ..] = rest {
        if matches!((letter, behind), (b'_', [b'_', ..])) {
            return true;
        }
        rest = behind;
    }
    false
}

/// Whether C++, the headers or the compiler keep `name` for themselves.
pub fn is_reserved(name: &str) -> bool {
    OF_COMPILER.contains(name)
        || name.starts_with('_')
        || has_two_underscores(name)
        || OF_HEADERS.binary_search(&name).is_ok()
        || REGISTER_FIELDS.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found() {
        assert!(OF_HEADERS.is_sorted());
        for name in [
            "and",
            "xor_eq",
            "DataFormat",
            "cb_wait_front",
            "exp_tile",
            "R5_LO",
            "start_id",
            "row_sender",
            "column_sender_y",
        ] {
            assert!(is_reserved(name), "{name}");
        }
        for name in ["x", "rows_of_mine", "expectation"] {
            assert!(!is_reserved(name), "{name}");
        }
    }
}
