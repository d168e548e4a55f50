//! A grid without blocks.

#[tt::kernel]
fn copy() {
    let bx = T.Kernel(0);
}

fn main() {}
