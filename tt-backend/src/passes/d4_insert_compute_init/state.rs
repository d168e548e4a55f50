//! The state of the engines, component by component.

use super::requirement::{Need, Value};
use crate::device::{Leaf, Symbol};
use std::rc::Rc;

/// A part of the engines with a state of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Component {
    /// The format of unpacker A.
    UnpackA,
    /// The format of unpacker B.
    UnpackB,
    /// The operation that unpackers and FPU are set up for.
    Math,
    /// The function that the SFPU is set up for.
    Sfpu,
    /// The format of the packer.
    Pack,
    /// Whether the packer adds to L1.
    Accumulation,
    /// Whether the packer makes what is negative zero.
    Relu,
}

impl Component {
    /// In the order in which transitions are emitted: formats before operations.
    pub const ALL: [Component; 7] = [
        Component::UnpackA,
        Component::UnpackB,
        Component::Math,
        Component::Sfpu,
        Component::Pack,
        Component::Accumulation,
        Component::Relu,
    ];
}

const COMPONENTS: usize = Component::ALL.len();

/// What is known of the engines, and what has been asked of them since the log was cleared.
#[derive(Debug, Clone)]
pub struct State {
    values: [Option<Value>; COMPONENTS],
    first: [Option<Rc<Need>>; COMPONENTS],
    touched: [bool; COMPONENTS],
    /// The chunk of the section around.
    chunk: [u32; 2],
}

impl State {
    /// Nothing is known.
    pub fn unknown() -> State {
        State {
            values: Default::default(),
            first: Default::default(),
            touched: [false; COMPONENTS],
            chunk: [1, 1],
        }
    }

    /// What is known of a component.
    pub fn value(&self, component: Component) -> Option<&Value> {
        self.values[component as usize].as_ref()
    }

    /// Sets what is known of a component.
    pub fn set(&mut self, component: Component, value: Value) {
        self.values[component as usize] = Some(value);
    }

    /// Forgets what is known of a component.
    pub fn forget(&mut self, component: Component) {
        self.values[component as usize] = None;
    }

    /// Sets what was asked of in `run` to what is known there.
    pub fn leave_as(&mut self, run: &State) {
        for at in 0..COMPONENTS {
            if run.touched[at] {
                self.values[at] = run.values[at];
            }
        }
    }

    /// Whether anything was asked of the component.
    pub fn touched(&self, component: Component) -> bool {
        self.touched[component as usize]
    }

    /// What was asked of the component first.
    pub fn first(&self, component: Component) -> Option<&Need> {
        self.first[component as usize].as_deref()
    }

    /// Forgets what was asked.
    pub fn clear_log(&mut self) {
        self.first = Default::default();
        self.touched = [false; COMPONENTS];
    }

    /// The same knowledge, with what was asked in `outer` and then in `inner`.
    pub fn with_log_of(mut self, outer: &State, inner: &State) -> State {
        for at in 0..COMPONENTS {
            self.first[at] = if outer.touched[at] {
                outer.first[at].clone()
            } else {
                inner.first[at].clone()
            };
            self.touched[at] = outer.touched[at] || inner.touched[at];
        }
        self.chunk = outer.chunk;
        self
    }

    /// The chunk of the section around.
    pub fn chunk(&self) -> [u32; 2] {
        self.chunk
    }

    /// Enters a section; returns the chunk of the one around it.
    pub fn set_chunk(&mut self, chunk: [u32; 2]) -> [u32; 2] {
        std::mem::replace(&mut self.chunk, chunk)
    }

    /// Whether a need is met.
    pub fn holds(&self, need: &Need) -> bool {
        need.stable && self.value(need.component) == Some(&need.value)
    }

    /// The transition that brings the component where `need` wants it, where it is not there; logs the need.
    pub fn require(&mut self, need: Need) -> Option<Leaf<Symbol>> {
        let call = self.establish(&need);
        let at = need.component as usize;
        if !self.touched[at] {
            self.touched[at] = true;
            self.first[at] = Some(Rc::new(need));
        }
        call
    }

    /// The transition that brings the component where `need` wants it, where it is not there.
    pub fn establish(&mut self, need: &Need) -> Option<Leaf<Symbol>> {
        if self.holds(need) {
            return None;
        }
        self.values[need.component as usize] = need.stable.then_some(need.value);
        Some(need.call())
    }

    /// What is known where either state may be the case.
    pub fn meet(&self, other: &State) -> State {
        let mut out = self.clone();
        for at in 0..COMPONENTS {
            if out.values[at] != other.values[at] {
                out.values[at] = None;
            }
            out.touched[at] |= other.touched[at];
            if out.first[at] != other.first[at] {
                out.first[at] = None;
            }
        }
        out
    }
}
