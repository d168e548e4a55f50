//! Everything that is refused: a table of sources and the codes they give. Each code of the language is here.

use super::{read, reports};
use crate::codes;
use std::collections::BTreeSet;

/// Statements inside a kernel that is right otherwise, and the codes they give.
const BODIES: &[(&str, &[u16])] = &[
    // The grid.
    ("let (p, q) = T.Kernel(2, 2);", &[31]),
    ("T.Kernel(8, 8);", &[44]),
    // Names and calls.
    ("let T = 3;", &[13]),
    ("for T in 0..3 {}", &[13]),
    ("T.copy(a[(row, 0)], x);", &[40]),
    ("T.copy(a[(missing, missing)], missing2);", &[40, 40]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = bf16::MAX; }", &[40]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)].softmax(); }",
        &[41],
    ),
    ("for k in 0..n.ilog2() {}", &[41]),
    ("for k in 0..M.exp() {}", &[41]),
    ("T.cpoy(x, y);", &[42]),
    ("T.matmul(x, y, acc);", &[42]),
    ("T.alloc_local(x);", &[42]),
    ("for k in T.Persistent(8) {}", &[42]),
    ("let z = T.alloc_sharde::<bf16>(32, 32);", &[42]),
    ("T.copy(bx, x);", &[43]),
    ("T.gemm(x, y, n);", &[43]),
    ("T.clear(a);", &[43]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = alpha[(i, j)]; }", &[43]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = T.copy(x, y); }", &[44]),
    ("T.exp(x);", &[44]),
    ("T.Parallel(64, 64);", &[44]),
    ("let z = T.serial(4);", &[44]),
    ("T.alloc_shared::<bf16>(32, 32);", &[44]),
    ("alpha * 2.0;", &[44]),
    ("T.copy(x);", &[45]),
    ("T.gemm(x, y, acc, true);", &[45]),
    ("T.gemm(x, y, transpose_b = true, acc);", &[45]),
    ("T.copy::<bf16>(x, y);", &[45]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)].max(); }",
        &[45],
    ),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = T.exp(); }", &[45]),
    ("T.gemm(x, y, acc, transposeb = true);", &[20]),
    ("for k in T.Pipelined(4, stages = 2) {}", &[20]),
    ("T.copy(x, y, clear = true);", &[20]),
    ("T.gemm(x, y, acc, transpose_b = 1);", &[21]),
    ("for k in T.Pipelined(4, num_stages = 0) {}", &[21]),
    ("T.gemm(x, y, acc, transpose_b = true, transpose_b = false);", &[22]),
    ("for k in T.Pipelined(4, num_stages = 67108865) {}", &[21]),
    ("for k in T.Pipelined(4, num_stages = 1025) {}", &[21]),
    ("let z = T.alloc_shared::<bf16>(4294967296, 32);", &[55]),
    ("let z = T.alloc_shared::<bf16>(2147483616, 32);", &[70]),
    ("let z = T.alloc_shared::<bf16>(65536, 65536);", &[70]),
    ("let z = T.alloc_shared::<bf16>(1024, 65536, 32);", &[70]),
    ("for (i, j) in T.Parallel(1000000000, 1) { c[(i, j)] = 0.0; }", &[102]),
    ("for (i, j) in T.Parallel(65536, 65536) { c[(i, j)] = 0.0; }", &[102]),
    ("T.copy(a[(by * 2147483649, 0)], x);", &[55]),
    ("T.copy(a[(by * (2147483647 + 1), 0)], x);", &[55]),
    ("T.copy(a[(by * (65536 * 65536), 0)], x);", &[55]),
    ("for k in 0..-2147483648 - 1 {}", &[55]),
    // Values.
    ("T.fill(x, 1e400);", &[340]),
    ("T.fill(x, 1e39);", &[340]),
    ("T.fill(x, -3.5e38);", &[340]),
    ("T.fill(x, 999999999999999999999999999999999999999999.0);", &[340]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)].powi(16777217); }",
        &[340],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)].powi(-2147483648); }",
        &[340],
    ),
    ("for k in 0..alpha {}", &[50]),
    ("for k in 0..(n < 4) {}", &[50]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(if n > 2 { i } else { 0 }, j)]; }",
        &[50],
    ),
    ("T.copy(a[(by * 64.0, 0)], x);", &[50]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)] * 2; }", &[51]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)] + M; }", &[51]),
    ("T.fill(x, 0);", &[51]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)] > 0.0; }",
        &[52],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = if x[(i, j)] { 1.0 } else { 0.0 }; }",
        &[52],
    ),
    ("if n { T.clear(x); }", &[52]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = q[(i, j)]; }", &[53]),
    (
        "for (i, j) in T.Parallel(64, 64) { q[(i, j)] = x[(i, j)] + q[(i, j)]; }",
        &[53],
    ),
    ("let z = T.alloc_shared::<bf16>(M, 64);", &[54]),
    ("for (i, j) in T.Parallel(64, N) { y[(i, j)] = 1.0; }", &[54]),
    ("const Z: usize = M / 2;", &[54]),
    ("let z = 1 / 0;", &[55]),
    ("let z = 9223372036854775807 + 1;", &[55]),
    ("let z = 99999999999999999999;", &[55]),
    ("let z = 65536 * 65536;", &[55]),
    ("let z = 4294967296;", &[55]),
    ("for k in 0..2147483648 {}", &[55]),
    ("for k in T.serial(4294967295) {}", &[55]),
    ("let z = 1 << 32;", &[55]),
    ("let q = T.alloc_shared::<u8>(64, 64); T.fill(q, 256);", &[55]),
    ("let q = T.alloc_shared::<i8>(64, 64); T.fill(q, -129);", &[55]),
    ("let q = T.alloc_shared::<i32>(64, 64); T.fill(q, 2147483648);", &[55]),
    (
        "let q = T.alloc_shared::<i8>(64, 64); \
         for (i, j) in T.Parallel(64, 64) { q[(i, j)] = if q[(i, j)] > 128 { 200 } else { 300 }; }",
        &[55, 55, 55],
    ),
    (
        "let q = T.alloc_shared::<u8>(64, 64); \
         for (i, j) in T.Parallel(64, 64) { y[(i, j)] = q[(i, j)].max(-1) as f32; }",
        &[55],
    ),
    (
        "let q = T.alloc_shared::<i32>(64, 64); \
         for (i, j) in T.Parallel(64, 64) { q[(i, j)] = q[(i, j)] / 0 + (q[(i, j)] << 32); q[(i, j)] /= 0; q[(i, j)] >>= -1; q[(i, j)] %= 0; }",
        &[55, 55, 55, 55, 55],
    ),
    ("let z = -2147483648; let z = -2147483649;", &[55]),
    ("T.copy(a[(2147483648, 0)], x);", &[55]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = if !x[(i, j)] { 1.0 } else { 0.0 }; }",
        &[52],
    ),
    ("if !n { T.clear(x); }", &[52]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] ^= 2.0; }", &[56]),
    ("let z = n << 2;", &[56]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)] ^ 2.0; }",
        &[56],
    ),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] |= 2.0; }", &[56]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = \"text\"; }", &[57]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = 1.0f64; }", &[57]),
    ("let z = 'c';", &[57]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)] as f64; }",
        &[58],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = (x[(i, j)] > 0.0) as f32; }",
        &[58],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)].powi(bx); }",
        &[59],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(q[(i, j)], j)]; }",
        &[359],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = a[(0, j * 2)] + a[(i, j / 2)]; }",
        &[359, 359],
    ),
    ("for k in 0..x[(0, 0)] {}", &[60]),
    ("if x[(0, 0)] > 0.0 { T.clear(y); }", &[61]),
    ("if alpha > (alpha as bf16) { T.clear(y); }", &[61]),
    ("T.fill(x, y[(0, 0)]);", &[62]),
    ("let z = x[(0, 0)];", &[63]),
    ("let z: f64 = 1.0;", &[63]),
    ("let z: f32 = 1;", &[51]),
    ("let z: usize = 1.0;", &[50]),
    (
        "for (i, j) in T.Parallel(64, 64) { let z = x[(i, j)]; x[(i, j)] = 1.0; y[(i, j)] = z; y[(i, j)] = z; }",
        &[360, 360],
    ),
    ("let mut z = 1;", &[64]),
    ("let z = 1; z += 1;", &[64]),
    ("for k in 0..4 { k = 2; }", &[64]),
    ("for (i, j) in T.Parallel(64, 64) { alpha = 2.0; }", &[64]),
    ("let (p, r) = (1, 2);", &[65, 217]),
    ("let z;", &[65]),
    ("let mut z = T.alloc_shared::<bf16>(32, 32);", &[65]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = if i < j { 1.0 }; }",
        &[66],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = if i < j { 1.0 } else { }; }",
        &[66],
    ),
    ("const Z: f64 = 1.0;", &[67]),
    ("const Z: f32 = alpha;", &[54]),
    // Blocks.
    ("let z = T.alloc_shared::<bf16>(0, 64);", &[70]),
    ("let z = T.alloc_shared::<bf16>(0, 64);", &[70]),
    ("let z = T.alloc_shared::<bf16>(64, 1 - 2);", &[70]),
    ("let z = T.alloc_shared::<bf16>(2, 2, 32, 32);", &[71]),
    ("let z = T.alloc_shared::<half>(32, 32);", &[7]),
    ("let z = T.alloc_shared(32, 32);", &[72]),
    ("let z = T.alloc_shared::<bf16, f32>(32, 32);", &[72]),
    // Copies.
    ("T.copy(x, m);", &[80]),
    ("T.copy(a[(by * 64..(by + 1) * 64, 0..96)], x);", &[80]),
    ("T.copy(v[bx * 64], x);", &[80]),
    ("T.copy(a[(0, 0)], c[(0, 0)]);", &[81]),
    ("T.copy(a[bx * 64], x);", &[82]),
    ("T.copy(a[(0, by * 64, bx * 64)], x);", &[82]),
    ("T.copy(a[(0..64, (0..128).step_by(2))], x);", &[359]),
    ("T.copy(a[(0..=-1, 0)], x);", &[83]),
    ("T.copy(a[(64..0, 0)], x);", &[83]),
    ("T.copy(a, x);", &[84]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = a; }", &[84]),
    ("c = x;", &[84]),
    ("T.copy(x[(0..n, 0..64)], y);", &[85]),
    ("T.gemm(a[(0, 0)], y, acc);", &[85]),
    ("T.copy(x, a[(0, 0)]);", &[86]),
    ("for (i, j) in T.Parallel(64, 64) { a[(i, j)] = 1.0; }", &[86]),
    ("T.copy(x, x);", &[87]),
    ("T.gemm(x, y, x);", &[87]),
    ("T.transpose(x, x);", &[87]),
    ("T.reduce_sum(x, x, dim = 1);", &[87]),
    // Products and reductions.
    ("let w = T.alloc_shared::<bf16>(32, 64); T.gemm(x, w, acc);", &[88]),
    ("let w = T.alloc_shared::<bf16>(64, 32); T.gemm(x, w, acc);", &[88]),
    (
        "let w = T.alloc_shared::<bf16>(64, 32); T.gemm(x, w, acc, transpose_b = true);",
        &[88],
    ),
    ("T.gemm(m, x, acc);", &[89]),
    ("T.reduce_sum(x, y, dim = 1);", &[90]),
    ("T.reduce_max(m, y, dim = 0);", &[90]),
    ("T.reduce_max(m, y, dim = 1);", &[91]),
    ("T.reduce_max(x, m, dim = (0, 1));", &[90]),
    ("T.reduce_sum(x, m);", &[91]),
    ("T.reduce_sum(x, m, dim = 2);", &[91]),
    ("T.reduce_argmax(x, m, m, dim = 1);", &[87]),
    ("T.reduce_argmin(x, _, m, dim = 1);", &[94]),
    ("T.reduce_argmin(x, _, m, dim = 1, clear = false, base = k);", &[40]),
    ("T.transpose(x, m);", &[92]),
    ("T.print(\"a\\nb\");", &[93]),
    ("T.print(x[(0, 0)]);", &[93]),
    ("T.print(n > 0, n > 1, n > 2, n > 3);", &[93]),
    ("T.print(alpha as bf16);", &[93]),
    ("T.print(a);", &[84]),
    ("T.print();", &[45]),
    ("T.print(n, width = 3);", &[20]),
    ("T.assert(x[(0, 0)] > 0.0);", &[61]),
    ("T.assert(n);", &[52]),
    ("T.assert(alpha);", &[52]),
    ("T.assert(n > 0, \"a text\");", &[45]),
    ("let y = T.assert(n > 0);", &[44]),
    ("for (i, j) in T.Parallel(64, 64) { T.assert(n > 0); }", &[103]),
    // Loops.
    ("for k in n {}", &[100]),
    ("for k in (0..8).skip(2) {}", &[100]),
    ("for k in 0.. {}", &[100]),
    ("for k in T.copy(x, y) {}", &[100]),
    ("for (k, l) in 0..8 {}", &[101]),
    ("for i in T.Parallel(64, 64) { y[(i, i)] = 1.0; }", &[101]),
    ("for (i, i) in T.Parallel(64, 64) { y[(i, i)] = 1.0; }", &[13]),
    ("for (i, j) in T.Parallel(0, 64) { y[(i, j)] = 1.0; }", &[102]),
    (
        "for (i, j) in T.Parallel(64, 64) { for k in 0..4 { y[(i, j)] += 1.0; } }",
        &[103],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { if i < j { y[(i, j)] = 1.0; } }",
        &[103],
    ),
    ("for (i, j) in T.Parallel(64, 64) { T.copy(x, y); }", &[103]),
    (
        "for (i, j) in T.Parallel(64, 64) { let z = T.alloc_shared::<bf16>(32, 32); }",
        &[103],
    ),
    ("for (i, j) in T.Parallel(64, 64) {}", &[103]),
    ("for (i, j) in T.Parallel(64, 64) { x[(i, j)]; }", &[103]),
    ("x[(0, 0)] = 1.0;", &[104]),
    ("x[(0, 0)] += 1.0;", &[104]),
    ("for (i, j) in T.Parallel(128, 64) { y[(i, j)] = 1.0; }", &[105]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = if i > 0 { x[(i - 2, j)] } else { 0.0 }; }",
        &[105],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = if i > 0 { 0.0 } else { x[(i - 1, j)] }; }",
        &[105],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = if i > 0 || j > 0 { x[(i - 1, j)] } else { 0.0 }; }",
        &[105],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j + 1)]; }",
        &[105],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i - 1, j)]; }",
        &[105],
    ),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = m[(i, j)]; }", &[106]),
    ("for (i, j) in T.Parallel(64, 64) { y[i] = 1.0; }", &[106]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = a[(0, i, j)]; }", &[106]),
    ("for (i, j) in T.Parallel(64, 64) { m[i] += x[(i, j)]; }", &[107]),
    (
        "for (i, j, k) in T.Parallel(64, 64, 64) { acc[(i, j)] = x[(i, k)] * y[(k, j)]; }",
        &[108],
    ),
    (
        "for (i, j, k) in T.Parallel(64, 64, 64) { acc[(i, j)] += x[(i, k)] * m[k]; }",
        &[108],
    ),
    (
        "for (i, j, k) in T.Parallel(64, 64, 64) { acc[(i, j)] += x[(i, k)] * y[(i, j)]; }",
        &[108],
    ),
    (
        "for (i, j, k) in T.Parallel(64, 64, 64) { acc[(i, j)] += x[(i, k)] * y[(k, j)]; y[(i, j)] = 1.0; }",
        &[108],
    ),
    (
        "for (i, j, k) in T.Parallel(64, 64, 64) { acc[(i, j)] += acc[(i, k)] * y[(k, j)]; }",
        &[108],
    ),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x; }", &[109]),
    ("for (i, j) in T.Parallel(64, 64) { y = 1.0; }", &[109]),
    ("x = y;", &[109]),
    ("let z = x;", &[109]),
    // What is not in the language.
    ("let f = |p| p + 1;", &[200]),
    ("T.copy(&x, y);", &[201]),
    ("T.gemm(&x, &y, &acc);", &[201, 201, 201]),
    ("T.gemm(T.transpose(x, y), y, acc);", &[44]),
    ("T.clear(3);", &[43]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = *x; }", &[201]),
    ("let p = &raw const x;", &[201]),
    ("let s = Point { x: 1 };", &[202]),
    ("let s = a.rows;", &[202]),
    ("let s = helper(1);", &[203]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = exp(x[(i, j)]); }",
        &[203],
    ),
    ("T::copy(x, y);", &[203]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = f32::exp(x[(i, j)]); }",
        &[203],
    ),
    ("while n > 0 { T.clear(x); }", &[204]),
    ("loop { T.clear(x); }", &[205]),
    ("k(a, v, alpha, n, c);", &[206]),
    ("T.atomic_add(c[(0, 0)], x);", &[207]),
    ("match n { _ => {} }", &[208]),
    ("return;", &[209]),
    ("for k in 0..4 { break; }", &[210]),
    ("for k in 0..4 { continue; }", &[210]),
    ("println!(\"{}\", 1);", &[211]),
    ("let z = vec![1];", &[211]),
    ("unsafe { T.clear(x); }", &[212]),
    ("async { T.clear(x); };", &[213]),
    ("x.await;", &[213]),
    // Functions of the body.
    ("fn inner() {}", &[68]),
    ("fn inner() -> f32 {}", &[68]),
    ("fn inner() -> f32 { 1.0; }", &[68]),
    ("const fn inner() -> f32 { 1.0 }", &[68]),
    ("async fn inner() -> f32 { 1.0 }", &[68]),
    ("fn inner<const Q: usize>() -> f32 { 1.0 }", &[68]),
    ("fn inner(x: &f32) -> f32 { 1.0 }", &[68]),
    ("fn inner((x, y): f32) -> f32 { 1.0 }", &[68]),
    ("fn inner(x: f32) -> f32 { x + alpha }", &[40]),
    ("fn inner(x: f32) -> f32 { 1 }", &[51]),
    ("fn inner(x: f32) -> i32 { x }", &[50]),
    ("fn inner(x: f32) -> bool { x }", &[52]),
    ("fn inner(x: f32) -> f32 { inner(x) }", &[206]),
    ("fn f(x: f32) -> f32 { g(x) } fn g(x: f32) -> f32 { f(x) }", &[206]),
    ("fn inner(x: f32) -> f32 { T.clear(y); x }", &[103]),
    ("fn inner(x: f32) -> f32 { let (a, b) = x; a }", &[65]),
    ("fn inner(x: f32) -> f32 { x } T.fill(y, inner());", &[45]),
    ("fn inner(x: f32) -> f32 { x } T.fill(y, inner(1));", &[51]),
    ("fn inner(x: f32) -> f32 { x } T.fill(y, inner);", &[43]),
    ("fn inner(x: f32) -> f32 { x } T.copy(inner, y);", &[43]),
    ("fn x(p: f32) -> f32 { p } T.fill(y, x(1.0));", &[43]),
    ("fn inner(x: i32) -> i32 { x } for k in 0..inner(1.0) {}", &[50]),
    ("fn inner(x: f32, x: f32) -> f32 { x }", &[13]),
    ("fn inner(x: f32) -> f32 { x } fn inner(x: f32) -> f32 { x }", &[13]),
    ("struct Inner;", &[214]),
    ("use std::f32;", &[214]),
    ("static S: usize = 1;", &[214]),
    ("T.copy(x, y)?;", &[215]),
    ("let z = [1, 2];", &[216]),
    ("let z = [0; 4];", &[216]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = (1.0, 2.0); }", &[217]),
    ("let z = 0..4;", &[218]),
    ("for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(0..4, j)]; }", &[218]),
    ("if let 1 = n { T.clear(x); }", &[219]),
    ("let Some(z) = n else { return; };", &[219]),
    ("'outer: for k in 0..4 {}", &[220]),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)].max(y[(i, j)] = 1.0); }",
        &[221],
    ),
    ("T.gemm(x, y, acc, x[(0, 0)] = true);", &[221]),
    ("let z = const { 4 };", &[222]),
    ("let z = { 4 };", &[223]),
    ("let z = _;", &[223]),
    ("#[allow(unused)] for k in 0..4 {}", &[14]),
    // Several mistakes in one kernel.
    (
        "let z = T.alloc_shared::<bf16>(0, 64); T.copy(a[(0, 0)], z); T.cpoy(x, y); while n > 0 {} T.clear(missing);",
        &[70, 42, 204, 40],
    ),
    (
        "for (i, j) in T.Parallel(64, 64) { y[(i, j)] = x[(i, j)] * 2; a[(i, j)] = y[(i, j)].foo(); m[i] = x[(i, j)]; }",
        &[51, 86, 41],
    ),
];

