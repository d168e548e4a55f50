//! Why some mutants change nothing, or next to nothing, that a kernel computes.
//!
//! A mutant that nobody notices and that no row here explains fails the chore. A row speaks for a kind of mutant, of which some
//! were looked at: it is no proof for each, and a broad row can hide one that matters.

use tt_backend::mutate::{Kind, Mutant};

/// Some mutants, and why nobody notices them.
struct Reason {
    kinds: &'static [Kind],
    /// Programs, or `plan`; all where there is none.
    programs: &'static [&'static str],
    /// What is changed; all where there is none. A star stands for any beginning or end.
    subjects: &'static [&'static str],
    why: &'static str,
}

use Kind::*;

macro_rules! reasons {
    ($($why:literal: [$($kind:ident),*] [$($program:literal),*] [$($subject:literal),*];)*) => {
        &[$(Reason { kinds: &[$($kind),*], programs: &[$($program),*], subjects: &[$($subject),*], why: $why }),*]
    };
}

/// Mutants that leave every bit as it is.
const HARMLESS: &[Reason] = reasons! {
    "it waits for pages or room that it has waited for": [Twice] [] ["cb_wait_front", "cb_reserve_back"];
    "it sets what is set": [Twice] [] ["*_init", "reconfig_*", "pack_reconfig_*"];
    "the same page is read, written or cleared again": [Twice] ["reader", "writer"]
        ["noc_async_read_page", "noc_async_write_page", "zero_*"];
    "everything has arrived already": [Twice] ["reader", "writer"] ["noc_async_*_barrier", "noc_async_writes_flushed"];
    "a register or page is overwritten with the same": [Twice] ["compute"]
        ["copy_tile", "transpose_tile", "fill_tile_bitcast", "add_tiles*", "sub_tiles*", "mul_tiles*", "pack_tile"];
    "a function that does nothing to its own values": [Twice] ["compute"]
        ["abs_tile", "relu_tile", "sign_tile", "binary_max_tile", "binary_min_tile", "floor_tile", "unary_max_tile", "unary_min_tile", "clamp_tile", "gt_binary_tile"];
    "everything within does the same again": [Twice] [] ["a scope", "a loop of tiles", "a condition", "a branch"];
    "the address behind the last page, which nothing uses": [Twice, LeftOut, BehindParent] ["reader", "writer"] ["+="];
    "an address of another page size, which nothing uses": [Buffer] ["reader", "writer"] ["+="];

    "they do not use each other": [Swapped] [] ["a variable", "*_tile", "*_tiles*", "a loop of tiles", "a branch", "a scope", "a loop"];
    "steps of different buffers, registers or engines, which do not need each other": [Swapped] []
        ["cb_*", "tile_regs_*", "*_init", "reconfig_*", "pack_reconfig_*", "compute_kernel_hw_startup"];
    "no later than it is needed, and again in every round": [IntoNext] ["compute"]
        ["*_init", "reconfig_*", "pack_reconfig_*", "cb_wait_front", "cb_reserve_back"];
    "the loop has one round": [IntoNext] ["reader", "writer"] ["a variable"];
    "the other side of the branch does the same, or sets it up for itself": [BeforeParent] ["compute"]
        ["cb_reserve_back", "*_init", "reconfig_*", "pack_reconfig_*"];
    "a page is cleared, and then read over": [BeforeParent] ["reader"] ["zero_page"];
    "no page of the samples is past the edge there": [BeforeParent, BehindParent, Always] ["reader", "writer"]
        ["noc_async_read_page", "noc_async_write_page", "a condition"];
    "both sides do the same, or their conditions agree for every block": [Always, Sides, Operator, Integer] ["writer"] ["a branch"];
    "a version too many at the end, which only a next block on the core would find": [Rounds] ["reader"] ["a loop"];
    "the last round of the samples does nothing": [Rounds] ["compute"] ["a loop"];
    "the blocks of the samples take the same side, or what it leaves only a next block on the core would find": [Always, Sides, Operator, Integer]
        ["reader", "compute"] ["a branch"];
    "it is set so already": [LeftOut, Function, BehindParent] ["compute"] ["reconfig_*", "pack_reconfig_*"];
    "every tile is transposed twice": [Operation] ["compute"] ["copy_tile"];
    "no number of the samples tells the two apart": [Operation] ["compute"] ["binary_max_tile"];
    "no number of the samples reaches the bound": [Number] ["compute"] ["clamp_tile"];
    "the format that DST_FORMAT stands for here": [Template] ["compute"] ["where_tile"];
    "the register holds that tile already": [Integer, LeftOut] ["compute"] ["copy_tile"];
    "registers or pages that nothing reads": [Rounds] ["compute"] ["a loop of tiles"];

    "edges: what is cleared there feeds no element of a tensor, or meets zeros": [LeftOut, Zero, Rounds, Always, Sides, Integer, Operator, Function, Template, Buffer, Exchanged]
        ["reader"] ["a variable", "a scope", "a loop of tiles", "a condition", "zero_*"];
    "a term that is 0 here": [Operator] ["reader", "writer"] ["noc_async_*_page"];
    "the condition holds, or fails, for the same pages of the samples": [Operator, Integer] ["writer"] ["a condition"];
    "a number that no block of the samples tells from this one": [Operator, Integer, Zero] ["writer"] ["a variable"];
    "compute uses it for nothing": [LeftOut, Integer, Operator, Zero] ["compute"] ["a variable"];
    "a setting for buffers of the same format": [Buffer, Exchanged, Template] ["compute"]
        ["*_init", "reconfig_*", "pack_reconfig_*", "compute_kernel_hw_startup"];
    "set up for what nothing uses before it is set up anew": [LeftOut, Function] ["compute"] ["*_init"];
    "a sum, product or maximum does not mind the order": [Exchanged] ["compute"]
        ["add_*", "mul_*", "binary_max_tile", "binary_min_tile", "eq_*", "ne_*"];
    "the sign is dropped behind it": [Exchanged, Operation] ["compute"] ["sub_binary_tile", "add_tiles_bcast_rows"];
    "every register holds the same number": [Zero, Integer] ["compute"] ["pack_tile"];
    "registers are zero when they are acquired": [LeftOut, Integer, Zero] ["compute"] ["fill_tile_bitcast", "a loop of tiles"];
    "the zeros are not used again": [LeftOut, Function] ["compute"] ["cb_pop_front"];
    "a unit in the last place of a number, which rounding swallows": [Integer] ["compute"] ["*_unary_tile"];
    "it waits longer": [Function] ["writer"] ["noc_async_writes_flushed"];

    "fewer versions cost time only": [Depth] [] [];
    "the buffers are alike, or are named otherwise everywhere": [Index] [] [];
    "names only: type and address go with the tensor": [Bindings] [] [];
    "a format of more bits, or unpacked another way to the same bits": [Format, Unpack] [] [];
    "an argument that the program needs for nothing, or that no block of the samples tells from this one": [Value] [] [];
    "products that are exact in fewer passes, or no products": [Engine] ["plan"] ["LoFi", "HiFi2", "HiFi3", "HiFi4", "math_fidelity"];
    "registers to spare": [Engine] ["plan"] ["dst_full_sync_en"];
    "nothing is computed but moved": [Engine] ["plan"] ["fp32_dest_acc_en"];
    "the functions are told by their template arguments": [Engine] ["plan"] ["math_approx_mode"];
    "blocks past the edge store nothing, and the order of blocks is nobody's": [Grid] [] [];
};

