//! What each step asks of the engines, and the calls that bring them there.

use super::state::{Component, State};
use super::{Engines, Thread};
use crate::device::function::*;
use crate::device::{Around, Call, Compute, ComputeOp, Expr, Leaf, Symbol, Template, call, call_with};
use crate::flow::{Arg, Broadcast, BufferId, Matmul, Pack, PackMode};
use crate::ir::{Kind, Stmt, operations, visit};
use crate::tile_ops::{FpuOp, PackerRow, SfpuOp, TileOp, spread};
use tt_plan::DataFormat;

/// The format in which an unpacker takes a buffer: its own, and whether it bypasses the unpacker's registers.
pub type Unpacked = (DataFormat, bool);

/// The state of a component. It is copied with every state of the engines, so nothing in it lies elsewhere.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// The format of an unpacker.
    Unpack(Unpacked),
    /// The init call that is in force, and the formats of its operands: buffers of one format are interchangeable.
    Math {
        /// The init function.
        init: &'static str,
        /// Its arguments other than buffers, where it has any.
        numbers: Option<[i64; 4]>,
        /// The formats of its buffers.
        formats: [Option<Unpacked>; 2],
    },
    /// The SFPU init in force, with its template arguments.
    Sfpu(&'static str, &'static str),
    /// The packer's format.
    Pack(DataFormat),
    /// Whether the packer adds.
    Accumulation(bool),
    /// Whether the packer makes what is negative zero.
    Relu(bool),
}

/// Something a step asks of a component.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// The component.
    pub component: Component,
    /// The state it must be in.
    pub value: Value,
    /// Whether that state can be relied on afterwards; not where it depends on loop variables.
    pub stable: bool,
    /// The function that brings the component there, and its template arguments.
    function: (&'static Function, &'static str),
    /// The buffers that it takes.
    buffers: [Option<BufferId>; 2],
    /// What it takes behind them.
    others: Vec<Expr<Symbol>>,
}

impl Need {
    /// Something that a function asks for without arguments.
    fn new(component: Component, value: Value, function: &'static Function) -> Need {
        Need {
            component,
            value,
            stable: true,
            function: (function, ""),
            buffers: [None; 2],
            others: Vec::new(),
        }
    }

    /// The call that brings the component there. Most needs are met.
    pub fn call(&self) -> Leaf<Symbol> {
        let (function, template) = self.function;
        let buffers = self.buffers.iter().flatten().map(|buffer| Expr::Buffer(*buffer));
        call_with(function, template, buffers.chain(self.others.iter().cloned()))
    }
}

/// Calls that set one unpacker each, side by side, become one that sets both.
pub fn merge(calls: Vec<Leaf<Symbol>>) -> Vec<Leaf<Symbol>> {
    if calls.len() < 2 {
        return calls;
    }
    let mut out: Vec<Leaf<Symbol>> = Vec::new();
    for leaf in calls {
        if let (Some(Leaf::Call(a)), Leaf::Call(b)) = (out.last(), &leaf)
            && a.function == &RECONFIG_DATA_FORMAT_SRCA
            && b.function == &RECONFIG_DATA_FORMAT_SRCB
        {
            let args: Vec<Expr<Symbol>> = a.args.iter().chain(&b.args).cloned().collect();
            out.pop();
            out.push(call(&RECONFIG_DATA_FORMAT, args));
        } else {
            out.push(leaf);
        }
    }
    out
}

fn unpacked(engines: &Engines, buffer: BufferId) -> Unpacked {
    let buffer = &engines.buffers[buffer.0];
    (buffer.format, buffer.unpack_to_dest)
}

/// Calls `each` with the formats of the unpackers that take part.
fn formats(engines: &Engines, a: Option<BufferId>, b: Option<BufferId>, each: &mut impl FnMut(Need)) {
    let of = |component, function, buffer: BufferId| Need {
        buffers: [Some(buffer), None],
        ..Need::new(component, Value::Unpack(unpacked(engines, buffer)), function)
    };
    if let Some(buffer) = a {
        each(of(Component::UnpackA, &RECONFIG_DATA_FORMAT_SRCA, buffer));
    }
    if let Some(buffer) = b {
        each(of(Component::UnpackB, &RECONFIG_DATA_FORMAT_SRCB, buffer));
    }
}

