//! A run once more, in the order of time.
//!
//! A core has five processors: those that read and write, and the three of its compute kernel, which go through the same calls, each
//! through those that are its own. The one whose time is lowest goes on. Who has to wait for something is set aside until another
//! does it, and goes on then.

use super::costs;
use super::event::{Event, MatrixWork, RegisterStep};
use super::network::Network;
use super::report::{Modelled, Use};
use super::timeline::{self, Span, Timeline};
use crate::arch::{Arch, MAX_CIRCULAR_BUFFERS};
use crate::compute::pack::ReduceDim;
use crate::engine::memory::machine::Node;
use crate::report::RiscName;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use tt_device::costs::{Costs, vector};

/// What a kernel did.
pub(crate) struct Trace {
    /// Its core, by number in the grid.
    pub core: u16,
    /// What ran it.
    pub risc: RiscName,
    /// Its calls.
    pub events: Vec<Event>,
    /// Pages of each circular buffer of the core.
    pub pages: Vec<u32>,
    /// Sections of destination registers.
    pub sections: u32,
}

/// A processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Mover,
    Unpack,
    Math,
    Pack,
}

/// Operands that may be in the source registers: those that are computed with, and the next.
const SOURCES: u64 = 2;

/// Bytes of a tile of bf16.
const BF16_TILE: u64 = 2048;

/// What a processor of a core waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Awaited {
    Buffer(u8),
    Sources,
    Registers,
    Semaphore(u32),
}

struct Processor<'t> {
    core: usize,
    grid_core: u16,
    risc: RiscName,
    unit: Unit,
    events: &'t [Event],
    next: usize,
    time: u64,
    busy: u64,
    /// Of its time, what the vector unit takes.
    vector: u64,
    /// Since when it waits for what comes next.
    waits_since: Option<u64>,
    /// When the reads of each NoC have arrived, of each transaction.
    reads: HashMap<(u8, u8), u64>,
    /// When the last write over a NoC to a core is there.
    arrivals: HashMap<(u8, u16), u64>,
    /// When the writes of each NoC have left, and when they are known to have arrived.
    writes: [[u64; 2]; 2],
}

impl Processor<'_> {
    /// Its core, by number in the grid, and what it is called.
    fn name(&self) -> (u16, &'static str) {
        let name = match (self.unit, self.risc) {
            (Unit::Unpack, _) => "unpack",
            (Unit::Math, _) => "math",
            (Unit::Pack, _) => "pack",
            (Unit::Mover, RiscName::Ncrisc) => "NCRISC",
            (Unit::Mover, RiscName::Brisc | RiscName::Trisc) => "BRISC",
        };
        (self.grid_core, name)
    }
}

/// What the processors of a core share.
struct Shared {
    pages: Vec<u32>,
    pushed: Vec<u64>,
    popped: Vec<u64>,
    /// Operands unpacked, and used.
    loaded: u64,
    used: u64,
    free_sections: u32,
    committed: u32,
    /// When the vector unit is done with what it was asked for.
    vector_free: u64,
    /// When the signals to each word arrive.
    signals: HashMap<u32, Vec<u64>>,
    waiting: HashMap<Awaited, Vec<usize>>,
    end: u64,
}

/// How a processor got on.
enum Step {
    /// Its time has moved on.
    Done,
    /// It waits.
    Waits(Awaited),
}

struct Replay<'t> {
    costs: &'static Costs,
    network: Network,
    processors: Vec<Processor<'t>>,
    cores: Vec<Shared>,
    by_grid: HashMap<u16, usize>,
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    unknown: BTreeMap<String, u64>,
    timeline: Option<Timeline>,
}

