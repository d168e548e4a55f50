//! What unpackers, math, SFPU and packer are set for.
//!
//! Inits configure engines for one operation and leave formats alone; reconfigurations change formats and leave operations
//! alone; the packer's mask, ReLU and L1 accumulation stay until they are changed. The matrix engine with its unpackers and
//! the SFPU are set independently of each other.

use std::fmt::{self, Display};

use super::destination::Broken;
pub use super::enumerations::Reuse;
use super::fpu::eltwise::Binary;
use super::fpu::reduce::Pool;
use super::pack::{ReduceDim, Relu};
use super::rules;
use super::unpack::Broadcast;
use crate::data_format::DataFormat;

/// A circular buffer as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its id.
    pub cb: u32,
    /// Its format.
    pub format: DataFormat,
}

/// What the matrix engine and its unpackers are set for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixSetting {
    /// `matmul_init`, `matmul_block_init`: transposition of in1, tiles across, tiles down, row stride of in0.
    Matmul { transpose: bool, ct: u32, rt: u32, kt: u32 },
    /// Element-wise on two buffers.
    Binary {
        op: Binary,
        broadcast: Broadcast,
        accumulate: bool,
    },
    /// Element-wise on the destination and a buffer.
    Reuse { op: Binary, reuse: Reuse },
    /// `copy_init`; `direct` unpacks to the destination in 32 bits.
    Copy { transpose: bool, direct: bool },
    /// `transpose_init`.
    Transpose,
    /// `transpose_dest_init`: within the destination.
    TransposeDestination,
    /// `unary_bcast_init`.
    UnaryBroadcast(Broadcast),
    /// `reduce_init`.
    Reduce { pool: Pool, dim: ReduceDim },
    /// `tilize_init`, `fast_tilize_init`: tiles per row.
    Tilize { block: u32, fast: bool },
    /// Math set by `binary_tiles_init<false>` over unpackers set for something else.
    MathOnly(Binary),
}

/// The operation in the words of the API.
impl Display for MatrixSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatrixSetting::Matmul { .. } => f.write_str("matmul"),
            MatrixSetting::Binary {
                op,
                broadcast: Broadcast::None,
                ..
            } => f.write_str(binary_name(*op)),
            MatrixSetting::Binary { op, broadcast, .. } => {
                write!(f, "{}_bcast_{}", binary_name(*op), broadcast_name(*broadcast))
            }
            MatrixSetting::Reuse { op, .. } => write!(f, "{}_reuse_dest", binary_name(*op)),
            MatrixSetting::Copy { .. } => f.write_str("copy"),
            MatrixSetting::Transpose => f.write_str("transpose"),
            MatrixSetting::TransposeDestination => f.write_str("transpose_dest"),
            MatrixSetting::UnaryBroadcast(broadcast) => write!(f, "unary_bcast of {}", broadcast_name(*broadcast)),
            MatrixSetting::Reduce { pool, dim } => write!(f, "reduce {pool:?} {dim:?}"),
            MatrixSetting::Tilize { .. } => f.write_str("tilize"),
            MatrixSetting::MathOnly(op) => write!(f, "{} without its unpackers", binary_name(*op)),
        }
    }
}

impl MatrixSetting {
    fn same_operation(&self, other: &MatrixSetting) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && match (self, other) {
                (
                    MatrixSetting::Binary { op, broadcast, .. },
                    MatrixSetting::Binary {
                        op: o, broadcast: b, ..
                    },
                ) => op == o && broadcast == b,
                (MatrixSetting::Reuse { op, .. }, MatrixSetting::Reuse { op: o, .. }) => op == o,
                _ => true,
            }
    }
}

fn binary_name(op: Binary) -> &'static str {
    match op {
        Binary::Mul => "mul",
        Binary::Add => "add",
        Binary::Sub => "sub",
    }
}

fn broadcast_name(broadcast: Broadcast) -> &'static str {
    match broadcast {
        Broadcast::None => "none",
        Broadcast::Col => "cols",
        Broadcast::Row => "rows",
        Broadcast::Scalar => "scalar",
    }
}

