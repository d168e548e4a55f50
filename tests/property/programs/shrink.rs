//! Smaller programs that still fail: statements, branches, loops, parts of expressions and shapes are taken away one by one
//! for as long as the failure stays.

use super::program::{Class, Condition, Count, Element, Entry, Expr, Index, LoopKind, Program, Stmt, Target, Term};

/// Candidates that are tried together: their C++ is compiled together.
const TOGETHER: usize = 8;
/// Candidates that are tried in all: what is left then is small enough.
const ATTEMPTS: usize = 400;

/// The smallest program reached from `program` for which `fails` holds; it gets several at once.
pub fn shrink(mut program: Program, mut fails: impl FnMut(&[Program]) -> Option<usize>) -> Program {
    let mut attempts = 0;
    loop {
        let sound: Vec<Program> = candidates(&program).into_iter().filter(is_sound).collect();
        let smaller = sound.chunks(TOGETHER).find_map(|chunk| {
            attempts += chunk.len();
            (attempts <= ATTEMPTS)
                .then(|| fails(chunk).map(|at| chunk[at].clone()))
                .flatten()
        });
        match smaller {
            Some(smaller) => program = smaller,
            None => return program,
        }
    }
}

/// Whether it writes before it reads, and stores something.
fn is_sound(program: &Program) -> bool {
    let mut stores = false;
    let mut look = |stmt: &Stmt| match stmt {
        Stmt::Store { .. } => stores = true,
        Stmt::Parallel { assigns, .. } => {
            stores |= assigns.iter().any(|assign| matches!(assign.target, Target::Tensor(..)));
        }
        _ => {}
    };
    program.body.iter().for_each(|stmt| stmt.walk(&mut look));
    let mut defined = vec![false; program.blocks.len()];
    stores && writes_first(&program.body, &mut defined)
}

/// Whether every block is written before it is read on every path; `defined` before and after.
pub fn writes_first(body: &[Stmt], defined: &mut Vec<bool>) -> bool {
    body.iter().all(|stmt| match stmt {
        Stmt::Load { block, .. } | Stmt::Fill { block, .. } => {
            defined[*block] = true;
            true
        }
        Stmt::Store { block, .. } => defined[*block],
        Stmt::Move { from, to } => {
            let right = defined[*from];
            defined[*to] = true;
            right
        }
        Stmt::Parallel { assigns, .. } => assigns.iter().all(|assign| {
            let mut right = true;
            assign.value.walk(&mut |part| {
                if let Expr::Block(block, _) = part {
                    right &= defined[*block];
                }
            });
            if let Target::Block(block) = assign.target {
                right &= assign.op == "=" || defined[block];
                defined[block] = true;
            }
            right
        }),
        Stmt::Reduce { from, to, clear, .. } => {
            let right = defined[*from] && (*clear || defined[*to]);
            defined[*to] = true;
            right
        }
        Stmt::Gemm { a, b, acc, clear, .. } => {
            let right = defined[*a] && defined[*b] && (*clear || defined[*acc]);
            defined[*acc] = true;
            right
        }
        Stmt::For { start, count, body, .. } => {
            let before = defined.clone();
            let right = writes_first(body, defined);
            if !(*start == 0 && matches!(count, Count::Number(1..))) {
                *defined = before;
            }
            right
        }
        Stmt::If { then, otherwise, .. } => {
            let mut other = defined.clone();
            let right = writes_first(then, defined) && writes_first(otherwise, &mut other);
            for (defined, other) in defined.iter_mut().zip(other) {
                *defined &= other;
            }
            right
        }
    })
}

/// Programs that are one step smaller.
fn candidates(program: &Program) -> Vec<Program> {
    let with = |change: &dyn Fn(&mut Program)| {
        let mut smaller = program.clone();
        change(&mut smaller);
        smaller
    };
    let mut all = Vec::new();
    if program.shapes.len() > 1 {
        all.extend((0..program.shapes.len()).map(|at| {
            with(&|program| {
                let shape = program.shapes[at];
                program.shapes = vec![shape];
            })
        }));
    }
    all.extend(bodies(&program.body).into_iter().map(|body| {
        with(&|program| {
            program.body.clone_from(&body);
        })
    }));
    if !program.options.is_empty() {
        all.push(with(&|program| program.options.clear()));
    }
    if program.block != (32, 32, 32) {
        all.push(with(&|program| {
            program.block = (32, 32, 32);
        }));
    }
    if program.element != Element::Bf16 {
        all.push(with(&|program| program.element = Element::Bf16));
    }
    for at in (0..program.tensors.len()).filter(|at| program.tensors[*at].shift != [0, 0]) {
        all.push(with(&|program| program.tensors[at].shift = [0, 0]));
    }
    for (at, block) in program.blocks.iter().enumerate() {
        let plain = (program.element, false);
        if (block.element, block.fragment) != plain {
            all.push(with(&|program| {
                (program.blocks[at].element, program.blocks[at].fragment) = plain;
            }));
        }
    }
    if let [shape] = &program.shapes[..] {
        let (h, w, k) = program.block;
        for (smaller, is_smaller) in [
            ((h, w, k), (shape.m, shape.n) != (h, w)),
            ((h, w, shape.k), (shape.m, shape.n) != (h, w)),
            ((h, w, 2 * k), shape.k != 2 * k),
            ((shape.m, w, shape.k), shape.n != w),
            ((h, shape.n, shape.k), shape.m != h),
        ] {
            if is_smaller && smaller != (shape.m, shape.n, shape.k) {
                all.push(with(&|program| {
                    let shape = &mut program.shapes[0];
                    (shape.m, shape.n, shape.k) = smaller;
                }));
            }
        }
        for l in most_selected(&program.body)..shape.l {
            all.push(with(&|program| program.shapes[0].l = l));
        }
    }
    all
}