/// Whole kernels.
const KERNELS: &[(&str, &[u16])] = &[
    (
        "#[tt::kernel] fn k(n: &Tensor<i32, 32>) { let b = T.Kernel(n[0]); }",
        &[358],
    ),
    (
        "#[tt::kernel] fn k() { let b = T.Kernel(1); assume(b == 0); T.topk(b); }",
        &[359, 359],
    ),
    ("#[tt::kernel] async fn k() { let b = T.Kernel(1); }", &[2]),
    ("#[tt::kernel] unsafe fn k() { let b = T.Kernel(1); }", &[2]),
    ("#[tt::kernel] fn k() -> f32 { let b = T.Kernel(1); }", &[3]),
    (
        "#[tt::kernel] fn k<E>(a: &Tensor<E, 32>) { let b = T.Kernel(1); }",
        &[4],
    ),
    (
        "#[tt::kernel] fn k<const M: u32>(a: &Tensor<bf16, M>) { let b = T.Kernel(1); }",
        &[4],
    ),
    (
        "#[tt::kernel] fn k<'a>(a: &'a Tensor<bf16, 32>) { let b = T.Kernel(1); }",
        &[4, 4],
    ),
    (
        "#[tt::kernel] fn k<const M: usize>(a: &Tensor<bf16, M>) where [(); M]: { let b = T.Kernel(1); }",
        &[4],
    ),
    ("#[tt::kernel] fn k(a: &Vec<f32>) { let b = T.Kernel(1); }", &[5]),
    (
        "#[tt::kernel] fn k(a: &Tenser<bf16, 32>) { let b = T.Kernel(1); }",
        &[5],
    ),
    ("#[tt::kernel] fn k(a: [f32; 4]) { let b = T.Kernel(1); }", &[5]),
    (
        "#[tt::kernel] fn k(a: Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[6],
    ),
    (
        "#[tt::kernel] fn k(a: &Tensor<f64, 32, 32>) { let b = T.Kernel(1); }",
        &[7],
    ),
    ("#[tt::kernel] fn k(a: &Tensor<bf16>) { let b = T.Kernel(1); }", &[8]),
    ("#[tt::kernel] fn k(a: &Tensor) { let b = T.Kernel(1); }", &[8]),
    (
        "#[tt::kernel] fn k(a: &Tensor<bf16, 1, 1, 1, 1, 1, 1, 1>) { let b = T.Kernel(1); }",
        &[8],
    ),
    (
        "#[tt::kernel] fn k(a: &Tensor<bf16, D, 32>) { let b = T.Kernel(1); }",
        &[9],
    ),
    (
        "#[tt::kernel] fn k(a: &Tensor<bf16, 0, 32>) { let b = T.Kernel(1); }",
        &[9],
    ),
    (
        "#[tt::kernel] fn k(n: u32, a: &Tensor<bf16, { n * 2 }, 32>) { let b = T.Kernel(1); }",
        &[9],
    ),
    (
        "#[tt::kernel] fn k<const M: usize>(a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(M); }",
        &[10],
    ),
    (
        "#[tt::kernel] fn k<const M: usize>(a: &Tensor<bf16, { M * 2 }>) { let b = T.Kernel(M); }",
        &[10],
    ),
    ("#[tt::kernel] fn k(n: usize) { let b = T.Kernel(1); }", &[11]),
    (
        "#[tt::kernel] fn k(n: f64, m: bool) { let b = T.Kernel(1); }",
        &[11, 11],
    ),
    ("#[tt::kernel] fn k(mut n: u32) { let b = T.Kernel(1); }", &[12]),
    ("#[tt::kernel] fn k((n, m): u32) { let b = T.Kernel(1); }", &[12]),
    ("#[tt::kernel] fn k(&self) { let b = T.Kernel(1); }", &[12]),
    ("#[tt::kernel] fn k(n: u32, n: f32) { let b = T.Kernel(1); }", &[13]),
    ("#[tt::kernel] fn k() { let (b, b) = T.Kernel(1, 1); }", &[13]),
    ("#[tt::kernel] #[inline] fn k() { let b = T.Kernel(1); }", &[14]),
    // Stages.
    (
        "#[tt::kernel] fn k() { let x = T.alloc_shared::<f32>(32, 32); { let b = T.Kernel(1); T.clear(x); } T.clear(x); }",
        &[35, 35],
    ),
    (
        "#[tt::kernel] fn k() { { let b = T.Kernel(1); } { let n = 1; } }",
        &[35],
    ),
    (
        "#[tt::kernel] fn k() { { let b = T.Kernel(1); let t = T.alloc_global::<f32>(4); } }",
        &[36],
    ),
    (
        "#[tt::kernel] fn k() { let b = T.Kernel(1); let t = T.alloc_global::<f32>(4); }",
        &[36],
    ),
    (
        "#[tt::kernel] fn k() { { let b = T.Kernel(1); let c = T.Kernel(1); } }",
        &[31],
    ),
    (
        "#[tt::kernel] fn k() { let b = T.Kernel(1); { let c = T.Kernel(1); } }",
        &[31],
    ),
    (
        "#[tt::kernel] fn k() { { let b = T.Kernel(1); } { T.clear(b); let c = T.Kernel(1); } }",
        &[40, 33],
    ),
    ("#[tt::kernel] fn k() { 'a: { let b = T.Kernel(1); } }", &[220]),
    (
        "#[tt::kernel] fn k(n: u32) { let n = T.alloc_global::<f32>(4); let b = T.Kernel(1); }",
        &[13],
    ),
    (
        "#[tt::kernel] fn k() { let t = T.alloc_global::<f32>(0); let b = T.Kernel(1); }",
        &[9],
    ),
    (
        "#[tt::kernel] fn k() { let t = T.alloc_global::<f32>(1, 1, 1, 1, 1, 1, 1); let b = T.Kernel(1); }",
        &[8],
    ),
    (
        "#[tt::kernel] fn k() { let t = T.alloc_global(4); let b = T.Kernel(1); }",
        &[72],
    ),
    (
        "#[tt::kernel] fn k() { let (t, u) = T.alloc_global::<f32>(4); let b = T.Kernel(1); }",
        &[65],
    ),
    (
        "#[tt::kernel] fn k() { { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } { let b = T.Kernel(1); } }",
        &[37],
    ),
    (
        "#[tt::kernel] fn k(#[layot(l1)] a: &Tensor<bf16, 32>) { let b = T.Kernel(1); }",
        &[14],
    ),
    (
        "#[tt::kernel] fn k(#[layout(l1)] n: u32) { let b = T.Kernel(1); }",
        &[14],
    ),
    ("#[tt::kernel(fidelty = HiFi2)] fn k() { let b = T.Kernel(1); }", &[20]),
    ("#[tt::kernel(fidelity HiFi2)] fn k() { let b = T.Kernel(1); }", &[20]),
    ("#[tt::kernel(fidelity = HiFi5)] fn k() { let b = T.Kernel(1); }", &[21]),
    (
        "#[tt::kernel(fp32_acc = 1, order = zigzag)] fn k() { let b = T.Kernel(1); }",
        &[21, 21],
    ),
    (
        "#[tt::kernel(order = block_linear(2))] fn k() { let b = T.Kernel(1); }",
        &[21],
    ),
    ("#[tt::kernel(approx)] fn k() { let b = T.Kernel(1); }", &[21]),
    (
        "#[tt::kernel(approx = true, approx = false)] fn k() { let b = T.Kernel(1); }",
        &[22],
    ),
    (
        "#[tt::kernel] fn k(#[layout(hight_sharded(8))] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k(#[layout(height_sharded)] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k(#[layout(l1, dram)] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k(#[layout(nd_sharded(axes = \"M\", grid = [8], shard = [32]))] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k(#[layout()] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k(#[layout[l1]] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k(#[layout(width_sharded(-3))] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k(#[layout(nd_sharded(axes = \"A B\", grid = [0, 1], shard = [32, 32]))] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k(#[layout(nd_sharded(axes = \"A B\", axes = \"A B\", grid = [1, 1], shard = [32, 32]))] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k<const M: usize, const N: usize>(#[layout(nd_sharded(axes = \"N M\", grid = [1, 1], shard = [32, 32]))] a: &Tensor<bf16, M, N>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k<const M: usize>(#[layout(nd_sharded(axes = \"A M\", grid = [1, 1], shard = [32, 32]))] a: &Tensor<bf16, M, 64>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k<const M: usize>(#[layout(nd_sharded(axes = \"M M2\", grid = [1, 1], shard = [32, 1.5]))] a: &Tensor<bf16, M, 64>) { let b = T.Kernel(1); }",
        &[23],
    ),
    (
        "#[tt::kernel] fn k(#[layout(halo)] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[24],
    ),
    (
        "#[tt::kernel] fn k(#[layout(halo(1, 1))] a: &Tensor<bf16, 32, 32>) { let b = T.Kernel(1); }",
        &[24],
    ),
    (
        "#[tt::kernel] fn k(a: &Tensor<bf16, 3000000000>) { let b = T.Kernel(1); }",
        &[55],
    ),
    (
        "#[tt::kernel] fn k(a: &Tensor<bf16, { 65535 * 65535 }>) { let b = T.Kernel(1); }",
        &[55],
    ),
    (
        "#[tt::kernel] fn k(a: &Tensor<bf16, 32>) { let b = T.Kernel(3000000000); }",
        &[55],
    ),
    ("#[tt::kernel] fn k() {}", &[30]),
    ("#[tt::kernel] fn k() { let (b, d) = T.Kernel(4); }", &[32]),
    ("#[tt::kernel] fn k() { let b = T.Kernel(4, 4); }", &[32]),
    (
        "#[tt::kernel] fn k() { let (b, c, d, e, f, g, h) = T.Kernel(1, 1, 1, 1, 1, 1, 1); }",
        &[32],
    ),
    ("#[tt::kernel] fn k() { let b = T.Kernel(4, threads = 128); }", &[20]),
    (
        "#[tt::kernel] fn k() { let x = T.alloc_shared::<bf16>(32, 32); let b = T.Kernel(4); }",
        &[33],
    ),
    ("#[tt::kernel] fn k() { for i in 0..4 { let b = T.Kernel(4); } }", &[33]),
    ("#[tt::kernel] fn k() { let b = T.Kernel(-1); }", &[34]),
    (
        "#[tt::kernel] fn k(a: &Tensor<bf16, 32>) { let b = T.Kernel(a); }",
        &[84],
    ),
];

