//! Statements by their place: the only module here that knows how a program is made of statements.

use crate::device::{Bits, Calls, Device, Leaf, Loop, Program};
use crate::ir::{Kind, visit};
use crate::passes::b2_grid_to_cores::BLOCK_ID;
use std::fmt;

/// A statement of the device program.
pub type Stmt = crate::ir::Stmt<Calls<Bits>>;

/// An expression of the device program.
pub type Expr = crate::device::Expr<Bits>;

/// The place of a statement: the program, the lists that lead to it (the number of a statement in the list so far, and which
/// of its lists comes next), and its number in the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    program: usize,
    around: Vec<(usize, usize)>,
    at: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, list) in &self.around {
            write!(f, "{at}{} ", if *list == 0 { "" } else { " else" })?;
        }
        write!(f, "{}", self.at)
    }
}

impl Place {
    /// The number of the program.
    pub fn program(&self) -> usize {
        self.program
    }

    /// The statement around this one.
    pub fn parent(&self) -> Option<Place> {
        let (last, around) = self.around.split_last()?;
        Some(Place {
            around: around.to_vec(),
            at: last.0,
            ..self.clone()
        })
    }

    /// The place behind this one.
    pub fn next(&self) -> Place {
        Place {
            at: self.at + 1,
            ..self.clone()
        }
    }

    /// The statement here.
    pub fn get<'a>(&self, device: &'a Device) -> Option<&'a Stmt> {
        let mut list = &device.programs.get(self.program)?.body;
        for (at, side) in &self.around {
            list = list.get(*at)?.bodies().nth(*side)?;
        }
        list.get(self.at)
    }

    /// Changes the list that the statement is in; `change` is given the list and the statement's number.
    pub fn edit(&self, device: &mut Device, change: impl FnOnce(&mut Vec<Stmt>, usize)) {
        let Some(program) = device.programs.get_mut(self.program) else {
            return;
        };
        let mut list = &mut program.body;
        for (at, side) in &self.around {
            let Some(next) = list.get_mut(*at).and_then(|stmt| stmt.bodies_mut().nth(*side)) else {
                return;
            };
            list = next;
        }
        change(list, self.at);
    }

    /// The statements around this one, the outermost first, each with the list that it is in and its number there.
    fn path<'a>(&self, device: &'a Device) -> Vec<(&'a [Stmt], usize)> {
        let mut out = Vec::new();
        let mut list = device
            .programs
            .get(self.program)
            .map_or(&[][..], |program| &program.body);
        for (at, side) in &self.around {
            out.push((list, *at));
            list = list
                .get(*at)
                .and_then(|stmt| stmt.bodies().nth(*side))
                .map_or(&[][..], Vec::as_slice);
        }
        out.push((list, self.at));
        out
    }

    /// The variables of loops around the statement that have one round: each is 0.
    pub fn names_of_single_rounds<'a>(&self, device: &'a Device) -> Vec<&'a str> {
        let path = self.path(device);
        let around = path.iter().filter_map(|(list, at)| list.get(*at));
        around
            .filter_map(|stmt| match &stmt.kind {
                Kind::Loop(Loop::Tiles { name, end, step, .. }, _) if end <= step => Some(name.as_str()),
                _ => None,
            })
            .collect()
    }

    /// Whether nothing reads the variable `name` after the statement here.
    pub fn is_last_use(&self, device: &Device, name: &str) -> bool {
        for (level, (list, at)) in self.path(device).into_iter().enumerate().rev() {
            let runs_on = list.get(at).is_none_or(|stmt| match &stmt.kind {
                Kind::Loop(Loop::Tiles { end, step, .. }, _) => end > step,
                Kind::Loop(..) => true,
                Kind::Op(_) | Kind::If(..) | Kind::Group(..) => false,
            });
            let mut read = level < self.around.len() && runs_on;
            visit(list.get(at + 1..).unwrap_or_default(), &mut |stmt| {
                read |= reads(stmt, name)
            });
            if read {
                return false;
            }
            let declares =
                |stmt: &Stmt| matches!(&stmt.kind, Kind::Op(Leaf::Let { name: declared, .. }) if declared == name);
            if list.iter().take(at).any(declares) {
                return true;
            }
        }
        false
    }

    /// Takes the statement out of the one around it and puts it before or behind that.
    pub fn move_out(&self, device: &mut Device, behind: bool) {
        let (Some(parent), Some((_, side))) = (self.parent(), self.around.last()) else {
            return;
        };
        parent.edit(device, |list, at| {
            let moved = list[at].bodies_mut().nth(*side).map(|inner| inner.remove(self.at));
            list.splice(at + usize::from(behind)..at + usize::from(behind), moved);
        });
    }
}

