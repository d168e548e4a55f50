//! Windows and rings: every access lies within what its end of the buffer holds, and nothing straddles.
//!
//! The pointer of an end of a buffer wraps only where it meets the limit exactly, and an index within a window does not
//! wrap at all (metalium.md §1.3, patterns.md surprise 1). A buffer holds whole versions, so it suffices that no window
//! crosses from one version into the next. Besides: pages are passed on only when they were written in full and their
//! transfers have arrived, and freed only when what reads them is done.

use super::event::{self, Accumulation, CbStep, Event};
use super::pages::Pages;
use super::range::Range;
use super::value::{End, Value};
use super::{Proof, fault};
use crate::flow::{Buffer, BufferId, BufferKind};
use std::collections::BTreeSet;
use std::rc::Rc;
use tt_plan::Role;

/// One program's ends of one buffer. Pages count from the first of the window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Ring {
    /// Pages reserved.
    reserved: i64,
    /// Loops around the reservation, where there is one.
    reserved_at: usize,
    /// Pages pushed of the version at the back.
    pushed: i64,
    /// Reserved pages that are written.
    written: Pages,
    /// Reserved pages that a transfer is on its way to.
    arriving: Pages,
    /// Some core expects the version at the back from another, and has not received it.
    expected: bool,
    /// A version that nobody may read has been pushed: not all of it was written.
    hollow: bool,
    /// Pages waited for at least.
    waited: i64,
    /// Pages popped of the version at the front.
    popped: i64,
    /// Front pages that a transfer has yet to leave.
    leaving: Pages,
    /// How many versions there was room made for since one was sent that may not have left.
    sent: Option<u32>,
}

/// The ends of all buffers that one program has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rings {
    role: Role,
    rings: Vec<Rc<Ring>>,
    /// A write may not have arrived.
    unacknowledged: bool,
    /// A message to another core's semaphore may not have arrived.
    unasked: bool,
    /// Semaphores of this core of which what was sent may not have left.
    telling: BTreeSet<i64>,
}

impl Rings {
    /// Before the first statement.
    pub fn new(buffers: &[Buffer], role: Role) -> Rings {
        Rings {
            role,
            rings: vec![Rc::default(); buffers.len()],
            unacknowledged: false,
            unasked: false,
            telling: BTreeSet::new(),
        }
    }

    /// What holds where either may be the case.
    pub fn join(&mut self, other: &Rings) -> Proof {
        self.unacknowledged |= other.unacknowledged;
        self.unasked |= other.unasked;
        self.telling.extend(&other.telling);
        for (id, (a, b)) in self.rings.iter_mut().zip(&other.rings).enumerate() {
            if Rc::ptr_eq(a, b) {
                continue;
            }
            if (a.reserved, a.pushed, a.popped) != (b.reserved, b.pushed, b.popped) {
                return fault(format!(
                    "buffer {id} is left in different states by two paths: {a:?} and {b:?}"
                ));
            }
            let ring = Rc::make_mut(a);
            ring.waited = ring.waited.min(b.waited);
            ring.hollow |= b.hollow;
            ring.written.intersect(&b.written);
            ring.arriving.unite(&b.arriving);
            ring.expected |= b.expected;
            ring.leaving.unite(&b.leaving);
            ring.sent = ring.sent.max(b.sent);
            ring.reserved_at = ring.reserved_at.max(b.reserved_at);
        }
        Ok(())
    }

    /// After the last statement.
    pub fn end(&self, buffers: &[Buffer]) -> Proof {
        for (ring, buffer) in self.rings.iter().zip(buffers) {
            if ring.reserved != 0 || ring.pushed != 0 || ring.popped != 0 {
                return fault(format!("{} ends within a version", buffer.name));
            }
        }
        if self.unacknowledged {
            return fault("a write may not have arrived");
        }
        if self.unasked {
            return fault("a message to a semaphore may not have arrived");
        }
        Ok(())
    }