/// Bodies that are deeper or larger than a kernel may be, each with its codes.
fn beyond_limits() -> Vec<(String, &'static [u16])> {
    let loops = |n: usize| {
        let open: String = (0..n).map(|at| format!("for k{at} in 0..2 {{ ")).collect();
        format!("{open} T.clear(x); {}", "}".repeat(n))
    };
    let doubled = |n: usize| {
        let lines = (0..n).map(|at| format!("let q{} = (q{at} / 3).max(q{at} % 5);\n", at + 1));
        format!("let q0 = bx;\n{}", lines.collect::<String>())
    };
    let doubled_by_choice = |n: usize| {
        let lines = (0..n).map(|at| format!("let q{} = if n > 3 {{ q{at} / 3 }} else {{ q{at} % 5 }};\n", at + 1));
        format!("let q0 = bx;\n{}", lines.collect::<String>())
    };
    let chosen = |n: usize| {
        let open = "if ".repeat(n);
        format!(
            "if {open} n < 1 {} {{ T.clear(x); }}",
            "{ by < 2 } else { by < 3 }".repeat(n)
        )
    };
    // Each calls the one before three times.
    let tripled = |first: &str, argument: &str| {
        let of = first.rsplit(' ').next().unwrap_or_default();
        let calls = |at: usize| format!("f{at}({argument}) + f{at}({argument}) - f{at}({argument})");
        let rest = (1..30).map(|at| format!("fn f{at}(q: {of}) -> {of} {{ {} }}\n", calls(at - 1)));
        format!("{first} {{ q }}\n{}", rest.collect::<String>())
    };
    let assign = |value: String| format!("for (i, j) in T.Parallel(64, 64) {{ y[(i, j)] = {value}; }}");
    [
        (loops(16), &[][..]),
        (loops(17), &[341]),
        (loops(200), &[341]),
        (assign(vec!["x[(i, j)]"; 100].join(" + ")), &[]),
        (assign(vec!["x[(i, j)]"; 3_000].join(" + ")), &[341]),
        (
            assign(format!("{}x[(i, j)]{}", "(".repeat(50_000), ")".repeat(50_000))),
            &[341],
        ),
        (assign(format!("{}x[(i, j)]", "-".repeat(50_000))), &[341]),
        (assign(format!("x[(i, j)]{}", ".exp()".repeat(50_000))), &[341]),
        (assign(format!("x[(i, j)]{}", " as f32".repeat(50_000))), &[341]),
        (
            format!("{} T.clear(x);", "if n < 1 { } else ".repeat(20_000) + "{}"),
            &[341],
        ),
        (
            format!("let t: {}u8{} = 1;", "A<".repeat(50_000), ">".repeat(50_000)),
            &[341],
        ),
        ("T.clear(x); ".repeat(2_000), &[]),
        ("T.clear(x); ".repeat(3_000), &[342]),
        (
            format!(
                "for (i, j) in T.Parallel(64, 64) {{ {} }}",
                "x[(i, j)] += 1.0; ".repeat(3_000)
            ),
            &[342],
        ),
        (chosen(6), &[]),
        (chosen(20), &[342]),
        (tripled("fn f0(q: f32) -> f32", "q"), &[]),
        (tripled("fn f0(q: i32) -> i32", "q"), &[]),
        // Constants stay small, however often they are computed.
        (tripled("fn f0(q: i32) -> i32", "1"), &[342]),
        (
            tripled("fn f0(q: f32) -> f32", "q") + &assign("f12(x[(i, j)])".into()),
            &[342],
        ),
        (
            tripled("fn f0(q: f32) -> f32", "1.0") + &assign("f12(x[(i, j)])".into()),
            &[342],
        ),
        (
            tripled("fn f0(q: i32) -> i32", "q") + "T.copy(a[(f12(by), 0)], x);",
            &[343],
        ),
        (doubled(5), &[]),
        // One error, at the line that is too much: what follows has no value to go on from.
        (doubled(40), &[343]),
        (doubled_by_choice(40), &[343]),
    ]
    .into_iter()
    .collect()
}

