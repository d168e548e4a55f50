//! Where the programs that need a fetched integer have it from, and what else they need a page of their own for.
//!
//! Reader and writer each fetch what they need to a page of their own. Compute cannot reach a tensor: it takes the integer from
//! the page that the reader fetched it to, which is then one of an incoming buffer. What a program needs depends on the
//! statements that it takes part in, and on what it fetches for them; what nobody needs goes.
//!
//! ```text
//!  n = fetch lens (b)                                      n = fetch lens (b) into integers, writer_scratch
//!  for k < n { read a; section y ← a; write y }     ⟹     for k < n { read a; section y ← a; write y }
//! ```

use crate::flow::{
    Arg, Around, Buffer, BufferId, BufferKind, Buffers, FetchedInto, Flow, PackMode, Read, SectionOp, Sections,
    TileRegion, Transfer, Write,
};
use crate::ir::{Event, Frame, Keep, Kind, operations, retained, walk};
use std::collections::BTreeMap;
use tt_lang::ir::{BoolExpr, IntExpr, Span, VarId};
use tt_plan::{DataFormat, Role};

/// Which of the three programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Roles {
    reader: bool,
    compute: bool,
    writer: bool,
}

impl Roles {
    const NONE: Roles = Roles {
        reader: false,
        compute: false,
        writer: false,
    };
    const READER: Roles = Roles {
        reader: true,
        ..Roles::NONE
    };
    const COMPUTE: Roles = Roles {
        compute: true,
        ..Roles::NONE
    };
    const WRITER: Roles = Roles {
        writer: true,
        ..Roles::NONE
    };

    fn of(role: Role) -> Roles {
        match role {
            Role::Reader => Roles::READER,
            Role::Compute => Roles::COMPUTE,
            Role::Writer => Roles::WRITER,
        }
    }

    fn or(self, other: Roles) -> Roles {
        Roles {
            reader: self.reader || other.reader,
            compute: self.compute || other.compute,
            writer: self.writer || other.writer,
        }
    }

    /// Those that fetch an integer which these need.
    fn fetching(self) -> Roles {
        Roles {
            reader: self.reader || self.compute,
            compute: false,
            writer: self.writer,
        }
    }
}

/// Runs the step.
pub fn run(flow: &mut Flow<Sections>) {
    let mut needs = Needs {
        buffers: &flow.buffers,
        of: BTreeMap::new(),
        taking: Vec::new(),
    };
    loop {
        let before = needs.of.clone();
        walk(&flow.body, &mut |_, event| needs.event(event));
        if needs.of == before {
            break;
        }
    }
    let needs = needs.of;
    let mut pages = Pages::default();
    let Flow { buffers, body, .. } = flow;
    *body = retained(std::mem::take(body), &mut |stmt| {
        let span = stmt.note;
        let Kind::Op(SectionOp::Fetch(fetch)) = &mut stmt.kind else {
            return Keep::Itself;
        };
        let roles = needs.get(&fetch.var).copied().unwrap_or_default();
        fetch.into = FetchedInto {
            reader: match roles {
                Roles { compute: true, .. } => Some(pages.get(buffers, BufferKind::Incoming, span)),
                Roles { reader: true, .. } => Some(pages.get(buffers, BufferKind::Scratch(Role::Reader), span)),
                Roles { .. } => None,
            },
            writer: roles
                .writer
                .then(|| pages.get(buffers, BufferKind::Scratch(Role::Writer), span)),
        };
        match fetch.into == FetchedInto::default() {
            true => Keep::Nothing,
            false => Keep::Itself,
        }
    });
    let mut moved = [None; 2];
    operations(body, &mut |op| match op {
        SectionOp::Read(Read { buffer, region, .. }) => {
            let of = &buffers[buffer.0];
            if matches!(&region.transfer, Transfer::Rows(rows) if rows.by_way_of_scratch(of.format)) {
                moved[0].get_or_insert(of.span);
            }
        }
        SectionOp::Write(write) if write.is_of_elements() => {
            moved[1].get_or_insert(buffers[write.buffer.0].span);
        }
        SectionOp::Write(_)
        | SectionOp::Shift(_)
        | SectionOp::Inspect(_)
        | SectionOp::Fetch(_)
        | SectionOp::Blank(_)
        | SectionOp::Release(_)
        | SectionOp::Tile { .. }
        | SectionOp::Matmul(_) => {}
    });
    for (role, span) in [Role::Reader, Role::Writer].into_iter().zip(moved) {
        if let Some(span) = span {
            pages.get(buffers, BufferKind::Scratch(role), span);
        }
    }
}

/// The buffers that integers are fetched to, one of each kind.
#[derive(Default)]
struct Pages(Vec<(BufferKind, BufferId)>);