    /// After a call, `depth` loops deep.
    pub fn step(&mut self, event: &Event, buffers: &[Buffer], packer: Option<Accumulation>, depth: usize) -> Proof {
        match event {
            Event::Cb(step, id, pages) => self.protocol(*step, *id, *pages, buffers, depth),
            Event::Read(address) => {
                let (ring, page) = self.back(*address, buffers)?;
                let Some(page) = page.exact() else {
                    return fault("a page is read to a place that varies");
                };
                ring.arriving.insert(page);
                ring.written.insert(page);
                Ok(())
            }
            Event::MakePage(address) | Event::PutInteger(address) => {
                let (ring, page) = self.back(*address, buffers)?;
                let Some(page) = page.exact() else {
                    return fault("a page is made at a place that varies");
                };
                if ring.arriving.contains(page) {
                    return fault("a page is made that a transfer is on its way to");
                }
                ring.written.insert(page);
                Ok(())
            }
            Event::Fetch(address) => {
                let (id, end, page) = event::pages(*address, buffers)?;
                // Nobody else has a scratch page, and so it needs no protocol.
                let is_own = buffers[id.0].kind == BufferKind::Scratch(self.role);
                if !is_own {
                    let (ring, page) = self.back(*address, buffers)?;
                    if ring.arriving.contains_any(page) {
                        return fault("an integer is fetched to a page that a transfer is on its way to");
                    }
                } else if end != End::Back || page != Range::one(0) {
                    return fault("an integer is fetched past a scratch page");
                }
                self.arrived();
                Ok(())
            }
            Event::Expect(address) => {
                let ring = self.whole_back(*address, buffers)?;
                if !ring.arriving.is_empty() {
                    return fault("a version is expected that a transfer is on its way to");
                }
                ring.written.insert_all(Range::new(0, ring.reserved - 1));
                ring.expected = true;
                self.unasked = true;
                Ok(())
            }
            Event::Send(address, bytes, told) => {
                let (id, ..) = event::pages(*address, buffers)?;
                let version = i64::from(buffers[id.0].version_tiles());
                let ring = self.whole_back(*address, buffers)?;
                if ring.written.first_missing(version).is_some() || !ring.arriving.is_empty() {
                    return fault("a version is sent before all of it is there");
                }
                if *bytes != version.saturating_mul(i64::from(buffers[id.0].format.tile_bytes())) {
                    return fault(format!("{bytes} bytes of a version of {version} pages are sent"));
                }
                // What another line was sent before may not have left either.
                ring.sent.get_or_insert(0);
                self.unacknowledged = true;
                match self.telling.insert(*told) {
                    true => Ok(()),
                    false => fault("a version is told of before what was told last has left"),
                }
            }
            Event::Receive(address) => {
                let ring = self.whole_back(*address, buffers)?;
                if !std::mem::take(&mut ring.expected) {
                    return fault("a version is received that no core expects");
                }
                Ok(())
            }
            Event::AtomicBarrier => {
                self.unasked = false;
                Ok(())
            }
            Event::Take(id, pages) => self.front(*id, *pages, buffers),
            Event::ZeroEdge(address) => {
                let (ring, pages) = self.back(*address, buffers)?;
                if ring.arriving.contains_any(pages) {
                    return fault("zeros in a page that a transfer is on its way to");
                }
                Ok(())
            }
            Event::ReadBarrier => {
                self.arrived();
                Ok(())
            }
            Event::Write(address) => {
                let (id, end, pages) = event::pages(*address, buffers)?;
                if end != End::Front || self.role != Role::Writer {
                    return fault("a tensor is written from pages that are not at the front");
                }
                self.front(id, pages, buffers)?;
                Rc::make_mut(&mut self.rings[id.0]).leaving.insert_all(pages);
                self.unacknowledged = true;
                Ok(())
            }
            Event::WriteElements(address, stored) => {
                for address in std::iter::once(address).chain(stored) {
                    let (id, end, pages) = event::pages(*address, buffers)?;
                    if end != End::Front || self.role != Role::Writer {
                        return fault("a tensor is written from pages that are not at the front");
                    }
                    self.front(id, pages, buffers)?;
                }
                self.unacknowledged = true;
                Ok(())
            }
            Event::Look(address) => self.whole_front(*address, buffers),
            Event::Shift(from, to) => {
                self.whole_front(*from, buffers)?;
                let (ring, page) = self.back(*to, buffers)?;
                if page != Range::one(0) {
                    return fault("what is shifted does not come to the first page");
                }
                ring.written.insert_all(Range::new(0, ring.reserved - 1));
                Ok(())
            }
            Event::WritesFlushed | Event::WriteBarrier => {
                let is_busy = |ring: &Ring| !ring.leaving.is_empty() || ring.sent.is_some();
                let busy = self.rings.iter_mut().filter(|ring| is_busy(ring));
                busy.for_each(|ring| {
                    let ring = Rc::make_mut(ring);
                    ring.leaving.clear();
                    ring.sent = None;
                });
                self.telling.clear();
                self.unacknowledged &= *event == Event::WritesFlushed;
                Ok(())
            }
            Event::Fpu { pages, .. } => pages
                .iter()
                .try_for_each(|(id, pages)| self.front(*id, *pages, buffers)),
            Event::Pack(_, id, page) => self.pack(*id, *page, buffers, packer, depth),
            Event::Remark
            | Event::Startup(..)
            | Event::Unpack(..)
            | Event::PackFormat(_)
            | Event::Accumulate(_)
            | Event::Relu(_)
            | Event::FpuInit(_)
            | Event::FpuUninit(_)
            | Event::SfpuInit(..)
            | Event::Sfpu { .. }
            | Event::Registers(_) => Ok(()),
        }
    }

