//! What kernels print and assert, on both emulated chips: by a process of its own for each, whose stderr is read.

use std::process::Command;
use tt::prelude::*;

const CHIPS: [&str; 2] = ["emulator:wormhole_b0", "emulator:blackhole"];

/// Says which case the process runs, and on what.
const CASE: &str = "TT_LOOKING_CASE";

/// Runs a kernel: first `.reference()`, whose lines are said on stdout, then the launch.
type Case = fn(&Device) -> tt::Result<()>;

const CASES: &[(&str, Case)] = &[
    ("in_order", run_in_order),
    ("goes_along", run_goes_along),
    ("between", run_between),
    ("ragged", run_ragged),
    ("of_any_extents", run_of_any_extents),
    ("around_a_gemm", run_around_a_gemm),
    ("fetched", run_fetched),
    ("nothing_stored", run_nothing_stored),
    ("of_stages", run_of_stages),
    ("of_narrow_types", run_of_narrow_types),
    ("without_sign", run_without_sign),
];

/// What the other tests run.
#[test]
#[ignore = "run by the other tests, in a process of its own"]
fn prints() {
    let case = std::env::var(CASE).expect("the other tests say what runs");
    let (name, chip) = case.split_once(' ').expect("a name and a chip");
    let (_, run) = CASES.iter().find(|(known, _)| *known == name).expect("it is a case");
    let device = Device::open_named(chip).expect("the emulator opens");
    run(&device).expect("it runs");
}

/// Says what the reference prints, and runs.
fn looked(launch: &tt::Launch<'_>) -> tt::Result<()> {
    for line in launch.reference()?.prints() {
        println!("reference: {line}");
    }
    launch.run()
}

/// The lines that the case `name` prints, those of each block in order: on both chips those of the reference.
fn printed(name: &str) -> Vec<String> {
    let of_chips = CHIPS.map(|chip| {
        let program = std::env::current_exe().expect("the program has a name");
        let output = Command::new(program)
            .args(["--exact", "prints", "--ignored", "--nocapture"])
            .env(CASE, format!("{name} {chip}"))
            .output()
            .expect("the program runs");
        let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        assert!(output.status.success(), "{name} on {chip}: {out}{err}");
        let said = err.lines().filter_map(|line| {
            let (kernel, line) = line.split_once(", core (")?;
            assert!(kernel.split(", stage").next() == Some(name), "{kernel} is not {name}");
            let (_, line) = line.split_once("), ").expect("behind the core stands the line");
            Some(line.to_owned())
        });
        let expected = out.lines().filter_map(|line| line.split_once("reference: "));
        let expected: Vec<String> = expected.map(|(_, line)| line.to_owned()).collect();
        let said = by_block(said.collect());
        assert_eq!(said.join("\n"), by_block(expected).join("\n"), "{name} on {chip}");
        said
    });
    let [wormhole, blackhole] = of_chips;
    assert_eq!(wormhole, blackhole);
    wormhole
}

/// Lines of one block after the other, each as they came.
fn by_block(mut lines: Vec<String>) -> Vec<String> {
    lines.sort_by_key(|line| line.split_once(':').map(|(block, _)| block.to_owned()));
    lines
}

fn counted(count: usize) -> Vec<bf16> {
    (0..count).map(|at| bf16::from_f64((at % 200) as f64)).collect()
}

#[tt::kernel]
fn in_order<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, scale: f32, out: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let v = T.alloc_fragment::<f32>(32);
    T.print(
        "{first} \"of\" \\",
        bx * 2 + by,
        N,
        "by",
        scale,
        scale * 2.0,
        0.25,
        7,
        bx - 5,
    );
    T.assert(bx >= 0 && scale > 0.0);
    for k in 0..bx + 1 {
        T.print("round", k);
        if k == by {
            T.print("the same");
        } else {
            T.print("another");
        }
    }
    T.copy(a[(by * 32, bx * 32)], x);
    T.print("x is", x, "all of it");
    T.reduce_max(x, v, dim = 1);
    T.print(v);
    T.reduce_max(x, v, dim = 0);
    T.print(v);
    T.copy(x, out[(by * 32, bx * 32)]);
    T.print("done", bx == by, scale > 1.0);
}