fn math(
    engines: &Engines,
    init: &'static Function,
    template: &'static str,
    buffers: [Option<BufferId>; 2],
    numbers: Option<[i64; 4]>,
) -> Need {
    let [a, b] = buffers;
    let value = Value::Math {
        init: init.name,
        numbers,
        formats: [
            a.map(|buffer| unpacked(engines, buffer)),
            b.map(|buffer| unpacked(engines, buffer)),
        ],
    };
    Need {
        function: (init, template),
        buffers,
        others: numbers.into_iter().flatten().map(Expr::Int).collect(),
        ..Need::new(Component::Math, value, init)
    }
}

/// The FPU takes the right operand through unpacker A and the left one through B.
fn matmul(engines: &Engines, matmul: &Matmul, chunk: [u32; 2], each: &mut impl FnMut(Need)) {
    let [rows, columns] = chunk.map(i64::from);
    let numbers = [i64::from(matmul.transpose), columns, rows, i64::from(matmul.k)];
    let buffers = [Some(matmul.a), Some(matmul.b)];
    formats(engines, Some(matmul.b), Some(matmul.a), each);
    each(math(engines, &MATMUL_BLOCK_INIT, "", buffers, Some(numbers)));
}

/// The template argument of the operations that take one operand from the registers.
pub const DEST_TO_SRCA: &str = "EltwiseBinaryReuseDestType::DEST_TO_SRCA";

/// The template argument of what is done in registers of 32 bits.
pub const IN_32_BITS: &str = "true";

/// Calls `each` with what an operation of a thread asks, within chunks of this size.
pub fn of(engines: &Engines, op: &ComputeOp<Leaf<Symbol>>, by: Thread, chunk: [u32; 2], each: &mut impl FnMut(Need)) {
    match op {
        ComputeOp::Plain(_) | ComputeOp::Commit => {}
        ComputeOp::Matmul(product) => matmul(engines, product, chunk, each),
        ComputeOp::Pack { register: _, to } => each(pack(engines, to)),
        ComputeOp::Tile { op, out: _, args } => match op {
            TileOp::Load => {
                let [(buffer, broadcast)] = sources(args);
                load(engines, buffer, broadcast, each);
            }
            TileOp::Fpu(op) => {
                let [(a, _), b] = sources(args);
                binary(engines, *op, a, b, each);
            }
            TileOp::MulReuse => {
                let [(b, _)] = sources(args);
                formats(engines, None, Some(b), each);
                each(math(engines, &MUL_REUSE_DEST_INIT, DEST_TO_SRCA, [Some(b), None], None));
            }
            TileOp::TransposeDest => each(math(engines, &TRANSPOSE_DEST_INIT, IN_32_BITS, [None; 2], None)),
            TileOp::Fill => each(sfpu(SfpuOp::FillBits, Thread::Math, engines)),
            TileOp::Sfpu(op) => each(sfpu(*op, by, engines)),
        },
    }
}

/// The buffers whose tiles an operation takes.
pub fn sources<const COUNT: usize>(args: &[Arg]) -> [(BufferId, Broadcast); COUNT] {
    let found: Vec<_> = args.iter().filter_map(Arg::source).collect();
    match found.try_into() {
        Ok(found) => found,
        Err(_) => unreachable!("C2 gives every operation the operands of its row"),
    }
}

/// The init and the call of a binary operation.
pub fn functions(op: FpuOp, broadcast: Broadcast) -> (&'static Function, &'static Function) {
    match op.functions(broadcast) {
        Some(functions) => functions,
        None => unreachable!("C2 loads a transposed operand by itself"),
    }
}

fn sfpu(op: SfpuOp, by: Thread, engines: &Engines) -> Need {
    let row = op.row();
    let init = match (by, PackerRow::of(op)) {
        (Thread::Packer, Some(of_packer)) => of_packer.init,
        (Thread::Packer, None) | (Thread::Math, _) => &row.init,
    };
    let template = if engines.approximate {
        row.approximate
    } else {
        row.exact
    };
    Need {
        function: (init, template),
        ..Need::new(Component::Sfpu, Value::Sfpu(init.name, template), init)
    }
}

