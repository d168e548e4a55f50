//! Why mutants change nothing, or next to nothing, where that does not show in the statements themselves.
//!
//! A mutant that nobody notices and that neither `tt_backend::mutate` nor a row here explains fails the chore. A row is an
//! argument for every mutant of its kinds with what it mentions: where it held for some only, the samples were made to tell them apart.

use tt_backend::mutate::{Kind, Mutant};

/// Some mutants, and why nobody notices them.
struct Reason {
    kinds: &'static [Kind],
    /// Programs, or `plan`; all where there is none.
    programs: &'static [&'static str],
    /// What is changed; all where there is none. A star stands for any beginning or end.
    subjects: &'static [&'static str],
    /// Functions, variables and buffers, of which the statement mentions one, or arguments; all where there is none. Likewise.
    mentions: &'static [&'static str],
    why: &'static str,
}

use Kind::*;

macro_rules! reasons {
    ($($why:literal: [$($kind:ident),*] [$($program:literal),*] [$($subject:literal),*] [$($mention:literal),*];)*) => {
        &[$(Reason {
            kinds: &[$($kind),*],
            programs: &[$($program),*],
            subjects: &[$($subject),*],
            mentions: &[$($mention),*],
            why: $why,
        }),*]
    };
}

/// Mutants that leave every bit as it is.
const HARMLESS: &[Reason] = reasons! {
    // Engines.
    "the verifier knows what every operation finds the engines set to: this is set so already, or anew before it matters":
        [LeftOut, Swapped, BeforeParent, BehindParent, IntoNext, Exchanged, Buffer, Template, Function] ["compute"]
        ["*_init", "*_uninit", "reconfig_*", "pack_reconfig_*", "compute_kernel_hw_startup"] [];
    "the packer cuts at zero, or not, from a little earlier on or once more: nothing else is packed in between":
        [BeforeParent, IntoNext] ["compute"] ["pack_relu_config"] [];
    "the format that DST_FORMAT stands for here": [Template] ["compute"] ["where_tile"] [];

    // Order and repetition.
    "it waits for more than it has to": [Function] ["writer"] ["noc_async_writes_flushed"] [];
    "the verifier has run the programs against each other so: who waits for what stays, and these pages or engines are others":
        [Swapped, BeforeParent, BehindParent, IntoNext] [] ["cb_*", "tile_regs_*"] [];
    "pages packed once more from the same registers, and no sum: the packer adds elsewhere in the program only": [Twice] ["compute"]
        ["pack_tile", "a loop of tiles"] [];
    "f(f(x)) = f(x), and max(max(x, y), y) = max(x, y)": [Twice] ["compute"]
        ["abs_tile", "relu_tile", "clamp_tile", "binary_max_tile", "binary_min_tile", "unary_max_tile", "unary_min_tile", "floor_tile", "sign_tile"] [];
    "compared with 0 again, a comparison stays what it is": [Twice] ["compute"] ["gt_binary_tile"] [];
    "both sides of the branch only wait for the same pages": [Twice, Always, Sides, Operator, Integer] ["writer"] ["a branch"] [];
    "the statements write other registers": [Swapped] ["compute"] ["*_tile", "*_tiles*", "a loop of tiles"] [];
    "both clear, or read to other buffers: nothing of one is needed by the other": [Swapped] ["reader"] ["a scope", "a loop"] [];
    "the loop has one round, at whose start the address is the first": [IntoNext] ["reader", "writer"] ["a variable"] ["get_write_ptr", "get_read_ptr"];
    "where both sides are taken in turn, a page of zeros that the transfer overwrites": [BeforeParent] ["reader"] ["zero_page"] [];
    "the address is the last, or the first of the next page either way": [BehindParent] ["reader", "writer"] ["+="] [];

    "the same is stored once more, from pages that stay": [Twice] ["writer"] ["a scope"] [];
    "what stands behind waits for pages that have been waited for row by row, but in blocks that are not the core's own":
        [Swapped] ["writer"] ["a scope"] [];
    "all rows have been waited for one by one, but in blocks that are not the core's own": [LeftOut, Integer] ["writer"] ["cb_wait_front"] [];
    "it waits for more of the version than the row": [Operator] ["writer"] ["cb_wait_front"] [];
    "sums loaded once more are the same": [Twice] ["compute"] ["a condition"] [];
    "read to another buffer than what comes next": [Swapped] ["reader"] ["a branch"] ["*_before"];
    "compute only asks of it whether it is another than in the block before": [Integer, Zero] ["compute"] ["a variable"] ["bx", "by"];
    "compute only asks where runs of its blocks begin, which is at the first and where those of the others do": [Value] [] ["compute"] ["start_id"];

    // Past the edges, where every sample holds 1e30.
    "1e30 past an edge shows in no element: the other operand is zero there, or only elements past the edge come of it":
        [LeftOut, Rounds, Always, Sides, Integer, Zero, Operator, Function, Template, Buffer, Exchanged, Everywhere] ["reader"] [] ["filled", "zero_tile_*", "edge"];
    "1e30 past an edge shows in no element: what is left uncleared meets zeros, or only elements past the edge come of it":
        [LeftOut, Rounds, Everywhere] ["reader"] ["a loop of tiles", "a scope"] [];
    "a page of the next row is read past the edge: only elements past the edge come of it": [Always, Operator, BehindParent] ["reader"]
        ["a condition", "noc_async_read_page"] [];
    "pages past the edge are read: the other operand is zero there, or only elements past the edge come of it": [Operator] ["reader"]
        ["a variable"] ["rows_within", "columns_within"];
    "where one block has all of an axis it begins at 0: adding that and taking it off are the same": [Operator] ["writer"]
        ["a variable"] ["rows_within", "columns_within"];

    // Values.
    "a + b, a · b and max(a, b) are b + a, b · a and max(b, a)": [Exchanged] ["compute"]
        ["add_tiles", "add_binary_tile", "mul_binary_tile", "mul_tiles", "binary_max_tile", "binary_min_tile", "eq_*", "ne_*"] [];
    "a + b is b + a: both have room, and each operand is read to the place of the other": [Everywhere] ["reader"] ["a variable"] ["get_write_ptr"];
    "|a - b| is |b - a|": [Exchanged, Operation] ["compute"] ["sub_binary_tile", "add_tiles_bcast_rows"] [];
    "transposed on the way in and on the way out": [Operation] ["compute"] ["copy_tile"] [];
    "a unit in the last place of a number, which rounding swallows": [Integer] ["compute"] ["*_unary_tile", "fill_tile_bitcast"] [];
    "registers are zero when they are acquired": [LeftOut, Integer, Zero] ["compute"] ["fill_tile_bitcast", "a loop of tiles"] [];
    "every register was filled with the same number": [Zero, Integer] ["compute"] ["pack_tile"] [];
    "registers too many, which nothing packs": [Rounds] ["compute"] ["a loop of tiles"] [];
    "nothing comes after the zeros that wants their room": [LeftOut, Function] ["compute"] ["cb_pop_front"] ["zeros"];
    "nothing comes after the numbers of rows and columns that wants their room": [LeftOut, Function] ["compute"] ["cb_pop_front"] ["tile_rows", "tile_columns"];

    "every block is still computed once, in another order": [Operator, Integer, Zero, Everywhere] ["reader", "writer"] ["a variable"] ["band_row", "group_*", "within"];
    "the register holds that tile since an earlier load": [LeftOut, Integer] ["compute"] ["copy_tile"] [];
    "elements past the end of a whole block are moved to past the end of another, where nothing is": [Integer] ["writer"]
        ["shift_elements"] [];
    "bx - by is even where bx + by is": [Operator] ["compute"] ["a branch"] ["by"];

    // The launch.
    "fewer versions cost time only: the verifier has found that they suffice": [Depth] [] [] [];
    "the two have as many bytes, or lie where nothing tells them apart: each serves as the other": [Index] [] [] [];
    "type and address go with the tensor, only the order of the words is another": [Bindings] [] [] [];
    "the buffer's numbers have the bits of the narrower format": [Format] [] [] [];
    "numbers of bf16 come through either way of unpacking": [Unpack] [] [] [];
    "the edge it tells is cleared, or one of a block of one tile: the page of a block is its number, whatever the length of a row":
        [Value] [] ["reader", "writer"] ["N_tiles", "M_tiles", "N", "M"];
    "products of so few bits need no more passes": [Engine] ["plan"] ["math_fidelity"] [];
    "half of the registers suffice, so all of them do": [Engine] ["plan"] ["dst_full_sync_en"] [];
    "nothing is computed but moved": [Engine] ["plan"] ["fp32_dest_acc_en"] [];
    "the functions are told by their template arguments": [Engine] ["plan"] ["math_approx_mode"] [];
    "blocks past the edge store nothing": [Grid] ["plan"] ["extent"] [];
    "as many blocks: the programs number them by extents of their own": [Grid] ["plan"] ["axes"] [];
    "the order in the plan is for people: the programs compute it themselves": [Grid] ["plan"] ["order"] [];
};

