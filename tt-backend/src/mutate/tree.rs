//! Statements by their place: the only module here that knows how a program is made of statements.

use crate::device::{Device, Expr, Leaf, Node, Program};
use std::fmt;

/// The parts of a program, in the order in which they run.
const PARTS: [&str; 4] = ["before", "coordinates", "body", "after"];

/// The place of a statement: the program, its part, the lists that lead to it (the number of a statement in the list so
/// far, and which of its lists comes next), and its number in the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    program: usize,
    part: usize,
    around: Vec<(usize, usize)>,
    at: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PARTS[self.part])?;
        for (at, list) in &self.around {
            write!(f, " {at}{}", if *list == 0 { "" } else { " else" })?;
        }
        write!(f, " {}", self.at)
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

    /// The statement here.
    pub fn get(&self, device: &Device) -> Option<Node<Leaf>> {
        let parts = parts(device.programs.get(self.program)?.clone());
        let mut list = &parts[self.part];
        for (at, side) in &self.around {
            list = lists(list.get(*at)?).into_iter().nth(*side)?;
        }
        list.get(self.at).cloned()
    }

    /// Changes the list that the statement is in; `change` is given the list and the statement's number.
    pub fn edit(&self, device: &mut Device, change: impl FnOnce(&mut Vec<Node<Leaf>>, usize)) {
        let Some(program) = device.programs.get_mut(self.program) else {
            return;
        };
        let mut parts = parts(program.clone());
        let mut list = &mut parts[self.part];
        for (at, side) in &self.around {
            let Some(next) = list
                .get_mut(*at)
                .and_then(|node| lists_mut(node).into_iter().nth(*side))
            else {
                return;
            };
            list = next;
        }
        change(list, self.at);
        let [before, coordinates, body, after] = parts;
        program.before = before;
        program.coordinates = leaves(coordinates);
        program.body = body;
        program.after = after;
    }

    /// Takes the statement out of the one around it and puts it before or behind that.
    pub fn move_out(&self, device: &mut Device, behind: bool) {
        let (Some(parent), Some((_, side))) = (self.parent(), self.around.last()) else {
            return;
        };
        parent.edit(device, |list, at| {
            let mut inner = lists_mut(&mut list[at]);
            let moved = inner[*side].remove(self.at);
            list.insert(at + usize::from(behind), moved);
        });
    }
}

/// The statements of a program, part by part.
fn parts(program: Program) -> [Vec<Node<Leaf>>; 4] {
    let coordinates = program.coordinates.into_iter().map(Node::Leaf).collect();
    [program.before, coordinates, program.body, program.after]
}

/// Those of `nodes` that stand for themselves: the coordinates of a block have no others.
fn leaves(nodes: Vec<Node<Leaf>>) -> Vec<Leaf> {
    let leaf = |node| match node {
        Node::Leaf(leaf) => Some(leaf),
        _ => None,
    };
    nodes.into_iter().filter_map(leaf).collect()
}

/// The lists of statements within a statement.
pub fn lists(node: &Node<Leaf>) -> Vec<&Vec<Node<Leaf>>> {
    match node {
        Node::Loop { body, .. } | Node::Tiles { body, .. } | Node::Scope(body) => vec![body],
        Node::If { then, otherwise, .. } | Node::When { then, otherwise, .. } => vec![then, otherwise],
        Node::Leaf(_) | Node::Source(_) => Vec::new(),
    }
}

/// As [`lists`], to be changed.
pub fn lists_mut(node: &mut Node<Leaf>) -> Vec<&mut Vec<Node<Leaf>>> {
    match node {
        Node::Loop { body, .. } | Node::Tiles { body, .. } | Node::Scope(body) => vec![body],
        Node::If { then, otherwise, .. } | Node::When { then, otherwise, .. } => vec![then, otherwise],
        Node::Leaf(_) | Node::Source(_) => Vec::new(),
    }
}

/// The expressions of a statement itself.
pub fn expressions(node: &Node<Leaf>) -> Vec<&Expr> {
    match node {
        Node::Leaf(Leaf::Call(call)) => call.args.iter().collect(),
        Node::Leaf(Leaf::Let { value, .. } | Leaf::Advance { value, .. }) => vec![value],
        Node::Loop { start, end, .. } => vec![start, end],
        Node::If { cond, .. } | Node::When { cond, .. } => vec![cond],
        Node::Tiles { .. } | Node::Scope(_) | Node::Source(_) => Vec::new(),
    }
}

