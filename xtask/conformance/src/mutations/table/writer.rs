//! Mutants of the code writer itself.

use crate::mutations::mutant::mutants;

const KERNEL: &str = "codegen/kernel.rs";
const STATEMENT: &str = "codegen/statement.rs";
const EXPRESSION: &str = "codegen/expression.rs";
const USES: &str = "codegen/uses.rs";
const EDGES: &str = "codegen/edges.rs";
const ARGUMENTS: &str = "passes/e1_finalize_signature/arguments.rs";

mutants! {
    /// Text that does not say what Device IR says.
    WRITER, Writer:
    writer_no_includes: "no header is included but the first", USES,
        "None => drop(self.headers.insert(call.function.header))," => "None => {}";
    writer_old_dataflow_header: "data movement kernels include the header by its old path", KERNEL,
        "\"api/dataflow/dataflow_api.h\"" => "\"dataflow_api.h\"";
    writer_old_compute_header: "compute kernels include the header by its old path", KERNEL,
        "\"api/compute/common.h\"" => "\"compute_kernel_api/common.h\"";
    writer_old_entry: "kernels have the old entry point", KERNEL,
        "out.open(\"void kernel_main()\");" => "out.open(\"void MAIN()\");";
    writer_old_buffer_names: "circular buffers have their old names", KERNEL,
        "= tt::CBIndex::c_{index};" => "= tt::CB::c_in{index};";
    writer_page_bytes: "pages are half as large", KERNEL,
        "names.device_buffer(*id)?.format.tile_bytes());" => "names.device_buffer(*id)?.format.tile_bytes() / 2);";
    writer_argument_index: "runtime arguments are read one word too far", KERNEL,
        "get_arg_val<{kind}>({index});\");" => "get_arg_val<{kind}>({});\", index + 1);";
    writer_arguments_reversed: "runtime arguments are read in reverse order", KERNEL,
        "for (index, argument) in program.args.iter().enumerate() {" => "for (index, argument) in program.args.iter().rev().enumerate() {";
    writer_common_arguments: "runtime arguments are read as common ones", KERNEL,
        "= get_arg_val<{kind}>({index});" => "= get_common_arg_val<{kind}>({index});";
    writer_accessor_offset: "every accessor takes the first compile-time words", KERNEL,
        "first_word = format!(\"{args}.next_compile_time_args_offset()\");" => "let _ = &args; first_word = \"0\".to_string();";
    writer_accessor_order: "accessors take the compile-time words of each other", KERNEL,
        "    for accessor in &program.accessors {" => "    for accessor in program.accessors.iter().rev() {";
    writer_accessor_old_offset: "accessors ask for the next words by a name that is not there", KERNEL,
        "{args}.next_compile_time_args_offset()" => "{args}.next_compile_time_args_index()";
    writer_accessor_arguments: "the arguments of an accessor are swapped", KERNEL,
        "TensorAccessor({args}, {address});" => "TensorAccessor({address}, {args});";
    writer_loop_one_more: "loops of the user run once too often", STATEMENT,
        "Text::operator(\"<\", &Text::primary(var)," => "Text::operator(\"<=\", &Text::primary(var),";
    writer_loop_start: "loops of the user begin one later", STATEMENT,
        "for (int32_t {var} = {start}; {end}; ++{var})\"" => "for (int32_t {var} = 1 + {start}; {end}; ++{var})\"";
    writer_tiles_one_less: "loops over tiles run once too little", STATEMENT,
        "for (int32_t {name} = 0; {name} < {end}; {next})\"" => "for (int32_t {name} = 0; {name} < {end} - 1; {next})\"";
    writer_tiles_one_more: "loops over tiles run once too often", STATEMENT,
        "for (int32_t {name} = 0; {name} < {end}; {next})\"" => "for (int32_t {name} = 0; {name} <= {end}; {next})\"";
    writer_tiles_step: "loops over chunks go tile by tile", STATEMENT,
        "format!(\"{name} += {step}\")" => "{ let _ = step; format!(\"++{name}\") }";
    writer_both_branches: "both branches are taken", STATEMENT,
        "out.reopen(\"else\");" => "out.reopen(\"\");";
    writer_no_declarations: "names are assigned and not declared", STATEMENT,
        "format!(\"{kind} {name} = {};\", value(of)?)" => "{ let _ = kind; format!(\"{name} = {};\", value(of)?) }";
    writer_advance_assigns: "addresses are set instead of advanced", STATEMENT,
        "{name} += {};\", value(by)?" => "{name} = {};\", value(by)?";
    writer_ceil: "divisions are rounded up once too far", ARGUMENTS,
        "Expr::Int(value) => Expr::Int(value.saturating_sub(1))," => "Expr::Int(value) => Expr::Int(*value),";
    writer_min_is_max: "the smaller of two is the larger", EXPRESSION,
        "if op == IntOp::Min { \"<\" } else { \">\" }" => "if op == IntOp::Min { \">\" } else { \"<\" }";
    writer_sum_for_product: "sums in products have no parentheses", EXPRESSION,
        "IntOp::Mul => Text::new(format!(\"{} * {}\", a.at_least(Product), b.at_least(Unary)), Product)," =>
        "IntOp::Mul => Text::new(format!(\"{} * {}\", a.at_least(Sum), b.at_least(Sum)), Product),";
    writer_comparison_swapped: "the sides of comparisons are swapped", EXPRESSION,
        "format!(\"{} {op} {}\", side(a), side(b))" => "format!(\"{} {op} {}\", side(b), side(a))";
    writer_call_arguments: "the arguments of every call come in reverse order", EXPRESSION,
        "            .args\n            .iter()\n            .map(|arg| Ok(self.expr(arg)?.into_string()))" =>
        "            .args\n            .iter().rev()\n            .map(|arg| Ok(self.expr(arg)?.into_string()))";
    writer_last_argument: "the last argument of every call is left out", EXPRESSION,
        "args.join(\", \")" => "args[..args.len().saturating_sub(1)].join(\", \")";
    writer_no_template_arguments: "template arguments are left out", EXPRESSION,
        "format!(\"<{}>\", call.template)" => "String::new()";
    writer_number_sign: "numbers have the other sign", EXPRESSION,
        "Text::primary(format!(\"0x{bits:08x}u /*" => "let bits = &(bits ^ 0x8000_0000); Text::primary(format!(\"0x{bits:08x}u /*";
    writer_destination_format: "the format of the registers is the other one", KERNEL,
        "DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;" => "DST_ACCUM_MODE ? DataFormat::Float16_b : DataFormat::Float32;";
    writer_zero_page: "half of a page outside of a tensor is zeroed", EDGES,
        "word < bytes / 4; ++word" => "word < bytes / 8; ++word";
    writer_zero_rows: "the last row past an edge is not zeroed", EDGES,
        "for (uint32_t row = first_row; row < 32; ++row)" => "for (uint32_t row = first_row; row < 31; ++row)";
    writer_zero_rows_face: "rows past an edge are zeroed in the left faces only", EDGES,
        "(((row >> 4) * 2 + half) * 16 + (row & 15)) * row_words" => "(((row >> 4) * 2 + half / 2) * 16 + (row & 15)) * row_words";
    writer_zero_columns: "the first column past an edge is not zeroed", EDGES,
        "for (uint32_t column = first_column; column < 32; ++column)" => "for (uint32_t column = first_column + 1; column < 32; ++column)";
    writer_zero_columns_face: "columns past an edge are zeroed in the lower faces only", EDGES,
        "(((row >> 4) * 2 + (column >> 4)) * 16 + (row & 15)) * 16" => "((2 + (column >> 4)) * 16 + (row & 15)) * 16";
}