#[test]
fn what_is_beyond_a_limit_is_refused_and_what_is_within_is_read() {
    for (body, expected) in beyond_limits() {
        let source = kernel(&body);
        let tokens: proc_macro2::TokenStream = source.parse().unwrap();
        // As the macro: the attribute is not among the tokens, and nothing has parsed them.
        let item = tokens.into_iter().skip(2).collect();
        let parsed = crate::syntax::parse(Default::default(), item, "test.rs");
        let found: Vec<u16> = parsed
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code.number)
            .collect();
        let start: String = body.chars().take(200).collect();
        assert_eq!(found, expected, "{start}\n{}", reports(&parsed));
        assert_eq!(parsed.kernel.is_some(), expected.is_empty(), "{start}");
        assert!(
            parsed.signature.is_some_and(|signature| signature.params.len() == 5),
            "{start}"
        );
    }
}

/// Wraps statements into a kernel that is right otherwise.
pub(super) fn kernel(body: &str) -> String {
    format!(
        "#[tt::kernel]
fn k<const M: usize, const N: usize>(
    a: &Tensor<bf16, M, N>,
    v: &Tensor<f32, N>,
    alpha: f32,
    n: u32,
    c: &mut Tensor<bf16, M, N>,
) {{
    let (bx, by) = T.Kernel(N.div_ceil(64), M.div_ceil(64));
    let x = T.alloc_shared::<bf16>(64, 64);
    let y = T.alloc_shared::<bf16>(64, 64);
    let acc = T.alloc_fragment::<f32>(64, 64);
    let m = T.alloc_fragment::<f32>(64);
    let q = T.alloc_shared::<i32>(64, 64);
    {body}
}}"
    )
}