fn run_in_order(device: &Device) -> tt::Result<()> {
    let a = device.upload(&counted(64 * 64), [64, 64])?;
    let mut out = device.zeros::<f32>([64, 64])?;
    looked(&in_order(&a, 0.5, &mut out))
}

/// Cores of a row share `a`; what one goes along with it does not tell of.
#[tt::kernel(multicast = auto)]
fn goes_along<const M: usize, const N: usize>(a: &Tensor<f32, M, 32>, out: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<f32>(32, 32);
    T.copy(a[(by * 32, 0)], x);
    T.print("of", bx, by);
    T.copy(x, out[(by * 32, bx * 32)]);
}

fn run_goes_along(device: &Device) -> tt::Result<()> {
    let a: Vec<f32> = (0..290 * 32).map(|at| (at % 200) as f32).collect();
    let a = device.upload(&a, [290, 32])?;
    let mut out = device.zeros::<f32>([290, 300])?;
    looked(&goes_along(&a, &mut out))
}

#[test]
fn a_block_that_several_cores_go_along_with_is_told_of_once() {
    assert_eq!(printed("goes_along").len(), 10 * 10);
}

#[test]
fn lines_come_in_the_order_of_the_source() {
    let lines = printed("in_order");
    assert_eq!(lines.len(), 4 + 2 * 2 + 2 * 4 + 4 * (1 + 32 + 1 + 2 + 1));
    assert_eq!(lines[0], "block (0, 0): {first} \"of\" \\ 0 64 by 0.5 1 0.25 7 -5");
    assert_eq!(
        lines[1..4],
        ["block (0, 0): round 0", "block (0, 0): the same", "block (0, 0): x is"]
    );
    assert!(lines[5].starts_with("block (0, 0): x[1] 64 65 66 "), "{}", lines[5]);
    assert_eq!(lines[36], "block (0, 0): all of it");
    assert!(lines[37].starts_with("block (0, 0): v 31 95 159 "), "{}", lines[37]);
    assert_eq!(lines[39], "block (0, 0): done true false");
}

/// Two statements of elements that become one where nothing looks between them.
#[tt::kernel]
fn between<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    out: &mut Tensor<bf16, M, N>,
    pos: &mut Tensor<i32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_fragment::<f32>(32, 32);
    let z = T.alloc_shared::<bf16>(32, 32);
    let n = T.alloc_fragment::<i32>(32, 32);
    T.copy(a[(by * 32, bx * 32)], x);
    for (i, j) in T.Parallel(32, 32) {
        y[(i, j)] = x[(i, j)] * 0.5;
    }
    T.print(y);
    for (i, j) in T.Parallel(32, 32) {
        z[(i, j)] = y[(i, j)] + 1.0;
        n[(i, j)] = i * 1000 - j;
    }
    T.copy(z, out[(by * 32, bx * 32)]);
    T.copy(n, pos[(by * 32, bx * 32)]);
    T.print(n, z);
}

fn run_between(device: &Device) -> tt::Result<()> {
    let a = device.upload(&counted(32 * 64), [32, 64])?;
    let mut out = device.zeros::<bf16>([32, 64])?;
    let mut pos = device.zeros::<i32>([32, 64])?;
    looked(&between(&a, &mut out, &mut pos))?;
    for (at, value) in out.download()?.into_iter().enumerate() {
        assert_eq!(value, bf16::from_f64((at % 200) as f64 * 0.5 + 1.0), "element {at}");
    }
    Ok(())
}

#[test]
fn a_block_between_two_statements_is_printed_as_it_is_there() {
    let lines = printed("between");
    assert_eq!(lines.len(), 2 * 3 * 32);
    assert!(lines[0].starts_with("block (0, 0): y[0] 0 0.5 1 1.5 "), "{}", lines[0]);
    assert!(
        lines[33].starts_with("block (0, 0): n[1] 1000 999 998 "),
        "{}",
        lines[33]
    );
    assert!(
        lines[64].starts_with("block (0, 0): z[0] 1 1.5 2 2.5 "),
        "{}",
        lines[64]
    );
}

/// Blocks that reach past a tensor's edges.
#[tt::kernel]
fn ragged<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, out: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 64);
    let y = T.alloc_fragment::<f32>(32, 64);
    let v = T.alloc_fragment::<f32>(64);
    let w = T.alloc_fragment::<f32>(20);
    T.copy(a[(by * 32, bx * 64)], x);
    for (i, j) in T.Parallel(32, 64) {
        y[(i, j)] = x[(i, j)] + 1.0;
    }
    T.print(x, y);
    T.copy(a[(by * 32, bx * 64)], v);
    T.fill(w, 2.5);
    T.print(v, w);
    T.copy(y, out[(by * 32, bx * 64)]);
}

