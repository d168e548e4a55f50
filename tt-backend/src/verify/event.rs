//! What a call means to the proofs: one table of every function that the emitted code may call.
//!
//! A function that is not known here is refused, so a new one cannot slip past the proofs.

use super::range::Range;
use super::value::{End, Env, Value};
use super::{Proof, fault};
use crate::device::function::*;
use crate::device::{Bits, Call, Expr, Operator, Template, TemplateArg};
use crate::flow::{Buffer, BufferId, BufferKind, Rows};
use crate::tile_ops::{PackerRow, SfpuForm, SfpuOp, SfpuRow};
use tt_device::TILE;
use tt_plan::{DataFormat, Role};

/// A step of the circular buffer protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CbStep {
    /// Room at the back.
    Reserve,
    /// Pages are complete.
    Push,
    /// Pages at the front.
    Wait,
    /// Pages are done with.
    Pop,
}

impl CbStep {
    /// The step that `function` takes.
    pub fn of(function: &Function) -> Option<CbStep> {
        Some(match function {
            function if *function == CB_RESERVE_BACK => CbStep::Reserve,
            function if *function == CB_PUSH_BACK => CbStep::Push,
            function if *function == CB_WAIT_FRONT => CbStep::Wait,
            function if *function == CB_POP_FRONT => CbStep::Pop,
            _ => return None,
        })
    }
}

/// A step of the protocol of the destination registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterStep {
    Acquire,
    Commit,
    Wait,
    /// The packer's thread waits, and asks for the SFPU then.
    Hold,
    /// The SFPU is done with that.
    Settle,
    Release,
}

/// Whose call it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thread {
    Math,
    Packer,
}

/// How a buffer is unpacked: its format, and whether it goes straight to the destination registers.
pub type Unpacked = (DataFormat, bool);

/// What an init sets the FPU and its unpackers up for, and what an operation needs them to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FpuSetup {
    /// The init function.
    pub init: &'static str,
    /// Its template arguments.
    pub template: Template,
    /// Its arguments that are no buffers.
    pub numbers: Vec<i64>,
    /// How its buffers are unpacked.
    pub operands: Vec<Unpacked>,
}

/// Whether the packer adds to what is in L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accumulation {
    /// It overwrites.
    Off,
    /// It adds.
    On,
    /// It adds after the first iteration of the loops around.
    AfterFirst,
}

/// What a call does, as far as the proofs care.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The circular buffer protocol.
    Cb(CbStep, BufferId, i64),
    /// A page comes from a tensor.
    Read(Value),
    /// A page goes to a tensor.
    Write(Value),
    /// `write_elements`: from pages at the front, where those of another version at the front say so.
    WriteElements(Value, Option<Value>),
    /// Every read has arrived.
    ReadBarrier,
    /// Every write has left.
    WritesFlushed,
    /// Every write has arrived.
    WriteBarrier,
    /// A whole page, of zeros or of a constant.
    MakePage(Value),
    /// Elements of the version at one address come to that at the other.
    Shift(Value, Value),
    /// An integer comes from a tensor by way of a page: it has arrived, and so has every other read.
    Fetch(Value),
    /// The version at the back goes to the other cores of a line: its address, its bytes, and the semaphore that tells of it.
    Send(Value, i64, i64),
    /// The version at the back comes from the sender of a line.
    Receive(Value),
    /// The sender is told that there is room for the version at the back from there on.
    Expect(Value),
    /// Every message to another core's semaphore has arrived.
    AtomicBarrier,
    /// A page begins with an integer, and is nothing more.
    PutInteger(Value),
    /// The integer that a page begins with.
    Take(BufferId, Range),
    /// Zeros in a part of a page.
    ZeroEdge(Value),
    /// Who looks on is told something.
    Remark,
    /// Who looks on is told what the version at an address holds.
    Look(Value),
    /// Engines are set up for the formats of SrcA, SrcB and packer.
    Startup(BufferId, BufferId, BufferId),
    /// Unpackers take other formats.
    Unpack(Option<BufferId>, Option<BufferId>),
    /// The packer takes another format.
    PackFormat(BufferId),
    /// The packer adds or overwrites.
    Accumulate(Accumulation),
    /// Whether the packer makes what is negative zero.
    Relu(bool),
    /// FPU and unpackers are set up.
    FpuInit(FpuSetup),
    /// The SFPU is set up.
    SfpuInit(&'static str, Template, Thread),
    /// An operation of the FPU.
    Fpu {
        /// What it needs.
        setup: FpuSetup,
        /// Whose format unpacker A must have.
        src_a: Option<BufferId>,
        /// Whose format unpacker B must have.
        src_b: Option<BufferId>,
        /// Pages read.
        pages: Vec<(BufferId, Range)>,
        /// A register that is an operand too.
        operand: Option<Range>,
        /// Registers written.
        registers: Range,
    },
    /// An operation of the SFPU.
    Sfpu {
        /// Who asks for it.
        by: Thread,
        /// The init it needs.
        init: &'static str,
        /// The template arguments of that init.
        template: Template,
        /// Registers read.
        operands: Vec<Range>,
        /// The register written.
        register: Range,
    },
    /// A register goes to a page.
    Pack(Range, BufferId, Range),
    /// The FPU is set up for nothing any more, after this.
    FpuUninit(FpuSetup),
    /// The protocol of the destination registers.
    Registers(RegisterStep),
}