/// What an operation leaves behind that has to go before another one begins.
pub fn after(op: &ComputeOp<Leaf<Symbol>>) -> Option<Leaf<Symbol>> {
    let ComputeOp::Tile {
        op: TileOp::Load, args, ..
    } = op
    else {
        return None;
    };
    let [Arg::Tile(operand)] = args.as_slice() else {
        return None;
    };
    let template = spread(operand.broadcast)?;
    Some(call_with(&UNARY_BCAST_UNINIT, template, [Expr::Buffer(operand.buffer)]))
}

fn load(engines: &Engines, buffer: BufferId, broadcast: Broadcast, each: &mut impl FnMut(Need)) {
    let copied = match broadcast {
        Broadcast::Transpose if !engines.buffers[buffer.0].unpack_to_dest => &TRANSPOSE_INIT,
        Broadcast::Transpose | Broadcast::None | Broadcast::Row | Broadcast::Column | Broadcast::Scalar => &COPY_INIT,
    };
    let (init, template) = spread(broadcast).map_or((copied, ""), |template| (&UNARY_BCAST_INIT, template));
    formats(engines, Some(buffer), None, each);
    each(math(engines, init, template, [Some(buffer), None], None));
}

fn binary(
    engines: &Engines,
    op: FpuOp,
    a: BufferId,
    (b, broadcast): (BufferId, Broadcast),
    each: &mut impl FnMut(Need),
) {
    let (init, _) = functions(op, broadcast);
    formats(engines, Some(a), Some(b), each);
    each(math(engines, init, "", [Some(a), Some(b)], None));
}

/// What a pack asks of the packer's format.
fn pack(engines: &Engines, pack: &Pack) -> Need {
    let format = engines.buffers[pack.buffer.0].format;
    Need {
        buffers: [Some(pack.buffer), None],
        ..Need::new(Component::Pack, Value::Pack(format), &PACK_RECONFIG_DATA_FORMAT)
    }
}

/// What the pack of a section asks of the packer besides its format: whether it adds; and whether it cuts at zero, if any does.
pub fn packing(relu: bool, section: &[Stmt<Compute<Leaf<Symbol>>>]) -> Vec<Need> {
    let Some(pack) = packed(section) else {
        return Vec::new();
    };
    let mut needs = vec![accumulation(pack)];
    if relu {
        let function = if pack.relu {
            &RELU_CONFIG_ZERO
        } else {
            &RELU_CONFIG_NONE
        };
        let config = Expr::Call(Box::new(Call {
            function,
            template: Template::default(),
            args: Vec::new(),
        }));
        needs.push(Need {
            others: vec![config],
            ..Need::new(Component::Relu, Value::Relu(pack.relu), &PACK_RELU_CONFIG)
        });
    }
    needs
}

fn accumulation(pack: &Pack) -> Need {
    let (adds, stable, says) = match pack.mode.after_first() {
        Some(after_first) => (true, false, Expr::Value(Symbol::Condition(after_first))),
        None => {
            let adds = pack.mode == PackMode::Add;
            (adds, true, Expr::Int(i64::from(adds)))
        }
    };
    Need {
        stable,
        others: vec![says],
        ..Need::new(
            Component::Accumulation,
            Value::Accumulation(adds),
            &PACK_RECONFIG_L1_ACC,
        )
    }
}

/// Where a section packs to.
fn packed(section: &[Stmt<Compute<Leaf<Symbol>>>]) -> Option<&Pack> {
    section.iter().find_map(|stmt| match &stmt.kind {
        Kind::Op(ComputeOp::Pack { to, .. }) => Some(to),
        Kind::Op(_) | Kind::Group(..) | Kind::Loop(..) | Kind::If(..) => None,
    })
}