    /// Every read has arrived.
    fn arrived(&mut self) {
        let busy = self.rings.iter_mut().filter(|ring| !ring.arriving.is_empty());
        busy.for_each(|ring| Rc::make_mut(ring).arriving.clear());
    }

    fn protocol(&mut self, step: CbStep, id: BufferId, pages: i64, buffers: &[Buffer], depth: usize) -> Proof {
        let buffer = &buffers[id.0];
        let version = i64::from(buffer.version_tiles());
        let (producer, consumer) = match buffer.kind {
            BufferKind::Incoming | BufferKind::Constant(_) => (Role::Reader, Role::Compute),
            BufferKind::Local => (Role::Compute, Role::Compute),
            BufferKind::Outgoing => (Role::Compute, Role::Writer),
            BufferKind::Shifted => (Role::Writer, Role::Compute),
            BufferKind::Token(Role::Reader) => (Role::Writer, Role::Reader),
            BufferKind::Token(Role::Writer) => (Role::Reader, Role::Writer),
            BufferKind::Scratch(_) | BufferKind::Token(Role::Compute) => {
                return fault(format!("{} has no protocol", buffer.name));
            }
        };
        let owner = if matches!(step, CbStep::Reserve | CbStep::Push) {
            producer
        } else {
            consumer
        };
        if owner != self.role {
            return fault(format!(
                "this end of {} belongs to the {} kernel",
                buffer.name,
                owner.name()
            ));
        }
        // Another buffer of the same circular buffer may begin anywhere in it.
        let leaves = |(other, ring): (&Buffer, &Rc<Ring>)| ring.sent.is_some() && other.index == buffer.index;
        let others = buffers.iter().zip(&self.rings).enumerate();
        let leaves = others.filter(|(at, _)| *at != id.0).any(|(_, other)| leaves(other));
        if step == CbStep::Reserve && leaves {
            return fault(format!(
                "room is made for {} where a version may not have left",
                buffer.name
            ));
        }
        let is_token = matches!(buffer.kind, BufferKind::Token(_));
        let is_under_way = self.unacknowledged || self.rings.iter().any(|ring| !ring.arriving.is_empty());
        if is_token && step == CbStep::Push && is_under_way {
            return fault(format!("{} is passed on while transfers are under way", buffer.name));
        }
        let ring = Rc::make_mut(&mut self.rings[id.0]);
        let within = |done: i64| pages >= 1 && done + pages <= version;
        match step {
            CbStep::Reserve if !within(ring.pushed) => fault(format!("{pages} pages straddle a version of {version}")),
            CbStep::Reserve => {
                if ring.reserved == 0 {
                    ring.written.clear();
                    ring.reserved_at = depth;
                    ring.sent = ring.sent.map(|since| since.saturating_add(1));
                }
                if ring.sent.is_some_and(|since| since >= buffer.versions) {
                    return fault(format!(
                        "room is made for a version of {} over one that may not have left",
                        buffer.name
                    ));
                }
                ring.reserved = ring.reserved.max(pages);
                Ok(())
            }
            CbStep::Push if pages < 1 || pages > ring.reserved => {
                fault(format!("{pages} pages are pushed and {} reserved", ring.reserved))
            }
            CbStep::Push => {
                // Before the blocks stands a version of what is kept over runs of them, which none of them finds (`runs`).
                let is_unused = depth == 0 && !buffer.kept_while().is_empty();
                let is_made = is_token || is_unused;
                let missing = ring.written.first_missing(pages).filter(|_| !is_made);
                // Compute may keep to the protocol where it has nothing to hand to itself.
                ring.hollow |= missing.is_some();
                if let (Some(page), false) = (missing, buffer.kind == BufferKind::Local) {
                    return fault(format!("page {page} is pushed, but not written on every path"));
                }
                if let Some(page) = ring.arriving.first().filter(|page| *page < pages) {
                    return fault(format!("page {page} is pushed while a transfer is on its way to it"));
                }
                if ring.expected {
                    return fault("a version is pushed that some core has not received");
                }
                ring.written = ring.written.behind(pages);
                ring.arriving = ring.arriving.behind(pages);
                ring.reserved -= pages;
                if ring.reserved == 0 {
                    ring.reserved_at = 0;
                }
                ring.pushed = (ring.pushed + pages) % version;
                Ok(())
            }
            CbStep::Wait if !within(ring.popped) => fault(format!("{pages} pages straddle a version of {version}")),
            CbStep::Wait => {
                ring.waited = ring.waited.max(pages);
                Ok(())
            }
            CbStep::Pop if pages < 1 || pages > ring.waited => {
                fault(format!("{pages} pages are popped and {} waited for", ring.waited))
            }
            CbStep::Pop => {
                if let Some(page) = ring.leaving.first().filter(|page| *page < pages) {
                    return fault(format!("page {page} is popped before it was sent"));
                }
                ring.leaving = ring.leaving.behind(pages);
                ring.waited -= pages;
                ring.hollow = false;
                ring.popped = (ring.popped + pages) % version;
                Ok(())
            }
        }
    }