/// FPU operations on one page: call, init.
static UNARY: [(&Function, &Function); 3] = [
    (&COPY_TILE, &COPY_INIT),
    (&TRANSPOSE_TILE, &TRANSPOSE_INIT),
    (&UNARY_BCAST, &UNARY_BCAST_INIT),
];

/// FPU operations on two pages: call, init.
static BINARY: [(&Function, &Function); 12] = [
    (&ADD_TILES, &ADD_INIT),
    (&SUB_TILES, &SUB_INIT),
    (&MUL_TILES, &MUL_INIT),
    (&ADD_TILES_BCAST_ROWS, &ADD_BCAST_ROWS_INIT),
    (&ADD_TILES_BCAST_COLS, &ADD_BCAST_COLS_INIT),
    (&ADD_TILES_BCAST_SCALAR, &ADD_BCAST_SCALAR_INIT),
    (&SUB_TILES_BCAST_ROWS, &SUB_BCAST_ROWS_INIT),
    (&SUB_TILES_BCAST_COLS, &SUB_BCAST_COLS_INIT),
    (&SUB_TILES_BCAST_SCALAR, &SUB_BCAST_SCALAR_INIT),
    (&MUL_TILES_BCAST_ROWS, &MUL_BCAST_ROWS_INIT),
    (&MUL_TILES_BCAST_COLS, &MUL_BCAST_COLS_INIT),
    (&MUL_TILES_BCAST_SCALAR, &MUL_BCAST_SCALAR_INIT),
];

/// FPU operations on a register and a page: call, init.
static REUSE: [(&Function, &Function); 1] = [(&MUL_REUSE_DEST_TILES, &MUL_REUSE_DEST_INIT)];

/// The inits of the FPU that take buffers and then numbers: how many buffers.
static FPU_INITS: [(&Function, usize); 18] = [
    (&UNARY_BCAST_INIT, 1),
    (&MATMUL_BLOCK_INIT, 2),
    (&COPY_INIT, 1),
    (&TRANSPOSE_INIT, 1),
    (&TRANSPOSE_DEST_INIT, 0),
    (&MUL_REUSE_DEST_INIT, 1),
    (&ADD_INIT, 2),
    (&SUB_INIT, 2),
    (&MUL_INIT, 2),
    (&ADD_BCAST_ROWS_INIT, 2),
    (&ADD_BCAST_COLS_INIT, 2),
    (&ADD_BCAST_SCALAR_INIT, 2),
    (&SUB_BCAST_ROWS_INIT, 2),
    (&SUB_BCAST_COLS_INIT, 2),
    (&SUB_BCAST_SCALAR_INIT, 2),
    (&MUL_BCAST_ROWS_INIT, 2),
    (&MUL_BCAST_COLS_INIT, 2),
    (&MUL_BCAST_SCALAR_INIT, 2),
];

/// Whether `function` reads the pages at the front of the buffers among its arguments, or tells where they are.
pub fn reads_pages(function: &Function) -> bool {
    function.is_among(&[&MATMUL_BLOCK, &GET_READ_PTR, &READ_TILE_VALUE])
        || find(&UNARY, function).is_some()
        || find(&BINARY, function).is_some()
        || find(&REUSE, function).is_some()
}

