//! Smaller programs that still fail: statements, branches, loops, parts of expressions and shapes are taken away one by one
//! for as long as the failure stays.

mod expression;

use super::program::{
    At, Atom, Choice, Class, Condition, Element, Grid, Kind, Layout, LoopKind, Part, Product, Program, Role, Side,
    Stage, Stmt, Table, Target, Term,
};
use super::uses::Use;
use expression::parts;

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

/// Whether it writes before it reads, and stores something that can be seen.
fn is_sound(program: &Program) -> bool {
    let mut stores = false;
    for stage in &program.stages {
        stage.all_uses(&mut |part| {
            if let Use::Into(tensor, _) = part {
                stores |= program.tensors[tensor].role == Role::Output;
            }
        });
    }
    let is_right = |stage: &Stage| writes_first(stage, &stage.body, &mut vec![false; stage.blocks.len()]);
    stores && program.stages.iter().all(is_right)
}

/// Whether every block is written before it is read on every path; `defined` before and after.
fn writes_first(stage: &Stage, body: &[Stmt], defined: &mut Vec<bool>) -> bool {
    body.iter().all(|stmt| {
        let mut right = true;
        stage.uses(stmt, &mut |part| match part {
            Use::Read(block) => right &= defined[block],
            Use::Write(block, is_whole) => {
                right &= is_whole || defined[block];
                defined[block] = true;
            }
            Use::From(..) | Use::Into(..) => {}
        });
        match stmt {
            Stmt::For { start, count, body, .. } => {
                let before = defined.clone();
                right &= writes_first(stage, body, defined);
                if !(*start == 0 && matches!(count, Term::Number(1..))) {
                    *defined = before;
                }
            }
            Stmt::If { then, otherwise, .. } => {
                let mut other = defined.clone();
                right &= writes_first(stage, then, defined) && writes_first(stage, otherwise, &mut other);
                for (defined, other) in defined.iter_mut().zip(other) {
                    *defined &= other;
                }
            }
            _ => {}
        }
        right
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
    if program.stages.len() > 1 {
        all.extend((0..program.stages.len()).map(|at| with(&|program| drop(program.stages.remove(at)))));
    }
    for at in 0..program.stages.len() {
        all.extend(of_stage(program, at).into_iter().map(|stage| {
            with(&|program| {
                program.stages[at].clone_from(&stage);
            })
        }));
    }
    if !program.options.is_empty() {
        all.push(with(&|program| program.options.clear()));
    }
    if program.is_signed {
        all.push(with(&|program| program.is_signed = false));
    }
    if program.table != Table::PLAIN {
        all.push(with(&|program| program.table = Table::PLAIN));
    }
    for (at, tensor) in program.tensors.iter().enumerate() {
        if tensor.layout != Layout::PLAIN {
            all.push(with(&|program| program.tensors[at].layout = Layout::PLAIN));
        }
        if tensor.cut != 0 {
            all.push(with(&|program| program.tensors[at].cut = 0));
        }
        if tensor.shift != [0, 0] {
            all.push(with(&|program| program.tensors[at].shift = [0, 0]));
        }
        if is_odd(tensor.element) {
            all.push(with(&|program| program.tensors[at].element = Element::Bf16));
        }
    }
    if let ([shape], [stage, ..]) = (&program.shapes[..], &program.stages[..]) {
        let (h, w, k) = stage.block;
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
        for l in most_selected(program)..shape.l {
            all.push(with(&|program| program.shapes[0].l = l));
        }
    }
    all
}

/// Whether another type of numbers is simpler.
fn is_odd(element: Element) -> bool {
    element.kind() == Kind::Number && element != Element::Bf16
}

/// A stage of `program` that is one step smaller.
fn of_stage(program: &Program, at: usize) -> Vec<Stage> {
    let stage = &program.stages[at];
    let with = |change: &dyn Fn(&mut Stage)| {
        let mut smaller = stage.clone();
        change(&mut smaller);
        smaller
    };
    let mut all: Vec<Stage> = bodies(stage, &stage.body)
        .into_iter()
        .map(|body| with(&|stage| stage.body.clone_from(&body)))
        .collect();
    match stage.grid {
        Grid::Plain => {}
        Grid::Flat => all.push(with(&|stage| stage.grid = Grid::Plain)),
        Grid::Split => all.push(with(&|stage| stage.grid = Grid::Matrices)),
        Grid::Matrices => all.push(with(&|stage| {
            stage.grid = Grid::Plain;
            replace(&mut stage.body, Atom::Matrix);
        })),
    }
    if stage.block != (32, 32, 32) {
        all.push(with(&|stage| stage.block = (32, 32, 32)));
    }
    for (at, block) in stage.blocks.iter().enumerate() {
        if is_odd(block.element) {
            all.push(with(&|stage| stage.blocks[at].element = Element::Bf16));
        }
        if block.fragment {
            all.push(with(&|stage| stage.blocks[at].fragment = false));
        }
        if block.is_vector {
            all.push(with(&|stage| stage.blocks[at].is_vector = false));
        }
        all.extend((1..block.stacked).map(|stacked| with(&|stage| stage.blocks[at].stacked = stacked)));
    }
    all.extend(simpler_terms(stage));
    all
}

/// How many matrices the constants of a program select: L is at least that.
fn most_selected(program: &Program) -> usize {
    let mut most = 1;
    for stage in &program.stages {
        stage.all_uses(&mut |part| {
            if let Use::From(_, Term::Number(number)) | Use::Into(_, Term::Number(number)) = part {
                most = most.max(number + 1);
            }
        });
        let mut count = |stmt: &Stmt| {
            // Its variable may select.
            if let Stmt::For {
                count: Term::Number(count),
                ..
            } = stmt
            {
                most = most.max(*count);
            }
        };
        stage.body.iter().for_each(|stmt| stmt.walk(&mut count));
    }
    most
}

/// Lists of statements that are one step smaller.
fn bodies(stage: &Stage, body: &[Stmt]) -> Vec<Vec<Stmt>> {
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
        all.extend(smaller(stage, stmt).into_iter().map(with));
    }
    all
}

/// What may stand in the place of a statement.
fn smaller(stage: &Stage, stmt: &Stmt) -> Vec<Vec<Stmt>> {
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
            replace(&mut once, Atom::Var(*var));
            all.push(once);
            if !matches!(count, Term::Number(_)) {
                all.push(with(*start, Term::Number(1 + start), *kind, body.clone()));
            }
            if *start != 0 {
                all.push(with(0, *count, *kind, body.clone()));
            }
            if *kind != LoopKind::Range {
                all.push(with(*start, *count, LoopKind::Range, body.clone()));
            }
            all.extend(
                bodies(stage, body)
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
                Condition::Compare(..) | Condition::Numbers(..) => {}
            }
            all.extend(
                bodies(stage, then)
                    .into_iter()
                    .filter(|then| !then.is_empty())
                    .map(|then| with(cond.clone(), then, otherwise.clone())),
            );
            all.extend(
                bodies(stage, otherwise)
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
                if let (Target::Block(part), 1) = (assign.target, assigns.len()) {
                    all.extend(filled(stage, part, *class));
                    if part.at != [At::FIRST; 2] {
                        let mut changed = assigns.clone();
                        changed[at].target = Target::Block(Part {
                            at: [At::FIRST; 2],
                            ..part
                        });
                        all.push(with(changed));
                    }
                }
            }
        }
        Stmt::Copy {
            id,
            class,
            from,
            to,
            rows,
        } => {
            let with = |from, to, rows| {
                let (id, class) = (*id, *class);
                vec![Stmt::Copy {
                    id,
                    class,
                    from,
                    to,
                    rows,
                }]
            };
            if let Side::Block(part) = to {
                all.extend(filled(stage, *part, *class));
            }
            if rows.is_some() {
                all.push(with(*from, *to, None));
            }
            for sides in [(from_start(*from), *to), (*from, from_start(*to))] {
                if sides != (*from, *to) {
                    all.push(with(sides.0, sides.1, *rows));
                }
            }
        }
        Stmt::Transpose { id, class, from, to } => {
            let (rows, columns) = stage.extent(*class);
            all.extend(filled(stage, *to, *class));
            if rows == columns {
                let (from, to) = (Side::Block(*from), Side::Block(*to));
                let (id, class, rows) = (*id, *class, None);
                all.push(vec![Stmt::Copy {
                    id,
                    class,
                    from,
                    to,
                    rows,
                }]);
            }
        }
        Stmt::Gemm { acc, form, .. } => {
            let (class, to, value) = (Class::Main, *acc, 1);
            all.push(vec![Stmt::Fill { class, to, value }]);
            if *form == Product::Indexed {
                let mut called = stmt.clone();
                if let Stmt::Gemm { form, .. } = &mut called {
                    *form = Product::Adds;
                }
                all.push(vec![called]);
            }
        }
        Stmt::Reduce {
            into, to, positions, ..
        } => {
            let both = to
                .iter()
                .copied()
                .chain(positions.iter().map(|(to, _)| Part::whole(*to)));
            let (class, value) = (*into, 1);
            all.push(both.map(|to| Stmt::Fill { class, to, value }).collect());
        }
        Stmt::Print(items) if items.len() > 1 => {
            all.extend((0..items.len()).map(|at| {
                let mut fewer = items.clone();
                fewer.remove(at);
                vec![Stmt::Print(fewer)]
            }));
        }
        Stmt::Print(_) | Stmt::Assert { .. } | Stmt::Fill { .. } => {}
    }
    all
}

