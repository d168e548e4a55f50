//! Mutants of D5 insert_dst_management.

use crate::mutations::mutant::mutants;

const FILE: &str = "passes/d5_insert_dst_management.rs";

mutants! {
    /// The protocol of the registers broken, tiles in the wrong register, pages that are not the operand's.
    D5, D5:
    d5_registers_overlap: "registers of a chunk overlap", FILE,
        "op(\"+\", tile, int(register * h * w))" => "op(\"+\", tile, int(register * h * w.div_ceil(2)))";
    d5_register_stride: "rows of a chunk lie as far apart as it is high", FILE,
        "let tile = op(\"+\", op(\"*\", at.0.clone(), int(w)), at.1.clone());" => "let tile = op(\"+\", op(\"*\", at.0.clone(), int(h)), at.1.clone());";
    d5_page_stride: "rows of an operand's pages lie as far apart as it is high", FILE,
        "let columns = int(self.engines.buffers[operand.buffer.0].tiles[1]);" => "let columns = int(self.engines.buffers[operand.buffer.0].tiles[0]);";
    d5_row_broadcast_page: "a broadcast row is taken from further down", FILE,
        "Broadcast::Row => (row_offset, op(\"+\", column, column_offset))," => "Broadcast::Row => (op(\"+\", row, row_offset), op(\"+\", column, column_offset)),";
    d5_column_broadcast_page: "a broadcast column is taken from further right", FILE,
        "Broadcast::Column => (op(\"+\", row, row_offset), column_offset)," => "Broadcast::Column => (op(\"+\", row, row_offset), op(\"+\", column, column_offset)),";
    d5_transposed_page: "a transposed operand's tiles are taken untransposed", FILE,
        "Broadcast::Transpose => (op(\"+\", column, row_offset), op(\"+\", row, column_offset))," =>
        "Broadcast::Transpose => (op(\"+\", row, row_offset), op(\"+\", column, column_offset)),";
    d5_pack_in_order: "pages are packed in the order of the calls instead of where they belong", FILE,
        "call_with(&PACK_TILE, \"true\", [" => "call_with(&PACK_TILE, \"false\", [";
    d5_matmul_shape: "products have rows and columns swapped", FILE,
        "                    int(w),\n                    int(h),\n                    int(matmul.k)," => "                    int(h),\n                    int(w),\n                    int(matmul.k),";
    d5_matmul_left_stride: "rows of a left operand lie as far apart as the right one's", FILE,
        "let a = op(\"+\", op(\"*\", tile_row, int(matmul.k)), inner.clone());" => "let a = op(\"+\", op(\"*\", tile_row, int(matmul.b_step)), inner.clone());";
    d5_matmul_right_stride: "rows of a right operand lie side by side", FILE,
        "op(\"*\", inner, int(matmul.b_step))," => "op(\"*\", inner, int(1)),";
    d5_matmul_register: "products are added to the register behind theirs", FILE,
        "                    b,\n                    Expr::Int(0),\n" => "                    b,\n                    Expr::Int(1),\n";
    d5_matmul_operands: "products have their operands swapped", FILE,
        "                    Expr::Buffer(matmul.a),\n                    Expr::Buffer(matmul.b),\n" => "                    Expr::Buffer(matmul.b),\n                    Expr::Buffer(matmul.a),\n";
    d5_matmul_depth: "the last step of a product is left out", FILE,
        "repeat(\"inner\", matmul.k, 1, |inner| {" => "repeat(\"inner\", matmul.k.max(2) - 1, 1, |inner| {";
    d5_matmul_transpose: "products know nothing of their transposition", FILE,
        "let transpose = Expr::Int(i64::from(matmul.transpose));" => "let transpose = Expr::Int(0);";
    d5_broadcast_kind: "a broadcast row is added as a column", FILE,
        "Broadcast::Row => &ADD_TILES_BCAST_ROWS," => "Broadcast::Row => &ADD_TILES_BCAST_COLS,";
    d5_load_page: "every load takes the first page", FILE,
        "(Broadcast::None, _) => call(&COPY_TILE, [buffer(operand), page, register(out)])," =>
        "(Broadcast::None, _) => call(&COPY_TILE, [buffer(operand), op(\"*\", page, int(0)), register(out)]),";
    d5_copy_for_transpose: "a transposed load is a copy", FILE,
        "(Broadcast::Transpose, _) => call(&TRANSPOSE_TILE, [" => "(Broadcast::Transpose, _) => call(&COPY_TILE, [";
    d5_operands_swapped: "operands of binary operations are swapped", FILE,
        "                        buffer(a),\n                        buffer(b),\n" => "                        buffer(b),\n                        buffer(a),\n";
    d5_pages_swapped: "pages of the operands of binary operations are swapped", FILE,
        "                        self.page(a, &at),\n                        self.page(b, &at),\n" => "                        self.page(b, &at),\n                        self.page(a, &at),\n";
    d5_result_register_missing: "SFPU operations on several registers are not told where the result goes", FILE,
        "                    values.push(register(out));\n" => "";
    d5_sfpu_operands_reversed: "SFPU operations get their operands in reverse order", FILE,
        "if row.form != crate::tile_ops::SfpuForm::Unary(args.len() - 1) {" =>
        "values.reverse(); if row.form != crate::tile_ops::SfpuForm::Unary(args.len() - 1) {";
    d5_sfpu_precision: "approximate SFPU operations are called without saying so", FILE,
        "(\"\", true) => row.approximate," => "(\"\", true) => row.exact,";
}