/// Which processor moves elements of the tensor among its arguments by `function`.
pub fn moves_elements(function: &Function) -> Option<Role> {
    let reads = [&NOC_ASYNC_READ_PAGE, &READ_PLACED_PAGE, &READ_ROWS, &READ_ELEMENTS];
    let writes = [&NOC_ASYNC_WRITE_PAGE, &WRITE_PLACED_PAGE, &WRITE_ROWS, &WRITE_ELEMENTS];
    if function.is_among(&reads) {
        Some(Role::Reader)
    } else if function.is_among(&writes) {
        Some(Role::Writer)
    } else {
        None
    }
}

/// A call, and what its arguments are read with.
struct Args<'a> {
    call: &'a Call<Bits>,
    env: &'a Env<'a>,
    buffers: &'a [Buffer],
}

impl Args<'_> {
    fn value(&self, at: usize) -> Proof<Value> {
        match self.call.args.get(at) {
            Some(arg) => Ok(self.env.value(arg, self.buffers)),
            None => fault(format!("{} lacks argument {at}", self.call.function.name)),
        }
    }

    fn buffer(&self, at: usize) -> Proof<BufferId> {
        match self.value(at)? {
            Value::Buffer(buffer) if buffer.0 < self.buffers.len() => Ok(buffer),
            other @ (Value::Int(_) | Value::Buffer(_) | Value::Address(..)) => fault(format!(
                "argument {at} of {} is {other:?}, no circular buffer",
                self.call.function.name
            )),
        }
    }

    fn range(&self, at: usize) -> Proof<Range> {
        match self.value(at)? {
            Value::Int(range) => Ok(range),
            other @ (Value::Buffer(_) | Value::Address(..)) => fault(format!(
                "argument {at} of {} is {other:?}, no number",
                self.call.function.name
            )),
        }
    }

    fn exact(&self, at: usize) -> Proof<i64> {
        let range = self.range(at)?;
        range.exact().map_or_else(
            || fault(format!("argument {at} of {} may be {range:?}", self.call.function.name)),
            Ok,
        )
    }

    /// A number that does not vary, as a range.
    fn one(&self, at: usize) -> Proof<Range> {
        self.exact(at).map(Range::one)
    }

    fn exact_from(&self, at: usize) -> Proof<Vec<i64>> {
        (at..self.call.args.len()).map(|at| self.exact(at)).collect()
    }

    /// Checks for the page that a program has for what is on its way.
    fn scratch(&self, at: usize, role: Role) -> Proof {
        let is_scratch = |of: BufferId| self.buffers[of.0].kind == BufferKind::Scratch(role);
        match pages(self.value(at)?, self.buffers) {
            Ok((of, End::Back, page)) if is_scratch(of) && page == Range::one(0) => Ok(()),
            Ok(_) | Err(_) => fault("rows go by way of a page that is not the program's own"),
        }
    }

    fn unpacked(&self, buffer: BufferId) -> Unpacked {
        let buffer = &self.buffers[buffer.0];
        (buffer.format, buffer.unpack_to_dest)
    }

    fn setup(
        &self,
        init: &'static Function,
        template: &Template,
        operands: &[BufferId],
        numbers: Vec<i64>,
    ) -> FpuSetup {
        let operands = operands.iter().map(|buffer| self.unpacked(*buffer)).collect();
        FpuSetup {
            init: init.name,
            template: template.clone(),
            numbers,
            operands,
        }
    }
}

