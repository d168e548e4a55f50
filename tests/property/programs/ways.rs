//! The ways that a program is run in, and what one may be refused for.

use super::super::compiled::Compiled;
use tt_backend::codes::BLOCK_ORDER;
use tt_host::Way;
use tt_lang::diagnostic::Diagnostic;

/// Refusals for want of room, with their codes: blocks and intermediate results beyond what L1 or the circular buffers hold.
pub const BUDGETS: [(u16, &str); 2] = [(412, "L1"), (413, "circular buffers")];

/// Whether a refusal with this code is for want of room.
pub fn is_budget(code: u16) -> bool {
    BUDGETS.iter().any(|(budget, _)| *budget == code)
}

/// A program as it was written, and in the other ways that there are.
pub type Ways = (Compiled, Vec<(Way, Compiled)>);

/// Compiles `kernel` in all ways.
///
/// # Errors
/// Where the compiler refuses it, or another way for something else than that it takes more than there is, or that no block matches a shard.
pub fn in_all_ways(kernel: tt_lang::ir::Kernel) -> Result<Ways, Vec<Diagnostic>> {
    let compiled = Compiled::of(kernel)?;
    let mut others = Vec::new();
    for (way, tile) in tt_backend::other_ways(&compiled.tile) {
        let is_allowed = |error: &Diagnostic| {
            is_budget(error.code.number) || way == Way::OnShards && error.code.number == BLOCK_ORDER.number
        };
        match Compiled::of(tile) {
            Ok(compiled) => others.push((way, compiled)),
            Err(errors) if errors.iter().all(is_allowed) => {}
            Err(errors) => return Err(errors),
        }
    }
    Ok((compiled, others))
}