/// The expressions of a statement itself.
pub fn expressions(stmt: &Stmt) -> Vec<&Expr> {
    match &stmt.kind {
        Kind::Op(Leaf::Call(call) | Leaf::Define { call, .. }) => call.args.iter().collect(),
        Kind::Op(Leaf::Let { value, .. } | Leaf::Advance { value, .. }) => vec![value],
        Kind::Loop(Loop::Over { start, end, .. }, _) => vec![start, end],
        Kind::If(branch, ..) => vec![&branch.cond],
        Kind::Loop(Loop::Tiles { .. } | Loop::Blocks { .. }, _) | Kind::Group(..) => Vec::new(),
    }
}

/// As [`expressions`], to be changed.
pub fn expressions_mut(stmt: &mut Stmt) -> Vec<&mut Expr> {
    match &mut stmt.kind {
        Kind::Op(Leaf::Call(call) | Leaf::Define { call, .. }) => call.args.iter_mut().collect(),
        Kind::Op(Leaf::Let { value, .. } | Leaf::Advance { value, .. }) => vec![value],
        Kind::Loop(Loop::Over { start, end, .. }, _) => vec![start, end],
        Kind::If(branch, ..) => vec![&mut branch.cond],
        Kind::Loop(Loop::Tiles { .. } | Loop::Blocks { .. }, _) | Kind::Group(..) => Vec::new(),
    }
}

/// The expressions within an expression.
pub fn operands(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Binary(_, a, b) => vec![a, b],
        Expr::Call(call) => call.args.iter().collect(),
        _ => Vec::new(),
    }
}

/// As [`operands`], to be changed.
pub fn operands_mut(expr: &mut Expr) -> Vec<&mut Expr> {
    match expr {
        Expr::Binary(_, a, b) => vec![a, b],
        Expr::Call(call) => call.args.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// What a statement is called.
pub fn name(stmt: &Stmt) -> &'static str {
    match &stmt.kind {
        Kind::Op(Leaf::Call(call) | Leaf::Define { call, .. }) => call.function.name,
        Kind::Op(Leaf::Let { .. }) => "a variable",
        Kind::Op(Leaf::Advance { .. }) => "+=",
        Kind::Loop(Loop::Blocks { .. }, _) => "the loop over the blocks",
        Kind::Loop(Loop::Over { .. }, _) => "a loop",
        Kind::Loop(Loop::Tiles { .. }, _) => "a loop of tiles",
        Kind::If(branch, ..) if branch.cause.origin().is_some() => "a branch",
        Kind::If(..) => "a condition",
        Kind::Group(..) => "a scope",
    }
}

/// The functions that a statement by itself calls, and the variables and buffers that it names.
pub fn mentions(device: &Device, stmt: &Stmt) -> Vec<String> {
    fn within(device: &Device, expr: &Expr, out: &mut Vec<String>) {
        match expr {
            Expr::Name(name) => out.push(name.clone()),
            Expr::Buffer(id) | Expr::PageBytes(id) => {
                out.extend(device.buffers.get(id.0).map(|buffer| buffer.name.clone()))
            }
            Expr::Call(call) => out.push(call.function.name.to_string()),
            _ => {}
        }
        operands(expr)
            .into_iter()
            .for_each(|operand| within(device, operand, out));
    }
    let mut out = match &stmt.kind {
        Kind::Op(Leaf::Call(call) | Leaf::Define { call, .. }) => vec![call.function.name.to_string()],
        Kind::Op(Leaf::Let { name, .. } | Leaf::Advance { name, .. }) => vec![name.clone()],
        Kind::Loop(..) | Kind::If(..) | Kind::Group(..) => Vec::new(),
    };
    expressions(stmt)
        .into_iter()
        .for_each(|expr| within(device, expr, &mut out));
    out
}

/// Every statement, in the order in which they are written.
pub fn places(device: &Device) -> Vec<Place> {
    fn walk(list: &[Stmt], place: &Place, out: &mut Vec<Place>) {
        for (at, stmt) in list.iter().enumerate() {
            out.push(Place { at, ..place.clone() });
            for (side, inner) in stmt.bodies().enumerate() {
                let mut within = place.clone();
                within.around.push((at, side));
                walk(inner, &within, out);
            }
        }
    }
    let mut out = Vec::new();
    for (program, written) in device.programs.iter().enumerate() {
        let place = Place {
            program,
            around: Vec::new(),
            at: 0,
        };
        walk(&written.body, &place, &mut out);
    }
    out
}

/// Whether every name that the programs use is declared where it is used, and none twice in a scope: else a program is no
/// C++, and there is nothing to notice.
pub fn is_closed(device: &Device) -> bool {
    device.programs.iter().all(|program| {
        let mut names: Vec<&str> = program.args.iter().map(|arg| arg.name.as_str()).collect();
        Scope { device, program }.list(&program.body, &mut names)
    })
}

struct Scope<'a> {
    device: &'a Device,
    program: &'a Program,
}

