// Enumerations of the compute API, with LLK's numbers, defined once: see `../enumerations.rs`, and `program_enumerations.rs` for
// what stands in a row.

enumerations! {
    /// An element-wise operation.
    enumeration Binary device "ckernel" "enum class EltwiseBinaryType : uint8_t" {
        /// SrcA · SrcB, always added to the destination.
        Mul: ELWMUL = 0,
        /// SrcA + SrcB.
        Add: ELWADD = 2,
        /// SrcA − SrcB.
        Sub: ELWSUB = 3,
    } others {
        ELWDIV = 1,
        ELWLESS = 4,
    }

    /// Which operand a reuse form takes from the destination.
    enumeration Reuse device "ckernel" "enum class EltwiseBinaryReuseDestType" {
        /// The destination is SrcA, the buffer SrcB.
        DestinationToA: DEST_TO_SRCA = 1,
        /// The destination is SrcB, the buffer SrcA.
        DestinationToB: DEST_TO_SRCB = 2,
    } others {
        NONE = 0,
    }

    /// How SrcB is spread over the tile.
    enumeration Broadcast device "ckernel" "enum class BroadcastType : uint8_t" {
        /// Element by element.
        None: NONE = 0,
        /// Column 0 across the columns.
        Col: COL = 1,
        /// One row down the rows.
        Row: ROW = 2,
        /// Element [0, 0] everywhere.
        Scalar: SCALAR = 3,
    }

    /// How a reduction folds. The matrix engine has the first three.
    enumeration Fold device "ckernel" "enum class PoolType : uint8_t" {
        /// Sum.
        Sum: SUM = 0,
        /// Sum over 32.
        Avg: AVG = 1,
        /// Maximum.
        Max: MAX = 2,
        /// Minimum.
        Min: MIN = 3,
    }

    /// The dimension that a reduction folds.
    enumeration ReduceDim device "ckernel" "enum class ReduceDim : uint8_t" {
        /// Along the rows: a value per row, in column 0.
        Row: REDUCE_ROW = 0,
        /// Down the columns: a value per column, in row 0.
        Col: REDUCE_COL = 1,
        /// Everything, into element [0, 0].
        Scalar: REDUCE_SCALAR = 2,
    }

    /// What the packer's ReLU does.
    enumeration ReluMode device "ckernel" "enum class ReluType : uint8_t" {
        /// Nothing.
        None: NO_RELU = 0,
        /// Negative values become zero.
        Zero: ZERO_RELU = 1,
        /// Values up to the threshold become zero.
        MinThreshold: MIN_THRESHOLD_RELU = 2,
        /// Negative values become zero, values above the threshold become the threshold.
        MaxThreshold: MAX_THRESHOLD_RELU = 3,
    }

    /// Faces that an operation of the vector unit works on.
    enumeration VectorMode device "ckernel" "enum class VectorMode : uint8_t" {
        /// The top two.
        Rows: R = 1,
        /// The left two.
        Columns: C = 2,
        /// All four.
        All: RC = 4,
    } others {
        None = 0,
        RC_custom = 6,
        Invalid = 0xff,
    }

    /// A thread of a core, as its mailboxes know it.
    enumeration Thread device "ckernel" "enum ThreadId" {
        /// The data movement RISC that is beside those of compute.
        Brisc: BriscThreadId = 0,
        /// Unpackers.
        Unpack: UnpackThreadId = 1,
        /// Matrix engine and vector unit.
        Math: MathThreadId = 2,
        /// Packer.
        Pack: PackThreadId = 3,
    }
}
