//! A grid of fewer blocks than none.

#[tt::kernel]
fn copy() {
    let bx = T.Kernel(1 - 2);
}

fn main() {}