fn run_ragged(device: &Device) -> tt::Result<()> {
    let a = device.upload(&counted(40 * 70), [40, 70])?;
    let mut out = device.zeros::<f32>([40, 70])?;
    looked(&ragged(&a, &mut out))
}

#[test]
fn elements_past_an_edge_have_no_value() {
    let lines = printed("ragged");
    let last = |name: &str| {
        let head = format!("block (1, 1): {name} ");
        let line = lines.iter().find_map(|line| line.strip_prefix(&head));
        let dashes = line
            .unwrap_or_else(|| panic!("no {head}"))
            .split(' ')
            .filter(|word| *word == "-");
        dashes.count()
    };
    assert_eq!(
        [
            last("x[7]"),
            last("x[8]"),
            last("y[7]"),
            last("y[8]"),
            last("v"),
            last("w")
        ],
        [58, 64, 58, 64, 58, 0]
    );
}

/// Blocks whose extents are no multiples of a tile.
#[tt::kernel]
fn of_any_extents<const M: usize, const N: usize>(a: &Tensor<bf16, M, N>, out: &mut Tensor<f32, M, N>) {
    let (bx, by) = T.Kernel(N.div_ceil(40), M.div_ceil(33));
    let x = T.alloc_shared::<bf16>(33, 40);
    let y = T.alloc_fragment::<f32>(33, 40);
    let v = T.alloc_fragment::<f32>(48);
    T.copy(a[(by * 33, bx * 40)], x);
    for (i, j) in T.Parallel(33, 40) {
        y[(i, j)] = x[(i, j)] + 1.0;
    }
    for i in T.Parallel(48) {
        v[i] = i as f32;
    }
    T.print(x, y, v);
    T.copy(y, out[(by * 33, bx * 40)]);
}

fn run_of_any_extents(device: &Device) -> tt::Result<()> {
    let a = device.upload(&counted(40 * 70), [40, 70])?;
    let mut out = device.zeros::<f32>([40, 70])?;
    looked(&of_any_extents(&a, &mut out))
}

#[test]
fn no_more_is_printed_than_blocks_have() {
    let lines = printed("of_any_extents");
    assert_eq!(lines.len(), 4 * (33 + 33 + 1));
    let words = |line: &str| line.split(' ').count();
    // Behind `block (0, 0): x[0]`.
    assert_eq!(words(&lines[0]), 4 + 40, "{}", lines[0]);
    assert_eq!(words(&lines[66]), 4 + 48, "{}", lines[66]);
}

/// Sums while they are made, and operands in the loop.
#[tt::kernel]
fn around_a_gemm<const M: usize, const K: usize, const N: usize>(
    a: &Tensor<bf16, M, K>,
    b: &Tensor<bf16, K, N>,
    c: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let acc = T.alloc_fragment::<f32>(32, 32);
    let plain = T.alloc_fragment::<f32>(32, 32);
    T.clear(acc);
    T.clear(plain);
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 32, k * 32)], x);
        T.copy(b[(k * 32, bx * 32)], y);
        T.gemm(x, y, acc);
        T.print("after", k, acc);
        T.assert(k < 2);
    }
    for k in T.Pipelined(K.div_ceil(32), num_stages = 2) {
        T.copy(a[(by * 32, k * 32)], x);
        T.copy(b[(k * 32, bx * 32)], y);
        T.gemm(x, y, plain);
        T.print("product", k);
        T.assert(k < 2);
    }
    T.print(plain);
    T.copy(acc, c[(by * 32, bx * 32)]);
}

fn run_around_a_gemm(device: &Device) -> tt::Result<()> {
    let ones: Vec<bf16> = (0..64 * 64).map(|at| bf16::from_f64((at % 3) as f64)).collect();
    let (a, b) = (device.upload(&ones, [64, 64])?, device.upload(&ones, [64, 64])?);
    let mut c = device.zeros::<f32>([64, 64])?;
    looked(&around_a_gemm(&a, &b, &mut c))
}

