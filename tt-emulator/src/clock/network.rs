//! The two NoCs, their links and ports, and the DRAM banks behind them: what one transfer holds, the next waits for.
//!
//! NoC 0 goes along x and then along y, upwards; NoC 1 along y and then along x, downwards; both around the torus. So a transfer
//! there and its answer together go once around each axis on which the two ends differ, whichever way they lie.

use super::costs;
use crate::arch::Arch;
use crate::engine::memory::machine::{Node, Rectangle};
use std::collections::VecDeque;
use tt_device::costs::Costs;

/// What a router's buffer of a channel takes in of a packet that waits: flits for a hop and for the credit that comes back. Buffers are of a
/// size with which channels go on at full speed (tt-metal, data_movement/documentation/virtual_channels.md).
const BUFFERED_HOPS: u64 = 2;

/// When something is free again.
type Free = u64;

/// A transfer's course: when the sender is done with it, and when it has arrived and that is known to who sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Course {
    pub left: u64,
    pub arrived: u64,
    pub known: u64,
}

/// A place on the torus.
type Place = (u8, u8);

/// A link, a port or a DRAM bank. It serves what comes first: what arrives before something that was sent earlier, and is still on its
/// way, does not wait for it.
#[derive(Clone, Default)]
struct Server {
    /// When it is busy, in order, and whether it writes then.
    spans: VecDeque<Span>,
    busy: u64,
}

/// What a DRAM bank takes from the NoCs.
#[derive(Clone, Default)]
struct Requests {
    /// When it takes the next read from each NoC.
    reads: [Free; 2],
    /// When it takes the next write.
    write: Free,
}

/// Some time of a server.
#[derive(Clone, Copy)]
struct Span {
    begin: u64,
    end: u64,
    writes: bool,
}

impl Server {
    /// Before which of its spans the first so many idle cycles from `ready` on lie, when they begin, and the cycles that it takes to turn
    /// around before them and after them.
    fn idle(&self, ready: u64, length: u64, writes: bool, turn: u64) -> (usize, u64, u64) {
        let around = |other: &Span| if other.writes == writes { 0 } else { turn };
        // Of what is over by then the last counts, for its direction.
        let over = self.spans.partition_point(|span| span.end <= ready);
        let (mut at, mut begin, mut turns) = (over.saturating_sub(1), ready, 0);
        while let Some(span) = self.spans.get(at) {
            if begin + length + around(span) <= span.begin {
                turns += around(span);
                break;
            }
            // What ended long ago left its direction.
            if begin < span.end + around(span) {
                begin = span.end + around(span);
            }
            turns = around(span);
            at += 1;
        }
        (at, begin, turns)
    }

    /// Takes the first so many cycles from `ready` on in which it is idle. Nothing arrives before `now` any more.
    fn book(&mut self, now: u64, ready: u64, length: u64, writes: bool, turn: u64) -> (u64, u64) {
        while self.spans.get(1).is_some_and(|next| next.end < now) {
            self.spans.pop_front();
        }
        let (at, begin, turns) = self.idle(ready, length, writes, turn);
        let end = begin + length;
        self.busy += length + turns;
        // What follows at once is one span.
        if let Some(before) = at.checked_sub(1).and_then(|at| self.spans.get_mut(at))
            && (before.end, before.writes) == (begin, writes)
        {
            before.end = end;
        } else {
            self.spans.insert(at, Span { begin, end, writes });
        }
        (begin, end)
    }
}

/// What a packet is: of one kind each has channels of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A write, on one virtual channel.
    Request,
    /// What was read, on one of two, as the routers choose.
    Response,
}

/// A link between routers, or a port of one. Flits of several packets go over it by turns, each packet on a virtual channel that is its own
/// until all of it has passed. A packet that has gone around the torus has other channels. (tt-isa-documentation, WormholeB0/NoC/README.md:
/// a channel's number has a bit for what has gone around, two for requests and responses, and one that routers choose unless the sender
/// did, which writes do.)
#[derive(Clone, Default)]
struct Line {
    flits: Server,
    channels: [Server; 6],
}

