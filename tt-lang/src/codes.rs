//! Every kind of error the language has, one row each: the number shown as `TT0123`, a title, and the longer explanation
//! for documentation. Numbers are never reused; the compiler's own start at 400.

use crate::diagnostic::Code;

macro_rules! codes {
    ($($name:ident $number:literal $title:literal $explanation:literal;)*) => {
        $(
            #[doc = $title]
            pub static $name: Code = Code { number: $number, title: $title, explanation: $explanation };
        )*

        /// Every code of the language, by number.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    // The function and its signature.
    NOT_A_FUNCTION 1 "a kernel is a function"
        "`#[tt::kernel]` belongs on one free function whose body is the kernel. It has no meaning on other items, and a \
         function that cannot be read as Rust cannot be compiled either. Write it on a function outside of `impl` and `trait`.";
    FUNCTION_KIND 2 "a kernel is a plain function"
        "A kernel is written `fn name(..) { .. }`. It is not `async`, `unsafe`, `const` or `extern` and takes no variable \
         number of arguments: the launcher made from it decides how it runs. Leave such words out.";
    RETURN_TYPE 3 "a kernel returns nothing"
        "The results of a kernel are the tensors it was given as `&mut Tensor<..>`. Add a parameter for each result.";
    GENERIC_PARAMETER 4 "only extents are generic"
        "The generic parameters of a kernel are extents, `const M: usize`, which the launcher reads off the tensors. Type \
         parameters, lifetimes, defaults and `where` clauses have no meaning on the device: write the element type out.";
    PARAMETER_TYPE 5 "a parameter is a tensor or a scalar"
        "A parameter is `&Tensor<E, ..>`, `&mut Tensor<E, ..>` or a scalar (`f32`, `i32`, `u32`). Everything else stays on \
         the host.";
    TENSOR_BY_VALUE 6 "a tensor is passed by reference"
        "A kernel borrows its tensors: `&Tensor<..>` is read, `&mut Tensor<..>` is written, or read and written.";
    ELEMENT_TYPE 7 "unknown element type"
        "Tensors and blocks hold one of `bf16`, `f32`, `f16`, `bfp8`, `bfp4`, `i32`, `u32`, `u16`, `u8`, `i8`: the formats of \
         the device. Convert others on the host.";
    TENSOR_RANK 8 "a tensor has one to six axes"
        "Write `Tensor<E, M, N>`: the element type, then one extent per axis. The last two axes are tiled, the leading \
         ones select matrices; one to six axes are supported.";
    TENSOR_EXTENT 9 "not an extent"
        "The extent of a tensor's axis is a literal of at least 1, the name of a `const M: usize` parameter of the kernel, \
         or `{ expr }` of those. It is known at launch from the tensors alone, so scalars, constants of the surrounding \
         module and names from the body cannot be used.";
    EXTENT_NOT_READ 10 "an extent that no tensor shows"
        "The launcher reads each `const M: usize` off a tensor that has `M` itself as an axis. An extent that appears in no \
         tensor, or only inside an expression, has no value at launch. Give a tensor that axis, or pass the number as a scalar.";
    SCALAR_TYPE 11 "a scalar is f32, i32 or u32"
        "Scalars are passed as 32-bit runtime arguments: `f32`, `i32` or `u32`. Convert on the host.";
    PARAMETER_PATTERN 12 "a parameter is a name"
        "A parameter is written `name: type`. Patterns, `mut` and `self` have no meaning for a kernel: what changes is a block, or a \
         `&mut Tensor`.";
    DUPLICATE_NAME 13 "a name given twice"
        "Parameters, extents and the names bound by one pattern must differ from each other. Rename one of them.";
    ATTRIBUTE 14 "an attribute without meaning here"
        "On a kernel, documentation, lint levels and `deprecated` are kept; on a tensor parameter there is `#[layout(..)]`. \
         Nothing inside the body takes attributes. Options of the kernel stand in `#[tt::kernel(..)]`; leave others out.";

    // Options of the attributes.
    UNKNOWN_OPTION 20 "unknown option"
        "Options are written `name = value`. Each attribute and each `T.` call has its own list of them; a misspelt one is \
         an error so that it is never silently without effect. The message names the nearest one or all of them.";
    OPTION_VALUE 21 "an option's value is not one it takes"
        "Each option takes values of one kind: `true` or `false`, a constant, or one of a list of words, which the \
         message names.";
    DUPLICATE_OPTION 22 "an option given twice"
        "An option has one value. Leave all but one of them out.";
    LAYOUT 23 "not a layout"
        "`#[layout(..)]` takes a memory (`dram`, `l1`) and a cut (`interleaved`, `height_sharded(g)`, `width_sharded(g)`, \
         `block_sharded(gy, gx)`, `nd_sharded(axes = \"..\", grid = [..], shard = [..])`), each at most once.";
    HALO 24 "halo unsupported"
        "Shards that overlap their neighbours (halos) are not supported. Read the overlap with `T.copy` from an interleaved \
         tensor instead.";

    // The grid.
    GRID_MISSING 30 "a kernel needs T.Kernel"
        "The first statement says over which grid of blocks the body runs: `let (bx, by) = T.Kernel(gx, gy);`. One to \
         six axes.";
    GRID_TWICE 31 "T.Kernel twice"
        "A grid is a stage. Several stages, one after the other, stand each in a block of their own: \
         `{ let (bx, by) = T.Kernel(gx, gy); .. }`.";
    GRID_AXES 32 "names and extents of the grid disagree"
        "`T.Kernel` takes one to six extents and is bound to as many names: `let bx = T.Kernel(gx);`, \
         `let (bx, by) = T.Kernel(gx, gy);`, `let (bx, by, bz) = T.Kernel(gx, gy, gz);`.";
    GRID_NOT_FIRST 33 "T.Kernel comes first"
        "Only integer constants and `T.alloc_global` may stand before `T.Kernel`: everything else runs once per block of the \
         grid, and so stands after it, at the top of the body.";
    GRID_EXTENT 34 "a grid of fewer blocks than none"
        "An axis of the grid has no fewer than 0 blocks; one that has none runs nothing. Count what there is, `N.div_ceil(64)`.";

    STAGE_STATEMENT 35 "a statement outside of the stages"
        "A kernel of several stages is a list of blocks, each with a `T.Kernel` of its own. Before and between them stand \
         integer constants, functions and `T.alloc_global`: everything else runs once per block of a grid.";
    TEMPORARY_PLACE 36 "T.alloc_global within a stage"
        "A global temporary lives in the memory of the device from one stage to the next, so it is allocated before the \
         first `T.Kernel`. Blocks of one core come from `T.alloc_shared` and `T.alloc_fragment`.";
    STAGE_COUNT 37 "too many stages"
        "Every stage is a program of its own. A device keeps the programs of a few kernels, those of one kernel at once. Join \
         stages whose blocks need nothing of each other, or make two kernels of it, which a tensor of the host connects.";

    // Names and calls.
    UNKNOWN_NAME 40 "unknown name"
        "A kernel sees its parameters, its extents and what its body declares. Constants, statics and functions of the \
         surrounding module are not visible to it: repeat a constant inside the kernel, or pass it as a scalar.";
    UNKNOWN_METHOD 41 "unknown method"
        "Numbers have the element operations (`exp`, `sqrt`, `tanh`, `max` ..), integers have `div_ceil`, `min`, \
         `max` and `clamp`. Write what is missing with those: docs/language.md lists them.";
    UNKNOWN_WORD 42 "T has no such operation"
        "`T` offers the grid, blocks, copies, products, reductions, loops and the element operations of the language, \
         nothing else. The message names what comes near, or what it is called here.";
    WRONG_KIND 43 "a name of another kind"
        "Blocks come from `T.alloc_shared` and `T.alloc_fragment`, tensors and scalars from the signature, integers from \
         loops, the grid, `let` and `const`. Each operation says which of them it takes.";
    OUT_OF_PLACE 44 "an operation out of its place"
        "`T.copy` and the other statements give no value; `T.Parallel`, `T.Pipelined`, `T.serial` and `T.unroll` belong \
         behind `for .. in`; `T.alloc_shared` and `T.alloc_fragment` behind `let name =`; element operations give a value \
         that has to be assigned.";
    ARGUMENTS 45 "wrong number of arguments"
        "Each operation takes a fixed number of arguments, followed by options written `name = value`. The note shows how it is written.";

    // Values.
    INTEGER_WANTED 50 "an integer is wanted here"
        "Grid extents, loop bounds, offsets and indices are integer expressions over constants, extents, integer scalars, \
         block indices and loop variables. What is a number has no place there: compute it on the host and pass an integer.";
    NUMBER_WANTED 51 "a number is wanted here"
        "Integers (extents, indices, whole literals) and numbers (elements, `f32` scalars, literals with a point) are \
         different kinds, as in Rust. `n as f32` turns an integer into a number, and `2.0` is a number where `2` is not.";
    TRUTH_VALUE 52 "a truth value and a number are different things"
        "`&&`, `||`, `!` and the condition of `if` take truth values (comparisons); arithmetic takes numbers. Compare a number, \
         `x > 0.0`, and make one of a comparison by `if c { 1.0 } else { 0.0 }`.";
    MIXED_TYPES 53 "integer data and floating-point data together"
        "Floating-point elements mix freely with each other, integer elements too; between the two write the conversion: \
         `x[(i, j)] as f32`.";
    CONSTANT_WANTED 54 "a constant is wanted here"
        "The shape of a block, the extents of `T.Parallel`, `num_stages` and the lengths of ranges are fixed when the kernel \
         is compiled. They are made of literals and `const` names only. Give a tensor's extents to the grid and to serial loops, whose counts may \
         vary.";
    ARITHMETIC 55 "a constant that has no value"
        "The expression divides by zero, shifts by more than 31 bits, or leaves the range of 32-bit integers with a sign; or a \
         literal is no element of the type it is used as: those of `u8` are from 0 to 255, of `i8` from -128 to 127. Write one that has a value there.";
    OPERATOR 56 "an operator that is not in the language"
        "Integers and numbers have `+ - * / %` and comparisons; integer elements also have `& | ^ << >> !`; truth values have \
         `&& || !`. Assignments are `=`, `+=`, `-=`, `*=`, `/=` and `%=`, of integer elements also `&=`, `|=`, `^=`, `<<=` and \
         `>>=`.";
    LITERAL 57 "a literal that has no meaning here"
        "Literals are whole numbers, numbers with a point, `true` and `false`. Texts appear only in `T.print`. Write a number, or pass \
         it as a scalar.";
    CAST 58 "a cast that does not exist"
        "Elements are cast to element types (`as f32`, `as bf16` ..), integers also to `usize` and the like, which changes \
         nothing. Truth values are cast to integers (`as i32` is 1 or 0), and chosen by: `T.select(c, 1.0, 0.0)`.";
    UNIFORM_ARGUMENT 59 "an argument that must be the same for every element"
        "The exponent of `powi` is set once for a whole block: literals, scalars and extents. Write `powf`, whose exponent may \
         differ from element to element.";
    DATA_DEPENDENT_INDEX 60 "an index that depends on data"
        "Where a block is read from and written to is decided before its data arrives: indices, offsets and loop bounds are \
         made of integers, those of a `&Tensor` of an integer type among them, never of the elements of blocks or of numbers. \
         Take what decides as a `&Tensor<i32, ..>`, or choose the elements themselves by a mask.";
    DATA_DEPENDENT_BRANCH 61 "a branch that depends on data"
        "All elements of a block run the same statements. Choose element by element with `if c { x } else { y }` as a \
         value inside `T.Parallel`, or `T.select(c, x, y)`. Of numbers that differ from block to block the kernel computes sums, \
         differences, products and quotients.";
    ELEMENT_IN_VALUE 62 "a value that must be the same for the whole block"
        "`T.fill` sets every element to one value, made of literals, scalars and integers. Element-wise work belongs in \
         `T.Parallel`.";
    LET_VALUE 63 "let holds a value or a block"
        "`let` names an integer expression, which may read a tensor of integers, a number or truth value that is the same for \
         the whole block, in `T.Parallel` one of an element, the grid's indices or a new block. Elements are named within \
         `T.Parallel` alone, or kept in a fragment.";
    MUTABLE_VARIABLE 64 "names do not change"
        "A name bound by `let` keeps its value: the loop variable counts, and a block holds what changes. Give the new value a name of \
         its own, or keep it in `T.alloc_fragment::<f32>(1)`.";
    LET_PATTERN 65 "let binds one name"
        "`let name = ..;` binds one name and always has a value; only `T.Kernel` is bound to several names at once.";
    MISSING_ELSE 66 "if as a value needs else"
        "Every element gets a value, so `if c { x } else { y }` names both, each as a single expression.";
    CONSTANT_TYPE 67 "a constant is an integer or a number"
        "`const NAME: usize = ..;` gives an integer a name, `const NAME: f32 = ..;` a number.";
    FUNCTION 68 "a function of the body"
        "`fn f(x: f32, n: i32) -> f32 { .. }` in the body of a kernel takes and gives numbers, integers and truth values, sees \
         only its parameters and constants, and ends in an expression. It is written out where it is called.";

    // Blocks.
    BLOCK_EXTENT 70 "an extent no block can have"
        "An extent of a block is a constant of at least 1, and all of its elements fit into the memory of a core. It takes \
         whole tiles of 32 × 32: what a last tile has beyond the extents has no value, and is nowhere seen. Make the block \
         smaller, and let the grid or a loop have more of them.";
    BLOCK_AXES 71 "a block has one to three axes"
        "`T.alloc_shared::<E>(h, w)` makes a block; with one extent it holds one value per row, with three a stack of blocks.";
    BLOCK_TYPE 72 "a block needs its element type"
        "Say what the block holds: `T.alloc_shared::<bf16>(h, w)`, `T.alloc_fragment::<f32>(h, w)`.";

    // Statements on blocks.
    COPY_EXTENTS 80 "the sides of a copy differ in extent"
        "`T.copy` moves as many elements as it reads: block and block have the same shape, and the ranges of a region have the \
         extents of the block on the other side, or lengths that are known at run time only and no longer.";
    COPY_SIDES 81 "a copy has a block on one side"
        "A core moves data between a tensor and its own memory. To copy a tensor to a tensor, go through a block.";
    REGION_RANK 82 "wrong number of indices for a tensor"
        "A region has one index or range per axis of the tensor: `a[(row, col)]`, with leading indices `a[(b, h, row, col)]`.";
    REGION_RANGE 83 "a range that no region has"
        "A range in a region has a start and an end, and the end is not included: `r..r + n`. It is as long as the block on the \
         other side, or shorter where its length is known at run time only. A step, `(r..r + 64).step_by(2)`, is possible along \
         all axes but the last: there every element would be a transfer of its own.";
    WHOLE_TENSOR 84 "a tensor without a region"
        "A tensor is too large for a core: say which part is meant, `a[(row, col)]`.";
    BLOCK_REGION 85 "a part of a block"
        "Copies, fills, products, reductions and transposes read and write blocks or parts of blocks: constant ranges without \
         steps, `x[(0..32, 32..64)]`. Everything else takes a block's name alone.";
    STORE_TO_INPUT 86 "a store to a tensor that is only read"
        "`&Tensor` is read. A tensor that the kernel writes is `&mut Tensor` in the signature and at the call.";
    SAME_BLOCK 87 "a block used twice in one operation"
        "The operation reads one block and writes another. Allocate a second one for the result.";
    GEMM_SHAPE 88 "the shapes of a product disagree"
        "`T.gemm(a, b, acc)` takes a of m × k, b of k × n and acc of m × n; with `transpose_a = true` a is k × m, with \
         `transpose_b = true` b is n × k.";
    GEMM_OPERAND 89 "not an operand of a product"
        "`T.gemm` takes two blocks of two axes and adds into a third. Copy the region of a tensor into a block first.";
    REDUCE_SHAPE 90 "the shapes of a reduction disagree"
        "Reducing h × w along rows (`dim = 1`) gives h values, down columns (`dim = 0`) w values, both one value. A result of \
         h values is a block of `(h)` or `(h, 1)`, one of w values `(w)` or `(1, w)`.";
    REDUCE_DIM 91 "which axis is reduced"
        "`dim = 1` reduces along each row, `dim = 0` down each column, `dim = (0, 1)` over everything. It is always written.";
    TRANSPOSE_SHAPE 92 "the shapes of a transpose disagree"
        "`T.transpose(x, y)` takes x of h × w and y of w × h.";
    PRINT_ARGUMENT 93 "not something that can be printed"
        "`T.print` prints texts of one line, whole blocks, integers, and numbers made of `f32` scalars, literals and integers, all the \
         same for the whole block.";
    REDUCE_POSITION 94 "what holds the positions of a reduction"
        "`T.reduce_argmax(x, val, pos, dim = 1)` puts the largest element of each row into `val` and its index, plus `base = e`, \
         into `pos`, a block of `i32`. `val` may be `_`, unless `clear = false` compares with what it holds.";

    // Loops.
    LOOP_RANGE 100 "not a loop of the language"
        "Loops run over `0..n`, `(lo..hi).rev()`, `(lo..hi).step_by(n)`, `T.serial(n)`, `T.unroll(n)`, `T.Pipelined(n, num_stages = s)` or `T.Parallel(h, w)`.";
    LOOP_PATTERN 101 "names and extents of a loop disagree"
        "A serial loop binds one name; `T.Parallel` as many as it has extents: `for (i, j) in T.Parallel(h, w)`.";
    PARALLEL_EXTENTS 102 "the extents of T.Parallel"
        "`T.Parallel` has one or two constant extents of at least 1, or three in the form that is a product.";
    PARALLEL_BODY 103 "T.Parallel holds assignments"
        "Every statement in `T.Parallel` assigns to one element, such as `x[(i, j)] = ..;`. Loops, copies and other \
         statements stand outside it.";
    ELEMENT_OUTSIDE_PARALLEL 104 "an element outside T.Parallel"
        "Single elements are read and written inside `T.Parallel` only. Outside it, work on whole blocks.";
    ELEMENT_BOUNDS 105 "an element past the edge of its block"
        "The indices of an element run over the extents of `T.Parallel`; all of them must lie inside the block. \
         Let the loop count as far as the block reaches, or make the block larger.";
    ELEMENT_RANK 106 "wrong number of indices"
        "An element has one index per axis: `x[(i, j)]` of a block with two axes, `m[i]` of a block with one.";
    TARGET_INDICES 107 "an element assigned more than once"
        "Each element is assigned by one point of the loop, so every index of the loop appears in the target. To fold an \
         axis away use `T.reduce_sum` and its kin.";
    CONTRACTION 108 "a loop over three indices is a product"
        "The three-index form is `acc[(i, j)] += a[(i, k)] * b[(k, j)]`, alone in its loop, over whole blocks or over \
         regions of tensors; each operand may be transposed.";
    WHOLE_BLOCK 109 "a whole block where a value is wanted"
        "A block is not a value. Inside `T.Parallel` name the element, `x[(i, j)]`; outside use `T.copy`.";

    // What is not in the language.
    CLOSURE 200 "closures are not in the language"
        "A kernel is compiled for cores that call no functions at run time. Write the expression where it is used.";
    REFERENCE 201 "references are not in the language"
        "Blocks and tensors are named directly; nothing is borrowed, dereferenced or pointed to inside a kernel. Leave `&` \
         and `*` out.";
    STRUCT 202 "structs are not in the language"
        "A kernel works on tensors, blocks, scalars and integers. Pass the fields as scalars.";
    CALL 203 "calls to functions outside the kernel are not in the language"
        "A kernel is complete in itself. Write the function in its body; element operations are methods, `x.exp()`, or \
         `T.exp(x)`.";
    WHILE 204 "`while` is not in the language"
        "The number of rounds of a loop is known before it starts, so that buffers can be planned: `for k in 0..n`.";
    LOOP 205 "`loop` is not in the language"
        "The number of rounds of a loop is known before it starts, so that buffers can be planned: `for k in 0..n`.";
    RECURSION 206 "recursion is not in the language"
        "A kernel cannot call itself. Repeat with `for k in 0..n`, or launch the kernel again from the host.";
    ATOMIC 207 "atomics are not in the language"
        "Blocks of the grid are independent and may run in any order. Let one block own each result and loop over what it \
         sums, or write partial results and reduce them in a second kernel.";
    MATCH 208 "`match` is not in the language"
        "Write `if cond { .. } else if other { .. } else { .. }`.";
    RETURN 209 "`return` is not in the language"
        "Every block runs to the end of the body. Put what should not always happen into `if cond { .. }`.";
    BREAK 210 "`break` and `continue` are not in the language"
        "Every round of a loop is run to its end. Put the condition into the loop's bound, or what should not always happen \
         into `if cond { .. }`.";
    MACRO 211 "macros are not in the language"
        "Write what the macro would give. To print from a kernel use `T.print`.";
    UNSAFE 212 "`unsafe` is not in the language"
        "There is nothing unsafe to do in a kernel; write the statements without it.";
    ASYNC 213 "`async` is not in the language"
        "Waiting for data is inserted by the compiler. Write the statements in order; overlap comes from `T.Pipelined`.";
    ITEM 214 "items inside a kernel"
        "A kernel's body declares integer constants, functions and blocks; types and imports stand outside it.";
    TRY 215 "`?` is not in the language"
        "Nothing in a kernel returns an error: what can go wrong is found when it is compiled or launched. Leave the `?` out.";
    ARRAY 216 "arrays are not in the language"
        "Data lives in blocks: `T.alloc_fragment::<f32>(h, w)`.";
    TUPLE 217 "tuples are not values"
        "Parentheses with several parts appear in indices, `x[(i, j)]`, and in the names of a loop or grid.";
    RANGE 218 "ranges are not values"
        "Ranges appear in loops, `for k in 0..n`, and in regions of tensors, `a[(r0..r1, c0..c1)]`.";
    IF_LET 219 "`if let` is not in the language"
        "Conditions compare integers, extents and scalars; there is nothing to take apart. Compare, `if n > 0 { .. }`.";
    LABEL 220 "labels are not in the language"
        "Loops are never left early, so nothing needs a label. Leave it out.";
    ASSIGNMENT_AS_VALUE 221 "an assignment is not a value"
        "Assign in a statement of its own. As an argument, `name = value` is an option of a `T.` call and comes last.";
    CONST_BLOCK 222 "`const { .. }` blocks are not in the language"
        "Constants are evaluated wherever they stand; write the expression alone.";
    CONSTRUCT 223 "a construct that is not in the language"
        "The language is Rust's syntax for `let`, `const`, `for`, `if`, assignments and calls on `T`; what it does not know \
         it refuses. Write it with these.";

    // Limits.
    NUMBER_RANGE 340 "a number out of range"
        "Numbers of the language are `f32`: the largest is 3.4028235e38, and a literal beyond it is no number but \
         `f32::INFINITY`. An exponent of `powi` reaches from -32767 to 32767: the device keeps 16 bits of it where the base is negative.";
    TOO_DEEP 341 "nested too deeply"
        "Expressions, branches and loops may stand within each other, but not without end. Name parts of a long \
         expression with `let`, and write one loop over a product of counts instead of many loops.";
    TOO_LARGE 342 "a kernel that is too large"
        "A kernel becomes one program of a few ten thousand bytes on each processor of a core. Write what repeats as a loop, \
         or split the kernel.";
    INTEGER_SIZE 343 "an integer that is too large an expression"
        "An integer named by `let` is put in where it is used, so one that uses another twice doubles with every line. \
         Compute such values on the host and pass them as scalars.";
    // Warnings: what is certainly not meant but allowed.
    NEVER_STORED 350 "an output that is never stored to"
        "A `&mut Tensor` that no statement stores to keeps what it held. Store to it, or take it as `&Tensor`. This is a \
         warning: `#[tt::kernel(allow(TT0350))]` silences it.";
    NEVER_READ 351 "a block that is never read"
        "Nothing is made of what the block holds, so filling it is work for nothing. Often a copy or a product names another \
         block than was meant. This is a warning: `#[tt::kernel(allow(TT0351))]` silences it.";
    FLOOR_DIVIDED_GRID 352 "a grid that is rounded down"
        "`N / 64` blocks of 64 do not reach the end of a tensor whose extent is no multiple of 64, and what they do not reach \
         keeps what it held. `N.div_ceil(64)` covers all of it: reads past the edge are neutral, stores are dropped. This is a \
         warning: `#[tt::kernel(allow(TT0352))]` silences it.";
    REFERENCE_UNNEEDED 353 "a kernel that compiles is marked as a reference"
        "`#[tt::kernel(reference)]` is for kernels that the compiler refuses. This one compiles, and can be run without the \
         option. This is a warning: `#[tt::kernel(reference, allow(TT0353))]` silences it.";

    // Where a kernel stands, and what it cannot count to.
    KERNEL_IN_IMPL 354 "a kernel stands outside impl and trait"
        "A kernel leaves a function and a module of its name, and a module cannot stand in an `impl` or `trait`. Write the \
         kernel beside it and call it from the method.";
    KERNEL_NAME 355 "a kernel's name is taken"
        "A kernel leaves a module of its name beside its launcher, with the sources and the plan. Another module or type of \
         the same name cannot stand beside it. Rename one of them.";
    COMMA_INDEX 357 "indices without parentheses"
        "Rust indexes by one value: several indices are a tuple. Write `x[(i, j)]`; `x[i, j]` is no Rust, and rustc says so beside \
         this error.";
    INTEGER_READ 358 "an integer that cannot be read here"
        "`let n = lengths[b];` reads an integer of a `&Tensor`, once for the whole block: after `T.Kernel`, since a grid is \
         known before any block runs, outside of `T.Parallel`, whose elements run together, and of a tensor that nothing \
         stores to meanwhile, so that all processors of a core read the same: a temporary is read in a stage that does not store to it.";
    RESERVED 359 "a form that is not built yet"
        "The name belongs to a part of the language that is planned and not there. It is kept free, so that kernels of today \
         mean the same when it comes. Write it with what docs/language.md lists.";
    OUTDATED_NAME 360 "a name for elements that changed"
        "`let t = x[(i, j)] * 2.0;` in `T.Parallel` names an expression, which stands wherever `t` does: it would read what is \
         assigned to `x` in between. Use the name before that assignment, write the expression again, or keep its value in a \
         block.";
}

/// The codes of warnings, which a kernel may allow.
pub static WARNINGS: [&Code; 4] = [&NEVER_STORED, &NEVER_READ, &FLOOR_DIVIDED_GRID, &REFERENCE_UNNEEDED];

#[cfg(test)]
mod tests {
    use super::{ALL, ELEMENT_TYPE};
    use tt_device::ElementType;

    #[test]
    fn numbers_ascend_and_stay_below_the_compilers() {
        assert!(ALL.windows(2).all(|pair| pair[0].number < pair[1].number));
        assert!(ALL.iter().all(|code| (1..400).contains(&code.number)));
    }

    #[test]
    fn every_explanation_is_a_sentence() {
        for code in ALL {
            assert!(code.explanation.ends_with('.'), "{code}: {}", code.explanation);
            assert!(!code.explanation.contains("  "), "{code}: {}", code.explanation);
        }
    }

    #[test]
    fn the_explanation_of_an_unknown_element_type_lists_those_there_are() {
        let quoted = |(_, name): &(ElementType, &str)| format!("`{name}`");
        let all: Vec<String> = ElementType::ALL.iter().map(quoted).collect();
        let list = format!("hold one of {}: ", all.join(", "));
        assert!(ELEMENT_TYPE.explanation.contains(&list), "{}", ELEMENT_TYPE.explanation);
    }
}