    /// The ring and the pages that an address at the back of a buffer means.
    fn back(&mut self, address: Value, buffers: &[Buffer]) -> Proof<(&mut Ring, Range)> {
        let (id, end, pages) = event::pages(address, buffers)?;
        let filling = match buffers[id.0].kind {
            BufferKind::Incoming | BufferKind::Constant(_) => Some(Role::Reader),
            BufferKind::Shifted => Some(Role::Writer),
            BufferKind::Local | BufferKind::Outgoing | BufferKind::Scratch(_) | BufferKind::Token(_) => None,
        };
        if end != End::Back || filling != Some(self.role) {
            return fault("pages are filled that are not at the back");
        }
        let ring = Rc::make_mut(&mut self.rings[id.0]);
        if pages.low < 0 || pages.high >= ring.reserved {
            return fault(format!(
                "pages {pages:?} of {} where {} are reserved",
                buffers[id.0].name, ring.reserved
            ));
        }
        Ok((ring, pages))
    }

    /// The ring whose back holds the version at `address`, reserved in whole.
    fn whole_back(&mut self, address: Value, buffers: &[Buffer]) -> Proof<&mut Ring> {
        let (id, ..) = event::pages(address, buffers)?;
        let version = i64::from(buffers[id.0].version_tiles());
        let (ring, page) = self.back(address, buffers)?;
        if page != Range::one(0) || ring.reserved != version {
            return fault("what cores share is not a whole version at the back");
        }
        Ok(ring)
    }

    /// The front holds the version at `address`.
    fn whole_front(&self, address: Value, buffers: &[Buffer]) -> Proof {
        let (id, end, pages) = event::pages(address, buffers)?;
        if end != End::Front || pages != Range::one(0) {
            return fault("what is looked at as a whole does not begin at the front");
        }
        let last = i64::from(buffers[id.0].version_tiles()) - 1;
        self.front(id, Range::new(0, last), buffers)
    }

    /// The pages at the front hold `pages`.
    fn front(&self, id: BufferId, pages: Range, buffers: &[Buffer]) -> Proof {
        let Ring { waited, hollow, .. } = *self.rings[id.0];
        if hollow {
            return fault(format!(
                "pages {pages:?} of {} are read, which nothing has written",
                buffers[id.0].name
            ));
        }
        if pages.low < 0 || pages.high >= waited {
            return fault(format!(
                "pages {pages:?} of {} where {waited} are waited for",
                buffers[id.0].name
            ));
        }
        Ok(())
    }

    fn pack(
        &mut self,
        id: BufferId,
        page: Range,
        buffers: &[Buffer],
        packer: Option<Accumulation>,
        depth: usize,
    ) -> Proof {
        let ring = Rc::make_mut(&mut self.rings[id.0]);
        let name = &buffers[id.0].name;
        let Some(page) = page.exact() else {
            return fault(format!("a pack to a place of {name} that varies"));
        };
        if page < 0 || page >= ring.reserved {
            return fault(format!(
                "a pack to page {page} of {name} where {} are reserved",
                ring.reserved
            ));
        }
        match packer {
            None => fault("it is not known whether the packer adds"),
            Some(Accumulation::On) if !ring.written.contains(page) => fault(format!(
                "the packer adds to page {page} of {name}, which nothing has written"
            )),
            Some(Accumulation::AfterFirst) if ring.reserved_at >= depth => fault(format!(
                "the packer adds after a first iteration, but {name} is reserved anew in each"
            )),
            Some(_) => {
                ring.written.insert(page);
                Ok(())
            }
        }
    }
}
