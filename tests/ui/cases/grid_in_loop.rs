//! A grid inside a loop.

#[tt::kernel]
fn copy() {
    for k in 0..4 {
        let bx = T.Kernel(8);
    }
}

fn main() {}