#[test]
fn sums_are_printed_while_they_grow() {
    let lines = printed("around_a_gemm");
    assert_eq!(lines.len(), 4 * (2 * 33 + 2 + 32));
}

/// Integers of tensors, as counts, conditions and in what is printed.
#[tt::kernel]
fn fetched<const B: usize>(counts: &Tensor<i32, B>, pages: &Tensor<u32, B, 4>, out: &mut Tensor<f32, B, 32, 32>) {
    let b = T.Kernel(B);
    let x = T.alloc_fragment::<f32>(32, 32);
    T.fill(x, 1.0);
    let n = counts[b];
    T.print("n", n, "first", pages[(b, 0)], "half", n as f32 * 0.5 - b as f32 / 4.0);
    for k in 0..n {
        T.assert(pages[(b, k)] > 0 && k as f32 * 0.5 < n as f32);
        T.print("page", pages[(b, k)] * 2);
    }
    T.copy(x, out[(b, 0, 0)]);
}

fn run_fetched(device: &Device) -> tt::Result<()> {
    let counts = device.upload(&[2i32, 0, 4], [3])?;
    let pages = device.upload(&[5u32, 6, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4], [3, 4])?;
    let mut out = device.zeros::<f32>([3, 32, 32])?;
    looked(&fetched(&counts, &pages, &mut out))
}

#[test]
fn integers_of_tensors_are_printed() {
    let lines = printed("fetched");
    let expected = [
        "block (0): n 2 first 5 half 1",
        "block (0): page 10",
        "block (0): page 12",
        "block (1): n 0 first 0 half -0.25",
        "block (2): n 4 first 1 half 1.5",
        "block (2): page 2",
        "block (2): page 4",
        "block (2): page 6",
        "block (2): page 8",
    ];
    assert_eq!(lines, expected);
}

/// Integers of 8 bits and block floats, past edges too.
#[tt::kernel]
fn of_narrow_types<const M: usize, const N: usize>(
    a: &Tensor<u8, M, N>,
    b: &Tensor<i8, M, N>,
    c: &Tensor<bfp8, M, N>,
    d: &Tensor<bfp4, M, N>,
    out: &mut Tensor<f32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(32));
    let p = T.alloc_shared::<u8>(32, 64);
    let q = T.alloc_shared::<i8>(32, 64);
    let x = T.alloc_shared::<bfp8>(32, 64);
    let y = T.alloc_shared::<bfp4>(32, 64);
    let sum = T.alloc_fragment::<f32>(32, 64);
    T.copy(a[(by * 32, bx * 64)], p);
    T.copy(b[(by * 32, bx * 64)], q);
    T.copy(c[(by * 32, bx * 64)], x);
    T.copy(d[(by * 32, bx * 64)], y);
    T.print(p, q, x, y);
    for (i, j) in T.Parallel(32, 64) {
        q[(i, j)] = if q[(i, j)] < 0 { -128 } else { 127 };
    }
    T.print("clamped", q);
    for (i, j) in T.Parallel(32, 64) {
        sum[(i, j)] = p[(i, j)] as f32 + q[(i, j)] as f32 + x[(i, j)] + y[(i, j)];
    }
    T.copy(sum, out[(by * 32, bx * 64)]);
}

fn run_of_narrow_types(device: &Device) -> tt::Result<()> {
    let (m, n) = (40, 70);
    let each = || 0..m * n;
    let a: Vec<u8> = each().map(|at| (at * 7 % 256) as u8).collect();
    let b: Vec<i8> = each().map(|at| (at * 5 % 256) as u8 as i8).collect();
    let number = |at: usize| (at as f32 * 0.37).sin() * (at as f32 % 9.0 - 4.0).exp2();
    let c: Vec<bfp8> = each().map(|at| bfp8::from_f32(number(at))).collect();
    let d: Vec<bfp4> = each().map(|at| bfp4::from_f32(-number(at))).collect();
    let (a, b) = (device.upload(&a, [m, n])?, device.upload(&b, [m, n])?);
    let (c, d) = (device.upload(&c, [m, n])?, device.upload(&d, [m, n])?);
    let mut out = device.zeros::<f32>([m, n])?;
    looked(&of_narrow_types(&a, &b, &c, &d, &mut out))
}