impl Pages {
    fn get(&mut self, buffers: &mut Buffers, kind: BufferKind, span: Span) -> BufferId {
        if let Some((_, known)) = self.0.iter().find(|(known, _)| *known == kind) {
            return *known;
        }
        let name = match kind {
            BufferKind::Scratch(role) => format!("{}_scratch", role.name()),
            BufferKind::Incoming
            | BufferKind::Local
            | BufferKind::Outgoing
            | BufferKind::Shifted
            | BufferKind::Constant(_)
            | BufferKind::Token(_) => "integers".to_string(),
        };
        let id = buffers.add(&name, span, kind, DataFormat::Int32, [1, 1]);
        self.0.push((kind, id));
        id
    }
}

/// The programs that need each fetched integer, as far as is known.
struct Needs<'a> {
    buffers: &'a [Buffer],
    of: BTreeMap<VarId, Roles>,
    /// Those that take part in what was entered and not left, innermost last.
    taking: Vec<Roles>,
}

impl Needs<'_> {
    /// Programs that `integer` is needed by.
    fn need(&mut self, integer: &IntExpr, roles: Roles) {
        integer.walk(&mut |part| {
            if let IntExpr::Fetched(var) = part {
                let known = self.of.entry(*var).or_default();
                *known = known.or(roles);
            }
        });
    }

    fn region(&mut self, region: &TileRegion, roles: Roles) {
        let matrix = region.matrix.iter().map(|index| &index.at);
        for index in matrix.chain(region.transfer.integers()) {
            self.need(index, roles);
        }
    }

    fn condition(&mut self, cond: &BoolExpr, roles: Roles) {
        cond.integers(&mut |integer| self.need(integer, roles));
    }

    /// Who uses a version of `buffer`.
    fn consumer(&self, buffer: BufferId) -> Roles {
        Roles::of(self.buffers[buffer.0].kind.consumer())
    }

    /// Who makes a version of `buffer`.
    fn producer(&self, buffer: BufferId) -> Roles {
        Roles::of(self.buffers[buffer.0].kind.producer())
    }

    fn event(&mut self, event: Event<Sections>) {
        let roles = match event {
            Event::Op(op) => self.op(op),
            Event::Enter(frame) => {
                let roles = match frame {
                    Frame::Group(around, _) => self.group(around),
                    Frame::Loop(_) | Frame::If(_) => Roles::NONE,
                };
                return self.taking.push(roles);
            }
            Event::Otherwise => return,
            Event::Leave(frame) => {
                let roles = self.taking.pop().unwrap_or_default();
                match frame {
                    Frame::Group(..) => {}
                    Frame::Loop(head) => [&head.start, &head.end]
                        .into_iter()
                        .for_each(|bound| self.need(bound, roles)),
                    Frame::If(cond) => self.condition(cond, roles),
                }
                roles
            }
        };
        if let Some(around) = self.taking.last_mut() {
            *around = around.or(roles);
        }
    }

    /// The programs that take part in an operation.
    fn op(&mut self, op: &SectionOp) -> Roles {
        match op {
            SectionOp::Read(Read {
                buffer, region, after, ..
            }) => {
                self.region(region, Roles::READER);
                let signals = if after.is_some() { Roles::WRITER } else { Roles::NONE };
                Roles::READER.or(self.consumer(*buffer)).or(signals)
            }
            SectionOp::Write(Write { region, after, .. }) => {
                self.region(region, Roles::WRITER);
                let signals = if after.is_some() { Roles::READER } else { Roles::NONE };
                Roles::WRITER.or(signals)
            }
            SectionOp::Shift(shift) => {
                for integer in shift.window.integers() {
                    self.need(integer, Roles::WRITER);
                }
                Roles::WRITER.or(self.consumer(shift.buffer))
            }
            SectionOp::Inspect(inspection) => {
                inspection.integers(&mut |integer| self.need(integer, Roles::WRITER));
                Roles::WRITER
            }
            SectionOp::Fetch(fetch) => {
                let roles = self.of.get(&fetch.var).copied().unwrap_or_default();
                for index in &fetch.indices {
                    self.need(&index.at, roles.fetching());
                }
                roles.or(roles.fetching())
            }
            SectionOp::Blank(buffer) => self.producer(*buffer).or(self.consumer(*buffer)),
            SectionOp::Release(buffer) => self.consumer(*buffer),
            SectionOp::Matmul(_) => Roles::COMPUTE,
            SectionOp::Tile { args, .. } => {
                for arg in args {
                    match arg {
                        Arg::Integer(integer) => self.need(&integer.first, Roles::COMPUTE),
                        Arg::Tile(_) | Arg::Constant(_) | Arg::Register(_) | Arg::Number(_) => {}
                    }
                }
                Roles::COMPUTE
            }
        }
    }

    /// Those that take part in a group whatever stands in it.
    fn group(&mut self, around: &Around) -> Roles {
        match around {
            Around::Section(section) => {
                if let PackMode::AddAfterFirst(loops) = &section.pack.mode {
                    loops.iter().for_each(|(_, start)| self.need(start, Roles::COMPUTE));
                }
            }
            Around::Unless(negative) => self.need(&negative.rest, Roles::COMPUTE),
            Around::Accumulate(_) | Around::Along { .. } => {}
        }
        let taken = around.defines().map(|buffer| self.consumer(buffer));
        Roles::COMPUTE.or(taken.unwrap_or_default())
    }
}