/// Mutants that change numbers by less than a kernel's bound.
const WITHIN: &[Reason] = reasons! {
    "edges: what is cleared there feeds no element, but the emulator adds products by what the whole tile holds": [LeftOut, Zero, Rounds, Always, Sides, Integer, Operator, Function, Template, Exchanged]
        ["reader"] ["a variable", "a scope", "a loop of tiles", "a condition", "zero_*"];
    "edges, by an extent that is another": [Value] ["plan"] [];
    "the multiplier makes fewer passes, or more": [Engine] ["plan"] ["math_fidelity"];
    "registers of another width": [Engine] ["plan"] ["fp32_dest_acc_en"];
    "a buffer or its way to the registers keeps fewer bits, or more": [Format, Unpack] ["plan"] [];
    "a unit in the last place of a number": [Integer] ["compute"] ["*_unary_tile"];
};

fn find(table: &'static [Reason], mutant: &Mutant) -> Option<&'static str> {
    let any = |list: &[&str], name: &str| list.is_empty() || list.iter().any(|pattern| matches(pattern, name));
    let row = table.iter().find(|reason| {
        reason.kinds.contains(&mutant.kind)
            && any(reason.programs, mutant.program)
            && any(reason.subjects, &mutant.subject)
    });
    row.map(|reason| reason.why)
}

/// Whether a name is what a pattern says; a star stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((beginning, end)) => name
            .strip_prefix(beginning)
            .is_some_and(|rest| match end.strip_suffix('*') {
                Some(within) => rest.contains(within),
                None => rest.ends_with(end),
            }),
    }
}

/// Why a mutant that changes no bit does not, where that is known.
pub fn harmless(mutant: &Mutant) -> Option<&'static str> {
    find(HARMLESS, mutant)
}

/// Why a mutant may change numbers within the bound, where that is known.
pub fn within(mutant: &Mutant) -> Option<&'static str> {
    find(WITHIN, mutant)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_beginning_or_end() {
        for (pattern, name, expected) in [
            ("+=", "+=", true),
            ("*_init", "copy_init", true),
            ("*_init", "copy_tile", false),
            ("zero_*", "zero_page", true),
            ("noc_async_*_page", "noc_async_read_page", true),
            ("*_tiles*", "add_tiles_bcast_rows", true),
            ("add_*", "sub_tiles", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