/// The startup call for the first section, and the state it leaves.
pub fn startup(engines: &Engines, body: &[Stmt<Compute<Leaf<Symbol>>>]) -> Option<(Leaf<Symbol>, State)> {
    let section = first_section(body)?;
    let out = packed(section)?.buffer;
    let (a, b, reverse) = match first_operands(section) {
        Some(First::Tiles(a, b)) => (a, b, false),
        Some(First::Product(a, b)) => (a, b, true),
        None => (out, out, false),
    };
    let template = if reverse { "SrcOrder::Reverse" } else { "" };
    let leaf = call_with(&COMPUTE_KERNEL_HW_STARTUP, template, [a, b, out].map(Expr::Buffer));
    let mut state = State::unknown();
    let (src_a, src_b) = if reverse { (b, a) } else { (a, b) };
    state.set(Component::UnpackA, Value::Unpack(unpacked(engines, src_a)));
    state.set(Component::UnpackB, Value::Unpack(unpacked(engines, src_b)));
    state.set(Component::Pack, Value::Pack(engines.buffers[out.0].format));
    state.set(Component::Accumulation, Value::Accumulation(false));
    state.set(Component::Relu, Value::Relu(false));
    Some((leaf, state))
}

/// The operands that engines are started for.
enum First {
    /// In the order of the unpackers.
    Tiles(BufferId, BufferId),
    /// The right one goes through unpacker A.
    Product(BufferId, BufferId),
}

/// Those of the first operation; a product in a loop comes before others, but not before what is loaded for it.
fn first_operands(section: &[Stmt<Compute<Leaf<Symbol>>>]) -> Option<First> {
    let mut direct = Vec::new();
    for_all_tiles(section, &mut direct);
    let loads = direct.iter().any(|op| match op {
        ComputeOp::Tile { op: TileOp::Load, .. } => true,
        ComputeOp::Tile { args, .. } => matches!(args.first(), Some(Arg::Constant(_))),
        ComputeOp::Plain(_) | ComputeOp::Matmul(_) | ComputeOp::Commit | ComputeOp::Pack { .. } => false,
    });
    let mut product = None;
    for stmt in section {
        if let Kind::Loop(_, body) = &stmt.kind
            && !loads
        {
            operations(body, &mut |op| {
                if let ComputeOp::Matmul(matmul) = op {
                    product.get_or_insert(First::Product(matmul.a, matmul.b));
                }
            });
        }
    }
    product.or_else(|| direct.into_iter().find_map(operands))
}

/// The operations of a section that are for all tiles, outside of loops.
fn for_all_tiles<'a>(section: &'a [Stmt<Compute<Leaf<Symbol>>>], found: &mut Vec<&'a ComputeOp<Leaf<Symbol>>>) {
    for stmt in section {
        match &stmt.kind {
            Kind::Op(op) => found.push(op),
            Kind::Group(Around::Along { .. }, body) => for_all_tiles(body, found),
            Kind::Group(Around::Unless(_) | Around::Section(_) | Around::Bands { .. }, _)
            | Kind::Loop(..)
            | Kind::If(..) => {}
        }
    }
}

fn operands(op: &ComputeOp<Leaf<Symbol>>) -> Option<First> {
    match op {
        ComputeOp::Matmul(product) => Some(First::Product(product.a, product.b)),
        ComputeOp::Tile { op, out: _, args } => match op {
            TileOp::Load => {
                let [(buffer, _)] = sources(args);
                Some(First::Tiles(buffer, buffer))
            }
            TileOp::Fpu(_) => {
                let [(a, _), (b, _)] = sources(args);
                Some(First::Tiles(a, b))
            }
            TileOp::MulReuse | TileOp::TransposeDest | TileOp::Fill | TileOp::Sfpu(_) => None,
        },
        ComputeOp::Plain(_) | ComputeOp::Commit | ComputeOp::Pack { .. } => None,
    }
}

fn first_section(body: &[Stmt<Compute<Leaf<Symbol>>>]) -> Option<&[Stmt<Compute<Leaf<Symbol>>>]> {
    let mut first = None;
    visit(body, &mut |stmt| {
        if let Kind::Group(Around::Section(_), body) = &stmt.kind {
            first.get_or_insert(body.as_slice());
        }
    });
    first
}