#[test]
fn blocks_of_8_bits_and_block_floats_are_printed_as_their_values() {
    let lines = printed("of_narrow_types");
    assert_eq!(lines.len(), 4 * (5 * 32 + 1));
    assert!(lines[0].starts_with("block (0, 0): p[0] 0 7 14 21 "), "{}", lines[0]);
    assert!(lines[32].starts_with("block (0, 0): q[0] 0 5 10 "), "{}", lines[32]);
    assert!(lines[32].contains(" 120 125 -126 -121 "), "{}", lines[32]);
    let fractions = lines
        .iter()
        .filter(|line| line.contains("): y[") && line.contains("0."))
        .count();
    assert!(fractions > 20, "{fractions}");
}

/// Integers without a sign.
#[tt::kernel]
fn without_sign<const N: usize>(a: &Tensor<u32, N>, c: &mut Tensor<u16, N>) {
    let b = T.Kernel(N.div_ceil(32));
    let p = T.alloc_shared::<u32>(32);
    let q = T.alloc_fragment::<u16>(32);
    T.copy(a[b * 32], p);
    for i in T.Parallel(32) {
        q[i] = p[i] as u16;
    }
    T.print(p, q);
    T.copy(q, c[b * 32]);
}

fn run_without_sign(device: &Device) -> tt::Result<()> {
    let a = device.upload(&[0u32, 7, 65535, 65536, 2147483648, u32::MAX], [6])?;
    let mut c = device.zeros::<u16>([6])?;
    looked(&without_sign(&a, &mut c))
}

#[test]
fn integers_without_a_sign_are_printed() {
    let nothing = " -".repeat(26);
    assert_eq!(
        printed("without_sign"),
        [
            format!("block (0): p 0 7 65535 65536 2147483648 4294967295{nothing}"),
            format!("block (0): q 0 7 65535 0 0 65535{nothing}")
        ]
    );
}

/// A block that is printed, and otherwise of no use.
#[tt::kernel]
fn nothing_stored<const N: usize>(a: &Tensor<f32, N>, out: &mut Tensor<f32, N>) {
    let b = T.Kernel(1);
    let v = T.alloc_shared::<f32>(32);
    let w = T.alloc_fragment::<f32>(32);
    T.copy(a[(b * 32)], v);
    for i in T.Parallel(32) {
        w[i] = v[i] * v[i];
    }
    T.print(w);
    T.copy(v, out[(b * 32)]);
}

fn run_nothing_stored(device: &Device) -> tt::Result<()> {
    let a = device.upload(&[1.0f32, 2.0, 3.0, 4.0, 5.0], [5])?;
    let mut out = device.zeros::<f32>([5])?;
    looked(&nothing_stored(&a, &mut out))
}

#[test]
fn what_is_only_printed_is_computed() {
    let nothing = " -".repeat(27);
    assert_eq!(
        printed("nothing_stored"),
        [format!("block (0): w 1 4 9 16 25{nothing}")]
    );
}

/// Prints of several grids.
#[tt::kernel]
fn of_stages<const N: usize>(a: &Tensor<f32, N>, out: &mut Tensor<f32, N>) {
    {
        let b = T.Kernel(2);
        let v = T.alloc_shared::<f32>(32);
        T.print("first", b);
        T.copy(a[(b * 32)], v);
        T.copy(v, out[(b * 32)]);
    }
    {
        let b = T.Kernel(1);
        let v = T.alloc_shared::<f32>(4);
        T.copy(out[0..4], v);
        T.print("second", v);
    }
}

fn run_of_stages(device: &Device) -> tt::Result<()> {
    let a = device.upload(&[1.5f32; 64], [64])?;
    let mut out = device.zeros::<f32>([64])?;
    looked(&of_stages(&a, &mut out))
}

#[test]
fn stages_print_for_themselves() {
    let expected = [
        "block (0): first 0",
        "block (0): second",
        "block (0): v 1.5 1.5 1.5 1.5",
        "block (1): first 1",
    ];
    assert_eq!(printed("of_stages"), expected);
}

/// An assertion that a block may break.
#[tt::kernel]
fn asserted<const M: usize>(limits: &Tensor<i32, M>, most: u32, scale: f32, out: &mut Tensor<f32, M, 32, 32>) {
    let (b, c) = T.Kernel(M, 1);
    let x = T.alloc_fragment::<f32>(32, 32);
    T.fill(x, scale);
    T.assert(scale * 2.0 > 1.0 || c > 3);
    for k in 0..limits[b] {
        T.assert(k < most && limits[b] != 7);
    }
    T.copy(x, out[(b, 0, 0)]);
}