/// The init that loads no constants, tables or macros: it sets only the lanes' configuration, ADDR_MOD_7 and the
/// counters as all do, so fills need no init of their own and disturb none. Production kernels rely on both
/// (`eltwise_where_sfpu.cpp`; `is_sfpu_op_v` in `ttnn/cpp/ttnn/kernel_lib/eltwise/core/chain.inl`).
const FILL_INIT: &str = "fill_tile_init";

/// What an SFPU init set up: the init's name and the variant of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SfpuSetting {
    /// Name of the init function.
    pub init: &'static str,
    /// Template or runtime parameters that the operation must repeat.
    pub variant: u32,
}

/// How the packer writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackMode {
    /// Tiles.
    Tiles,
    /// Rows of `full` tiles, `block` tiles of them at a time.
    Untilize { block: u32, full: u32 },
}

/// State of the engines of one core.
#[derive(Clone, Debug)]
pub struct EngineState {
    started: Option<Startup>,
    src_a: Option<Operand>,
    src_b: Option<Operand>,
    pack: Option<DataFormat>,
    matrix: Option<MatrixSetting>,
    keeps_denormals: bool,
    sfpu: Option<SfpuSetting>,
    /// The packer's reduce mask.
    pub mask: Option<ReduceDim>,
    /// The packer adds to L1.
    pub l1_accumulate: bool,
    /// The packer's ReLU.
    pub relu: Relu,
    /// How the packer writes.
    pub pack_mode: PackMode,
}

/// Operands of the startup while no reconfiguration has followed.
#[derive(Clone, Copy, Debug)]
struct Startup {
    regular_operands: Option<(u32, u32)>,
}

impl EngineState {
    /// Engines before the startup call.
    pub fn new() -> EngineState {
        EngineState {
            started: None,
            src_a: None,
            src_b: None,
            pack: None,
            matrix: None,
            keeps_denormals: false,
            sfpu: None,
            mask: None,
            l1_accumulate: false,
            relu: Relu::None,
            pack_mode: PackMode::Tiles,
        }
    }

    /// `compute_kernel_hw_startup`.
    pub fn start(&mut self, icb0: Operand, icb1: Operand, out: Operand, reverse: bool) -> Result<(), Broken> {
        if self.started.is_some() {
            return Err((&rules::STARTUP_TWICE, "the engines are already set up".to_owned()));
        }
        let (a, b) = if reverse { (icb1, icb0) } else { (icb0, icb1) };
        self.started = Some(Startup {
            regular_operands: (!reverse).then_some((icb0.cb, icb1.cb)),
        });
        self.src_a = Some(a);
        self.src_b = Some(b);
        self.pack = Some(out.format);
        Ok(())
    }

    /// The startup has been called.
    pub fn require_started(&self, call: impl Display) -> Result<(), Broken> {
        match self.started {
            Some(_) => Ok(()),
            None => Err((&rules::STARTUP_MISSING, format!("{call} is called first"))),
        }
    }

    fn reconfigured(&mut self) {
        self.keeps_denormals = false;
        if let Some(started) = &mut self.started {
            started.regular_operands = None;
        }
    }

    /// The operand that SrcA is programmed for.
    pub fn src_a(&self) -> Option<Operand> {
        self.src_a
    }

    /// The operand that SrcB is programmed for.
    pub fn src_b(&self) -> Option<Operand> {
        self.src_b
    }

    /// Programs SrcA for an operand's format.
    pub fn set_src_a(&mut self, operand: Operand) {
        self.src_a = Some(operand);
        self.reconfigured();
    }

    /// Programs SrcB for an operand's format.
    pub fn set_src_b(&mut self, operand: Operand) {
        self.src_b = Some(operand);
        self.reconfigured();
    }

    /// Programs the packer for a format.
    pub fn set_pack(&mut self, format: DataFormat) {
        self.pack = Some(format);
    }