impl Line {
    /// The channel that a packet has at a stage, and when.
    fn channel(&self, kind: Kind, stage: &Stage) -> (usize, u64) {
        let after = 3 * usize::from(stage.has_wrapped);
        let channels = match kind {
            Kind::Request => after..after + 1,
            Kind::Response => after + 1..after + 3,
        };
        let length = stage.end - stage.begin;
        let idle = |at: usize| (at, self.channels[at].idle(stage.begin, length, false, 0).1);
        channels
            .map(idle)
            .min_by_key(|(_, begin)| *begin)
            .unwrap_or((0, stage.begin))
    }
}

/// A packet's passing of a line.
struct Stage {
    line: usize,
    /// Cycles of it without a stall, and from its head's entry to that into the next.
    length: u64,
    to_next: u64,
    has_wrapped: bool,
    channel: usize,
    begin: u64,
    end: u64,
}

impl Stage {
    fn new(line: usize, length: u64, to_next: u64, has_wrapped: bool) -> Stage {
        Stage {
            line,
            length,
            to_next,
            has_wrapped,
            channel: 0,
            begin: 0,
            end: 0,
        }
    }
}

/// The state of all that transfers share.
pub(crate) struct Network {
    costs: &'static Costs,
    arch: &'static Arch,
    /// By NoC and router: links along both axes, and the ports into the network and out of it.
    lines: Vec<Line>,
    banks: Vec<(Server, Requests)>,
    /// When a core may read from a bank again.
    same_bank: Vec<Free>,
}

fn cycles(bytes: u64, tenths: u64) -> u64 {
    (bytes * 10).div_ceil(tenths)
}

impl Network {
    pub fn new(arch: &'static Arch) -> Network {
        let costs = costs(arch);
        let routers = usize::from(costs.torus[0]) * usize::from(costs.torus[1]);
        Network {
            costs,
            arch,
            lines: vec![Line::default(); 2 * 4 * routers],
            banks: vec![Default::default(); costs.dram.len()],
            same_bank: vec![0; arch.cores() * costs.dram.len()],
        }
    }