fn sources() -> impl Iterator<Item = (String, &'static [u16])> {
    let bodies = BODIES.iter().map(|(body, codes)| (kernel(body), *codes));
    bodies.chain(KERNELS.iter().map(|(source, codes)| (source.to_string(), *codes)))
}

#[test]
fn every_mistake_gives_its_codes_and_no_others() {
    let mut wrong = String::new();
    for (source, expected) in sources() {
        let parsed = read(&source);
        let found: Vec<u16> = parsed
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code.number)
            .collect();
        if found != expected {
            wrong += &format!(
                "{}\n  expected {expected:?}, found:\n{}\n\n",
                last_line(&source),
                reports(&parsed)
            );
        }
        if parsed.kernel.is_some() {
            wrong += &format!("{}\n  is a kernel\n\n", last_line(&source));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn last_line(source: &str) -> &str {
    source
        .lines()
        .rev()
        .find(|line| line.len() > 1)
        .unwrap_or(source)
        .trim()
}

#[test]
fn every_code_of_the_language_has_a_case() {
    let found: BTreeSet<u16> = sources()
        .flat_map(|(source, _)| read(&source).diagnostics)
        .map(|diagnostic| diagnostic.code.number)
        // An item that is no function has a test of its own: it is not a kernel to `tt-build`.
        .chain([codes::NOT_A_FUNCTION.number])
        .chain(beyond_limits().iter().flat_map(|(_, codes)| codes.iter().copied()))
        // Warnings and places are in `warnings`; a needless `reference` is the macro's to tell, and has a case in `tests/ui/cases`.
        .chain(codes::WARNINGS.iter().map(|code| code.number))
        .chain([codes::KERNEL_IN_IMPL.number, codes::KERNEL_NAME.number])
        // No Rust, so no file that `tt-build` reads.
        .chain([codes::COMMA_INDEX.number])
        .collect();
    let missing: Vec<String> = codes::ALL
        .iter()
        .filter(|code| !found.contains(&code.number))
        .map(|code| format!("{code} {}", code.title))
        .collect();
    assert!(missing.is_empty(), "no case for {missing:#?}");
}

#[test]
fn messages_are_short_lower_case_and_say_what_to_write() {
    for (source, _) in sources() {
        for diagnostic in read(&source).diagnostics {
            let message = &diagnostic.message;
            assert!(message.len() <= 120, "{message}");
            let first = message.chars().next().unwrap_or(' ');
            assert!(
                first.is_lowercase() || first.is_ascii_digit() || first == '`',
                "{message}"
            );
            assert!(!message.ends_with('.'), "{message}");
            assert!(!diagnostic.notes.is_empty(), "{message} has no note");
            assert!(
                diagnostic.span.0 > 0 || diagnostic.code.number == 30,
                "{message} has a place"
            );
            for internal in [
                "Expr", "syn::", "IntExpr", "ParamId", "BlockId", "VarId", "Some(", "None",
            ] {
                let text = format!("{message} {}", diagnostic.notes.join(" "));
                assert!(!text.contains(internal), "{text}");
            }
        }
    }
}
