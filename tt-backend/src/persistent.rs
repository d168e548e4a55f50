//! A table by number whose copies share what is alike (a persistent vector): what an analysis knows of every buffer at a point.
//!
//! Every loop and branch keeps a copy of what is known there, with which what comes round or meets it is joined. A copy costs
//! nothing, a change the nodes above it, and to join two what changed since they were one.

use std::rc::Rc;
use std::{array, ptr};

/// Values, or nodes below, of a node.
const WIDTH: usize = 16;

/// Values by number, of which some may be missing.
#[derive(Debug, Clone)]
pub struct Persistent<T> {
    root: Link<T>,
    /// Forks above each leaf.
    levels: u32,
}

type Link<T> = Option<Rc<Node<T>>>;

#[derive(Debug, Clone)]
enum Node<T> {
    Fork([Link<T>; WIDTH]),
    Leaf([Option<T>; WIDTH]),
}

impl<T: Clone + PartialEq> Persistent<T> {
    /// One with room for so many, of which there is none.
    pub fn new(count: usize) -> Persistent<T> {
        let mut levels = 0;
        let mut room = WIDTH;
        while room < count {
            room = room.saturating_mul(WIDTH);
            levels += 1;
        }
        Persistent { root: None, levels }
    }

    /// What is at a number.
    pub fn get(&self, at: usize) -> Option<&T> {
        let mut node = self.root.as_deref()?;
        let mut level = self.levels;
        loop {
            match node {
                Node::Leaf(values) => return values[at % WIDTH].as_ref(),
                Node::Fork(below) => node = below[place(at, level)].as_deref()?,
            }
            level -= 1;
        }
    }

    /// The place of a number, to be changed.
    pub fn at_mut(&mut self, at: usize) -> &mut Option<T> {
        at_mut(&mut self.root, at, self.levels)
    }

    /// Goes through all that is otherwise in `other`, which has room for as many: what `each` makes of what is here and what is there,
    /// if anything, is here then.
    pub fn merge(&mut self, other: &Persistent<T>, each: impl FnMut(Option<&T>, Option<&T>) -> Option<T>) {
        let mine = self.clone();
        self.merge_since(&mine, other, each);
    }

    /// As [`Persistent::merge`], of that alone which is in `other` otherwise than in `since`.
    pub fn merge_since(
        &mut self,
        since: &Persistent<T>,
        other: &Persistent<T>,
        mut each: impl FnMut(Option<&T>, Option<&T>) -> Option<T>,
    ) {
        let [mine, other, since] = [&*self, other, since].map(|table| table.root.as_deref());
        if let Some(merged) = merged([mine, other, since], &mut each) {
            self.root = Some(merged);
        }
    }

    /// Whether something that is here otherwise than in `since` is in `other` otherwise than here.
    pub fn differs_since(&self, since: &Persistent<T>, other: &Persistent<T>) -> bool {
        let mut differs = false;
        let [mine, since, other] = [self, since, other].map(|table| table.root.as_deref());
        merged([other, mine, since], &mut |other, mine| {
            differs |= mine != other;
            None
        });
        differs
    }
}

impl<T> Node<T> {
    fn values(&self) -> &[Option<T>] {
        match self {
            Node::Leaf(values) => values,
            Node::Fork(_) => &[],
        }
    }

    fn below(&self) -> &[Link<T>] {
        match self {
            Node::Fork(below) => below,
            Node::Leaf(_) => &[],
        }
    }
}

impl<T: Clone + PartialEq> PartialEq for Persistent<T> {
    fn eq(&self, other: &Persistent<T>) -> bool {
        !self.differs_since(other, other)
    }
}

/// Which place of a node so many levels above the leaves a number is below.
fn place(at: usize, level: u32) -> usize {
    at / WIDTH.saturating_pow(level) % WIDTH
}

fn at_mut<T: Clone>(link: &mut Link<T>, at: usize, level: u32) -> &mut Option<T> {
    let empty = || {
        Rc::new(match level {
            0 => Node::Leaf(array::from_fn(|_| None)),
            _ => Node::Fork(array::from_fn(|_| None)),
        })
    };
    match Rc::make_mut(link.get_or_insert_with(empty)) {
        Node::Leaf(values) => &mut values[at % WIDTH],
        Node::Fork(below) => at_mut(&mut below[place(at, level)], at, level.saturating_sub(1)),
    }
}