    /// Cycles that each bank was busy.
    pub fn banks(&self) -> impl Iterator<Item = u64> + '_ {
        self.banks.iter().map(|(bank, _)| bank.busy)
    }

    /// Cycles that the busiest link of each NoC was busy.
    pub fn busiest_links(&self) -> [u64; 2] {
        let (first, second) = self.lines.split_at(self.lines.len() / 2);
        [first, second].map(|of| {
            let links = of.chunks(4).flat_map(|router| &router[..2]);
            links.map(|link| link.flits.busy).max().unwrap_or(0)
        })
    }

    fn place(&self, node: Node, noc: usize) -> Place {
        match node {
            Node::Core(core) => {
                let (x, y) = (
                    usize::from(core) % self.arch.grid.0,
                    usize::from(core) / self.arch.grid.0,
                );
                (self.costs.worker_columns[x], self.costs.worker_rows[y])
            }
            Node::Dram(bank) => self.costs.dram[usize::from(bank)][noc],
        }
    }

    fn router(&self, noc: usize, (x, y): Place) -> usize {
        let [columns, rows] = self.costs.torus.map(usize::from);
        (noc * rows + usize::from(y)) * columns + usize::from(x)
    }

    /// The link along an axis that leaves a router.
    fn link(&self, noc: usize, place: Place, axis: usize) -> usize {
        4 * self.router(noc, place) + axis
    }

    /// A router's port into the network, or out of it.
    fn port(&self, noc: usize, place: Place, out: usize) -> usize {
        4 * self.router(noc, place) + 2 + out
    }

    /// The routers of a way whose links it takes, with the axis of each.
    fn way(&self, noc: usize, from: Place, to: Place) -> Vec<(Place, usize)> {
        let mut at = [from.0, from.1];
        let to = [to.0, to.1];
        let mut way = Vec::with_capacity(24);
        for axis in if noc == 0 { [0, 1] } else { [1, 0] } {
            let size = self.costs.torus[axis];
            while at[axis] != to[axis] {
                way.push(((at[0], at[1]), axis));
                at[axis] = if noc == 0 {
                    (at[axis] + 1) % size
                } else {
                    (at[axis] + size - 1) % size
                };
            }
        }
        way
    }

    /// Sends data over a way from `ready` on, at so many tenths of a byte a cycle at its ends, `now`; when all of it has left the
    /// sender, and when it is there.
    fn send(&mut self, noc: usize, [from, to]: [Place; 2], bytes: u64, kind: Kind, now: u64, ready: u64) -> (u64, u64) {
        let tenths = match kind {
            Kind::Response => self.costs.read_tenths,
            Kind::Request => self.costs.write_tenths,
        };
        let at_ends = cycles(bytes, tenths) + 1;
        let on_links = bytes.div_ceil(self.costs.flit) + 1;
        let mut stages = vec![Stage::new(self.port(noc, from, 0), at_ends, 0, false)];
        let mut wrapped = [false; 2];
        for (place, axis) in self.way(noc, from, to) {
            let link = self.link(noc, place, axis);
            stages.push(Stage::new(link, on_links, self.costs.hop, wrapped[axis]));
            let last = if noc == 0 { self.costs.torus[axis] - 1 } else { 0 };
            wrapped[axis] |= [place.0, place.1][axis] == last;
        }
        stages.push(Stage::new(self.port(noc, to, 1), at_ends, 0, false));
        for stage in &mut stages {
            stage.begin = ready;
        }
        loop {
            let mut time = ready;
            for stage in &mut stages {
                let line = &self.lines[stage.line];
                stage.begin = line.flits.idle(time.max(stage.begin), stage.length, false, 0).1;
                stage.end = stage.begin + stage.length;
                time = stage.begin + stage.to_next;
            }
            // Where its head waits, the rest of it holds its channel of what is behind.
            for at in (0..stages.len() - 1).rev() {
                let [stage, next] = [&stages[at], &stages[at + 1]];
                let slower = next.length.saturating_sub(stage.length);
                stages[at].end = stage
                    .end
                    .max((next.end - stage.to_next).saturating_sub(slower + BUFFERED_HOPS * self.costs.hop));
            }
            let mut fits = true;
            for stage in &mut stages {
                let (channel, begin) = self.lines[stage.line].channel(kind, stage);
                stage.channel = channel;
                if begin != stage.begin {
                    stage.begin = begin;
                    fits = false;
                    break;
                }
            }
            if fits {
                break;
            }
        }
        for stage in &stages {
            let line = &mut self.lines[stage.line];
            line.flits.book(now, stage.begin, stage.length, false, 0);
            line.channels[stage.channel].book(now, stage.begin, stage.end - stage.begin, false, 0);
        }
        (stages[0].end, stages[stages.len() - 1].end)
    }

    /// What a small packet takes from one place to another, where nothing is in its way.
    fn signal(&self, noc: usize, from: Place, to: Place) -> u64 {
        self.way(noc, from, to).len() as u64 * self.costs.hop
    }

    /// A read that core `core` issues at `time`: when its data are there.
    pub fn read(&mut self, core: u16, from: Node, bytes: u32, noc: u8, time: u64) -> u64 {
        let (noc, bytes) = (usize::from(noc), u64::from(bytes));
        let costs = self.costs;
        let (own, source) = (self.place(Node::Core(core), noc), self.place(from, noc));
        let mut asked = time + costs.round_trip / 2 + self.signal(noc, own, source);
        let (ready, served) = match from {
            Node::Dram(bank) => {
                let pair = usize::from(core) * costs.dram.len() + usize::from(bank);
                asked = asked.max(self.same_bank[pair]);
                let (of, requests) = &mut self.banks[usize::from(bank)];
                let length = cycles(bytes, costs.bank_tenths);
                let (begin, end) = of.book(time, asked.max(requests.reads[noc]), length, false, costs.bank_turn);
                requests.reads[noc] = begin + costs.bank_request;
                self.same_bank[pair] = end + costs.same_bank;
                (begin + costs.dram_access, end + costs.dram_access)
            }
            Node::Core(_) => (asked, asked),
        };
        let (_, arrived) = self.send(noc, [source, own], bytes, Kind::Response, time, ready);
        arrived.max(served) + costs.round_trip / 2
    }

    /// A write that core `core` issues at `time`.
    pub fn write(&mut self, core: u16, to: Node, bytes: u32, noc: u8, time: u64) -> Course {
        let (noc, bytes) = (usize::from(noc), u64::from(bytes));
        let costs = self.costs;
        let (own, target) = (self.place(Node::Core(core), noc), self.place(to, noc));
        let ready = time + costs.round_trip / 2;
        let (left, arrived) = self.send(noc, [own, target], bytes, Kind::Request, time, ready);
        let arrived = match to {
            Node::Dram(bank) => {
                let length = cycles(bytes, costs.bank_tenths);
                let (of, requests) = &mut self.banks[usize::from(bank)];
                let (begin, end) = of.book(time, arrived.max(requests.write), length, true, costs.bank_turn);
                requests.write = begin + costs.bank_write;
                end
            }
            Node::Core(_) => arrived,
        };
        let known = arrived + costs.round_trip / 2 + self.signal(noc, target, own);
        Course { left, arrived, known }
    }

    /// A write of core `core` to a rectangle of so many receivers: it goes to the nearest corner, and on through all links of it.
    pub fn multicast(&mut self, core: u16, to: &[u16], bytes: u32, noc: u8, is_linked: bool, time: u64) -> Course {
        let (noc, bytes) = (usize::from(noc), u64::from(bytes));
        let costs = self.costs;
        let own = self.place(Node::Core(core), noc);
        let set_up = if is_linked {
            0
        } else {
            costs.multicast[0] / 2 + costs.multicast[1] * to.len() as u64 / 8
        };
        let length = cycles(bytes, costs.write_tenths) + 1;
        let ready = time + costs.round_trip / 2 + set_up;
        let mut course = Course {
            left: ready,
            arrived: ready,
            known: ready,
        };
        // Each link carries it once, whoever is behind it.
        let mut links: Vec<(Place, usize)> = Vec::new();
        let mut farthest = 0;
        for receiver in to {
            let way = self.way(noc, own, self.place(Node::Core(*receiver), noc));
            farthest = farthest.max(way.len() as u64);
            links.extend(way.into_iter().filter(|link| !links.contains(link)).collect::<Vec<_>>());
        }
        let mut lines: Vec<usize> = links
            .into_iter()
            .map(|(place, axis)| self.link(noc, place, axis))
            .collect();
        lines.push(self.port(noc, own, 0));
        // It sets out when all of them are idle.
        let mut begin = ready;
        loop {
            let idle = |line: &usize| self.lines[*line].flits.idle(begin, length, false, 0).1;
            let all = lines.iter().map(idle).max().unwrap_or(begin);
            if all == begin {
                break;
            }
            begin = all;
        }
        for line in lines {
            self.lines[line].flits.book(time, begin, length, false, 0);
        }
        course.left = begin + length;
        course.arrived = begin + length + farthest * costs.hop;
        course.known = course.arrived + costs.round_trip / 2 + farthest * costs.hop;
        course
    }

    /// A word that core `core` sends at `time`: when it is there.
    pub fn tell(&self, core: u16, to: u16, noc: u8, time: u64) -> u64 {
        let noc = usize::from(noc);
        let (own, target) = (self.place(Node::Core(core), noc), self.place(Node::Core(to), noc));
        time + self.costs.word + self.signal(noc, own, target)
    }

    /// The worker cores of a rectangle of virtual coordinates, without `excluded`.
    pub fn receivers(&self, rectangle: Rectangle, excluded: u16) -> Vec<u16> {
        let (columns, rows) = self.arch.grid;
        let all = (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y)));
        all.filter(|(x, y)| {
            let (vx, vy) = self.arch.virtual_core(*x, *y);
            (rectangle.low.0..=rectangle.high.0).contains(&vx) && (rectangle.low.1..=rectangle.high.1).contains(&vy)
        })
        .map(|(x, y)| (y * columns + x) as u16)
        .filter(|core| *core != excluded)
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bank_serves_what_arrives_first() {
        let mut bank = Server::default();
        let mut book = |now, ready, writes| bank.book(now, ready, 40, writes, 10);
        // Sent at 0, and a long time on their way.
        assert_eq!(book(0, 1000, true), (1000, 1040));
        assert_eq!(book(0, 1020, true), (1040, 1080));
        // Sent later, and there before them, with time to turn around.
        assert_eq!(book(5, 900, false), (900, 940));
        assert_eq!(book(6, 910, false), (940, 980));
        // Not enough time before them: after them.
        assert_eq!(book(7, 955, false), (1090, 1130));
        // A write in the middle of reads turns the bank twice.
        assert_eq!(book(8, 1300, false), (1300, 1340));
        assert_eq!(book(9, 1200, true), (1200, 1240));
        assert_eq!(bank.busy, 7 * 40 + 2 * 10 + 10 + 2 * 10);
        // What is over is forgotten, but for the last, of which the direction counts.
        assert_eq!(bank.book(2000, 2000, 40, false, 10), (2000, 2040));
        assert_eq!(bank.spans.len(), 2);
    }
}