/// All of a block, filled with ones.
fn filled(stage: &Stage, to: Part, class: Class) -> Option<Vec<Stmt>> {
    let value = 1;
    stage
        .is_whole(to, stage.extent(class))
        .then(|| vec![Stmt::Fill { class, to, value }])
}

/// The first part of the block or region that `side` is a part of.
fn from_start(side: Side) -> Side {
    match side {
        Side::Block(part) => Side::Block(Part {
            at: [At::FIRST; 2],
            ..part
        }),
        Side::Tensor(tensor, index, _) => Side::Tensor(tensor, index, [At::FIRST; 2]),
    }
}

/// Puts 0 for a loop variable, or another.
fn replace(body: &mut [Stmt], integer: Atom) {
    let is_meant = |atom: Atom| atom == integer;
    let mut replace = |term: &mut Term| match term {
        Term::Rest(var, _) if is_meant(Atom::Var(*var)) => *term = Term::Number(0),
        Term::Fetched(of) if is_meant(*of) => *term = Term::Number(0),
        _ if *term == integer.into() => *term = Term::Number(0),
        Term::Chosen(Choice { of, sides, .. }) => {
            let [a, b] = sides;
            let named = of.iter_mut().chain([a, b]).filter(|atom| is_meant(**atom));
            named.for_each(|atom| *atom = Atom::Number(0));
        }
        _ => {}
    };
    body.iter_mut().for_each(|stmt| stmt.terms(&mut replace));
}

/// Stages in whose place of an integer there stands a simpler one.
fn simpler_terms(stage: &Stage) -> Vec<Stage> {
    let mut terms = Vec::new();
    let mut body = stage.body.clone();
    body.iter_mut()
        .for_each(|stmt| stmt.terms(&mut |term| terms.push(*term)));
    let mut all = Vec::new();
    for (at, term) in terms.into_iter().enumerate() {
        let simpler = match term {
            Term::Number(_) => Vec::new(),
            Term::Chosen(Choice { sides, .. }) => sides.map(Term::from).into(),
            _ => vec![Term::Number(0)],
        };
        for new in simpler {
            let (mut smaller, mut number) = (stage.clone(), 0);
            let mut replace = |term: &mut Term| {
                if number == at {
                    *term = new;
                }
                number += 1;
            };
            smaller.body.iter_mut().for_each(|stmt| stmt.terms(&mut replace));
            all.push(smaller);
        }
    }
    all
}
