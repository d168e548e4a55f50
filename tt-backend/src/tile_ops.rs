//! The operations on destination registers, one row each: init, call, header, operands. Adding an operation of the
//! device is adding a row to [`SFPU_OPS`] and naming it in `select` where the language has it.
//!
//! Names and arguments are those of the device headers of ttnn 0.81.1, `api/compute/**` (metalium.md §2.4–2.7).

use crate::device::function::{self, Function};
use crate::flow::Broadcast;

/// An operation of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TileOp {
    /// A tile of a buffer, element by element or transposed or broadcast.
    Load,
    /// Two tiles of buffers through the FPU, the second as its broadcast says.
    Fpu(FpuOp),
    /// What is in the register times a tile of a buffer, through the FPU; overwrites.
    MulReuse,
    /// A number in every element.
    Fill,
    /// An SFPU operation.
    Sfpu(SfpuOp),
}

/// A binary operation of the FPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FpuOp {
    Add,
    Sub,
    Mul,
}

impl FpuOp {
    /// Its init and its call, for the way the second operand is broadcast. `None` for a transposed operand.
    pub fn functions(self, broadcast: Broadcast) -> Option<(&'static Function, &'static Function)> {
        use function::*;
        Some(match (self, broadcast) {
            (FpuOp::Add, Broadcast::None) => (&ADD_INIT, &ADD_TILES),
            (FpuOp::Sub, Broadcast::None) => (&SUB_INIT, &SUB_TILES),
            (FpuOp::Mul, Broadcast::None) => (&MUL_INIT, &MUL_TILES),
            (FpuOp::Add, Broadcast::Row) => (&ADD_BCAST_ROWS_INIT, &ADD_TILES_BCAST_ROWS),
            (FpuOp::Sub, Broadcast::Row) => (&SUB_BCAST_ROWS_INIT, &SUB_TILES_BCAST_ROWS),
            (FpuOp::Mul, Broadcast::Row) => (&MUL_BCAST_ROWS_INIT, &MUL_TILES_BCAST_ROWS),
            (FpuOp::Add, Broadcast::Column) => (&ADD_BCAST_COLS_INIT, &ADD_TILES_BCAST_COLS),
            (FpuOp::Sub, Broadcast::Column) => (&SUB_BCAST_COLS_INIT, &SUB_TILES_BCAST_COLS),
            (FpuOp::Mul, Broadcast::Column) => (&MUL_BCAST_COLS_INIT, &MUL_TILES_BCAST_COLS),
            (FpuOp::Add, Broadcast::Scalar) => (&ADD_BCAST_SCALAR_INIT, &ADD_TILES_BCAST_SCALAR),
            (FpuOp::Sub, Broadcast::Scalar) => (&SUB_BCAST_SCALAR_INIT, &SUB_TILES_BCAST_SCALAR),
            (FpuOp::Mul, Broadcast::Scalar) => (&MUL_BCAST_SCALAR_INIT, &MUL_TILES_BCAST_SCALAR),
            (_, Broadcast::Transpose) => return None,
        })
    }
}

/// How an SFPU operation takes its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SfpuForm {
    /// In place on one register, with this many numbers.
    Unary(usize),
    /// Two registers into one.
    Binary,
    /// Three registers into one: where(condition, then, otherwise).
    Where,
}

/// A row of the SFPU table.
#[derive(Debug)]
pub struct SfpuRow {
    /// The init call.
    pub init: Function,
    /// The call.
    pub call: Function,
    /// Template arguments of both, without approximation.
    pub exact: &'static str,
    /// Template arguments of both, with approximation.
    pub approximate: &'static str,
    /// Template arguments of the call alone (`where_tile` names the format of the destination registers).
    pub call_template: &'static str,
    /// Its operands.
    pub form: SfpuForm,
}

macro_rules! sfpu_ops {
    ($($header:literal: [$($variant:ident $init:literal $call:literal $form:expr $(, $exact:literal / $approximate:literal)? $(=> $template:literal)?;)*])*) => {
        /// An SFPU operation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs)]
        pub enum SfpuOp { $($($variant),*),* }

        /// Every SFPU operation the compiler emits, in the order of [`SfpuOp`].
        pub static SFPU_OPS: &[SfpuRow] = &[$($(SfpuRow {
            init: Function { name: $init, header: $header },
            call: Function { name: $call, header: $header },
            exact: concat!("", $($exact)?),
            approximate: concat!("", $($approximate)?),
            call_template: concat!("", $($template)?),
            form: $form,
        }),*),*];
    };
}

use SfpuForm::{Binary, Unary, Where};

