//! The emitted files of a small program in full, and what the writer refuses to write.
//!
//! `TT_BLESS=1 cargo test -p tt-backend` rewrites the files under `expected/`.

use super::*;
use crate::device::function::*;
use crate::device::{CppType, Expr, Leaf, Loop, Operator, line, made, scope, tiles, tiles_in_parts, when};
use crate::ir::Kind;
use crate::tile_ops::SfpuOp;
use crate::verify::fixture::{Stmt, X, Y, block, cb, device, kernel, run, run_with};
use std::path::Path;
use tt_lang::ir::ParamId;

fn expect(file: &str, written: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/codegen/expected")
        .join(file);
    if std::env::var_os("TT_BLESS").is_some() {
        std::fs::write(&path, written).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(
        written == expected,
        "{file} is written otherwise than expected:\n{written}"
    );
}

/// What is written of `device`, as a kernel of one stage.
fn artifact_of(device: Device) -> Result<Artifact, Vec<Diagnostic>> {
    artifact(&Joined::of([(kernel(), device)]).expect("a stage"))
}

#[test]
fn the_files_read_as_an_engineer_would_write_them() {
    let sources = artifact_of(device()).unwrap();
    expect("reader.cpp", &sources.reader);
    expect("compute.cpp", &sources.compute);
    expect("writer.cpp", &sources.writer);
    expect("main.cpp", &sources.main);
}

#[test]
fn a_program_with_nothing_to_do_is_an_empty_kernel() {
    let mut device = device();
    device.programs[1].body.clear();
    let compute = artifact_of(device).unwrap().compute;
    let expected = "// exponential: the compute kernel. Generated from exponential.rs, do not edit.\n\n\
                    #include \"api/compute/common.h\"\n\nvoid kernel_main() {}\n";
    assert_eq!(compute, expected);
}

/// The compute kernel with `body` for what it does for a block.
fn compute(body: Vec<Stmt>) -> Result<String, Vec<Diagnostic>> {
    let mut device = device();
    block(&mut device, 1).splice(1.., body);
    Ok(artifact_of(device)?.compute)
}

#[test]
fn what_a_file_uses_is_declared_in_it() {
    let select = SfpuOp::Select.row();
    let text = compute(vec![
        run_with(
            &select.call,
            select.call_template,
            [Expr::Int(0), Expr::Int(1), Expr::Int(2), Expr::Int(0)],
        ),
        run_with(&PACK_TILE, "true", [Expr::Int(0), Expr::Buffer(Y), Expr::Int(0)]),
    ])
    .unwrap();
    for line in [
        "#include \"api/compute/eltwise_unary/where.h\"\n",
        "constexpr DataFormat DST_FORMAT = DST_ACCUM_MODE ? DataFormat::Float32 : DataFormat::Float16_b;\n",
        "        where_tile<DST_FORMAT>(0, 1, 2, 0);\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!text.contains("page_bytes"), "{text}");
}

#[test]
fn the_header_that_makes_the_unpackers_names_ambiguous_is_included_last() {
    let text = compute(vec![run(&SfpuOp::Tanhshrink.row().call, [Expr::Int(0)])]).unwrap();
    let headers: Vec<&str> = text.lines().filter(|line| line.starts_with("#include")).collect();
    assert!(headers.contains(&"#include \"api/compute/tile_move_copy.h\""), "{text}");
    let last = "#include \"api/compute/eltwise_unary/tanhshrink.h\"";
    assert_eq!(headers.last(), Some(&last), "{text}");
}

#[test]
fn loops_and_branches_keep_their_shape() {
    let body = |buffer| vec![cb(&CB_WAIT_FRONT, buffer, 1)];
    let cond = || Expr::operation(Operator::Or, Expr::name("by"), Expr::Bool(false));
    let text = compute(vec![
        made(Kind::Loop(
            Loop::Over {
                var: tt_lang::ir::VarId(1),
                start: Expr::Int(1),
                end: Expr::binary(Operator::Add, Expr::name("by"), Expr::Int(2)),
                unroll: true,
                ahead: false,
                origin: crate::device::Origin(0),
            },
            body(X),
        )),
        when(cond(), body(X), body(Y)),
        scope(body(Y)),
    ])
    .unwrap();
    let expected = "
        #pragma GCC unroll 64
        for (int32_t k = 1; k < by + 2; ++k) {
            cb_wait_front(cb_x_block, 1);
        }
        if (by || false) {
            cb_wait_front(cb_x_block, 1);
        } else {
            cb_wait_front(cb_y_block, 1);
        }
        {
            cb_wait_front(cb_y_block, 1);
        }
    }
}
";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn the_parts_of_a_loop_go_on_where_the_last_ended() {
    let asked = |op, a: &str, b: &str| Expr::operation(op, Expr::name(a), Expr::name(b));
    let within = Expr::operation(
        Operator::And,
        asked(Operator::AtLeast, "row", "rows_before"),
        asked(Operator::Less, "row", "rows_within"),
    );
    let within = Expr::operation(Operator::And, asked(Operator::Less, "by", "k"), within);
    let turn = vec![
        when(within, vec![cb(&CB_WAIT_FRONT, X, 1)], vec![cb(&CB_WAIT_FRONT, Y, 1)]),
        cb(&CB_POP_FRONT, X, 1),
    ];
    let text = compute(vec![tiles_in_parts("row", 4, turn)]).unwrap();
    let expected = "
        int32_t row = 0;
        for (; row < rows_before; ++row) {
            cb_wait_front(cb_y_block, 1);
            cb_pop_front(cb_x_block, 1);
        }
        if (by < k) {
            for (; row < rows_within; ++row) {
                cb_wait_front(cb_x_block, 1);
                cb_pop_front(cb_x_block, 1);
            }
        }
        for (; row < 4; ++row) {
            cb_wait_front(cb_y_block, 1);
            cb_pop_front(cb_x_block, 1);
        }
    }
}
";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn what_an_earlier_pass_must_have_lowered_is_refused() {
    let twice = || {
        line(Leaf::Let {
            kind: CppType::Int,
            name: "dst".into(),
            value: Expr::Int(1),
        })
    };
    let of = |arg| vec![run(&CB_WAIT_FRONT, [arg])];
    for (reason, nodes) in [
        ("param0 has no accessor here", of(Expr::Accessor(ParamId(0)))),
        ("4294967296 does not fit in 32 bits", of(Expr::Int(1 << 32))),
        ("`dst` is declared twice", vec![twice(), twice()]),
        (
            "`mine` is a name of the compiler that is not kept from users",
            vec![tiles("mine", 2, 1, Vec::new())],
        ),
        (
            "the turns of `row` are not in parts",
            vec![tiles_in_parts("row", 2, Vec::new())],
        ),
    ] {
        let errors = compute(nodes).expect_err(reason);
        assert!(errors[0].notes[0].contains(reason), "{reason}: {errors:?}");
        assert_eq!(errors[0].code, &codes::UNPROVED);
    }
}

#[test]
fn names_that_cpp_keeps_are_refused() {
    let mut device = device();
    device.programs[0].args[3].name = "register".into();
    let errors = artifact_of(device).expect_err("register is a keyword");
    assert!(errors[0].notes[0].contains("`register` belongs to C++"));
}

#[test]
fn pages_of_block_floats_are_those_of_their_formats_in_emitted_text_too() {
    let device = super::edges::EdgeFunction::named(crate::device::function::PRINT_BLOCK_ELEMENT.name).unwrap();
    let host = include_str!("host/block_float.cpp");
    for format in tt_plan::DataFormat::ALL
        .iter()
        .filter(|format| format.shares_exponents())
    {
        let (exponents, bits) = (format.exponent_bytes(), format.element_bits());
        let per_bit = (format.tile_bytes() - exponents) / bits;
        let of_page = format!("({exponents} + {per_bit} * element_bits);");
        assert!(device.definition().contains(&of_page), "{of_page}");
        assert!(device.definition().contains(&format!("bytes[{exponents} + place / 8]")));
        assert!(host.contains(&format!("page_bytes = {exponents} + {per_bit} * Bits;")));
    }
}