    /// Sets matrix engine and unpackers.
    pub fn set_matrix(&mut self, setting: MatrixSetting) {
        match &setting {
            MatrixSetting::Copy { .. } | MatrixSetting::TransposeDestination => self.keeps_denormals = true,
            MatrixSetting::Matmul { .. }
            | MatrixSetting::Binary { .. }
            | MatrixSetting::Reuse { .. }
            | MatrixSetting::Reduce { .. }
            | MatrixSetting::MathOnly(_) => self.keeps_denormals = false,
            MatrixSetting::Transpose | MatrixSetting::UnaryBroadcast(_) | MatrixSetting::Tilize { .. } => {}
        }
        self.matrix = Some(setting);
    }

    /// Moves out of a source register keep denormals: copies set the engine so, arithmetic and other formats set it back
    /// (`_configure_src_zero_flag_` in `cmath_common.h`, `copy_init` in `tile_move_copy.h`), and what spreads a row leaves it.
    pub fn keeps_denormals(&self) -> bool {
        self.keeps_denormals
    }

    /// Leaves the matrix engine without an operation, as an uninit does.
    pub fn clear_matrix(&mut self) {
        self.matrix = None;
    }

    /// The transposition that the last `matmul_init` set.
    pub fn matmul_transposes(&self) -> bool {
        matches!(self.matrix, Some(MatrixSetting::Matmul { transpose: true, .. }))
    }

    /// The last init was `fast_tilize_init`.
    pub fn tilizes_fast(&self) -> bool {
        matches!(self.matrix, Some(MatrixSetting::Tilize { fast: true, .. }))
    }

    /// The transposition that the last `copy_init` set.
    pub fn copy_transposes(&self) -> bool {
        matches!(self.matrix, Some(MatrixSetting::Copy { transpose: true, .. }))
    }

    /// Sets math for an element-wise operation and leaves the unpackers.
    pub fn set_math_only(&mut self, op: Binary, accumulate: bool) {
        self.keeps_denormals = false;
        self.matrix = Some(match self.matrix {
            Some(MatrixSetting::Binary {
                broadcast: Broadcast::None,
                ..
            }) => MatrixSetting::Binary {
                op,
                broadcast: Broadcast::None,
                accumulate,
            },
            _ => MatrixSetting::MathOnly(op),
        });
    }

    /// Sets the SFPU; says whether that changes anything. What the init of a fill sets up every other init has set up too.
    pub fn set_sfpu(&mut self, setting: SfpuSetting) -> bool {
        let changes = setting.init != FILL_INIT || self.sfpu.is_none();
        if changes {
            self.sfpu = Some(setting);
        }
        changes
    }

    /// The matrix engine is set for `wanted`; accumulation of an element-wise operation is what its init said and is
    /// given back.
    pub fn require_matrix(&self, wanted: &MatrixSetting) -> Result<bool, Broken> {
        let Some(current) = &self.matrix else {
            self.require_started(wanted)?;
            return Err((&rules::INIT_MISSING, format!("{wanted} before any init")));
        };
        if !current.same_operation(wanted) {
            return Err((
                &rules::INIT_MISSING,
                format!("{wanted}, but the engines are set for {current}"),
            ));
        }
        let (same, accumulate) = match (current, wanted) {
            (MatrixSetting::Binary { accumulate, .. }, MatrixSetting::Binary { .. }) => (true, *accumulate),
            _ => (current == wanted, false),
        };
        if !same {
            return Err((
                &rules::INIT_PARAMETERS,
                format!("{wanted:?}, but the init said {current:?}"),
            ));
        }
        Ok(accumulate)
    }

    /// The SFPU is set for `wanted`.
    pub fn require_sfpu(&self, operation: &str, wanted: SfpuSetting) -> Result<(), Broken> {
        self.require_started(operation)?;
        match self.sfpu {
            Some(current) if current == wanted => Ok(()),
            Some(_) if wanted.init == FILL_INIT => Ok(()),
            Some(current) if current.init == wanted.init => Err((
                &rules::SFPU_INIT_MISSING,
                format!("{operation} with other template arguments than {}", current.init),
            )),
            Some(current) => Err((
                &rules::SFPU_INIT_MISSING,
                format!("{operation} needs {}, the last init was {}", wanted.init, current.init),
            )),
            None => Err((&rules::SFPU_INIT_MISSING, format!("{operation} needs {}", wanted.init))),
        }
    }