/// What becomes of the first of three, if it does not stay as it is: `each` is asked where the second differs from the third.
fn merged<T: Clone + PartialEq>(
    nodes: [Option<&Node<T>>; 3],
    each: &mut impl FnMut(Option<&T>, Option<&T>) -> Option<T>,
) -> Link<T> {
    let [_, other, since] = nodes;
    let shape = match (other, since) {
        (Some(other), Some(since)) if ptr::eq(other, since) => return None,
        (other, since) => other.or(since)?,
    };
    let node = match shape {
        Node::Leaf(_) => {
            let values = nodes.map(|node| node.map_or(&[][..], Node::values));
            let of_value = &mut |[mine, other, since]: [Option<&T>; 3]| (other != since).then(|| each(mine, other))?;
            Node::Leaf(changed(values, of_value)?)
        }
        Node::Fork(_) => {
            let below = nodes.map(|node| node.map_or(&[][..], Node::below));
            let of_link =
                &mut |links: [Option<&Rc<Node<T>>>; 3]| merged(links.map(|link| link.map(|node| &**node)), each);
            Node::Fork(changed(below, of_link)?)
        }
    };
    Some(Rc::new(node))
}

/// The first of three nodes' contents with what `each` makes of all three, if it makes anything.
fn changed<V: Clone>(
    nodes: [&[Option<V>]; 3],
    each: &mut impl FnMut([Option<&V>; 3]) -> Option<V>,
) -> Option<[Option<V>; WIDTH]> {
    let at_place = |at: usize| nodes.map(|values| values.get(at).and_then(Option::as_ref));
    let mut made: [Option<V>; WIDTH] = array::from_fn(|at| each(at_place(at)));
    if made.iter().all(Option::is_none) {
        return None;
    }
    for (at, made) in made.iter_mut().enumerate().filter(|(_, made)| made.is_none()) {
        let [mine, ..] = at_place(at);
        *made = mine.cloned();
    }
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(table: &Persistent<usize>, at: [usize; 3]) -> [Option<usize>; 3] {
        at.map(|at| table.get(at).copied())
    }

    #[test]
    fn a_copy_keeps_what_it_had() {
        let mut table = Persistent::new(1000);
        for at in [0, 15, 16, 255, 256, 999] {
            *table.at_mut(at) = Some(at);
        }
        let before = table.clone();
        *table.at_mut(256) = Some(1);
        *table.at_mut(500) = Some(2);
        assert_eq!(values(&table, [256, 500, 999]), [Some(1), Some(2), Some(999)]);
        assert_eq!(values(&before, [256, 500, 999]), [Some(256), None, Some(999)]);
        assert!(table.differs_since(&before, &before));
        *table.at_mut(256) = Some(256);
        *table.at_mut(500) = None;
        assert!(!table.differs_since(&before, &before), "the same values, if not shared");
    }

    #[test]
    fn what_differs_alone_is_gone_through() {
        let mut table = Persistent::new(5000);
        (0..5000).for_each(|at| *table.at_mut(at) = Some(at));
        let mut other = table.clone();
        *other.at_mut(77) = Some(0);
        *other.at_mut(4999) = None;
        let mut seen = Vec::new();
        table.merge(&other, |mine, other| {
            seen.push((mine.copied(), other.copied()));
            other.copied()
        });
        assert_eq!(seen, [(Some(77), Some(0)), (Some(4999), None)]);
        assert_eq!(values(&table, [77, 78, 4999]), [Some(0), Some(78), Some(4999)]);
    }

    #[test]
    fn what_changed_elsewhere_is_put_here() {
        let [mut table, mut before] = [Persistent::new(40), Persistent::new(40)];
        (*table.at_mut(3), *before.at_mut(4)) = (Some(1), Some(2));
        let mut after = before.clone();
        *after.at_mut(33) = Some(3);
        table.merge_since(&before, &after, |_, other| other.copied());
        assert_eq!(values(&table, [3, 4, 33]), [Some(1), None, Some(3)]);
        assert!(!after.differs_since(&before, &table));
    }
}
