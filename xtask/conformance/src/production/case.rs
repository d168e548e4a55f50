//! What a production kernel needs to run: a host program in data, and what has to come out of it.
//!
//! A case does by hand what the host code of a production operation does: buffers, circular buffers, semaphores, kernels
//! with their arguments. Addresses and coordinates are named, not given, because they are known only once a device is open.

use super::values::Expected;
use tt_emulator::kernel_config::{ComputeOptions, DataMovementProcessor, KernelRole};
use tt_emulator::{BufferKind, CoreCoord, DataFormat, Sharding};

/// A host program around production kernels, and its results.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// What the table and failures call it.
    pub name: String,
    /// Tensors.
    pub buffers: Vec<Buffer>,
    /// Circular buffers.
    pub circular_buffers: Vec<CircularBuffer>,
    /// Cores and initial value of the semaphores, whose ids count up from 0.
    pub semaphores: Vec<(Vec<CoreCoord>, u32)>,
    /// Kernels.
    pub kernels: Vec<Kernel>,
    /// Why it cannot give right numbers yet; the chore fails when it starts to.
    pub fails: Option<Failure>,
}

impl Case {
    /// A case with nothing in it.
    pub fn new(name: impl Into<String>) -> Case {
        Case {
            name: name.into(),
            ..Case::default()
        }
    }

    /// Adds a tensor.
    pub fn buffer(mut self, buffer: Buffer) -> Case {
        self.buffers.push(buffer);
        self
    }

    /// Adds a circular buffer.
    pub fn cb(mut self, buffer: CircularBuffer) -> Case {
        self.circular_buffers.push(buffer);
        self
    }

    /// Adds a semaphore; ids count up from 0.
    pub fn semaphore(mut self, cores: &[CoreCoord], initial: u32) -> Case {
        self.semaphores.push((cores.to_vec(), initial));
        self
    }

    /// Adds a kernel.
    pub fn kernel(mut self, kernel: Kernel) -> Case {
        self.kernels.push(kernel);
        self
    }

    /// Says why it cannot give right numbers yet, and what its error has to contain.
    pub fn fails(mut self, reason: &'static str, evidence: &'static str) -> Case {
        self.fails = Some(Failure { reason, evidence });
        self
    }
}

/// Why a case fails.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// In the words of the table.
    pub reason: &'static str,
    /// What the error contains, so that no other one is taken for it.
    pub evidence: &'static str,
}

impl Failure {
    /// Whether it is a crash of the machine's C++ compiler: another compiler may survive the kernel, and the device's does.
    pub fn is_of_compiler(&self) -> bool {
        self.evidence.starts_with("internal compiler error")
    }
}

/// A tensor in pages.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// What arguments and circular buffers call it.
    pub name: &'static str,
    /// The memory it lies in.
    pub memory: BufferKind,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// How it is sharded; interleaved where it is not.
    pub sharding: Option<Sharding>,
    /// Its pages before the run, one after the other.
    pub content: Vec<u8>,
    /// What its pages have to be afterwards.
    pub expected: Option<Expected>,
}

impl Buffer {
    /// A tensor in DRAM with `content`, interleaved.
    pub fn input(name: &'static str, page_bytes: u32, content: Vec<u8>) -> Buffer {
        Buffer {
            name,
            memory: BufferKind::Dram,
            page_bytes,
            sharding: None,
            content,
            expected: None,
        }
    }

    /// A tensor in DRAM that the kernels fill, interleaved. Until then it holds a pattern that is no result.
    pub fn output(name: &'static str, page_bytes: u32, expected: impl Into<Expected>) -> Buffer {
        let expected = expected.into();
        let content = std::iter::repeat_n(0xA5, expected.bytes()).collect();
        Buffer {
            expected: Some(expected),
            ..Buffer::input(name, page_bytes, content)
        }
    }

    /// The same tensor in L1.
    pub fn in_l1(mut self) -> Buffer {
        self.memory = BufferKind::L1;
        self
    }

    /// The same tensor in shards.
    pub fn sharded(mut self, sharding: Sharding) -> Buffer {
        self.sharding = Some(sharding);
        self
    }
}

/// A circular buffer of a case.
#[derive(Clone, Debug)]
pub struct CircularBuffer {
    /// Its ids; all but one share the memory of the first.
    pub ids: Vec<u8>,
    /// Cores that have it.
    pub cores: Vec<CoreCoord>,
    /// Format of its tiles.
    pub format: DataFormat,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Pages of its ring.
    pub pages: u32,
    /// The sharded buffer it lies on, if any.
    pub on: Option<&'static str>,
    /// Rows and columns of its tiles.
    pub tile: (u32, u32),
}

impl CircularBuffer {
    /// `pages` tiles of 32 × 32.
    pub fn tiles(id: u8, cores: &[CoreCoord], format: DataFormat, pages: u32) -> CircularBuffer {
        CircularBuffer::pages(id, cores, format, format.tile_bytes(32, 32) as u32, pages)
    }