/// What a run with these traces takes on the chip `arch`; with a timeline as a Chrome trace where that is asked for.
pub(crate) fn replay(arch: &'static Arch, traces: &[Trace], with_timeline: bool) -> (Modelled, Option<String>) {
    let costs = costs(arch);
    let mut replay = Replay {
        costs,
        network: Network::new(arch),
        processors: Vec::new(),
        cores: Vec::new(),
        by_grid: HashMap::new(),
        ready: BinaryHeap::new(),
        unknown: BTreeMap::new(),
        timeline: with_timeline.then(Timeline::default),
    };
    for trace in traces {
        let next = replay.cores.len();
        let core = *replay.by_grid.entry(trace.core).or_insert(next);
        if core == next {
            replay.cores.push(Shared {
                pages: trace.pages.clone(),
                pushed: vec![0; MAX_CIRCULAR_BUFFERS],
                popped: vec![0; MAX_CIRCULAR_BUFFERS],
                loaded: 0,
                used: 0,
                free_sections: 0,
                committed: 0,
                vector_free: 0,
                signals: HashMap::new(),
                waiting: HashMap::new(),
                end: 0,
            });
        }
        let units: &[Unit] = match trace.risc {
            RiscName::Ncrisc | RiscName::Brisc => &[Unit::Mover],
            RiscName::Trisc => {
                replay.cores[core].free_sections = trace.sections;
                &[Unit::Unpack, Unit::Math, Unit::Pack]
            }
        };
        for unit in units {
            replay.ready.push(Reverse((costs.start, replay.processors.len())));
            replay.processors.push(Processor {
                core,
                grid_core: trace.core,
                risc: trace.risc,
                unit: *unit,
                events: &trace.events,
                next: 0,
                time: costs.start,
                busy: 0,
                vector: 0,
                waits_since: None,
                reads: HashMap::new(),
                arrivals: HashMap::new(),
                writes: [[0; 2]; 2],
            });
        }
    }
    replay.run();
    let names: Vec<(u16, &'static str)> = replay.processors.iter().map(Processor::name).collect();
    let timeline = replay.timeline.take().map(|timeline| timeline.json(arch, &names));
    (replay.report(arch), timeline)
}

impl Replay<'_> {
    fn run(&mut self) {
        while let Some(Reverse((time, at))) = self.ready.pop() {
            self.processors[at].time = self.processors[at].time.max(time);
            // As long as nobody else is behind it.
            while let Some(event) = self.processors[at].events.get(self.processors[at].next).copied() {
                let from = self.processors[at]
                    .waits_since
                    .take()
                    .unwrap_or(self.processors[at].time);
                match self.step(at, event) {
                    Step::Done => {
                        self.processors[at].next += 1;
                        if let Some(timeline) = &mut self.timeline {
                            timeline.add(Span {
                                processor: at,
                                name: timeline::name(&event),
                                from,
                                until: self.processors[at].time,
                            });
                        }
                    }
                    Step::Waits(awaited) => {
                        let core = self.processors[at].core;
                        self.processors[at].waits_since = Some(from);
                        self.cores[core].waiting.entry(awaited).or_default().push(at);
                        break;
                    }
                }
                let now = self.processors[at].time;
                if self.ready.peek().is_some_and(|Reverse((next, _))| *next < now) {
                    self.ready.push(Reverse((now, at)));
                    break;
                }
            }
            let (core, time) = (self.processors[at].core, self.processors[at].time);
            let shared = &mut self.cores[core];
            shared.end = shared.end.max(time);
        }
    }

    /// Lets those go on that wait for `awaited`, at `time` or later.
    fn wake(&mut self, core: usize, awaited: Awaited, time: u64) {
        for at in self.cores[core].waiting.remove(&awaited).unwrap_or_default() {
            let from = self.processors[at].time.max(time);
            self.processors[at].time = from;
            self.ready.push(Reverse((from, at)));
        }
    }

    /// So many cycles of work.
    fn work(&mut self, at: usize, cycles: u64) {
        let processor = &mut self.processors[at];
        processor.time += cycles;
        processor.busy += cycles;
    }

    fn step(&mut self, at: usize, event: Event) -> Step {
        let Processor { core, unit, time, .. } = self.processors[at];
        let costs = self.costs;
        // Of a compute kernel's calls, those of the other processors take no time of this one.
        let is_own = match event {
            Event::Wait { .. } | Event::Pop { .. } => matches!(unit, Unit::Mover | Unit::Unpack),
            Event::Reserve { .. } | Event::Push { .. } => matches!(unit, Unit::Mover | Unit::Pack),
            Event::Matrix { .. } => matches!(unit, Unit::Unpack | Unit::Math),
            Event::Vector { for_packer: false, .. } => unit == Unit::Math,
            Event::Vector { for_packer: true, .. } | Event::Pack { .. } | Event::PackRows { .. } => unit == Unit::Pack,
            Event::Registers(RegisterStep::Acquire | RegisterStep::Commit) => unit == Unit::Math,
            Event::Registers(RegisterStep::Wait | RegisterStep::Release) => unit == Unit::Pack,
            Event::Configure { unpack, math, pack } => match unit {
                Unit::Unpack => unpack,
                Unit::Math => math,
                Unit::Pack => pack,
                Unit::Mover => false,
            },
            Event::Read { .. }
            | Event::Write { .. }
            | Event::Multicast { .. }
            | Event::Signal { .. }
            | Event::SignalMulticast { .. }
            | Event::ReadBarrier { .. }
            | Event::WriteBarrier { .. }
            | Event::Semaphore { .. } => unit == Unit::Mover,
        };
        if !is_own {
            return Step::Done;
        }
        let shared = &mut self.cores[core];
        match event {
            Event::Reserve { cb, pages } => {
                let buffer = usize::from(cb);
                let full =
                    shared.pushed[buffer] + u64::from(pages) > shared.popped[buffer] + u64::from(shared.pages[buffer]);
                if full {
                    return Step::Waits(Awaited::Buffer(cb));
                }
                self.work(at, costs.buffer);
            }
            Event::Wait { cb, pages } => {
                let buffer = usize::from(cb);
                if shared.popped[buffer] + u64::from(pages) > shared.pushed[buffer] {
                    return Step::Waits(Awaited::Buffer(cb));
                }
                self.work(at, costs.buffer);
            }
            Event::Push { cb, pages } => {
                shared.pushed[usize::from(cb)] += u64::from(pages);
                self.work(at, costs.buffer);
                self.wake(core, Awaited::Buffer(cb), time + costs.buffer + costs.notice);
            }
            Event::Pop { cb, pages } => {
                shared.popped[usize::from(cb)] += u64::from(pages);
                self.work(at, costs.buffer);
                self.wake(core, Awaited::Buffer(cb), time + costs.buffer + costs.notice);
            }
            Event::Read {
                from,
                bytes,
                noc,
                transaction,
                is_page,
            } => {
                let issue = costs.read[usize::from(is_page)];
                self.work(at, issue);
                let arrived = self
                    .network
                    .read(self.processors[at].grid_core, from, bytes, noc, time + issue);
                let reads = self.processors[at].reads.entry((noc, transaction)).or_default();
                *reads = arrived.max(*reads);
            }
            Event::Write {
                to,
                bytes,
                noc,
                is_page,
            } => {
                let issue = costs.write[usize::from(is_page)];
                self.work(at, issue);
                let course = self
                    .network
                    .write(self.processors[at].grid_core, to, bytes, noc, time + issue);
                self.sent(at, noc, [course.left, course.known]);
                if let Node::Core(to) = to {
                    self.processors[at].arrivals.insert((noc, to), course.arrived);
                }
            }
            Event::Multicast {
                to,
                bytes,
                noc,
                is_linked,
            } => {
                self.work(at, costs.write[0]);
                let core = self.processors[at].grid_core;
                let receivers = self.network.receivers(to, core);
                let course = self
                    .network
                    .multicast(core, &receivers, bytes, noc, is_linked, time + costs.write[0]);
                self.sent(at, noc, [course.left, course.known]);
                let arrivals = receivers.into_iter().map(|to| ((noc, to), course.arrived));
                self.processors[at].arrivals.extend(arrivals);
            }
            Event::Signal { to, offset, noc } => {
                self.work(at, costs.write[0]);
                self.tell(at, to, offset, noc, time + costs.write[0]);
            }
            Event::SignalMulticast { to, offset, noc } => {
                self.work(at, costs.write[0]);
                let own = self.processors[at].grid_core;
                for receiver in self.network.receivers(to, own) {
                    self.tell(at, receiver, offset, noc, time + costs.write[0]);
                }
            }
            Event::ReadBarrier { noc, transaction } => {
                let processor = &mut self.processors[at];
                let awaited = |(of, id): (u8, u8)| of == noc && transaction.is_none_or(|wanted| wanted == id);
                let reads = processor.reads.iter().filter(|(key, _)| awaited(**key));
                let until = reads.map(|(_, arrived)| *arrived).max().unwrap_or(0);
                processor.reads.retain(|key, _| !awaited(*key));
                processor.time = time.max(until);
            }
            Event::WriteBarrier { noc, until_left } => {
                let [left, known] = self.processors[at].writes[usize::from(noc)];
                self.processors[at].time = time.max(if until_left { left } else { known });
            }
            Event::Semaphore { offset, signals } => {
                let arrived = shared.signals.get(&offset).map_or(&[][..], Vec::as_slice);
                let until = match signals.checked_sub(1).map(|last| last as usize) {
                    None => time,
                    Some(last) => match arrived.get(last) {
                        None => return Step::Waits(Awaited::Semaphore(offset)),
                        Some(until) => time.max(*until),
                    },
                };
                self.processors[at].time = until + costs.notice;
            }
            Event::Registers(RegisterStep::Acquire) => {
                if shared.free_sections == 0 {
                    return Step::Waits(Awaited::Registers);
                }
                shared.free_sections -= 1;
                self.work(at, costs.registers);
            }
            Event::Registers(RegisterStep::Commit) => {
                shared.committed += 1;
                self.work(at, costs.registers);
                self.wake(core, Awaited::Registers, time + costs.registers);
            }
            Event::Registers(RegisterStep::Wait) => {
                if shared.committed == 0 {
                    return Step::Waits(Awaited::Registers);
                }
                shared.committed -= 1;
                self.work(at, costs.registers);
            }
            Event::Registers(RegisterStep::Release) => {
                shared.free_sections += 1;
                self.work(at, costs.registers);
                self.wake(core, Awaited::Registers, time + costs.registers);
            }
            Event::Matrix { work, bytes } => match unit {
                Unit::Unpack => {
                    if shared.loaded == shared.used + SOURCES {
                        return Step::Waits(Awaited::Sources);
                    }
                    shared.loaded += 1;
                    let cycles = self.unpacking(work, bytes);
                    self.work(at, cycles);
                    self.wake(core, Awaited::Sources, time + cycles);
                }
                Unit::Math | Unit::Pack | Unit::Mover => {
                    if shared.used == shared.loaded {
                        return Step::Waits(Awaited::Sources);
                    }
                    shared.used += 1;
                    let cycles = self.computing(work);
                    self.work(at, cycles);
                    self.wake(core, Awaited::Sources, time + cycles);
                }
            },
            Event::Vector { name, vectors, .. } => {
                let cycles = match vector::cycles_per_tile(name) {
                    Some(tile) => tile * u64::from(vectors) / vector::VECTORS + costs.vector_call,
                    None => {
                        *self.unknown.entry(name.to_owned()).or_default() += 1;
                        0
                    }
                };
                // There is one for both threads.
                self.processors[at].time = time.max(shared.vector_free);
                shared.vector_free = self.processors[at].time + cycles;
                self.work(at, cycles);
                self.processors[at].vector += cycles;
            }
            Event::Pack {
                bytes,
                tiles,
                accumulates,
            } => {
                let bytes = u64::from(bytes) * if accumulates { costs.accumulate } else { 1 };
                self.work(at, bytes.div_ceil(costs.pack) + u64::from(tiles) * costs.pack_call);
            }
            Event::PackRows { bytes, tiles } => {
                let [tile, block] = costs.pack_rows;
                let of_tile = u64::from(bytes) / u64::from(tiles.max(1));
                self.work(at, u64::from(tiles) * (tile * of_tile).div_ceil(BF16_TILE) + block);
            }
            Event::Configure { .. } => self.work(at, costs.configure),
        }
        Step::Done
    }

    fn sent(&mut self, at: usize, noc: u8, when: [u64; 2]) {
        let writes = &mut self.processors[at].writes[usize::from(noc)];
        for (latest, when) in writes.iter_mut().zip(when) {
            *latest = when.max(*latest);
        }
    }

    /// Sends a word to a core. It follows the data that went there before it, over whatever held them up.
    fn tell(&mut self, at: usize, to: u16, offset: u32, noc: u8, time: u64) {
        let from = &self.processors[at];
        let left = from.writes[usize::from(noc)][0].max(time);
        let data = from.arrivals.get(&(noc, to)).copied().unwrap_or(0);
        let arrives = self.network.tell(from.grid_core, to, noc, left).max(data);
        self.signal(to, offset, arrives);
    }

    fn signal(&mut self, to: u16, offset: u32, arrives: u64) {
        let Some(core) = self.by_grid.get(&to).copied() else {
            return;
        };
        let signals = self.cores[core].signals.entry(offset).or_default();
        let place = signals.partition_point(|time| *time <= arrives);
        signals.insert(place, arrives);
        self.wake(core, Awaited::Semaphore(offset), arrives);
    }

    fn unpacking(&self, work: MatrixWork, [a, b]: [u32; 2]) -> u64 {
        let [both, each] = self.costs.unpack;
        let (a, b) = (u64::from(a), u64::from(b));
        let tiles = match work {
            MatrixWork::Matmul { tiles, .. }
            | MatrixWork::Add { tiles }
            | MatrixWork::Multiply { tiles, .. }
            | MatrixWork::Reduce { tiles, .. }
            | MatrixWork::Copy { tiles }
            | MatrixWork::Tilize { tiles } => u64::from(tiles),
        };
        let by_bytes = (a + b).div_ceil(both).max(a.max(b).div_ceil(each)) + tiles * self.costs.unpack_tile;
        match work {
            MatrixWork::Tilize { .. } => by_bytes.max(tiles * self.costs.tilize),
            _ => by_bytes,
        }
    }

    fn computing(&self, work: MatrixWork) -> u64 {
        let costs = self.costs;
        let of = |tiles: u16, phase: u64, phases: u8| u64::from(tiles) * phase * u64::from(phases) + costs.matrix_call;
        match work {
            MatrixWork::Matmul { tiles, phases } => of(tiles, costs.matmul, phases),
            MatrixWork::Add { tiles } => of(tiles, costs.eltwise, 1),
            MatrixWork::Multiply { tiles, phases } => of(tiles, costs.eltwise, phases),
            MatrixWork::Reduce { dim, tiles, phases } => {
                let [row, column, all] = costs.reduce;
                let phase = match dim {
                    ReduceDim::Row => row,
                    ReduceDim::Col => column,
                    ReduceDim::Scalar => all,
                };
                of(tiles, phase, phases)
            }
            MatrixWork::Copy { tiles } | MatrixWork::Tilize { tiles } => of(tiles, costs.eltwise, 1),
        }
    }

    fn report(self, arch: &Arch) -> Modelled {
        let cycles = self.cores.iter().map(|core| core.end).max().unwrap_or(0);
        let of_time = |busy: u64| if cycles == 0 { 0.0 } else { busy as f64 / cycles as f64 };
        let mut used = Use::default();
        for processor in &self.processors {
            let busy = of_time(processor.busy);
            let most = match processor.unit {
                Unit::Mover if processor.risc == RiscName::Ncrisc => &mut used.reader,
                Unit::Mover => &mut used.writer,
                Unit::Unpack => &mut used.unpack,
                Unit::Math => {
                    used.vector = used.vector.max(of_time(processor.vector));
                    used.matrix = used.matrix.max(of_time(processor.busy - processor.vector));
                    continue;
                }
                Unit::Pack => {
                    used.vector = used.vector.max(of_time(processor.vector));
                    &mut used.pack
                }
            };
            *most = most.max(busy);
        }
        let banks: Vec<u64> = self.network.banks().collect();
        used.dram = of_time(banks.iter().sum::<u64>()) / banks.len().max(1) as f64;
        used.links = self.network.busiest_links().map(of_time);
        let ends: u64 = self.cores.iter().map(|core| core.end).sum();
        Modelled {
            cycles,
            nanoseconds: cycles * 1000 / u64::from(arch.clock_mhz),
            used,
            mean_core: ends / self.cores.len().max(1) as u64,
            unknown: self.unknown,
        }
    }
}
