//! The tests of a program in other orders of what a chip leaves open.

use std::process::Command;

const ORDER: &str = "TT_EMULATOR_ORDER";

/// Runs this program once more with each of some orders; where it is in one already, that is enough.
///
/// # Panics
/// Where a test fails, with what the program printed.
pub fn in_other_orders() {
    if let Some(order) = std::env::var_os(ORDER).filter(|order| !order.is_empty()) {
        println!("all tests are in order {}", order.display());
        return;
    }
    for order in (1..=4).map(|order: u32| order.to_string()) {
        let mut again = Command::new(std::env::current_exe().expect("this program"));
        let output = again.env(ORDER, &order).output().expect("it runs");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(output.status.success(), "{ORDER}={order}: {said}");
    }
}