    /// `pages` pages of `page_bytes` bytes.
    pub fn pages(id: u8, cores: &[CoreCoord], format: DataFormat, page_bytes: u32, pages: u32) -> CircularBuffer {
        CircularBuffer {
            ids: vec![id],
            cores: cores.to_vec(),
            format,
            page_bytes,
            pages,
            on: None,
            tile: (32, 32),
        }
    }

    /// The same, in the memory of a sharded buffer.
    pub fn on(mut self, buffer: &'static str) -> CircularBuffer {
        self.on = Some(buffer);
        self
    }

    /// The same, known under one more id.
    pub fn and(mut self, id: u8) -> CircularBuffer {
        self.ids.push(id);
        self
    }
}

/// A kernel in a case: of the wheel, or of ours where a production kernel needs company of another kind.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its file, below `ttnn/cpp/ttnn` of the wheel, or what failures call it.
    pub path: String,
    /// Its text where it is ours.
    pub text: Option<&'static str>,
    /// What the newer host API writes before the kernel's text.
    pub tokens: Tokens,
    /// Its RISC.
    pub role: KernelRole,
    /// Cores it runs on.
    pub cores: Vec<CoreCoord>,
    /// Compile-time arguments.
    pub compile_args: Vec<Arg>,
    /// Compile-time arguments by name.
    pub named_compile_args: Vec<(String, u32)>,
    /// Preprocessor defines.
    pub defines: Vec<(String, String)>,
    /// Runtime arguments of cores.
    pub args: Vec<(CoreCoord, Vec<Arg>)>,
}

impl Kernel {
    fn new(path: &str, role: KernelRole, cores: &[CoreCoord]) -> Kernel {
        Kernel {
            path: path.to_owned(),
            text: None,
            tokens: Tokens::default(),
            role,
            cores: cores.to_vec(),
            compile_args: Vec::new(),
            named_compile_args: Vec::new(),
            defines: Vec::new(),
            args: Vec::new(),
        }
    }

    /// A kernel of RISCV_1 on NoC 0.
    pub fn reader(path: &str, cores: &[CoreCoord]) -> Kernel {
        let processor = DataMovementProcessor::Ncrisc;
        Kernel::new(path, KernelRole::DataMovement { processor, noc: 0 }, cores)
    }

    /// A kernel of RISCV_0 on NoC 1.
    pub fn writer(path: &str, cores: &[CoreCoord]) -> Kernel {
        let processor = DataMovementProcessor::Brisc;
        Kernel::new(path, KernelRole::DataMovement { processor, noc: 1 }, cores)
    }

    /// A kernel of the compute RISCs.
    pub fn compute(path: &str, cores: &[CoreCoord], options: ComputeOptions) -> Kernel {
        Kernel::new(path, KernelRole::Compute(options), cores)
    }

    /// The same kernel of a data movement RISC on another NoC.
    pub fn on_noc(mut self, number: u8) -> Kernel {
        if let KernelRole::DataMovement { noc, .. } = &mut self.role {
            *noc = number;
        }
        self
    }

    /// Our kernel that writes what the circular buffers of `streams` bring to their tensors, on RISCV_0 and NoC 1.
    pub fn drain(cores: &[CoreCoord], streams: &[Stream]) -> Kernel {
        Kernel::writer("drain", cores)
            .define("DRAIN", "1")
            .with_streams(streams)
    }

    /// Our kernel that fills the circular buffers of `streams` from their tensors, on RISCV_1 and NoC 0.
    pub fn feed(cores: &[CoreCoord], streams: &[Stream]) -> Kernel {
        Kernel::reader("feed", cores).with_streams(streams)
    }

    fn with_streams(mut self, streams: &[Stream]) -> Kernel {
        self.text = Some(include_str!("kernels/streams.cpp"));
        self.compile_args.push(Arg::Word(streams.len() as u32));
        self.compile_args
            .extend(streams.iter().map(|stream| Arg::Accessor(stream.buffer)));
        self
    }

    /// Sets what our kernel does on a core: every step takes some pages of a stream; pages count from where each starts.
    pub fn steps(self, core: CoreCoord, streams: &[Stream], steps: impl IntoIterator<Item = (u32, u32)>) -> Kernel {
        let steps: Vec<(u32, u32)> = steps.into_iter().collect();
        let heads = streams.iter().flat_map(|stream| {
            [
                Arg::Word(stream.cb),
                Arg::Address(stream.buffer),
                Arg::Word(stream.first),
            ]
        });
        let words = steps.iter().flat_map(|(stream, pages)| [*stream, *pages]);
        let words = std::iter::once(steps.len() as u32).chain(words).map(Arg::Word);
        self.args(core, heads.chain(words).collect::<Vec<_>>())
    }