/// The row of `table` for `function`.
fn find<T: Copy>(table: &[(&'static Function, T)], function: &Function) -> Option<(&'static Function, T)> {
    // A turn of a loop over an iterator is several calls where nothing is optimised, a pattern is none.
    let mut rows = table;
    while let [(known, of), others @ ..] = rows {
        if **known == *function {
            return Some((known, *of));
        }
        rows = others;
    }
    None
}

/// What `call` does.
pub fn of(call: &Call<Bits>, env: &Env, buffers: &[Buffer]) -> Proof<Event> {
    let args = Args { call, env, buffers };
    // A function is known in one place: first comes that in which most of its kind are.
    let header = call.function.header.unwrap_or_default();
    let places = if header.starts_with("api/compute/eltwise_unary/") || header.ends_with("_sfpu.h") {
        [sfpu, engines, fpu, data_movement]
    } else if header.starts_with("api/compute/") {
        [engines, fpu, sfpu, data_movement]
    } else {
        [data_movement, engines, fpu, sfpu]
    };
    for place in &places {
        if let Some(event) = place(&args)? {
            return Ok(event);
        }
    }
    fault(format!("nothing is known of the function {}", call.function.name))
}

/// The format of the pages that rows of 16 elements are moved to or from, of as many bytes as the call says.
fn in_rows(args: &Args) -> Proof<DataFormat> {
    let (buffer, ..) = pages(args.value(10)?, args.buffers)?;
    let format = args.buffers[buffer.0].format;
    let [TemplateArg::Int(said), ..] = args.call.template.args() else {
        return fault("rows of no number of bytes");
    };
    match format.row_bytes() {
        Some(bytes) if *said == i64::from(bytes) => Ok(format),
        Some(bytes) => fault(format!(
            "rows of {said} bytes in pages of {}, whose have {bytes}",
            format.name()
        )),
        None => fault(format!(
            "rows in pages of {}, where exponents lie elsewhere",
            format.name()
        )),
    }
}

fn data_movement(args: &Args) -> Proof<Option<Event>> {
    let function = args.call.function;
    if let Some(step) = CbStep::of(function) {
        return Ok(Some(Event::Cb(step, args.buffer(0)?, args.exact(1)?)));
    }
    Ok(Some(match function {
        function if *function == NOC_ASYNC_READ_PAGE || *function == READ_PLACED_PAGE => Event::Read(args.value(2)?),
        function if *function == NOC_ASYNC_WRITE_PAGE || *function == WRITE_PLACED_PAGE => Event::Write(args.value(2)?),
        function if *function == NOC_ASYNC_READ_BARRIER => Event::ReadBarrier,
        function if *function == NOC_ASYNC_WRITES_FLUSHED => Event::WritesFlushed,
        function if *function == NOC_ASYNC_WRITE_BARRIER => Event::WriteBarrier,
        function if function.is_among(&[&DEVICE_TIMESTAMPED_DATA, &DPRINT, &ASSERT]) => Event::Remark,
        function if function.is_among(&[&PRINT_ELEMENT, &PRINT_BLOCK_ELEMENT]) => Event::Look(args.value(0)?),
        function if *function == READ_ROWS || *function == READ_ELEMENTS => {
            let format = in_rows(args)?;
            if *function == READ_ELEMENTS || Rows::may_lie_otherwise(format) {
                args.scratch(11, Role::Reader)?;
            }
            Event::Read(args.value(10)?)
        }
        function if *function == WRITE_ROWS => {
            in_rows(args)?;
            Event::Write(args.value(10)?)
        }
        function if *function == WRITE_ELEMENTS => {
            in_rows(args)?;
            let stored = Some(args.value(11)?).filter(|stored| *stored != Value::Int(Range::one(0)));
            args.scratch(12, Role::Writer)?;
            Event::WriteElements(args.value(10)?, stored)
        }
        function if *function == ZERO_PAGE => {
            let (buffer, ..) = pages(args.value(0)?, args.buffers)?;
            let (page, bytes) = (args.buffers[buffer.0].format.tile_bytes(), args.exact(1)?);
            if bytes != i64::from(page) {
                return fault(format!("zeros in {bytes} bytes of a page of {page}"));
            }
            Event::MakePage(args.value(0)?)
        }
        function if *function == NUMBER_TILE => {
            let (buffer, ..) = pages(args.value(0)?, args.buffers)?;
            let format = args.buffers[buffer.0].format;
            let template = &args.call.template;
            let is_flag = matches!(template.args(), [TemplateArg::Words("true" | "false")]);
            if format != DataFormat::Float16B || !is_flag {
                return fault(format!("number_tile{template} in a page of {}", format.name()));
            }
            Event::MakePage(args.value(0)?)
        }
        function if *function == SHIFT_ELEMENTS => {
            let buffer = |at| Ok(&args.buffers[pages(args.value(at)?, args.buffers)?.0.0]);
            let [from, to] = [buffer(0)?, buffer(1)?];
            if [args.exact(2)?, args.exact(3)?] != [from, to].map(|buffer| i64::from(buffer.tiles[1])) {
                return fault("shift_elements over rows of other lengths than its blocks have");
            }
            let template = &args.call.template;
            let last = i64::from(from.tiles[0]).saturating_mul(TILE).saturating_sub(1);
            use TemplateArg::{Int, Words};
            let word = match template.args() {
                [Words(word)] => word,
                // A step, what it is divided by, of what it is the remainder, and the last row there is.
                [Words(word), Int(_), Int(over), Int(modulo), Int(end)]
                    if *over > 0 && *modulo >= 0 && *end == last =>
                {
                    word
                }
                _ => {
                    let what = format!("shift_elements{template} of a block whose last row is {last}");
                    return fault(what);
                }
            };
            let [from, to] = [from.format, to.format];
            let words = [("uint8_t", 1), ("uint16_t", 2), ("uint32_t", 4)];
            let is_word = |bytes| words.contains(&(*word, bytes));
            if from != to || !to.element_bytes().is_some_and(is_word) {
                let (from, to) = (from.name(), to.name());
                return fault(format!(
                    "shift_elements{template} from pages of {from} to pages of {to}"
                ));
            }
            Event::Shift(args.value(0)?, args.value(1)?)
        }
        function if *function == READ_INTEGER => Event::Fetch(args.value(5)?),
        function if *function == EXPECT_VERSION => Event::Expect(args.value(0)?),
        function if *function == SEND_VERSION => Event::Send(args.value(0)?, args.exact(1)?, args.exact(5)?),
        function if *function == RECEIVE_VERSION => Event::Receive(args.value(0)?),
        function if *function == NOC_ASYNC_ATOMIC_BARRIER => Event::AtomicBarrier,
        function if *function == PUT_INTEGER => Event::PutInteger(args.value(0)?),
        function if *function == READ_TILE_VALUE => {
            if args.exact(2)? != 0 {
                return fault("a word of a page that is not its first");
            }
            Event::Take(args.buffer(0)?, args.range(1)?)
        }
        function
            if function.is_among(&[
                &ZERO_TILE_ROWS,
                &ZERO_TILE_COLUMNS,
                &ZERO_BLOCK_ROWS,
                &ZERO_BLOCK_COLUMNS,
            ]) =>
        {
            Event::ZeroEdge(args.value(0)?)
        }
        _ => return Ok(None),
    }))
}

fn engines(args: &Args) -> Proof<Option<Event>> {
    let (function, template) = (args.call.function, args.call.template.args());
    Ok(Some(match function {
        function if *function == COMPUTE_KERNEL_HW_STARTUP => {
            let (a, b, out) = (args.buffer(0)?, args.buffer(1)?, args.buffer(2)?);
            match template {
                [] => Event::Startup(a, b, out),
                [TemplateArg::Words("SrcOrder::Reverse")] => Event::Startup(b, a, out),
                _ => return fault(format!("compute_kernel_hw_startup{}", args.call.template)),
            }
        }
        function if *function == RECONFIG_DATA_FORMAT => Event::Unpack(Some(args.buffer(0)?), Some(args.buffer(1)?)),
        function if *function == RECONFIG_DATA_FORMAT_SRCA => Event::Unpack(Some(args.buffer(0)?), None),
        function if *function == RECONFIG_DATA_FORMAT_SRCB => Event::Unpack(None, Some(args.buffer(0)?)),
        function if *function == PACK_RECONFIG_DATA_FORMAT => Event::PackFormat(args.buffer(0)?),
        function if *function == PACK_RECONFIG_L1_ACC => Event::Accumulate(accumulation(args)?),
        function if *function == PACK_RELU_CONFIG => match args.call.args.as_slice() {
            [Expr::Call(config)] if *config.function == RELU_CONFIG_ZERO => Event::Relu(true),
            [Expr::Call(config)] if *config.function == RELU_CONFIG_NONE => Event::Relu(false),
            _ => return fault("pack_relu_config of neither ReluConfig::zero() nor none()"),
        },
        function if *function == TILE_REGS_ACQUIRE => Event::Registers(RegisterStep::Acquire),
        function if *function == TILE_REGS_COMMIT => Event::Registers(RegisterStep::Commit),
        function if *function == TILE_REGS_WAIT => Event::Registers(RegisterStep::Wait),
        function if *function == PACKER_SFPU_BEGIN => Event::Registers(RegisterStep::Hold),
        function if *function == PACKER_SFPU_END => Event::Registers(RegisterStep::Settle),
        function if *function == TILE_REGS_RELEASE => Event::Registers(RegisterStep::Release),
        function if *function == PACK_TILE => {
            if template != [TemplateArg::Words("true")] {
                return fault("pack_tile without an index: its place depends on the packs before it");
            }
            Event::Pack(args.range(0)?, args.buffer(1)?, args.range(2)?)
        }
        _ => return Ok(None),
    }))
}

fn accumulation(args: &Args) -> Proof<Accumulation> {
    match (args.call.args.first(), args.range(0)?.exact()) {
        (_, Some(0)) => Ok(Accumulation::Off),
        (_, Some(1)) => Ok(Accumulation::On),
        (Some(cond), _) if is_after_first(cond) => Ok(Accumulation::AfterFirst),
        _ => fault("pack_reconfig_l1_acc of neither 0, 1 nor whether a variable is past its first value"),
    }
}

/// `k != 0`, or several of them.
fn is_after_first(cond: &Expr<Bits>) -> bool {
    match cond {
        Expr::Binary(Operator::Or, a, b) => is_after_first(a) && is_after_first(b),
        Expr::Binary(Operator::NotEqual, a, _) => matches!(**a, Expr::Name(_)),
        Expr::Int(_)
        | Expr::Bool(_)
        | Expr::Name(_)
        | Expr::Value(_)
        | Expr::Buffer(_)
        | Expr::PageBytes(_)
        | Expr::Accessor(_)
        | Expr::Text(_)
        | Expr::Call(_)
        | Expr::Binary(..) => false,
    }
}

fn fpu(args: &Args) -> Proof<Option<Event>> {
    let (function, template) = (args.call.function, &args.call.template);
    if *function == UNARY_BCAST_UNINIT {
        let setup = args.setup(&UNARY_BCAST_INIT, template, &[args.buffer(0)?], Vec::new());
        return Ok(Some(Event::FpuUninit(setup)));
    }
    if let Some((_, init)) = find(&UNARY, function) {
        let buffer = args.buffer(0)?;
        return Ok(Some(Event::Fpu {
            setup: args.setup(init, template, &[buffer], Vec::new()),
            src_a: Some(buffer),
            src_b: None,
            pages: vec![(buffer, args.range(1)?)],
            operand: None,
            registers: args.one(2)?,
        }));
    }
    if let Some((_, init)) = find(&BINARY, function) {
        let (a, b) = (args.buffer(0)?, args.buffer(1)?);
        return Ok(Some(Event::Fpu {
            setup: args.setup(init, template, &[a, b], Vec::new()),
            src_a: Some(a),
            src_b: Some(b),
            pages: vec![(a, args.range(2)?), (b, args.range(3)?)],
            operand: None,
            registers: args.one(4)?,
        }));
    }
    if let Some((_, init)) = find(&REUSE, function) {
        let (buffer, register) = (args.buffer(0)?, args.one(2)?);
        let (src_a, src_b) = match template.args() {
            [TemplateArg::Words("EltwiseBinaryReuseDestType::DEST_TO_SRCA")] => (None, Some(buffer)),
            [TemplateArg::Words("EltwiseBinaryReuseDestType::DEST_TO_SRCB")] => (Some(buffer), None),
            _ => return fault(format!("{}{template}", function.name)),
        };
        return Ok(Some(Event::Fpu {
            setup: args.setup(init, template, &[buffer], Vec::new()),
            src_a,
            src_b,
            pages: vec![(buffer, args.range(1)?)],
            operand: Some(register),
            registers: register,
        }));
    }
    if *function == TRANSPOSE_DEST {
        let register = args.one(0)?;
        return Ok(Some(Event::Fpu {
            setup: args.setup(&TRANSPOSE_DEST_INIT, template, &[], Vec::new()),
            src_a: None,
            src_b: None,
            pages: Vec::new(),
            operand: Some(register),
            registers: register,
        }));
    }
    if *function == MATMUL_BLOCK {
        return matmul_block(args).map(Some);
    }
    // Operations come first: they stand in loops over tiles, inits do not.
    if let Some((init, count)) = find(&FPU_INITS, function) {
        let operands = (0..count).map(|at| args.buffer(at)).collect::<Proof<Vec<_>>>()?;
        return Ok(Some(Event::FpuInit(args.setup(
            init,
            template,
            &operands,
            args.exact_from(count)?,
        ))));
    }
    Ok(None)
}

/// `DST[dst + r·columns + c] += A[first_a + r·k] · B[first_b + c]`; the FPU takes the right operand through unpacker A.
fn matmul_block(args: &Args) -> Proof<Event> {
    let (a, b) = (args.buffer(0)?, args.buffer(1)?);
    let (first_a, first_b, register) = (args.range(2)?, args.range(3)?, args.one(4)?);
    let numbers = args.exact_from(5)?;
    let [_, columns, rows, k] = numbers.as_slice() else {
        return fault("matmul_block takes a transposition, columns, rows and a stride");
    };
    let up_to = |first: Range, last: i64| Range::new(first.low, first.high + last);
    Ok(Event::Fpu {
        pages: vec![(a, up_to(first_a, (rows - 1) * k)), (b, up_to(first_b, columns - 1))],
        registers: up_to(register, rows * columns - 1),
        setup: args.setup(&MATMUL_BLOCK_INIT, &Template::default(), &[a, b], numbers),
        src_a: Some(b),
        src_b: Some(a),
        operand: None,
    })
}

fn sfpu(args: &Args) -> Proof<Option<Event>> {
    let (function, template) = (args.call.function, &args.call.template);
    let Some(row) = SfpuRow::of_call(function)
        .iter()
        .find(|row| row.call_template.is_empty() || *template == row.call_template.into())
    else {
        return match SfpuRow::of_init(function).first() {
            Some(row) => Ok(Some(Event::SfpuInit(row.init.name, template.clone(), Thread::Math))),
            None => sfpu_of_packer(args),
        };
    };
    let (operands, register) = match row.form {
        // A fill writes without reading.
        SfpuForm::Unary(_) if [SfpuOp::FillBits, SfpuOp::FillInteger].contains(&row.op) => (Vec::new(), args.one(0)?),
        SfpuForm::Unary(_) => {
            let register = args.one(0)?;
            (vec![register], register)
        }
        SfpuForm::Binary => (vec![args.range(0)?, args.range(1)?], args.one(2)?),
        SfpuForm::Ternary(_) => (vec![args.range(0)?, args.range(1)?, args.range(2)?], args.one(3)?),
    };
    let template = match row.call_template {
        "" => template.clone(),
        _ => row.exact.into(),
    };
    Ok(Some(Event::Sfpu {
        by: Thread::Math,
        init: row.init.name,
        template,
        operands,
        register,
    }))
}

/// What the packer's thread asks the SFPU for.
fn sfpu_of_packer(args: &Args) -> Proof<Option<Event>> {
    let (function, template) = (args.call.function, &args.call.template);
    if let Some(row) = PackerRow::of_call(function) {
        let register = args.one(0)?;
        return Ok(Some(Event::Sfpu {
            by: Thread::Packer,
            init: row.init.name,
            template: template.clone(),
            operands: vec![register],
            register,
        }));
    }
    let init = PackerRow::of_init(function);
    Ok(init.map(|row| Event::SfpuInit(row.init.name, template.clone(), Thread::Packer)))
}

/// An address as pages of a buffer: which buffer, which end, which pages.
pub fn pages(address: Value, buffers: &[Buffer]) -> Proof<(BufferId, End, Range)> {
    let Value::Address(buffer, end, bytes) = address else {
        return fault("an address that is not known to lie within a buffer");
    };
    let page = buffers
        .get(buffer.0)
        .map_or(1, |buffer| i64::from(buffer.format.tile_bytes()));
    if bytes.low % page != 0 || bytes.high % page != 0 {
        return fault(format!(
            "an address {bytes:?} bytes into a buffer of pages of {page} bytes"
        ));
    }
    Ok((buffer, end, Range::new(bytes.low / page, bytes.high / page)))
}