/// How many matrices the constants of `body` select: L is at least that.
fn most_selected(body: &[Stmt]) -> usize {
    let mut most = 1;
    let mut number = |index: &Index| {
        if let Index::Number(number) = index {
            most = most.max(number + 1);
        }
    };
    let mut visit = |stmt: &Stmt| match stmt {
        Stmt::Load { index, .. } | Stmt::Store { index, .. } => number(index),
        Stmt::Parallel { assigns, .. } => {
            for assign in assigns {
                if let Target::Tensor(_, index) = &assign.target {
                    number(index);
                }
                assign.value.walk(&mut |part| {
                    if let Expr::Tensor(_, index, _) = part {
                        number(index);
                    }
                });
            }
        }
        // Its variable may select.
        Stmt::For {
            count: Count::Number(count),
            ..
        } => number(&Index::Number(count.saturating_sub(1))),
        _ => {}
    };
    body.iter().for_each(|stmt| stmt.walk(&mut visit));
    most
}

/// Lists of statements that are one step smaller.
fn bodies(body: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    // Halves first.
    if body.len() > 3 {
        let half = body.len() / 2;
        all.push(body[half..].to_vec());
        all.push(body[..half].to_vec());
    }
    for (at, stmt) in body.iter().enumerate() {
        let with = |new: Vec<Stmt>| {
            let mut smaller = body.to_vec();
            smaller.splice(at..=at, new);
            smaller
        };
        all.push(with(Vec::new()));
        all.extend(smaller(stmt).into_iter().map(with));
    }
    all
}

/// What may stand in the place of a statement.
fn smaller(stmt: &Stmt) -> Vec<Vec<Stmt>> {
    let mut all = Vec::new();
    match stmt {
        Stmt::For {
            var,
            start,
            count,
            kind,
            body,
        } => {
            let with = |start, count, kind, body| {
                vec![Stmt::For {
                    var: *var,
                    start,
                    count,
                    kind,
                    body,
                }]
            };
            let mut once = body.clone();
            replace_var(&mut once, *var);
            all.push(once);
            if !matches!(count, Count::Number(_)) {
                all.push(with(*start, Count::Number(1 + start), *kind, body.clone()));
            }
            if *start != 0 {
                all.push(with(0, *count, *kind, body.clone()));
            }
            if *kind != LoopKind::Range {
                all.push(with(*start, *count, LoopKind::Range, body.clone()));
            }
            all.extend(
                bodies(body)
                    .into_iter()
                    .filter(|body| !body.is_empty())
                    .map(|body| with(*start, *count, *kind, body)),
            );
        }
        Stmt::If { cond, then, otherwise } => {
            all.push(then.clone());
            all.push(otherwise.clone());
            let with = |cond, then, otherwise| vec![Stmt::If { cond, then, otherwise }];
            match cond {
                Condition::Not(a) => all.push(with((**a).clone(), then.clone(), otherwise.clone())),
                Condition::And(a, b) | Condition::Or(a, b) => {
                    all.extend([a, b].map(|part| with((**part).clone(), then.clone(), otherwise.clone())));
                }
                Condition::Compare(..) => {}
            }
            all.extend(
                bodies(then)
                    .into_iter()
                    .filter(|then| !then.is_empty())
                    .map(|then| with(cond.clone(), then, otherwise.clone())),
            );
            all.extend(
                bodies(otherwise)
                    .into_iter()
                    .map(|otherwise| with(cond.clone(), then.clone(), otherwise)),
            );
        }
        Stmt::Parallel { class, assigns } => {
            let with = |assigns| vec![Stmt::Parallel { class: *class, assigns }];
            for (at, assign) in assigns.iter().enumerate() {
                if assigns.len() > 1 {
                    let mut fewer = assigns.clone();
                    fewer.remove(at);
                    all.push(with(fewer));
                }
                for value in parts(&assign.value) {
                    let mut changed = assigns.clone();
                    changed[at].value = value;
                    all.push(with(changed));
                }
                if assign.op != "=" {
                    let mut changed = assigns.clone();
                    changed[at].op = "=";
                    all.push(with(changed));
                }
                if let (Target::Block(block), true) = (assign.target, *class == Class::Main && assigns.len() == 1) {
                    all.push(vec![Stmt::Fill { block, value: 1 }]);
                }
            }
        }
        Stmt::Load { block, .. } => all.push(vec![Stmt::Fill {
            block: *block,
            value: 1,
        }]),
        Stmt::Gemm { acc, .. } => all.push(vec![Stmt::Fill { block: *acc, value: 1 }]),
        Stmt::Move { to, .. } | Stmt::Reduce { to, .. } => all.push(vec![Stmt::Fill { block: *to, value: 1 }]),
        Stmt::Store { .. } | Stmt::Fill { .. } => {}
    }
    all
}