    /// Adds compile-time arguments.
    pub fn compile_args(mut self, args: impl IntoIterator<Item = impl Into<Arg>>) -> Kernel {
        self.compile_args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds the compile-time words that describe a tensor to its accessor.
    pub fn accessor(mut self, buffer: &'static str) -> Kernel {
        self.compile_args.push(Arg::Accessor(buffer));
        self
    }

    /// Adds a compile-time argument with a name.
    pub fn named(mut self, name: &str, value: u32) -> Kernel {
        self.named_compile_args.push((name.to_owned(), value));
        self
    }

    /// Adds a compile-time argument `args::name`.
    pub fn token(mut self, name: &str, value: impl Into<Arg>) -> Kernel {
        if let Arg::Word(word) = value.into() {
            self.tokens.compile_args.push((name.to_owned(), word));
        }
        self
    }

    /// Names the runtime arguments of each core `args::name`, from the first on.
    pub fn runtime_tokens(mut self, names: &[&str]) -> Kernel {
        self.tokens
            .runtime_args
            .extend(names.iter().map(|name| (*name).to_owned()));
        self
    }

    /// Names a circular buffer `dfb::name`.
    pub fn dfb(mut self, name: &str, id: u8) -> Kernel {
        self.tokens.buffers.push((name.to_owned(), id));
        self
    }

    /// Adds a define.
    pub fn define(mut self, name: &str, value: &str) -> Kernel {
        self.defines.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the runtime arguments of a core.
    pub fn args(mut self, core: CoreCoord, args: impl IntoIterator<Item = impl Into<Arg>>) -> Kernel {
        self.args.push((core, args.into_iter().map(Into::into).collect()));
        self
    }
}

/// A circular buffer and the tensor that its pages go to or come from.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    /// The circular buffer's id.
    pub cb: u32,
    /// The tensor.
    pub buffer: &'static str,
    /// The first page of it.
    pub first: u32,
}

impl Stream {
    /// Pages of `buffer` from the first on.
    pub fn new(cb: u32, buffer: &'static str) -> Stream {
        Stream { cb, buffer, first: 0 }
    }
}

/// Names that kernels of the newer host API take their arguments and circular buffers by. The runtime writes them as
/// constants before the kernel's text (`kernel_args_generated.h`, `kernel_bindings_generated.h`).
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// `args::` that are compile-time constants.
    pub compile_args: Vec<(String, u32)>,
    /// `args::` that are runtime arguments of a core, in their order.
    pub runtime_args: Vec<String>,
    /// `dfb::` and the circular buffers they name.
    pub buffers: Vec<(String, u8)>,
}

impl Tokens {
    /// What stands before the kernel's text; nothing for kernels that use no names.
    pub fn header(&self) -> String {
        if self.compile_args.is_empty() && self.runtime_args.is_empty() && self.buffers.is_empty() {
            return String::new();
        }
        let compile = self
            .compile_args
            .iter()
            .map(|(name, value)| format!("constexpr experimental::CtaVal<uint32_t> {name}{{{value}u}};\n"));
        let runtime = (0..).zip(&self.runtime_args).map(|(index, name)| {
            let offset = 4 * index;
            format!("constexpr experimental::RtaArg<uint32_t> {name}{{{offset}}};\n")
        });
        let buffers = self
            .buffers
            .iter()
            .map(|(name, id)| format!("constexpr DFBBindingToken<> {name}({id});\n"));
        format!(
            "#include \"experimental/kernel_args.h\"\n#include \"api/dataflow/dfb_binding_token.h\"\nnamespace args {{\n{}}}\nnamespace dfb {{\n{}}}\n",
            compile.chain(runtime).collect::<String>(),
            buffers.collect::<String>()
        )
    }
}

/// A word of arguments, or several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg {
    /// A word.
    Word(u32),
    /// The address of a buffer.
    Address(&'static str),
    /// The words that describe a buffer to its tensor accessor.
    Accessor(&'static str),
    /// The NoC x coordinate of a core.
    NocX(CoreCoord),
    /// The NoC y coordinate of a core.
    NocY(CoreCoord),
}

impl Arg {
    /// Corners of a multicast, the first one in the direction of its NoC first.
    pub fn corners(first: CoreCoord, last: CoreCoord) -> [Arg; 4] {
        [Arg::NocX(first), Arg::NocY(first), Arg::NocX(last), Arg::NocY(last)]
    }
}

impl From<u32> for Arg {
    fn from(word: u32) -> Arg {
        Arg::Word(word)
    }
}

impl From<f32> for Arg {
    fn from(value: f32) -> Arg {
        Arg::Word(value.to_bits())
    }
}

/// Runtime or compile-time arguments from words, floats and named things.
#[macro_export]
macro_rules! arguments {
    ($($argument:expr),* $(,)?) => {
        [$($crate::production::case::Arg::from($argument)),*]
    };
}

/// Cores (x, y) of a rectangle, both corners included, row by row.
pub fn rectangle(first: CoreCoord, last: CoreCoord) -> Vec<CoreCoord> {
    (first.1..=last.1)
        .flat_map(|y| (first.0..=last.0).map(move |x| (x, y)))
        .collect()
}

/// `pages` pages shared among cores as evenly as may be: core, first page, number of pages.
pub fn share(pages: u32, cores: &[CoreCoord]) -> Vec<(CoreCoord, u32, u32)> {
    let count = cores.len() as u32;
    let (each, more) = (pages / count, pages % count);
    let mut first = 0;
    let mut shares = Vec::new();
    for (index, core) in (0..).zip(cores) {
        let own = each + u32::from(index < more);
        shares.push((*core, first, own));
        first += own;
    }
    shares
}
