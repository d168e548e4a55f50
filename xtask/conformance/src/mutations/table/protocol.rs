//! Mutants of D3 lower_cb_protocol.

use crate::mutations::mutant::mutants;

const FILE: &str = "passes/d3_lower_cb_protocol.rs";

mutants! {
    /// Calls of the protocol that are missing or wrong, pages that are not those of the block, edges that are not zero.
    D3, D3:
    d3_read_to_front: "the reader reads into the pages at the front of the ring", FILE,
        "        name: \"dst\".into(),\n        value: value(&GET_WRITE_PTR, [Expr::Buffer(id)])," =>
        "        name: \"dst\".into(),\n        value: value(&GET_READ_PTR, [Expr::Buffer(id)]),";
    d3_write_from_back: "the writer writes the pages at the back of the ring", FILE,
        "value: value(&GET_READ_PTR, [Expr::Buffer(id)])," => "value: value(&GET_WRITE_PTR, [Expr::Buffer(id)]),";
    d3_transfer_arguments_swapped: "accessor and address stand in the wrong order", FILE,
        "[page(region), Expr::Accessor(region.tensor), Expr::name(\"dst\")]," =>
        "[page(region), Expr::name(\"dst\"), Expr::Accessor(region.tensor)],";
    d3_page_without_first_row: "blocks begin in the first row of tiles", FILE,
        "op(\"+\", Expr::name(\"first_row\"), Expr::name(\"row\"))," => "Expr::name(\"row\"),";
    d3_page_without_first_column: "blocks begin in the first column of tiles", FILE,
        "let column = op(\"+\", Expr::name(\"first_column\"), Expr::name(\"column\"));" => "let column = Expr::name(\"column\");";
    d3_origin_swapped: "a block's first row and first column of tiles are swapped", FILE,
        "set(\"first_row\", Expr::user(&region.tile[0])),\n        set(\"first_column\", Expr::user(&region.tile[1]))," =>
        "set(\"first_row\", Expr::user(&region.tile[1])),\n        set(\"first_column\", Expr::user(&region.tile[0])),";
    d3_edge_unchecked: "tiles behind a tensor's last ones are transferred", FILE,
        "if region.may_exceed[axis] {" => "if region.may_exceed[axis] && axis > 1 {";
    d3_blocks_transposed: "the tiles of a block are read in the other order", FILE,
        "out.push(if buffer.column_major {" => "out.push(if !buffer.column_major {";
    d3_edge_not_zeroed: "what lies past a tensor's edge in its last tiles is not zeroed", FILE,
        "        if region.zero_edge[axis] {" => "        if region.zero_edge[axis] && axis > 1 {";
    d3_edge_zeroed_in_all: "rows are zeroed past an edge of half a tile", FILE,
        "let filled = op(\"%\", rank_axis, Expr::Int(32));" => "let filled = op(\"%\", rank_axis, Expr::Int(16));";
    d3_edge_axes_swapped: "rows are zeroed where columns end", FILE,
        "columns, &ZERO_TILE_ROWS)" => "columns, &ZERO_TILE_COLUMNS)";
    d3_edge_other_tile: "edges are zeroed in the tile that the other order of tiles puts there", FILE,
        "let index = if buffer.column_major {" => "let index = if !buffer.column_major {";
}
