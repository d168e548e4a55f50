//! Mutants of D3 lower_cb_protocol.

use crate::mutations::mutant::mutants;

const FILE: &str = "passes/d3_lower_cb_protocol.rs";

mutants! {
    /// Calls of the protocol that are missing or wrong, pages that are not those of the block, edges that are not zero.
    D3, D3:
    d3_one_page_versions: "every wait, reserve, push and pop is of one page", FILE,
        "Expr::Int(i64::from(buffers[buffer.0].version_tiles()));" => "Expr::Int(i64::from(buffers[buffer.0].version_tiles().min(1)));";
    d3_reserve_less: "one page too few is reserved", FILE,
        "Step::Reserve(buffer) => protocol(&CB_RESERVE_BACK, buffer)," =>
        "Step::Reserve(buffer) => vec![leaf(call(&CB_RESERVE_BACK, [Expr::Buffer(buffer), Expr::Int(i64::from(buffers[buffer.0].version_tiles()) - 1)]))],";
    d3_push_more: "one page too many is handed over", FILE,
        "Step::Publish(buffer) => protocol(&CB_PUSH_BACK, buffer)," =>
        "Step::Publish(buffer) => vec![leaf(call(&CB_PUSH_BACK, [Expr::Buffer(buffer), Expr::Int(i64::from(buffers[buffer.0].version_tiles()) + 1)]))],";
    d3_wait_less: "one page too few is waited for", FILE,
        "Step::Receive(buffer) => protocol(&CB_WAIT_FRONT, buffer)," =>
        "Step::Receive(buffer) => vec![leaf(call(&CB_WAIT_FRONT, [Expr::Buffer(buffer), Expr::Int(i64::from(buffers[buffer.0].version_tiles()) - 1)]))],";
    d3_pop_less: "one page too few is given back", FILE,
        "Step::Release(buffer) => protocol(&CB_POP_FRONT, buffer)," =>
        "Step::Release(buffer) => vec![leaf(call(&CB_POP_FRONT, [Expr::Buffer(buffer), Expr::Int(i64::from(buffers[buffer.0].version_tiles()) - 1)]))],";
    d3_reserve_for_push: "pages are reserved again where they should be handed over", FILE,
        "Step::Publish(buffer) => protocol(&CB_PUSH_BACK, buffer)," => "Step::Publish(buffer) => protocol(&CB_RESERVE_BACK, buffer),";
    d3_wait_for_pop: "pages are waited for again where they should be given back", FILE,
        "Step::Release(buffer) => protocol(&CB_POP_FRONT, buffer)," => "Step::Release(buffer) => protocol(&CB_WAIT_FRONT, buffer),";
    d3_no_wait: "nothing waits for filled pages", FILE,
        "Step::Receive(buffer) => protocol(&CB_WAIT_FRONT, buffer)," => "Step::Receive(_) => Vec::new(),";
    d3_arguments_swapped: "number of pages and circular buffer stand in the wrong order", FILE,
        "vec![leaf(call(function, [Expr::Buffer(buffer), version(buffer)]))]" =>
        "vec![leaf(call(function, [version(buffer), Expr::Buffer(buffer)]))]";
    d3_no_read_barrier: "no barrier after the reads of a block", FILE,
        "out.push(leaf(call(&NOC_ASYNC_READ_BARRIER, [])));" => "";
    d3_barrier_before_reads: "the barrier stands before the reads of a block", FILE,
        "    out.push(if buffer.column_major {\n        tiles(\"column\", columns, vec![tiles(\"row\", rows, body)])\n    } else {\n        tiles(\"row\", rows, vec![tiles(\"column\", columns, body)])\n    });\n    out.push(leaf(call(&NOC_ASYNC_READ_BARRIER, [])));" =>
        "    out.push(leaf(call(&NOC_ASYNC_READ_BARRIER, [])));\n    out.push(if buffer.column_major {\n        tiles(\"column\", columns, vec![tiles(\"row\", rows, body)])\n    } else {\n        tiles(\"row\", rows, vec![tiles(\"column\", columns, body)])\n    });";
    d3_no_write_flush: "no flush after the writes of a block", FILE,
        "    out.push(leaf(call(&NOC_ASYNC_WRITES_FLUSHED, [])));\n" => "";
    d3_write_waits_for_reads: "after the writes of a block the reads are waited for", FILE,
        "    out.push(leaf(call(&NOC_ASYNC_WRITES_FLUSHED, [])));\n" => "    out.push(leaf(call(&NOC_ASYNC_READ_BARRIER, [])));\n";
    d3_read_to_front: "the reader reads into the pages at the front of the ring", FILE,
        "        name: \"dst\".into(),\n        value: value(&GET_WRITE_PTR, [Expr::Buffer(id)])," =>
        "        name: \"dst\".into(),\n        value: value(&GET_READ_PTR, [Expr::Buffer(id)]),";
    d3_write_from_back: "the writer writes the pages at the back of the ring", FILE,
        "value: value(&GET_READ_PTR, [Expr::Buffer(id)])," => "value: value(&GET_WRITE_PTR, [Expr::Buffer(id)]),";
    d3_read_to_one_page: "all pages of a block are read to the same place", FILE,
        "    body.push(leaf(Leaf::Advance {\n        name: \"dst\".into(),\n        value: Expr::PageBytes(id),\n    }));\n" => "";
    d3_write_one_page: "all pages of a block are written from the same place", FILE,
        "    body.push(leaf(Leaf::Advance {\n        name: \"src\".into(),\n        value: Expr::PageBytes(id),\n    }));\n" => "";
    d3_transfer_arguments_swapped: "accessor and address stand in the wrong order", FILE,
        "[page(region), Expr::Accessor(region.tensor), Expr::name(\"dst\")]," =>
        "[page(region), Expr::name(\"dst\"), Expr::Accessor(region.tensor)],";
    d3_page_stride: "rows of tiles are as far apart as there are rows", FILE,
        "op(\"+\", op(\"*\", row, Expr::TensorTiles(tensor, 1)), column)" =>
        "op(\"+\", op(\"*\", row, Expr::TensorTiles(tensor, 0)), column)";
    d3_page_without_first_row: "blocks begin in the first row of tiles", FILE,
        "op(\"+\", Expr::name(\"first_row\"), Expr::name(\"row\"))," => "Expr::name(\"row\"),";
    d3_page_without_first_column: "blocks begin in the first column of tiles", FILE,
        "let column = op(\"+\", Expr::name(\"first_column\"), Expr::name(\"column\"));" => "let column = Expr::name(\"column\");";
    d3_page_without_matrix: "every matrix of a batch is the first one", FILE,
        "op(\"*\", matrix, Expr::TensorTiles(tensor, 0))," => "op(\"*\", op(\"*\", matrix, Expr::Int(0)), Expr::TensorTiles(tensor, 0)),";
    d3_origin_swapped: "a block's first row and first column of tiles are swapped", FILE,
        "set(\"first_row\", Expr::user(&region.tile[0])),\n        set(\"first_column\", Expr::user(&region.tile[1]))," =>
        "set(\"first_row\", Expr::user(&region.tile[1])),\n        set(\"first_column\", Expr::user(&region.tile[0])),";
    d3_one_tile_past_the_edge: "a tile behind the last one counts as one of the tensor's", FILE,
        "tests.push(op(\"<\", at(), Expr::TensorTiles(region.tensor, axis)));" =>
        "tests.push(op(\"<=\", at(), Expr::TensorTiles(region.tensor, axis)));";
    d3_one_tile_before_the_edge: "the last tile counts as none of the tensor's", FILE,
        "tests.push(op(\"<\", at(), Expr::TensorTiles(region.tensor, axis)));" =>
        "tests.push(op(\"<\", at(), op(\"-\", Expr::TensorTiles(region.tensor, axis), Expr::Int(1))));";
    d3_edge_unchecked: "tiles behind a tensor's last ones are transferred", FILE,
        "if region.may_exceed[axis] {" => "if region.may_exceed[axis] && axis > 1 {";
    d3_outside_not_zero: "tiles outside of a tensor are left as they are in L1", FILE,
        "                otherwise: vec![zero],\n" => "                otherwise: { let _ = zero; Vec::new() },\n";
    d3_blocks_transposed: "the tiles of a block are read in the other order", FILE,
        "out.push(if buffer.column_major {" => "out.push(if !buffer.column_major {";
    d3_written_transposed: "the tiles of a block are written in the other order", FILE,
        "out.push(tiles(\"row\", rows, vec![tiles(\"column\", columns, body)]));\n    out.push(leaf(call(&NOC_ASYNC_WRITES_FLUSHED" =>
        "out.push(tiles(\"column\", columns, vec![tiles(\"row\", rows, body)]));\n    out.push(leaf(call(&NOC_ASYNC_WRITES_FLUSHED";
    d3_read_one_row_less: "the last row of tiles of a block is not read", FILE,
        "        tiles(\"row\", rows, vec![tiles(\"column\", columns, body)])\n    });" =>
        "        tiles(\"row\", rows.max(2) - 1, vec![tiles(\"column\", columns, body)])\n    });";
    d3_edge_not_zeroed: "what lies past a tensor's edge in its last tiles is not zeroed", FILE,
        "        if region.zero_edge[axis] {" => "        if region.zero_edge[axis] && axis > 1 {";
    d3_edge_zeroed_in_all: "rows are zeroed past an edge of half a tile", FILE,
        "let filled = op(\"%\", rank_axis, Expr::Int(32));" => "let filled = op(\"%\", rank_axis, Expr::Int(16));";
    d3_edge_tile_wrong: "the tile before the last one is zeroed past the edge", FILE,
        "op(\"-\", Expr::TensorTiles(tensor, axis), Expr::Int(1)),\n        Expr::name(first)," =>
        "op(\"-\", Expr::TensorTiles(tensor, axis), Expr::Int(2)),\n        Expr::name(first),";
    d3_edge_axes_swapped: "rows are zeroed where columns end", FILE,
        "columns, &ZERO_TILE_ROWS)" => "columns, &ZERO_TILE_COLUMNS)";
    d3_edge_other_tile: "edges are zeroed in the tile that the other order of tiles puts there", FILE,
        "let index = if buffer.column_major {" => "let index = if !buffer.column_major {";
}