/// The line of this file that says `text`.
fn line_of(text: &str) -> usize {
    let at = include_str!("looking.rs").lines().position(|line| line.contains(text));
    at.expect("the file says so") + 1
}

#[test]
fn an_assertion_that_fails_says_where() {
    for chip in CHIPS {
        let device = Device::open_named(chip).expect("the emulator opens");
        // What reference and device say, where they say something.
        let run = |limits: &[i32; 3], most: u32, scale: f32| -> tt::Result<Option<String>> {
            let limits = device.upload(limits, [3])?;
            let mut out = device.zeros::<f32>([3, 32, 32])?;
            let launch = asserted(&limits, most, scale, &mut out);
            match (launch.reference(), launch.run()) {
                (Ok(_), Ok(())) => Ok(None),
                (Err(reference), Err(run)) => {
                    assert_eq!(
                        [reference.kind(), run.kind()],
                        [tt::ErrorKind::Reference, tt::ErrorKind::Run]
                    );
                    Ok(Some(format!("{reference}\n{run}")))
                }
                (reference, run) => panic!("the reference says {reference:?}, the device {run:?}"),
            }
        };
        assert_eq!(run(&[1, 2, 3], 3, 1.0).expect("it runs"), None);
        let wrong = run(&[1, 2, 3], 2, 1.0).expect("it runs").expect("an assertion fails");
        for expected in [
            "): block (2, 0): assertion failed: k < most && limits[b] != 7",
            "EMU0022: assertion that does not hold: block (2, 0): k < most && limits[b] != 7",
        ] {
            assert_eq!(wrong.matches(expected).count(), 1, "{expected} in {wrong}");
        }
        let line = format!("looking.rs:{}", line_of("T.assert(k < most"));
        assert_eq!(wrong.matches(&line).count(), 3, "{line} in {wrong}");
        let quoted = format!("\n     {line} | T.assert(k < most && limits[b] != 7)\n");
        assert!(wrong.contains(&quoted), "{quoted} in {wrong}");
        let wrong = run(&[1, 2, 3], 3, 0.5).expect("it runs").expect("an assertion fails");
        assert!(
            wrong.contains("assertion failed: scale * 2.0 > 1.0 || c > 3"),
            "{wrong}"
        );
        let wrong = run(&[1, 2, 3], 3, f32::NAN)
            .expect("it runs")
            .expect("NaN is above nothing");
        assert!(
            wrong.contains("assertion failed: scale * 2.0 > 1.0 || c > 3"),
            "{wrong}"
        );
    }
}

/// Rows, columns and elements of blocks, read and stored to where scalars and a tensor say.
#[tt::kernel]
fn placed<const M: usize>(
    a: &Tensor<f32, 64>,
    at: &Tensor<i32, M>,
    row: u32,
    turns: i32,
    out: &mut Tensor<f32, M, 32, 64>,
) {
    let b = T.Kernel(M);
    let v = T.alloc_shared::<f32>(64);
    let x = T.alloc_fragment::<f32>(32, 64);
    let first = at[b];
    T.copy(a[0], v);
    for (i, j) in T.Parallel(32, 64) {
        x[(i, j)] = v[j] + v[first];
    }
    for k in 0..turns {
        for j in T.Parallel(64) {
            x[(row, j)] += x[(k, j)];
        }
        for (i, j) in T.Parallel(32, 64) {
            x[(i, j)] += if i > 30 && k > 0 { x[(k - 1, j)] } else { 0.0 };
        }
    }
    T.copy(x, out[(b, 0, 0)]);
}