impl Scope<'_> {
    /// Whether a list of statements is closed under `names`, to which it adds what it declares.
    fn list<'n>(&'n self, list: &'n [Stmt], names: &mut Vec<&'n str>) -> bool {
        list.iter().all(|stmt| {
            if !expressions(stmt).into_iter().all(|expr| self.expr(expr, names)) {
                return false;
            }
            let declared = match &stmt.kind {
                Kind::Op(Leaf::Advance { name, .. }) => return names.contains(&name.as_str()),
                Kind::Op(Leaf::Let { name, .. }) => {
                    let fresh = !names.contains(&name.as_str());
                    names.push(name);
                    return fresh;
                }
                Kind::Op(Leaf::Define { var, .. }) => {
                    let name = self.device.variables.get(var.index()).map_or("", String::as_str);
                    let fresh = !names.contains(&name);
                    names.push(name);
                    return fresh;
                }
                Kind::Loop(Loop::Over { var, .. }, _) => self.device.variables.get(var.index()).map(String::as_str),
                Kind::Loop(Loop::Tiles { name, .. }, _) => Some(name.as_str()),
                Kind::Loop(Loop::Blocks { .. }, _) => Some(BLOCK_ID),
                Kind::Op(Leaf::Call(_)) | Kind::If(..) | Kind::Group(..) => None,
            };
            let outer = names.len();
            if declared.is_some_and(|name| names.contains(&name)) {
                return false;
            }
            names.extend(declared);
            let head = names.len();
            let closed = stmt.bodies().all(|inner| {
                let closed = self.list(inner, names);
                names.truncate(head);
                closed
            });
            names.truncate(outer);
            closed
        })
    }

    fn expr(&self, expr: &Expr, names: &[&str]) -> bool {
        let known = match expr {
            Expr::Name(name) => names.contains(&name.as_str()),
            Expr::Accessor(tensor) => self.program.accessors.iter().any(|accessor| accessor.tensor == *tensor),
            _ => true,
        };
        known && operands(expr).into_iter().all(|operand| self.expr(operand, names))
    }
}

/// Whether what a program does depends on a variable: more than the value of variables that are not used themselves.
pub fn is_used(program: &Program, name: &str) -> bool {
    let mut used = false;
    visit(&program.body, &mut |stmt| {
        used |= match &stmt.kind {
            Kind::Op(Leaf::Let { name: own, .. } | Leaf::Advance { name: own, .. }) if own == name => false,
            Kind::Op(Leaf::Let { name: other, .. }) => reads(stmt, name) && is_used(program, other),
            _ => reads(stmt, name),
        };
    });
    used
}

/// Whether a statement by itself reads a variable.
fn reads(stmt: &Stmt, name: &str) -> bool {
    fn within(expr: &Expr, name: &str) -> bool {
        matches!(expr, Expr::Name(used) if used == name)
            || operands(expr).into_iter().any(|operand| within(operand, name))
    }
    let in_head = match &stmt.kind {
        Kind::Loop(Loop::Blocks { start, count, step }, _) => {
            [start, count, step].into_iter().any(|part| within(part, name))
        }
        Kind::Loop(Loop::Over { .. } | Loop::Tiles { .. }, _) | Kind::Op(_) | Kind::Group(..) | Kind::If(..) => false,
    };
    in_head || expressions(stmt).into_iter().any(|expr| within(expr, name))
}