/// Mutants of the kernels in which validities say of every tile what has a value, and of which only their stores ask, that have
/// edges of their own.
const VALIDITIES: &[Reason] = reasons! {
    "the mask of a whole tile leaves nothing out, and that of an edge what the store leaves out itself":
        [LeftOut, Twice, Swapped, BeforeParent, IntoNext, Sides, Always, Integer, Operator, Everywhere] ["compute"] ["a condition"] ["M", "N"];
    "the mask leaves out what the store leaves out itself":
        [LeftOut, Twice, BeforeParent, Integer, Zero, Exchanged, Operator, Number, Operation] ["compute"]
        ["unary_lt_tile", "where_tile", "fill_tile_bitcast"] [];
    "the numbers of rows and columns are there before it is known that a mask wants them": [BeforeParent] ["compute"] ["copy_tile"] ["tile_rows", "tile_columns"];
    "both have a value, but past the edge of the store": [LeftOut, Twice, Integer] ["compute"] ["mul_binary_tile"] [];
    "the tile beside it has values in the same places, but past the edge of the store": [Zero] ["compute"] ["copy_tile"] ["*_valid"];
    "what is carried has a value wherever a further turn asks: the other choice is never taken": [Zero, Buffer] ["compute"] ["copy_tile"] ["x_in"];
    "the edge of the mask is told to the compute kernel alone, and the store has its own": [Value] [] ["compute"] ["M", "N"];
    "the block's row is only asked for the edge of the mask": [Integer, Zero] ["compute"] ["a variable"] ["by"];
    "one tile high or wide, or elements that the mask leaves out, whatever the count": [Integer, Zero, Operator, Exchanged] ["writer"] ["write_elements"] [];
    "the masks of the tiles are the same, but past the edge of the store": [LeftOut] ["writer"] ["+="] ["stored"];
    "which of the buffers is waited for first is all the same: both are filled": [Swapped] ["writer"] ["a loop of tiles"] [];
    "the row or column of the tensor is the first, so that adding it and taking it off are the same": [Operator] ["reader"]
        ["noc_async_*_page"] [];
};