#[test]
fn an_index_outside_of_its_block_is_an_error_that_says_where() -> tt::Result<()> {
    for chip in CHIPS {
        let device = Device::open_named(chip)?;
        let a = device.upload(&(0..64).map(|at| at as f32).collect::<Vec<_>>(), [64])?;
        let wrong = |at: [i32; 2], row: u32, turns: i32| -> tt::Result<[String; 2]> {
            let at = device.upload(&at, [2])?;
            let mut out = device.zeros::<f32>([2, 32, 64])?;
            let launch = placed(&a, &at, row, turns, &mut out);
            let errors = [launch.reference().err(), launch.run().err()];
            Ok(errors.map(|error| error.map_or_else(String::new, |error| error.to_string())))
        };
        for turns in [0, 3, 32] {
            assert_eq!(wrong([0, 63], 31, turns)?, ["", ""]);
        }
        for (at, row, turns, said, line) in [
            (
                [0, 64],
                31,
                1,
                "block (1): first is an element of v, which has 64",
                "v[j] + v[first]",
            ),
            (
                [-1, 0],
                31,
                1,
                "block (0): first is an element of v, which has 64",
                "v[j] + v[first]",
            ),
            ([0, 0], 32, 1, "row is a row of x, which has 32", "x[(row, j)] +="),
            ([0, 0], 31, 33, "k is a row of x, which has 32", "x[(row, j)] +="),
        ] {
            let [reference, run] = wrong(at, row, turns)?;
            let line = format!("looking.rs:{}", line_of(line));
            assert!(reference.contains("is outside of `"), "{reference}");
            assert!(reference.contains(&line), "{line} in {reference}");
            assert!(run.contains("EMU0022") && run.contains(said), "{said} in {run}");
            assert!(run.contains(&line), "{line} in {run}");
        }
    }
    Ok(())
}

/// A third of what there is, in bf16, its root, and where it stands.
#[tt::kernel]
fn thirds<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    third: &mut Tensor<bf16, M, N>,
    root: &mut Tensor<f32, M, N>,
    place: &mut Tensor<i32, M, N>,
) {
    let (bx, by) = T.Kernel(N.div_ceil(32), M.div_ceil(32));
    let x = T.alloc_shared::<bf16>(32, 32);
    let y = T.alloc_shared::<bf16>(32, 32);
    let r = T.alloc_fragment::<f32>(32, 32);
    let n = T.alloc_fragment::<i32>(32, 32);
    T.copy(a[(by * 32, bx * 32)], x);
    for (i, j) in T.Parallel(32, 32) {
        y[(i, j)] = x[(i, j)] / 3.0;
        r[(i, j)] = x[(i, j)].sqrt();
        n[(i, j)] = (by * 32 + i) * 10000 + j;
    }
    T.copy(r, root[(by * 32, bx * 32)]);
    T.copy(n, place[(by * 32, bx * 32)]);
    T.copy(y, third[(by * 32, bx * 32)]);
}

#[test]
fn a_check_says_what_was_compared_and_what_differs() -> tt::Result<()> {
    for chip in CHIPS {
        let device = Device::open_named(chip)?;
        // All thirds are exact but that of the element [33, 40], in the block (1, 1); some roots are of negative numbers.
        let value = |at: usize| {
            if at == 33 * 70 + 40 {
                2.0
            } else {
                [3.0, 0.75, -3.0, 0.0][at % 4]
            }
        };
        let values: Vec<bf16> = (0..40 * 70).map(|at| bf16::from_f64(value(at))).collect();
        let a = device.upload(&values, [40, 70])?;
        let mut third = device.zeros::<bf16>([40, 70])?;
        let mut root = device.zeros::<f32>([40, 70])?;
        let mut place = device.zeros::<i32>([40, 70])?;
        let launch = thirds(&a, &mut third, &mut root, &mut place);
        let compared = launch.check(0.01)?;
        assert_eq!([compared.elements, compared.skipped], [3 * 2800 - 699, 699]);
        assert!(compared.worst > 0.0 && compared.worst < 0.01, "{compared}");
        assert!(
            compared.to_string().starts_with("7701 elements are within "),
            "{compared}"
        );

        let error = launch.check(1e-6).expect_err("a third of 2 is no bf16");
        assert_eq!(error.kind(), tt::ErrorKind::Difference);
        let error = error.to_string();
        let line = line_of("T.copy(y, third[");
        for expected in [
            "kernel `thirds`: element [33, 40] of `third` is 0.66796875, the reference says 0.666666",
            "block (1, 1) stores it, ",
            &format!("looking.rs:{line}"),
        ] {
            assert!(error.contains(expected), "{expected} in {error}");
        }
        for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
            let error = launch.check(tolerance).expect_err("no tolerance");
            assert_eq!(error.kind(), tt::ErrorKind::Argument);
        }
    }
    Ok(())
}
