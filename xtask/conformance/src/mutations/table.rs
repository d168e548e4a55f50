//! The mutants: mistakes that Device IR does not show, because it is right and something else is made of it, or because what
//! is wrong is the host's to compute. All others are mutants of the program (`ir_mutations`).

use super::mutant::{Mutant, mutants};

const ARGUMENTS: &str = "passes/e1_finalize_signature/arguments.rs";
const PLAN_FILE: &str = "passes/e1_finalize_signature/plan.rs";
const TRANSFERS: &str = "passes/d3_lower_cb_protocol/transfers.rs";
const KERNEL: &str = "codegen/kernel.rs";
const STATEMENT: &str = "codegen/statement.rs";
const EXPRESSION: &str = "codegen/expression.rs";
const USES: &str = "device/uses.rs";
const EDGES: &str = "codegen/edges.rs";
const FUNCTIONS: &str = "device/function.rs";
const OPERATIONS: &str = "../../tt-device/src/catalogue.rs";

/// Every mutant, in the order of the table.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    [PLAN, WRITER, NAMES].into_iter().flatten()
}

mutants! {
    /// What the host computes and hands over, and how blocks lie in their buffers.
    PLAN, Plan:
    plan_words_missing: "the last accessor gets no compile-time words", PLAN_FILE,
        "                    .accessors\n                    .iter()\n" =>
        "                    .accessors\n                    .iter().skip(1)\n";
    plan_arguments_reversed: "the launch hands over the runtime arguments in reverse order", PLAN_FILE,
        "                    .args\n                    .iter()\n" => "                    .args\n                    .iter().rev()\n";
    plan_ceil: "divisions are rounded up once too far", ARGUMENTS,
        "let inexact = op(Operator::NotEqual, &op(" => "let inexact = op(Operator::AtLeast, &op(";
    plan_blocks_transposed: "the tiles of a block are read in the other order", TRANSFERS,
        "if is_asked && of_row.is_none() && buffer.tiles[inner] == 1 && buffer.tiles[outer] > 1 {" => "if of_row.is_none() {";
}

mutants! {
    /// Text that does not say what Device IR says.
    WRITER, Writer:
    writer_no_includes: "no header is included but the first", USES,
        "Some(header) => self.headers.insert(header)," => "_ => false,";
    writer_old_entry: "kernels have the old entry point", KERNEL,
        "out.open(\"void kernel_main()\");" => "out.open(\"void MAIN()\");";
    writer_page_bytes: "pages are half as large", KERNEL,
        "names.device_buffer(*id)?.format.tile_bytes());" => "names.device_buffer(*id)?.format.tile_bytes() / 2);";
    writer_argument_index: "runtime arguments are read one word too far", KERNEL,
        "get_arg_val<{kind}>({index});\");" => "get_arg_val<{kind}>({});\", index + 1);";
    writer_common_arguments: "runtime arguments are read as common ones", KERNEL,
        "= get_arg_val<{kind}>({index});" => "= get_common_arg_val<{kind}>({index});";
    writer_accessor_offset: "every accessor takes the first compile-time words", KERNEL,
        "first_word = format!(\"{args}.next_compile_time_args_offset()\");" => "let _ = &args; first_word = \"0\".to_string();";
    writer_accessor_arguments: "the arguments of an accessor are swapped", KERNEL,
        "TensorAccessor({args}, {address});" => "TensorAccessor({address}, {args});";
    writer_both_branches: "both branches are taken", STATEMENT,
        "out.reopen(\"else\");" => "out.reopen(\"\");";
    writer_sum_for_product: "sums in products have no parentheses", EXPRESSION,
        "IntOp::Mul => Text::new(format!(\"{} * {}\", a.at_least(Product), b.at_least(Unary)), Product)," =>
        "IntOp::Mul => Text::new(format!(\"{} * {}\", a.at_least(Sum), b.at_least(Sum)), Product),";
    writer_min_is_max: "the smaller of two is the larger", EXPRESSION,
        "if op == IntOp::Min { \"<\" } else { \">\" }" => "if op == IntOp::Min { \">\" } else { \"<\" }";
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

mutants! {
    /// Names that ttnn 0.81.1 does not have.
    NAMES, Names:
    names_old_read: "a read has its old name", FUNCTIONS, "\"noc_async_read_page\"" => "\"noc_async_read_tile\"";
    names_old_copy_init: "the init of a copy has its old name", FUNCTIONS, "\"copy_init\"" => "\"copy_tile_to_dst_init_short\"";
    names_gelu_header: "an SFPU operation lacks its header", OPERATIONS,
        "\"api/compute/eltwise_unary/gelu.h\" \"gelu_tile_init\"" => "\"api/compute/common.h\" \"gelu_tile_init\"";
}
