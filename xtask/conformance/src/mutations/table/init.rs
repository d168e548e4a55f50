//! Mutants of D4 insert_compute_init.

use crate::mutations::mutant::mutants;

const PASS: &str = "passes/d4_insert_compute_init/mod.rs";
const NEEDS: &str = "passes/d4_insert_compute_init/requirement.rs";
const STATE: &str = "passes/d4_insert_compute_init/state.rs";

mutants! {
    /// Transitions that are missing, wrong, or not where they have to be.
    D4, D4:
    d4_startup_order: "the engines are started in the other source order", NEEDS,
        "let template = if reverse { \"SrcOrder::Reverse\" }" => "let template = if !reverse { \"SrcOrder::Reverse\" }";
    d4_startup_operands: "the engines are started for the operands the other way round", NEEDS,
        "[a, b, out].map(Expr::Buffer)" => "[b, a, out].map(Expr::Buffer)";
    d4_startup_state: "the pass believes the formats of SrcA and SrcB swapped after the startup", NEEDS,
        "let (src_a, src_b) = if reverse { (b, a) } else { (a, b) };" => "let (src_a, src_b) = if reverse { (a, b) } else { (b, a) };";
    d4_startup_output: "the packer is started for the first operand", NEEDS,
        "[a, b, out].map(Expr::Buffer)" => "[a, b, a].map(Expr::Buffer)";
    d4_section_hoists_dropped: "transitions that belong before the chunks of a section are left out", PASS,
        "            before.extend(hoisted);\n            *state = after;" => "            drop(hoisted);\n            *state = after;";
    d4_loop_keeps_state: "a loop's body is believed to start as the loop was entered", PASS,
        "_ => inside.forget(component)," => "_ => {}";
    d4_loop_always_runs: "after a loop the state is believed to be that of its body", PASS,
        "let after = if may_skip { entered.meet(&inside) } else { inside };" => "let after = if may_skip { drop(entered); inside } else { inside };";
    d4_branch_state: "after a branch the state is believed to be that of its first side", PASS,
        "*state = state.meet(&other);" => "drop(other);";
    d4_meet_keeps: "where two states meet the first is believed", STATE,
        "            if out.values[at] != other.values[at] {\n                out.values[at] = None;\n            }\n" => "";
    d4_any_state_will_do: "a component that has a state is believed to have the right one", STATE,
        "need.stable && self.value(need.component) == Some(&need.value)" => "need.stable && self.value(need.component).is_some()";
    d4_formats_ignored: "formats of operands do not matter to an init", NEEDS,
        "formats: buffers.iter().map(|buffer| unpacked(engines, *buffer)).collect()," => "formats: Vec::new(),";
    d4_accumulation_sticks: "packing goes on adding after an accumulator is done", NEEDS,
        "PackMode::Publish | PackMode::Overwrite => constant(false)," => "PackMode::Publish | PackMode::Overwrite => constant(true),";
    d4_no_adding: "packing into L1 overwrites", NEEDS,
        "PackMode::Add => constant(true)," => "PackMode::Add => constant(false),";
    d4_first_inverted: "packing into L1 adds for the first product only", NEEDS,
        "BoolExpr::Compare(CompareOp::Ne, IntExpr::Var(*var), start.clone())" =>
        "BoolExpr::Compare(CompareOp::Eq, IntExpr::Var(*var), start.clone())";
    d4_condition_hoisted: "what depends on a loop variable is set once before the loop", NEEDS,
        "                stable: false,\n" => "                stable: true,\n";
    d4_copy_unconfigured: "a copy does not set the format of SrcA", NEEDS,
        "            formats(engines, Some(buffer), None),\n            math(engines, &COPY_INIT" => "            Vec::new(),\n            math(engines, &COPY_INIT";
    d4_transpose_unconfigured: "a transposition does not set the format of SrcA", NEEDS,
        "            formats(engines, Some(buffer), None),\n            math(engines, &TRANSPOSE_INIT" => "            Vec::new(),\n            math(engines, &TRANSPOSE_INIT";
    d4_binary_unconfigured: "a binary operation does not set the formats of its sources", NEEDS,
        "            formats(engines, Some(a), Some(b.buffer)),\n" => "            Vec::new(),\n";
    d4_binary_second_unconfigured: "a binary operation does not set the format of SrcB", NEEDS,
        "            formats(engines, Some(a), Some(b.buffer)),\n" => "            formats(engines, Some(a), None),\n";
    d4_matmul_unconfigured: "a product does not set the formats of its sources", NEEDS,
        "        formats(engines, Some(matmul.b), Some(matmul.a)),\n" => "        Vec::new(),\n";
    d4_pack_unconfigured: "a pack does not set the packer's format", NEEDS,
        "    vec![need(\n        Component::Pack," => "    if format == format { return Vec::new(); }\n    vec![need(\n        Component::Pack,";
    d4_reuse_unconfigured: "a product with the registers does not set the format of SrcB", NEEDS,
        "                formats(engines, None, Some(b.buffer)),\n" => "                Vec::new(),\n";
    d4_matmul_init_shape: "the init of a product has rows and columns swapped", NEEDS,
        "[i64::from(matmul.transpose), columns, rows, i64::from(matmul.k)]" => "[i64::from(matmul.transpose), rows, columns, i64::from(matmul.k)]";
    d4_matmul_init_depth: "the init of a product has another inner dimension", NEEDS,
        "[i64::from(matmul.transpose), columns, rows, i64::from(matmul.k)]" => "[i64::from(matmul.transpose), columns, rows, 1]";
    d4_matmul_init_transpose: "the init of a product knows nothing of its transposition", NEEDS,
        "[i64::from(matmul.transpose), columns, rows, i64::from(matmul.k)]" => "[0, columns, rows, i64::from(matmul.k)]";
    d4_matmul_init_operands: "the init of a product has its operands swapped", NEEDS,
        "math(engines, &MATMUL_BLOCK_INIT, \"\", &[matmul.a, matmul.b], &numbers)," => "math(engines, &MATMUL_BLOCK_INIT, \"\", &[matmul.b, matmul.a], &numbers),";
    d4_transpose_as_copy: "a transposition gets the init of a copy", NEEDS,
        "math(engines, &TRANSPOSE_INIT, \"\"" => "math(engines, &COPY_INIT, \"\"";
    d4_broadcast_as_plain: "a broadcast gets the init of the plain operation", NEEDS,
        "match op.functions(b.broadcast) {" => "match op.functions(Broadcast::None) {";
    d4_no_sfpu_init: "SFPU operations get no init", NEEDS,
        "    vec![need(\n        Component::Sfpu," => "    if template.len() < 99 { return Vec::new(); }\n    vec![need(\n        Component::Sfpu,";
    d4_sfpu_precision: "inits of the SFPU are for the other precision than their calls", NEEDS,
        "let template = if engines.approximate {" => "let template = if !engines.approximate {";
    d4_fill_uninitialised: "filling a register gets no init", NEEDS,
        "(TileOp::Fill, _) => sfpu(crate::tile_ops::SfpuOp::FillBits, engines)," => "(TileOp::Fill, _) => Vec::new(),";
    d4_reuse_template: "the init of a product with the registers is for the other source", NEEDS,
        "math(engines, &MUL_REUSE_DEST_INIT, DEST_TO_SRCA," => "math(engines, &MUL_REUSE_DEST_INIT, \"EltwiseBinaryReuseDestType::DEST_TO_SRCB\",";
}