/// The kernels of [`VALIDITIES`].
const OF_VALIDITIES: [&str; 2] = ["two", "loop_carried"];

/// Mutants that change numbers by less than a kernel's bound.
const WITHIN: &[Reason] = reasons! {
    "the multiplier makes fewer passes, or more": [Engine] ["plan"] ["math_fidelity"] [];
    "registers of another width": [Engine] ["plan"] ["fp32_dest_acc_en"] [];
    "a buffer or its way to the registers keeps fewer bits, or more": [Format, Unpack] ["plan"] [] [];
    "gelu by tanh is near gelu": [Operation] ["compute"] ["gelu_tile"] [];
    "a unit in the last place of a number": [Integer] ["compute"] ["*_unary_tile", "fill_tile_bitcast"] [];
};

fn find(table: &'static [Reason], mutant: &Mutant) -> Option<&'static str> {
    let any = |list: &[&str], name: &str| list.is_empty() || list.iter().any(|pattern| matches(pattern, name));
    let row = table.iter().find(|reason| {
        reason.kinds.contains(&mutant.kind)
            && any(reason.programs, mutant.program)
            && any(reason.subjects, &mutant.subject)
            && (reason.mentions.is_empty() || mutant.mentions.iter().any(|name| any(reason.mentions, name)))
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

/// Why a mutant of a kernel that changes no bit does not, where that is known: from the program itself, or from here.
pub fn harmless(kernel: &str, mutant: &Mutant) -> Option<&'static str> {
    let of_validities = || {
        OF_VALIDITIES
            .contains(&kernel)
            .then(|| find(VALIDITIES, mutant))
            .flatten()
    };
    mutant.same.or_else(|| find(HARMLESS, mutant)).or_else(of_validities)
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
