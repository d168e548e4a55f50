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
    Accumulate, Arg, Buffer, BufferId, BufferKind, Fetch, FetchedInto, Flow, FlowLoop, PackMode, Read, Section,
    SectionOp, SectionStmt, Sections, Step, TileRegion, Transfer, Write, operations,
};
use crate::ir::Kind;
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
    };
    loop {
        let before = needs.of.clone();
        needs.body(&flow.body);
        if needs.of == before {
            break;
        }
    }
    let needs = needs.of;
    let mut pages = Pages::default();
    let Flow { buffers, body, .. } = flow;
    place(body, &mut |fetch, span| {
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
        | SectionOp::Section(_)
        | SectionOp::Multiply(_) => {}
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
    fn get(&mut self, buffers: &mut Vec<Buffer>, kind: BufferKind, span: Span) -> BufferId {
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
        let id = Buffer::add(buffers, &name, span, kind, DataFormat::Int32, [1, 1]);
        self.0.push((kind, id));
        id
    }
}

/// Gives every fetch its place, and leaves out those that have none, and loops and branches around nothing else.
fn place(body: &mut Vec<SectionStmt>, each: &mut impl FnMut(&mut Fetch, Span)) {
    body.retain_mut(|stmt| match &mut stmt.kind {
        Kind::Op(SectionOp::Fetch(fetch)) => {
            each(fetch, stmt.note);
            fetch.into != FetchedInto::default()
        }
        Kind::Op(SectionOp::Section(section)) => {
            section.controls_mut().for_each(|body| place(body, each));
            true
        }
        Kind::Op(
            SectionOp::Read(_)
            | SectionOp::Write(_)
            | SectionOp::Inspect(_)
            | SectionOp::Shift(_)
            | SectionOp::Blank(_)
            | SectionOp::Release(_)
            | SectionOp::Multiply(_),
        ) => true,
        Kind::Group(_, body) => {
            place(body, each);
            true
        }
        Kind::Loop(_, body) => {
            place(body, each);
            !body.is_empty()
        }
        Kind::If(_, then, otherwise) => {
            place(then, each);
            place(otherwise, each);
            !then.is_empty() || !otherwise.is_empty()
        }
    });
}

/// The programs that need each fetched integer, as far as is known.
struct Needs<'a> {
    buffers: &'a [Buffer],
    of: BTreeMap<VarId, Roles>,
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

    /// The programs that take part in `body`.
    fn body(&mut self, body: &[SectionStmt]) -> Roles {
        body.iter()
            .fold(Roles::NONE, |roles, stmt| roles.or(self.statement(stmt)))
    }

    fn statement(&mut self, stmt: &SectionStmt) -> Roles {
        match &stmt.kind {
            Kind::Op(SectionOp::Read(Read {
                buffer, region, after, ..
            })) => {
                self.region(region, Roles::READER);
                let signals = if after.is_some() { Roles::WRITER } else { Roles::NONE };
                Roles::READER.or(self.consumer(*buffer)).or(signals)
            }
            Kind::Op(SectionOp::Write(Write { region, after, .. })) => {
                self.region(region, Roles::WRITER);
                let signals = if after.is_some() { Roles::READER } else { Roles::NONE };
                Roles::WRITER.or(signals)
            }
            Kind::Op(SectionOp::Shift(shift)) => {
                for integer in shift.window.integers() {
                    self.need(integer, Roles::WRITER);
                }
                Roles::WRITER.or(self.consumer(shift.buffer))
            }
            Kind::Op(SectionOp::Inspect(inspection)) => {
                inspection.integers(&mut |integer| self.need(integer, Roles::WRITER));
                Roles::WRITER
            }
            Kind::Op(SectionOp::Fetch(fetch)) => {
                let roles = self.of.get(&fetch.var).copied().unwrap_or_default();
                for index in &fetch.indices {
                    self.need(&index.at, roles.fetching());
                }
                roles.or(roles.fetching())
            }
            Kind::Op(SectionOp::Blank(buffer)) => self.producer(*buffer).or(self.consumer(*buffer)),
            Kind::Op(SectionOp::Release(buffer)) => self.consumer(*buffer),
            Kind::Op(SectionOp::Multiply(_)) => Roles::COMPUTE,
            Kind::Op(SectionOp::Section(section)) => self.section(section),
            Kind::Group(Accumulate { buffer, .. }, body) => {
                Roles::COMPUTE.or(self.consumer(*buffer)).or(self.body(body))
            }
            Kind::Loop(FlowLoop { start, end, .. }, body) => {
                let roles = self.body(body);
                self.need(start, roles);
                self.need(end, roles);
                roles
            }
            Kind::If(cond, then, otherwise) => {
                let roles = self.body(then).or(self.body(otherwise));
                self.condition(cond, roles);
                roles
            }
        }
    }

    fn section(&mut self, section: &Section) -> Roles {
        let roles = match &section.pack.mode {
            PackMode::Publish => self.consumer(section.pack.buffer),
            PackMode::Overwrite | PackMode::Add => Roles::NONE,
            PackMode::AddAfterFirst(loops) => {
                for (_, start) in loops {
                    self.need(start, Roles::COMPUTE);
                }
                Roles::NONE
            }
        };
        Roles::COMPUTE.or(roles).or(self.steps(&section.steps))
    }

    fn steps(&mut self, steps: &[Step]) -> Roles {
        steps.iter().fold(Roles::COMPUTE, |roles, step| {
            roles.or(match step {
                Step::Tile { args, .. } => {
                    for arg in args {
                        match arg {
                            Arg::Integer(integer) => self.need(&integer.first, Roles::COMPUTE),
                            Arg::Tile(_) | Arg::Constant(_) | Arg::Register(_) | Arg::Number(_) => {}
                        }
                    }
                    Roles::COMPUTE
                }
                Step::Matmul(_) => Roles::COMPUTE,
                Step::Control(body) => self.body(body),
                Step::Along { steps, .. } => self.steps(steps),
                Step::Unless { negative, steps } => {
                    self.need(&negative.rest, Roles::COMPUTE);
                    self.steps(steps)
                }
            })
        })
    }
}