/// As [`expressions`], to be changed.
pub fn expressions_mut(node: &mut Node<Leaf>) -> Vec<&mut Expr> {
    match node {
        Node::Leaf(Leaf::Call(call)) => call.args.iter_mut().collect(),
        Node::Leaf(Leaf::Let { value, .. } | Leaf::Advance { value, .. }) => vec![value],
        Node::Loop { start, end, .. } => vec![start, end],
        Node::If { cond, .. } | Node::When { cond, .. } => vec![cond],
        Node::Tiles { .. } | Node::Scope(_) | Node::Source(_) => Vec::new(),
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
pub fn name(node: &Node<Leaf>) -> &'static str {
    match node {
        Node::Leaf(Leaf::Call(call)) => call.function.name,
        Node::Leaf(Leaf::Let { .. }) => "a variable",
        Node::Leaf(Leaf::Advance { .. }) => "+=",
        Node::Loop { .. } => "a loop",
        Node::Tiles { .. } => "a loop of tiles",
        Node::If { .. } => "a branch",
        Node::When { .. } => "a condition",
        Node::Scope(_) => "a scope",
        Node::Source(_) => "a comment",
    }
}

/// Every statement that does something, in the order in which they are written.
pub fn places(device: &Device) -> Vec<Place> {
    fn walk(list: &[Node<Leaf>], place: &Place, out: &mut Vec<Place>) {
        for (at, node) in list.iter().enumerate() {
            if matches!(node, Node::Source(_)) {
                continue;
            }
            out.push(Place { at, ..place.clone() });
            for (side, inner) in lists(node).into_iter().enumerate() {
                let mut around = place.around.clone();
                around.push((at, side));
                walk(
                    inner,
                    &Place {
                        around,
                        ..place.clone()
                    },
                    out,
                );
            }
        }
    }
    let mut out = Vec::new();
    for (program, written) in device.programs.iter().enumerate() {
        for (part, list) in parts(written.clone()).iter().enumerate() {
            let place = Place {
                program,
                part,
                around: Vec::new(),
                at: 0,
            };
            walk(list, &place, &mut out);
        }
    }
    out
}

/// Calls `change` for every statement of a program.
pub fn for_each(program: &mut Program, change: &mut impl FnMut(&mut Node<Leaf>)) {
    fn walk(list: &mut [Node<Leaf>], change: &mut impl FnMut(&mut Node<Leaf>)) {
        for node in list {
            change(node);
            lists_mut(node).into_iter().for_each(|inner| walk(inner, change));
        }
    }
    for list in [&mut program.before, &mut program.body, &mut program.after] {
        walk(list, change);
    }
}

/// Whether every name that the programs use is declared where it is used, and none twice in a scope: else a program is no
/// C++, and there is nothing to notice.
pub fn is_closed(device: &Device) -> bool {
    device.programs.iter().all(|program| {
        let mut names: Vec<&str> = program.args.iter().map(|arg| arg.name.as_str()).collect();
        let scope = Scope { device, program };
        let parts = parts(program.clone());
        let [before, coordinates, body, after] = &parts;
        let outer = names.len();
        if !scope.list(before, &mut names) {
            return false;
        }
        let inner = names.len();
        names.push(crate::passes::b2_grid_to_cores::BLOCK_ID);
        let blocks = scope.list(coordinates, &mut names) && scope.list(body, &mut names);
        names.truncate(inner);
        let closed = blocks && scope.list(after, &mut names);
        names.truncate(outer);
        closed
    })
}

struct Scope<'a> {
    device: &'a Device,
    program: &'a Program,
}

impl Scope<'_> {
    /// Whether a list of statements is closed under `names`, to which it adds what it declares.
    fn list<'n>(&'n self, list: &'n [Node<Leaf>], names: &mut Vec<&'n str>) -> bool {
        list.iter().all(|node| {
            if !expressions(node).into_iter().all(|expr| self.expr(expr, names)) {
                return false;
            }
            let declared = match node {
                Node::Leaf(Leaf::Advance { name, .. }) => return names.contains(&name.as_str()),
                Node::Leaf(Leaf::Let { name, .. }) => {
                    let fresh = !names.contains(&name.as_str());
                    names.push(name);
                    return fresh;
                }
                Node::Loop { var, .. } => self.device.variables.get(var.index()).map(String::as_str),
                Node::Tiles { name, .. } => Some(name.as_str()),
                _ => None,
            };
            let outer = names.len();
            if declared.is_some_and(|name| names.contains(&name)) {
                return false;
            }
            names.extend(declared);
            let head = names.len();
            let closed = lists(node).into_iter().all(|inner| {
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

/// Whether a program uses a variable, besides declaring it and adding to it.
pub fn is_used(program: &Program, name: &str) -> bool {
    fn within(expr: &Expr, name: &str) -> bool {
        matches!(expr, Expr::Name(used) if used == name)
            || operands(expr).into_iter().any(|operand| within(operand, name))
    }
    fn walk(list: &[Node<Leaf>], name: &str) -> bool {
        list.iter().any(|node| {
            expressions(node).into_iter().any(|expr| within(expr, name))
                || lists(node).into_iter().any(|inner| walk(inner, name))
        })
    }
    parts(program.clone()).iter().any(|list| walk(list, name))
}