/// Smaller expressions that still read something.
fn parts(expr: &Expr) -> Vec<Expr> {
    let reads = |expr: &Expr| {
        let mut reads = false;
        expr.walk(&mut |part| reads |= matches!(part, Expr::Block(..) | Expr::Tensor(..)));
        reads
    };
    let direct: Vec<Expr> = match expr {
        Expr::Unary(_, a) | Expr::Clamp(a, _) => vec![(**a).clone()],
        Expr::Binary(_, a, b) => vec![(**a).clone(), (**b).clone()],
        Expr::Select(_, parts) => parts.to_vec(),
        Expr::Masked(_, parts) => parts.to_vec(),
        Expr::Block(..) | Expr::Tensor(..) | Expr::Number(_) | Expr::Alpha => Vec::new(),
    };
    let mut all: Vec<Expr> = direct.into_iter().filter(reads).collect();
    match expr {
        Expr::Binary(op, a, b) => {
            all.extend(parts(a).into_iter().map(|a| Expr::Binary(op, Box::new(a), b.clone())));
            all.extend(parts(b).into_iter().map(|b| Expr::Binary(op, a.clone(), Box::new(b))));
        }
        Expr::Masked(mask, branches) => {
            for at in 0..2 {
                all.extend(parts(&branches[at]).into_iter().map(|part| {
                    let mut branches = branches.clone();
                    branches[at] = part;
                    Expr::Masked(mask.clone(), branches)
                }));
            }
            all.extend((0..mask.terms.len()).map(|at| {
                let mut mask = mask.clone();
                mask.terms.remove(at);
                Expr::Masked(mask, branches.clone())
            }));
        }
        Expr::Unary(op, a) => all.extend(parts(a).into_iter().map(|a| Expr::Unary(op, Box::new(a)))),
        _ => {}
    }
    all
}

/// Puts 0 for a loop variable.
fn replace_var(body: &mut [Stmt], var: usize) {
    let index = |index: &mut Index| {
        if [Index::Var(var), Index::Fetched(Entry::Var(var))].contains(index) {
            *index = Index::Number(0);
        }
    };
    for stmt in body {
        match stmt {
            Stmt::Load { index: at, .. } | Stmt::Store { index: at, .. } => index(at),
            Stmt::Parallel { assigns, .. } => {
                for assign in assigns {
                    if let Target::Tensor(_, at) = &mut assign.target {
                        index(at);
                    }
                    in_expr(&mut assign.value, var);
                }
            }
            Stmt::For { count, body, .. } => {
                if [Count::Var(var), Count::Fetched(Entry::Var(var))].contains(count) {
                    *count = Count::Number(0);
                }
                replace_var(body, var);
            }
            Stmt::If { cond, then, otherwise } => {
                in_condition(cond, var);
                replace_var(then, var);
                replace_var(otherwise, var);
            }
            Stmt::Move { .. } | Stmt::Fill { .. } | Stmt::Gemm { .. } | Stmt::Reduce { .. } => {}
        }
    }
}

fn in_expr(expr: &mut Expr, var: usize) {
    match expr {
        Expr::Tensor(_, index, _) if [Index::Var(var), Index::Fetched(Entry::Var(var))].contains(index) => {
            *index = Index::Number(0);
        }
        Expr::Unary(_, a) | Expr::Clamp(a, _) => in_expr(a, var),
        Expr::Binary(_, a, b) => [a, b].into_iter().for_each(|part| in_expr(part, var)),
        Expr::Select(_, parts) => parts.iter_mut().for_each(|part| in_expr(part, var)),
        Expr::Masked(mask, parts) => {
            mask.terms.iter_mut().for_each(|(_, term)| in_term(term, var));
            parts.iter_mut().for_each(|part| in_expr(part, var));
        }
        Expr::Block(..) | Expr::Tensor(..) | Expr::Number(_) | Expr::Alpha => {}
    }
}

fn in_term(term: &mut Term, var: usize) {
    if matches!(term, Term::Var(own) | Term::Rest(own, _) | Term::Fetched(Entry::Var(own)) if *own == var) {
        *term = Term::Number(0);
    }
}

fn in_condition(cond: &mut Condition, var: usize) {
    match cond {
        Condition::Compare(a, _, b) => [a, b].into_iter().for_each(|term| in_term(term, var)),
        Condition::And(a, b) | Condition::Or(a, b) => [a, b].into_iter().for_each(|part| in_condition(part, var)),
        Condition::Not(a) => in_condition(a, var),
    }
}
