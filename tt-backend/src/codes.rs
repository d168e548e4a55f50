//! The compiler's own error codes, 400–599. Those of the language are in `tt_lang::codes`.

use tt_lang::diagnostic::Code;

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal, $explanation:literal;)*) => {
        $(#[doc = $title] pub static $name: Code = Code { number: $number, title: $title, explanation: $explanation };)*

        /// Every code of the compiler.
        pub static CODES: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    ELEMENT_TYPE = 402, "this is not done with elements of this type",
        "Tensors and blocks of every element type are compiled; what the device does not do with one of them is refused here, with the types that can. Hold it as one of those: cast or copy to `f32` or `i32` first, and back behind it.";
    LAYOUT = 403, "this layout cuts tiles",
        "A tensor is moved tile by tile, 32 × 32 elements of its last two axes: the shards of `nd_sharded` are multiples of 32 along them. Make them so; the last may reach past the tensor's end.";
    BLOCK_ORDER = 405, "no shards to match",
        "`order = match_shard` gives a core the blocks whose shard lies with it: so it takes a tensor in shards of `l1` of which every block of the grid copies whole tiles once, outside of loops and branches. Cut one with `#[layout(l1, height_sharded(8))]`, or take another order.";
    STACKED_BLOCK = 407, "a stack of blocks, one of which is wanted",
        "`T.alloc_shared::<E>(4, 64, 64)` is a stack of blocks, at most 32. It is cleared, filled and copied as a whole; anything else takes one of them, `z[(s, i, j)]` in a parallel loop and `z[(s, 0..64, 0..64)]` where a block stands.";
    READ_BEFORE_WRITE = 410, "a block is read before it is written",
        "What a block holds before the first write is undefined on the device. Every path to a read must write the block first; a loop may run zero times unless its count is a constant or comes from an extent. Write the block before, all of it: `T.clear(x)`, or a copy.";
    UNALIGNED = 411, "columns that lie along another axis than the last",
        "A tile is four faces of 16 × 16, so a row of a tensor lies in pieces of 16 elements. The columns of a region lie along the tensor's last axis; rows may go along any other. Both begin and end anywhere. Give the range of columns to the last axis; where the data lies otherwise, permute it on the host or by a kernel of its own.";
    L1_CAPACITY = 412, "the blocks do not fit in L1",
        "Every block takes a circular buffer in the L1 memory of a core: its tiles times the blocks in flight. Make blocks smaller or ask for fewer stages.";
    CIRCULAR_BUFFERS = 413, "too many circular buffers",
        "A core of the smallest chip has 32 circular buffers. Every block takes one, and intermediate results that stay in L1 take one each. Make fewer blocks, or cut the kernel into stages: each has all of them.";
    PLACE = 414, "a place that a parallel loop does not store to",
        "A parallel loop stores to a whole block, to as many rows and columns as it counts from anywhere on, or to one row or column, x[(k, j)] = .., where k is the same for all elements. Rows of a tensor lie along any axis but the last, and may be a constant factor apart, c[(2 * i, j)] = ... Keep the other elements by choosing them in the loop, x[(i, j)] = if i % 2 == 0 { .. } else { x[(i, j)] }.";
    ACCESS = 415, "this way to index is not compiled",
        "In a parallel loop over (i, j) a block is read as x[(i, j)], x[(j, i)], a row or column value, or at offsets that are the same for all elements; and at an index that is the same for all elements in either place, x[(k, j)]. A tensor likewise, from any row and column; its rows lie along any axis but the last, and their index may have constant factors, quotients and remainders, a[((by * 64 + i) / 2, j)].";
    PART_OF_TILE = 419, "elements that are not moved alone",
        "Where elements share exponents none is moved without its neighbours: regions of such tensors begin at multiples of 32 and end there or with the tensor, and all that is stored there has a value. Other types are moved one by one where that is needed: use `bf16`, or move whole tiles.";
    NUMBER_OPERATION = 420, "an operation that the device does not have in this form",
        "Where a call of the device has a number as a word of its own, it is the same for all elements: a literal, a scalar, or what is computed from them. Write such a number there, or the formula out of operations on elements.";
    RUNTIME_ARGS = 421, "too many runtime arguments",
        "A kernel takes 341 words of runtime arguments: addresses, extents, scalars and what is computed from them. Pass fewer scalars, integers in a tensor, or cut the kernel into stages.";
    FUNCTION_PRECISION = 470, "a function that 16-bit registers cannot compute",
        "Some functions are composed of others in 32-bit destination registers, since the device's own are far off. A kernel that calls one has such registers unless `fp32_acc = false` rules them out. Leave that out, or say `approx = true` for the device's own.";
    UNPROVED = 430, "the compiler could not prove its own output",
        "The verifier found a budget, a ring rule or the progress of the circular buffers unproved. This is a fault of the compiler, not of the kernel: please report it with the kernel.";
    INTEGER_RANGE = 440, "an integer of more than 32 bits",
        "Integers of a kernel have 32 bits and a sign, on the device and in its arguments. A constant beyond, written so or computed from others, has no place there. Count in larger units (blocks, not elements).";
    INTEGER_SIZE = 441, "an integer expression that is too large",
        "Expressions over grid and loop variables are written out in the kernels, where `min`, `max` and `div_ceil` repeat their operands. What depends on extents and scalars only is computed by the host and may be larger: pass what is large as a scalar, or compute it from fewer grid and loop variables.";
    CONDITIONS = 450, "too many conditions in one statement",
        "An element may be chosen by conditions that are the same for the whole block (scalars, extents, block indices, loop variables). Each becomes a branch around the statement and doubles what is written; four are possible. Write `if` around statements, or an assignment for each choice.";
    STORED_TWICE = 452, "two blocks store the same elements",
        "Blocks of the grid run in any order, also at the same time, so an element that two of them store has the value of either. Every grid variable belongs in the indices of a store, times as many elements as the block stores there, or in a condition around it, or its extent is 1. Where the extent is known at launch only, the launch is refused.";
    PLACES = 453, "too many places that may be meant",
        "A loop that counts blocks of stacks or parts of blocks is written out, and where an index that is known at run time alone names one there is a branch for each; several such indices in one statement multiply. At most 512 statements are made so. Name places by constants, or let fewer indices of a statement differ.";
    TEMPORARY_UNSTORED = 480, "a temporary is read before any stage stores to it",
        "What `T.alloc_global` allocates holds nothing at first: a stage reads what the stages before it stored there. Store to it in an earlier stage, or take a tensor as a parameter.";
}
