//! What users may call things: anything that Rust lets them, without meeting what the emitted files call theirs.

use std::collections::BTreeSet;
use tt_backend::Artifact;

/// A kernel of all kinds of names: `NAMES` are those of the kernel, its extents, tensors, scalars, blocks, loops and integers.
fn source(names: &[&str; 16]) -> String {
    let [kernel, m, n, a, b, c, alpha, count, x, y, acc, bx, by, k, i, j] = names;
    format!(
        "#[tt::kernel(order = block_linear(2, 2))]
         fn {kernel}<const {m}: usize, const {n}: usize>(
             {a}: &Tensor<bf16, {m}, {n}>, {b}: &Tensor<bf16, {n}, {n}>, {c}: &mut Tensor<f32, {m}, {n}>,
             {alpha}: f32, {count}: u32,
         ) {{
             let ({bx}, {by}) = T.Kernel({n}.div_ceil(32), {m}.div_ceil(32));
             let {x} = T.alloc_shared::<bf16>(32, 32);
             let {y} = T.alloc_shared::<bf16>(32, 32);
             let {acc} = T.alloc_fragment::<f32>(32, 32);
             T.clear({acc});
             for {k} in T.Pipelined({n}.div_ceil(32), num_stages = 2) {{
                 T.copy({a}[({by} * 32, {k} * 32)], {x});
                 T.copy({b}[({k} * 32, {bx} * 32)], {y});
                 T.gemm({x}, {y}, {acc});
             }}
             let sum_of_it = {bx}.max({count} % 3);
             if {alpha} > 0.5 && sum_of_it < {count} {{
                 for ({i}, {j}) in T.Parallel(32, 32) {{
                     {acc}[({i}, {j})] = if {acc}[({i}, {j})] > 0.0 {{ {acc}[({i}, {j})].exp() * {alpha} }} else {{ {alpha} }};
                 }}
             }}
             for _ in 0..2 {{
                 for _ in 0..{count} {{
                     for ({i}, {j}) in T.Parallel(32, 32) {{
                         {acc}[({i}, {j})] = {acc}[({i}, {j})] + {a}[({by} * 32 + {i}, {bx} * 32 + {j})];
                     }}
                 }}
             }}
             T.copy({acc}, {c}[({by} * 32, {bx} * 32)]);
         }}"
    )
}

fn compile(names: &[&str; 16]) -> Result<Artifact, String> {
    let source = source(names);
    let file = syn::parse_file(&source).map_err(|error| format!("{error}: {source}"))?;
    let [syn::Item::Fn(function)] = file.items.as_slice() else {
        return Err("one function".into());
    };
    let parsed = tt_lang::syntax::parse_item_fn(function, "names.rs").ok_or("a kernel")?;
    let kernel = parsed.kernel.ok_or_else(|| format!("{:#?}", parsed.diagnostics))?;
    tt_backend::compile(&kernel).map_err(|errors| format!("{errors:#?}"))
}

/// The words of C++, without comments.
fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let line = line.split("/*").next().unwrap_or_default();
        for word in line.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                words.insert(word.to_string());
            }
        }
    }
    words
}

#[test]
fn what_the_files_mention_besides_the_users_names_is_kept_from_users() {
    let names: [String; 16] = std::array::from_fn(|at| format!("zz{at}"));
    let names: [&str; 16] = std::array::from_fn(|at| names[at].as_str());
    let artifact = compile(&names).unwrap();
    for text in [&artifact.reader, &artifact.compute, &artifact.writer] {
        // The functions that a file defines before are the compiler's throughout.
        let (_, text) = text.split_once("void kernel_main").unwrap();
        let members = ["next_compile_time_args_offset", "c_"];
        let foreign: Vec<String> = words(text)
            .into_iter()
            .filter(|word| !word.contains("zz") && !tt_backend::is_reserved(word))
            .filter(|word| !members.iter().any(|start| word.starts_with(start)))
            // Loops over `_`.
            .filter(|word| !["v", "v_2"].contains(&word.as_str()))
            .collect();
        assert!(foreign.is_empty(), "{foreign:?}\n{text}");
    }
}

#[test]
fn kernels_compile_whatever_things_are_called() {
    let odd = [
        "x_",
        "x__",
        "_x",
        "__x",
        "вход",
        "выход",
        "変",
        "é",
        "cb_wait_front",
        "noc_async_read_page",
        "get_arg_val",
        "row",
        "first_row",
        "start_id",
        "block_id",
        "cb_x",
        "wait_front",
        "x_page_bytes",
        "x_address",
        "x_args",
        "MATH",
        "N_tiles",
        "template",
        "class",
        "register",
        "main",
        "kernel_main",
        "std",
        "tt",
        "exp_tile",
        "int32_t",
        "r#type",
        "r#match",
        "r#fn",
        "DST_FORMAT",
        "linux",
        "errno",
        "TTI_NOP",
        "NOC_INDEX",
        "INFINITY",
        "dst",
        "src",
        "size",
        "number",
        "arguments",
        "device",
        "queue",
        "program",
        "x_2",
        "x_in",
        "x_out",
        "x_block",
        "x_part",
        "tensor_x",
        "uint32_t",
        "TensorAccessor",
        "zero_page",
        "v",
        "v_2",
        "Ω",
        "ñ_",
        "_1",
        "union",
        "auto",
        "goto",
        "xor",
        "reduce",
        "get_write_ptr",
        "cb_interface",
        "user_x",
        "user",
        "SrcOrder",
        "Reverse",
        "c_0",
        "CBIndex",
        "DataFormat",
        "args",
        "volatile",
        "alignas",
        "and",
        "or",
        "not",
        "namespace",
    ];
    for round in 0..3 * odd.len() {
        // Sixteen names of the list that differ, other ones in other places each time.
        let step = [1, 7, 11][round / odd.len()];
        let names: [&str; 16] = std::array::from_fn(|at| odd[(round + at * step) % odd.len()]);
        if let Err(error) = compile(&names) {
            panic!("{names:?}: {error}");
        }
    }
}
