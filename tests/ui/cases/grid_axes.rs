//! More names than axes, and too many axes.

#[tt::kernel]
fn one() {
    let (bx, by) = T.Kernel(8);
}

#[tt::kernel]
fn two() {
    let (a, b, c, d, e, f, g) = T.Kernel(2, 2, 2, 2, 2, 2, 2);
}

fn main() {}
