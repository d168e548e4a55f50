//! The webs of every variable: definitions and uses that may meet.
//!
//! Forward over the structured program: which definitions of each variable may reach each statement. A use joins all
//! definitions that reach it; what is joined is a web. A gemm uses its accumulator before it defines it, and stays in one
//! web with what it adds to.

use super::{Variable, walk};
use crate::codes;
use crate::flow::{FlowKind, FlowStmt};
use crate::linear::{Linear, lower_bound};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tt_lang::diagnostic::Diagnostic;
use tt_lang::ir::{IntExpr, IntOp, Span};

/// The webs of a program; statements are numbered as `walk` visits them.
pub struct Webs {
    /// The web that a statement defines.
    pub defined: HashMap<usize, usize>,
    /// The web of each variable that a statement uses.
    pub used: HashMap<(usize, usize), usize>,
    /// How many webs there are.
    pub count: usize,
    /// The variable of each web.
    pub variable: Vec<usize>,
}

/// The variables that a statement uses, with the place of the use, and the one it defines.
pub fn uses_and_definition(stmt: &FlowStmt) -> (Vec<(usize, Span)>, Option<usize>) {
    match &stmt.kind {
        FlowKind::Read { buffer, .. } => (Vec::new(), Some(buffer.0)),
        FlowKind::Write { buffer, .. } => (vec![(buffer.0, stmt.span)], None),
        FlowKind::Elementwise(elementwise) => {
            let mut uses = Vec::new();
            elementwise
                .value
                .loads(&mut |operand, span| uses.push((operand.buffer.0, span)));
            (uses, Some(elementwise.target.0))
        }
        FlowKind::Gemm(gemm) => {
            let mut uses = vec![(gemm.a.0, stmt.span), (gemm.b.0, stmt.span)];
            if !gemm.clear {
                uses.push((gemm.acc.0, stmt.span));
            }
            (uses, Some(gemm.acc.0))
        }
        _ => (Vec::new(), None),
    }
}

/// The definitions that may reach a point, by variable; `None` is the state before any.
type Reaching = BTreeMap<usize, BTreeSet<Option<usize>>>;

struct Analysis<'a> {
    numbers: HashMap<*const FlowStmt, usize>,
    variables: &'a [Variable],
    /// Uses with the definitions that reach them.
    uses: BTreeMap<(usize, usize), BTreeSet<Option<usize>>>,
    spans: HashMap<(usize, usize), Span>,
}

/// Runs the step.
pub fn run(variables: &[Variable], body: &[FlowStmt]) -> Result<Webs, Vec<Diagnostic>> {
    let mut numbers = HashMap::new();
    let mut statements = Vec::new();
    walk(body, &mut |stmt| {
        numbers.insert(std::ptr::from_ref(stmt), statements.len());
        statements.push(stmt);
    });
    let mut analysis = Analysis {
        numbers,
        variables,
        uses: BTreeMap::new(),
        spans: HashMap::new(),
    };
    analysis.body(body, Reaching::new());
    analysis.undefined()?;

    // Join the definitions that reach one use.
    let mut parent: Vec<usize> = (0..statements.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    for ((stmt, variable), reaching) in &analysis.uses {
        let mut joined: Vec<usize> = reaching.iter().flatten().copied().collect();
        if let FlowKind::Gemm(gemm) = &statements[*stmt].kind
            && gemm.acc.0 == *variable
            && !gemm.clear
        {
            joined.push(*stmt);
        }
        for pair in joined.windows(2) {
            let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            parent[a] = b;
        }
    }
    let mut webs = Webs {
        defined: HashMap::new(),
        used: HashMap::new(),
        count: 0,
        variable: Vec::new(),
    };
    let mut of_root = HashMap::new();
    for (number, stmt) in statements.iter().enumerate() {
        if let (_, Some(variable)) = uses_and_definition(stmt) {
            let root = root(&mut parent, number);
            let web = *of_root.entry(root).or_insert_with(|| {
                webs.variable.push(variable);
                webs.count += 1;
                webs.count - 1
            });
            webs.defined.insert(number, web);
        }
    }
    for ((stmt, variable), reaching) in &analysis.uses {
        if let Some(definition) = reaching.iter().flatten().next() {
            webs.used.insert((*stmt, *variable), webs.defined[definition]);
        }
    }
    Ok(webs)
}

impl Analysis<'_> {
    fn body(&mut self, body: &[FlowStmt], mut state: Reaching) -> Reaching {
        for stmt in body {
            let number = self.numbers[&std::ptr::from_ref(stmt)];
            let (uses, definition) = uses_and_definition(stmt);
            for (variable, span) in uses {
                let reaching = state.get(&variable).cloned().unwrap_or_else(|| BTreeSet::from([None]));
                self.uses.entry((number, variable)).or_default().extend(reaching);
                self.spans.entry((number, variable)).or_insert(span);
            }
            if let Some(variable) = definition {
                state.insert(variable, BTreeSet::from([Some(number)]));
            }
            match &stmt.kind {
                FlowKind::For { start, end, body, .. } => {
                    // Twice is enough: definitions of the body reach its head after one round.
                    let once = self.body(body, state.clone());
                    let out = self.body(body, join(&state, &once));
                    state = if runs_at_least_once(start, end) {
                        out
                    } else {
                        join(&state, &out)
                    };
                }
                FlowKind::If { then, otherwise, .. } => {
                    let (a, b) = (self.body(then, state.clone()), self.body(otherwise, state.clone()));
                    state = join(&a, &b);
                }
                _ => {}
            }
        }
        state
    }

    fn undefined(&self) -> Result<(), Vec<Diagnostic>> {
        let errors: Vec<Diagnostic> = self
            .uses
            .iter()
            .filter(|(_, reaching)| reaching.contains(&None))
            .map(|(key, reaching)| {
                let variable = &self.variables[key.1];
                let sometimes = if reaching.len() > 1 { "may be read" } else { "is read" };
                Diagnostic::new(
                    &codes::READ_BEFORE_WRITE,
                    self.spans[key],
                    format!("`{}` {sometimes} before it is written", variable.name),
                )
                .label(variable.span, "allocated here")
                .note("write it on every path first: `T.clear`, `T.fill`, `T.copy` or `clear_accum = true`")
            })
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// Whether a loop from `start` to `end` runs whatever the values at launch.
pub fn runs_at_least_once(start: &IntExpr, end: &IntExpr) -> bool {
    let count = Linear::of(&IntExpr::binary(IntOp::Sub, end.clone(), start.clone()));
    lower_bound(&count.to_expr()).is_some_and(|low| low >= 1)
}

fn join(a: &Reaching, b: &Reaching) -> Reaching {
    let mut out = a.clone();
    for (variable, definitions) in b {
        out.entry(*variable)
            .or_insert_with(|| BTreeSet::from([None]))
            .extend(definitions);
    }
    for (variable, definitions) in &mut out {
        if !b.contains_key(variable) {
            definitions.insert(None);
        }
    }
    out
}