sfpu_ops! {
    "api/compute/eltwise_unary/exp.h": [
        Exp "exp_tile_init" "exp_tile" Unary(0), "false" / "true";
    ]
    "api/compute/compute_kernel_api.h": [
        Exp2 "exp2_tile_init" "exp2_tile" Unary(0);
        Expm1 "expm1_tile_init" "expm1_tile" Unary(0), "false" / "true";
        Log "log_tile_init" "log_tile" Unary(0), "false" / "true";
        Sigmoid "sigmoid_tile_init" "sigmoid_tile" Unary(0);
        Silu "silu_tile_init" "silu_tile" Unary(0);
        Tanh "tanh_tile_init" "tanh_tile" Unary(0), "false" / "true";
        Square "square_tile_init" "square_tile" Unary(0);
        Abs "abs_tile_init" "abs_tile" Unary(0);
        Sign "sign_tile_init" "sign_tile" Unary(0);
        Power "power_tile_init" "power_tile" Unary(1);
        UnaryMax "unary_max_tile_init" "unary_max_tile" Unary(1);
        UnaryMin "unary_min_tile_init" "unary_min_tile" Unary(1);
    ]
    "api/compute/eltwise_unary/log1p.h": [
        Log1p "log1p_tile_init" "log1p_tile" Unary(0), "false" / "true";
    ]
    "api/compute/eltwise_unary/sqrt.h": [
        Sqrt "sqrt_tile_init" "sqrt_tile" Unary(0);
    ]
    "api/compute/eltwise_unary/rsqrt.h": [
        Rsqrt "rsqrt_tile_init" "rsqrt_tile" Unary(0);
    ]
    "api/compute/eltwise_unary/recip.h": [
        Recip "recip_tile_init" "recip_tile" Unary(0);
    ]
    "api/compute/eltwise_unary/negative.h": [
        Negative "negative_tile_init" "negative_tile" Unary(0);
    ]
    "api/compute/eltwise_unary/gelu.h": [
        Gelu "gelu_tile_init" "gelu_tile" Unary(0), "false" / "true";
    ]
    "api/compute/eltwise_unary/erf_erfc.h": [
        Erf "erf_tile_init" "erf_tile" Unary(0), "false" / "true";
        Erfc "erfc_tile_init" "erfc_tile" Unary(0);
    ]
    "api/compute/eltwise_unary/relu.h": [
        Relu "relu_tile_init" "relu_tile" Unary(0);
        LeakyRelu "leaky_relu_tile_init" "leaky_relu_tile" Unary(1);
    ]
    "api/compute/eltwise_unary/elu.h": [
        Elu "elu_tile_init" "elu_tile" Unary(1);
    ]
    "api/compute/eltwise_unary/softplus.h": [
        Softplus "softplus_tile_init" "softplus_tile" Unary(3);
    ]
    "api/compute/eltwise_unary/rounding.h": [
        Floor "rounding_op_tile_init" "floor_tile" Unary(0);
        Ceil "rounding_op_tile_init" "ceil_tile" Unary(0);
        Trunc "rounding_op_tile_init" "trunc_tile" Unary(0);
        // The number is a count of decimals, an integer: only 0 is emitted, whose bits are those of 0.0.
        Round "rounding_op_tile_init" "round_tile" Unary(1);
    ]
    "api/compute/eltwise_unary/trigonometry.h": [
        Sin "sin_tile_init" "sin_tile" Unary(0);
        Cos "cos_tile_init" "cos_tile" Unary(0);
        Tan "tan_tile_init" "tan_tile" Unary(0);
        Asin "asin_tile_init" "asin_tile" Unary(0);
        Acos "acos_tile_init" "acos_tile" Unary(0);
        Atan "atan_tile_init" "atan_tile" Unary(0);
        Sinh "sinh_tile_init" "sinh_tile" Unary(0);
        Cosh "cosh_tile_init" "cosh_tile" Unary(0);
    ]
    "api/compute/eltwise_unary/binop_with_scalar.h": [
        AddNumber "binop_with_scalar_tile_init" "add_unary_tile" Unary(1);
        SubNumber "binop_with_scalar_tile_init" "sub_unary_tile" Unary(1);
        MulNumber "binop_with_scalar_tile_init" "mul_unary_tile" Unary(1);
        RsubNumber "binop_with_scalar_tile_init" "rsub_unary_tile" Unary(1);
    ]
    "api/compute/eltwise_unary/clamp.h": [
        Clamp "clamp_tile_init" "clamp_tile" Unary(2);
    ]
    "api/compute/eltwise_unary/comp.h": [
        EqNumber "unary_eq_tile_init" "unary_eq_tile" Unary(1);
        NeNumber "unary_ne_tile_init" "unary_ne_tile" Unary(1);
        LtNumber "unary_lt_tile_init" "unary_lt_tile" Unary(1);
        LeNumber "unary_le_tile_init" "unary_le_tile" Unary(1);
        GtNumber "unary_gt_tile_init" "unary_gt_tile" Unary(1);
        GeNumber "unary_ge_tile_init" "unary_ge_tile" Unary(1);
        EqZero "eqz_tile_init" "eqz_tile" Unary(0);
    ]
    "api/compute/eltwise_unary/fill.h": [
        FillBits "fill_tile_init" "fill_tile_bitcast" Unary(1);
    ]
    "api/compute/eltwise_binary_sfpu.h": [
        Add "add_binary_tile_init" "add_binary_tile" Binary;
        Sub "sub_binary_tile_init" "sub_binary_tile" Binary;
        Mul "mul_binary_tile_init" "mul_binary_tile" Binary;
        Div "div_binary_tile_init" "div_binary_tile" Binary;
        Eq "eq_binary_tile_init" "eq_binary_tile" Binary;
        Ne "ne_binary_tile_init" "ne_binary_tile" Binary;
        Lt "lt_binary_tile_init" "lt_binary_tile" Binary;
        Le "le_binary_tile_init" "le_binary_tile" Binary;
        Gt "gt_binary_tile_init" "gt_binary_tile" Binary;
        Ge "ge_binary_tile_init" "ge_binary_tile" Binary;
    ]
    "api/compute/binary_max_min.h": [
        Max "binary_max_tile_init" "binary_max_tile" Binary;
        Min "binary_min_tile_init" "binary_min_tile" Binary;
    ]
    // where_tile's template names the format of the destination registers, not of a buffer (patterns.md, surprise 3).
    "api/compute/eltwise_unary/where.h": [
        Select "where_tile_init" "where_tile" Where => "DST_FORMAT";
    ]
}

impl SfpuOp {
    /// Its row.
    pub fn row(self) -> &'static SfpuRow {
        &SFPU_OPS[self as usize]
    }
}
