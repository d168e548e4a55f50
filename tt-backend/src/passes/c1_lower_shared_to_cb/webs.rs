//! The webs of every variable: definitions and uses that may meet.
//!
//! Forward over the structured program: which definitions of each variable may reach each statement. A use sees all
//! definitions that reach it, and joins them; what is joined is a web. A gemm uses its accumulator before it defines it,
//! and stays in one web with what it adds to.
//!
//! A use lists every definition that it may see. After n branches that each may define a block there are n, and so this alone grows
//! with the square of a kernel's length: of branches one after the other that update one block. Of 500 it is some 45 of the 187 MB
//! that a compilation allocates, most of it in the text form, which lists them too.

use super::Variable;
use crate::flow::{BlockOp, BlockStmt, Blocks, BufferId, DefinitionId, FlowLoop, Sees, Sights};
use crate::ir::Forward;
use crate::passes::fill_parts::read_before_write;
use crate::persistent::Persistent;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use tt_lang::diagnostic::Diagnostic;
use tt_lang::hash::HashMap;
use tt_lang::ir::Span;

/// The webs of a program.
pub struct Webs {
    /// The web of each definition.
    pub defined: HashMap<DefinitionId, usize>,
    /// The web of each use, and what it sees.
    pub used: HashMap<Sees, (usize, Sees)>,
    /// How many webs there are.
    pub count: usize,
    /// The variable of each web.
    pub variable: Vec<usize>,
}

/// The definitions that may reach a point; `None` is the state before any.
type Definitions = BTreeSet<Option<DefinitionId>>;

/// The definitions of every variable that may reach a point; nothing of those that none does.
type Reaching = Persistent<Rc<Definitions>>;

struct Use {
    variable: usize,
    reaching: Rc<Definitions>,
    /// The definition that the use must share a web with: a gemm's own.
    own: Option<DefinitionId>,
    span: Span,
}

struct Analysis {
    /// How many variables there are.
    variables: usize,
    /// Before any definition.
    nothing: Rc<Definitions>,
    uses: BTreeMap<Sees, Use>,
    defined: Vec<(DefinitionId, usize)>,
}

/// Runs the step.
pub fn run(variables: &[Variable], body: &[BlockStmt], sights: &mut Sights) -> Result<Webs, Vec<Diagnostic>> {
    let mut analysis = Analysis {
        variables: variables.len(),
        nothing: Rc::new(BTreeSet::from([None])),
        uses: BTreeMap::new(),
        defined: Vec::new(),
    };
    analysis.follow(body);
    analysis.undefined(variables)?;

    let definitions = analysis.defined.iter().map(|(DefinitionId(number), _)| number + 1);
    let mut parent: Vec<u32> = (0..definitions.max().unwrap_or_default()).collect();
    fn root(parent: &mut [u32], DefinitionId(mut at): DefinitionId) -> u32 {
        while parent[at as usize] != at {
            let above = parent[parent[at as usize] as usize];
            parent[at as usize] = above;
            at = above;
        }
        at
    }
    for found in analysis.uses.values() {
        let joined: Vec<DefinitionId> = found.reaching.iter().flatten().copied().chain(found.own).collect();
        for pair in joined.windows(2) {
            let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            parent[a as usize] = b;
        }
    }
    let mut webs = Webs {
        defined: HashMap::default(),
        used: HashMap::default(),
        count: 0,
        variable: Vec::new(),
    };
    let mut of_root = HashMap::default();
    for (definition, variable) in &analysis.defined {
        let root = root(&mut parent, *definition);
        let web = *of_root.entry(root).or_insert_with(|| {
            webs.variable.push(*variable);
            webs.count += 1;
            webs.count - 1
        });
        webs.defined.insert(*definition, web);
    }
    for (sees, found) in analysis.uses {
        let reaching: BTreeSet<DefinitionId> = found.reaching.iter().flatten().copied().collect();
        if let Some(definition) = reaching.first() {
            webs.used
                .insert(sees, (webs.defined[definition], sights.sees(reaching)));
        }
    }
    Ok(webs)
}

impl Forward<Blocks> for Analysis {
    type State = Reaching;

    fn begin(&mut self) -> Reaching {
        self.defined.clear();
        Reaching::new(self.variables)
    }

    fn op(&mut self, note: &Span, op: &BlockOp, state: &mut Reaching) {
        let definition = op.defines();
        op.uses(&mut |BufferId(variable), sees, span| {
            let reaching = state.get(variable).unwrap_or(&self.nothing).clone();
            let own = definition
                .filter(|(defined, _)| defined.0 == variable)
                .map(|(_, id)| id);
            let own = own.filter(|_| matches!(op, BlockOp::Gemm(_)));
            let found = Use {
                variable,
                reaching,
                own,
                span: span.unwrap_or(*note),
            };
            self.uses.insert(sees, found);
        });
        if let Some((BufferId(variable), id)) = definition {
            self.defined.push((id, variable));
            *state.at_mut(variable) = Some(Rc::new(BTreeSet::from([Some(id)])));
        }
    }

    fn runs(&self, head: &FlowLoop) -> bool {
        head.runs
    }

    fn join(&mut self, state: &mut Reaching, other: &Reaching) {
        state.merge(other, |known, other| self.either(known, other));
    }

    fn join_round(&mut self, state: &mut Reaching, before: &Reaching, round: &Reaching) {
        state.merge_since(before, round, |known, other| self.either(known, other));
    }

    fn is_news(&self, round: &Reaching, before: &Reaching, known: &Reaching) -> bool {
        round.differs_since(before, known)
    }
}

impl Analysis {
    /// The definitions of a variable that may reach where two paths meet, where that is more than by the first.
    fn either(&self, known: Option<&Rc<Definitions>>, other: Option<&Rc<Definitions>>) -> Option<Rc<Definitions>> {
        let [known, other] = [known, other].map(|definitions| definitions.unwrap_or(&self.nothing));
        (!other.is_subset(known)).then(|| Rc::new(&**known | &**other))
    }

    fn undefined(&self, variables: &[Variable]) -> Result<(), Vec<Diagnostic>> {
        let errors: Vec<Diagnostic> = self
            .uses
            .values()
            .filter(|found| found.reaching.contains(&None))
            .map(|found| {
                let variable = &variables[found.variable];
                let sometimes = if found.reaching.len() > 1 {
                    "may be read"
                } else {
                    "is read"
                };
                let message = format!("`{}` {sometimes} before it is written", variable.name);
                read_before_write(message, found.span, variable.span)
            })
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}
