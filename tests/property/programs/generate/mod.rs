//! Random programs: blocks carried round loops, read and redefined inside them, written under conditions, left unused.

mod body;
mod choice;
mod expression;
mod product;
mod reduction;

use super::super::random::Random;
use super::calm::calm;
use super::program::{Block, CUTS, Class, Element, Grid, Layout, Program, Role, Shape, Spare, Stage, Table, Tensor};
use body::Body;

/// How many values the scalar `n` has, and how many L has.
const SCALARS: usize = 3;
const MORE_MATRICES: usize = 3;

/// A random program whose results are exact on all its shapes.
pub fn generate(random: &mut Random) -> Program {
    let literal = random.one_in(4);
    // Half of the programs are of one type, or two.
    let is_mixed = random.one_in(2);
    let options = options(random, is_mixed);
    let element = random.pick(&[Element::Bf16, Element::Bf16, Element::F32]);
    let count = random.pick(&[1, 1, 1, 1, 1, 2, 2, 3]);
    let has_integers = is_mixed || !options.contains(NARROW);
    let is_shifted = !literal || random.one_in(2);
    let tensors = tensors(random, element, is_mixed, count > 1, is_shifted);
    // Regions of other types begin and end with tiles.
    let may_be_ragged = tensors.iter().all(|tensor| !tensor.element.is_moved_by_tiles());
    let mut program = Program {
        literal,
        options,
        tensors,
        table: table(random, has_integers),
        is_signed: random.one_in(3),
        stages: (0..count)
            .map(|_| {
                let block = extents(random, may_be_ragged);
                stage(random, block, element, is_mixed, has_integers)
            })
            .collect(),
        shapes: Vec::new(),
    };
    let tensors = program.tensors.iter().map(|tensor| tensor.element);
    let elements: Vec<Element> = tensors.collect();
    for stage in &mut program.stages {
        let mut all = elements
            .iter()
            .copied()
            .chain(stage.blocks.iter().map(|block| block.element));
        stage.is_fine = random.one_in(2) && all.all(|element| !element.is_moved_by_tiles());
    }
    if random.one_in(5) {
        for tensor in program
            .tensors
            .iter_mut()
            .filter(|tensor| tensor.role != Role::Temporary)
        {
            tensor.cut = random.below(CUTS.len());
        }
    }
    let least = 1 + random.below(3);
    program.shapes = shapes(random, &program, least);
    let (mut next_id, mut stored) = (0, Vec::new());
    for at in 0..count {
        let mut body = Body::new(random, &program, at, least, next_id, &stored);
        let stmts = body.whole();
        (next_id, stored) = body.left();
        program.stages[at].body = stmts;
    }
    calm(&mut program);
    program
}

/// Registers of 16 bits, which hold no integers.
pub const NARROW: &str = "fp32_acc = false";

fn options(random: &mut Random, is_mixed: bool) -> String {
    let registers = match random.below(6) {
        0 if !is_mixed => NARROW,
        1 => "fp32_acc = true",
        _ => "",
    };
    let order = match random.below(8) {
        0 => "order = column_major",
        1 => "order = block_linear(2, 3)",
        2 => "order = z_order",
        3 => "order = hilbert",
        _ => "",
    };
    let shared = if random.one_in(3) { "multicast = off" } else { "" };
    let all = [registers, order, shared]
        .into_iter()
        .filter(|option| !option.is_empty());
    all.collect::<Vec<_>>().join(", ")
}

fn table(random: &mut Random, has_integers: bool) -> Table {
    Table {
        element: match random.one_in(3) {
            true => random.pick(&[Element::U32, Element::U16, Element::U8, Element::I8]),
            false => Element::I32,
        },
        is_stored: has_integers && random.one_in(8),
    }
}

/// How the matrices of a tensor lie.
fn layout(random: &mut Random, class: Class, element: Element, role: Role, may_be_paced: bool) -> Layout {
    let axis = |random: &mut Random, is_inner| {
        let place = random.below(Spare::EXTENT);
        Some(Spare { is_inner, place })
    };
    match random.below(4) {
        0 => {}
        _ => return Layout::PLAIN,
    }
    if element.is_moved_by_tiles() {
        return Layout {
            spare: axis(random, false),
            ..Layout::PLAIN
        };
    }
    let kind = random.below(4);
    Layout {
        rows_first: class == Class::Main && kind < 2,
        spare: match kind {
            1 => axis(random, false),
            2 => axis(random, true),
            _ => None,
        },
        pace: match kind {
            0 | 3 if may_be_paced && class != Class::Right && role != Role::Temporary => 1 + random.below(3),
            _ => 1,
        },
    }
}

/// A type of tensors and blocks.
fn any_element(random: &mut Random, usual: Element, is_mixed: bool) -> Element {
    match random.below(if is_mixed { 15 } else { 4 }) {
        0 => Element::F32,
        1 => Element::Bf16,
        4 | 5 => Element::I32,
        6 => Element::Bfp8,
        7 => Element::Bfp4,
        8 => Element::U8,
        9 => Element::I8,
        10 => Element::F16,
        11 => Element::U32,
        12 => Element::U16,
        _ => usual,
    }
}