    /// SrcA is set for this operand.
    pub fn require_src_a(&self, operand: Operand) -> Result<(), Broken> {
        match self.src_a.map(|set| set.format) {
            Some(format) if format == operand.format => Ok(()),
            programmed => Err((&rules::FORMAT_SRC_A, mismatch(operand, programmed))),
        }
    }

    /// SrcB is set for this operand.
    pub fn require_src_b(&self, operand: Operand) -> Result<(), Broken> {
        match self.src_b.map(|set| set.format) {
            Some(format) if format == operand.format => Ok(()),
            programmed => Err((&rules::FORMAT_SRC_B, mismatch(operand, programmed))),
        }
    }

    /// The packer is set for this buffer.
    pub fn require_pack(&self, operand: Operand) -> Result<(), Broken> {
        self.require_started("pack")?;
        match self.pack {
            Some(format) if format == operand.format => Ok(()),
            programmed => Err((&rules::FORMAT_PACK, mismatch(operand, programmed))),
        }
    }

    /// A matmul of these buffers does not follow a startup that put them into the wrong sources.
    pub fn require_matmul_order(&self, in0: u32, in1: u32) -> Result<(), Broken> {
        match self.started {
            Some(Startup {
                regular_operands: Some(operands),
            }) if operands == (in0, in1) && in0 != in1 => Err((
                &rules::STARTUP_ORDER,
                format!("compute_kernel_hw_startup put buffer {in0} into SrcA and buffer {in1} into SrcB"),
            )),
            _ => Ok(()),
        }
    }
}

