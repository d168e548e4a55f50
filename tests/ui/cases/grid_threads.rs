//! An option that other systems have.

#[tt::kernel]
fn copy() {
    let bx = T.Kernel(8, threads = 128);
}

fn main() {}