fn tensors(random: &mut Random, usual: Element, is_mixed: bool, has_stages: bool, is_shifted: bool) -> Vec<Tensor> {
    let mut all = Vec::new();
    for (class, role, count) in [
        (Class::Main, Role::Input, 1 + random.below(2)),
        (Class::Left, Role::Input, 1),
        (Class::Right, Role::Input, 1),
        (Class::Rows, Role::Input, usize::from(random.one_in(4))),
        (Class::Columns, Role::Input, usize::from(random.one_in(4))),
        (Class::Main, Role::Output, 1 + random.below(3)),
        (
            Class::Main,
            Role::Temporary,
            if has_stages { 1 + random.below(2) } else { 0 },
        ),
    ] {
        for at in 0..count {
            // The first of each is a number: there is always something to read, and a place for it.
            let element = match class {
                Class::Main if is_mixed && (at > 0 || role == Role::Temporary) => any_element(random, usual, true),
                Class::Main => usual,
                Class::Rows | Class::Columns if is_mixed => {
                    random.pick(&[usual, Element::F32, Element::F16, Element::I32])
                }
                _ if is_mixed => random.pick(&[
                    usual,
                    Element::Bf16,
                    Element::F32,
                    Element::F16,
                    Element::Bfp8,
                    Element::Bfp4,
                ]),
                _ => usual,
            };
            let shift = match random.below(4) {
                0 if is_shifted && role != Role::Temporary => offset(random, element),
                _ => [0, 0],
            };
            all.push(Tensor {
                class,
                element,
                role,
                shift,
                layout: match class {
                    Class::Rows | Class::Columns => Layout::PLAIN,
                    // Extents are read off the first.
                    _ => layout(
                        random,
                        class,
                        element,
                        role,
                        class != Class::Main || at > 0 || role != Role::Input,
                    ),
                },
                cut: 0,
            });
        }
    }
    all
}

/// Rows and columns of a core's own block, and the columns of a left operand: whole tiles, or any.
fn extents(random: &mut Random, may_be_ragged: bool) -> (usize, usize, usize) {
    if may_be_ragged && random.one_in(3) {
        return random.pick(&[
            (48, 32, 32),
            (32, 80, 48),
            (20, 40, 32),
            (40, 36, 70),
            (33, 64, 20),
            (64, 50, 33),
            (24, 8, 40),
            (70, 40, 16),
            (48, 48, 40),
            (20, 20, 52),
        ]);
    }
    random.pick(&[
        (32, 32, 32),
        (32, 32, 32),
        (32, 32, 32),
        (32, 64, 32),
        (64, 32, 32),
        (64, 64, 32),
        (32, 32, 64),
        (64, 64, 64),
    ])
}

fn stage(
    random: &mut Random,
    block: (usize, usize, usize),
    usual: Element,
    is_mixed: bool,
    has_integers: bool,
) -> Stage {
    let mut blocks = Vec::new();
    for (class, count) in [
        (Class::Main, 2 + random.below(4) + if is_mixed { 3 } else { 0 }),
        (Class::Left, 1 + random.below(2)),
        (Class::Right, 1 + random.below(2)),
        (Class::Rows, 1 + random.below(2)),
        (Class::Columns, 1 + random.below(2)),
        (Class::One, random.below(2)),
        (Class::Tile, random.below(2)),
    ] {
        for at in 0..count {
            let is_whole = class == Class::Main || class == Class::Tile;
            let fragment = is_whole && random.one_in(2);
            let element = match any_element(random, usual, is_mixed && is_whole && at > 0) {
                _ if class.is_line() && at > 0 && has_integers => {
                    random.pick(&[Element::I32, Element::I32, Element::U32, Element::F16])
                }
                // An accumulator.
                Element::Bf16 if fragment && at == 0 => Element::F32,
                element => element,
            };
            blocks.push(Block {
                class,
                element,
                fragment,
                is_vector: class.is_line() && class != Class::One && random.one_in(3),
                stacked: 1,
            });
        }
    }
    for _ in 0..random.pick(&[0, 0, 1, 1, 2]) {
        let of = random.below(blocks.len());
        let block = Block {
            is_vector: false,
            stacked: 2 + random.below(3),
            ..blocks[of].clone()
        };
        blocks.push(block);
    }
    Stage {
        block,
        grid: match random.below(8) {
            0 => Grid::Flat,
            1 => Grid::Matrices,
            2 => Grid::Split,
            _ => Grid::Plain,
        },
        blocks,
        body: Vec::new(),
        is_fine: false,
    }
}

/// A handful of shapes, at least `least` matrices each; one where the program has literal extents.
fn shapes(random: &mut Random, program: &Program, least: usize) -> Vec<Shape> {
    let blocks = program.stages.iter().map(|stage| stage.block);
    let (h, w, k) = blocks.fold((0, 0, 0), |most, block| {
        (most.0.max(block.0), most.1.max(block.1), most.2.max(block.2))
    });
    let mut shape = |m, n, k| Shape {
        m,
        n,
        k,
        l: least + random.below(MORE_MATRICES),
        count: random.below(SCALARS),
        alpha: random.below(5) as i32 - 2,
        seed: random.below(1 << 30) as u64,
    };
    if program.literal {
        return vec![shape(2 * h, 2 * w, 2 * k)];
    }
    let mut shapes = vec![
        shape(2 * h, w, 3 * k),
        shape(h + 1, 2 * w - 3, k + 5),
        shape(7, 9, 2 * k),
    ];
    if random.one_in(8) && h * w <= 1024 {
        // Several blocks on a core.
        let seed = random.below(1 << 30) as u64;
        let (m, n) = (13 * h - 5, 11 * w);
        shapes.push(Shape {
            m,
            n,
            l: least,
            seed,
            ..shapes[0]
        });
    }
    shapes
}

/// A few rows up or down, and columns to either side; whole tiles of types that are read by tiles.
fn offset(random: &mut Random, element: Element) -> [i32; 2] {
    match element.is_moved_by_tiles() {
        false => [random.below(5) as i32 - 2, random.below(41) as i32 - 20],
        true => [0, 1].map(|_| 32 * (random.below(3) as i32 - 1)),
    }
}