fn mismatch(operand: Operand, programmed: Option<DataFormat>) -> String {
    match programmed {
        Some(format) => format!(
            "buffer {} is {:?}, programmed is {format:?}",
            operand.cb, operand.format
        ),
        None => format!("buffer {} is {:?}, nothing is programmed", operand.cb, operand.format),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BF16: DataFormat = DataFormat::Float16_b;
    const F32: DataFormat = DataFormat::Float32;

    fn started(reverse: bool) -> EngineState {
        let mut state = EngineState::new();
        let operand = |cb| Operand { cb, format: BF16 };
        state
            .start(operand(0), operand(1), operand(16), reverse)
            .expect("the first startup");
        state
    }

    fn code<T: std::fmt::Debug>(result: Result<T, Broken>) -> &'static str {
        result.expect_err("a rule is broken").0.code
    }

    const ADD: MatrixSetting = MatrixSetting::Binary {
        op: Binary::Add,
        broadcast: Broadcast::None,
        accumulate: false,
    };
    const MUL: MatrixSetting = MatrixSetting::Binary {
        op: Binary::Mul,
        broadcast: Broadcast::None,
        accumulate: true,
    };

    #[test]
    fn startup_is_called_once_and_first() {
        assert_eq!(code(EngineState::new().require_started("add_init")), "EMU0601");
        let mut state = started(false);
        let operand = Operand { cb: 0, format: BF16 };
        assert_eq!(code(state.start(operand, operand, operand, false)), "EMU0602");
    }

    #[test]
    fn an_operation_wants_its_own_init() {
        let mut state = started(false);
        assert_eq!(code(state.require_matrix(&ADD)), "EMU0604");
        state.set_matrix(MUL);
        assert_eq!(code(state.require_matrix(&ADD)), "EMU0604");
        state.set_matrix(ADD);
        assert_eq!(state.require_matrix(&ADD), Ok(false));
        state.set_math_only(Binary::Mul, true);
        assert_eq!(state.require_matrix(&MUL), Ok(true));
        state.set_matrix(MatrixSetting::Copy {
            transpose: false,
            direct: false,
        });
        state.set_math_only(Binary::Mul, true);
        assert_eq!(code(state.require_matrix(&MUL)), "EMU0604");
    }

    #[test]
    fn moves_keep_denormals_after_a_copy_until_the_next_arithmetic() {
        let mut state = started(false);
        let copy = MatrixSetting::Copy {
            transpose: false,
            direct: false,
        };
        assert!(!state.keeps_denormals());
        state.set_matrix(copy);
        state.set_matrix(MatrixSetting::UnaryBroadcast(Broadcast::Row));
        assert!(state.keeps_denormals());
        state.set_matrix(ADD);
        assert!(!state.keeps_denormals());
    }

    #[test]
    fn a_matmul_block_has_the_shape_of_its_init() {
        let mut state = started(true);
        state.set_matrix(MatrixSetting::Matmul {
            transpose: false,
            ct: 2,
            rt: 2,
            kt: 4,
        });
        state
            .require_matrix(&MatrixSetting::Matmul {
                transpose: false,
                ct: 2,
                rt: 2,
                kt: 4,
            })
            .expect("as the init said");
        assert_eq!(
            code(state.require_matrix(&MatrixSetting::Matmul {
                transpose: true,
                ct: 2,
                rt: 2,
                kt: 4
            })),
            "EMU0605"
        );
    }

    #[test]
    fn sfpu_and_matrix_engine_do_not_disturb_each_other() {
        let mut state = started(false);
        let exp = SfpuSetting {
            init: "exp_tile_init",
            variant: 0,
        };
        state.set_matrix(ADD);
        state.set_sfpu(exp);
        state.require_matrix(&ADD).expect("still set");
        state.set_matrix(MUL);
        state.require_sfpu("exp_tile", exp).expect("still set");
        assert_eq!(
            code(state.require_sfpu(
                "recip_tile",
                SfpuSetting {
                    init: "recip_tile_init",
                    variant: 0
                }
            )),
            "EMU0606"
        );
        assert_eq!(
            code(state.require_sfpu("exp_tile", SfpuSetting { variant: 1, ..exp })),
            "EMU0606"
        );
        let fill = SfpuSetting {
            init: "fill_tile_init",
            variant: 0,
        };
        state.require_sfpu("fill_tile", fill).expect("any init will do");
        state.set_sfpu(fill);
        state.require_sfpu("exp_tile", exp).expect("still set");
    }

    #[test]
    fn a_fill_alone_sets_the_sfpu_for_nothing_else() {
        let mut state = started(false);
        let setting = |init| SfpuSetting { init, variant: 0 };
        assert_eq!(
            code(state.require_sfpu("fill_tile", setting("fill_tile_init"))),
            "EMU0606"
        );
        state.set_sfpu(setting("fill_tile_init"));
        assert_eq!(
            code(state.require_sfpu("exp_tile", setting("exp_tile_init"))),
            "EMU0606"
        );
    }

    #[test]
    fn formats_change_by_reconfiguration_only() {
        let mut state = started(false);
        let wide = Operand { cb: 24, format: F32 };
        assert_eq!(code(state.require_src_a(wide)), "EMU0607");
        assert_eq!(code(state.require_src_b(wide)), "EMU0608");
        assert_eq!(code(state.require_pack(wide)), "EMU0609");
        state.set_src_a(Operand { cb: 0, format: F32 });
        state.set_pack(F32);
        state.require_src_a(wide).expect("reconfigured");
        state.require_pack(wide).expect("reconfigured");
        assert_eq!(code(state.require_src_b(wide)), "EMU0608");
    }

    #[test]
    fn matmul_wants_the_reverse_startup_of_its_own_operands() {
        assert_eq!(code(started(false).require_matmul_order(0, 1)), "EMU0603");
        started(true).require_matmul_order(0, 1).expect("reverse");
        started(false)
            .require_matmul_order(2, 3)
            .expect("other buffers were started with");
        let mut reconfigured = started(false);
        reconfigured.set_src_a(Operand { cb: 0, format: BF16 });
        reconfigured.require_matmul_order(0, 1).expect("reconfigured since");
    }
}
