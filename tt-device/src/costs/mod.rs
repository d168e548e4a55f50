//! What steps cost on a chip, in cycles of its cores, each with where the figure is from: the emulator's clock adds them up in the
//! order of time, and a plan estimates with them.
//!
//! Sources: `S` is reference/silicon.md with its section, `P` reference/performance.md, `C` the wheel's soc_descriptors of the chip.

pub mod vector;

use crate::ArchName;

/// The costs of a chip.
#[derive(Debug)]
pub struct Costs {
    /// Columns and rows of the NoC's torus (C).
    pub torus: [u8; 2],
    /// Columns of the torus in which worker cores stand, in the order of logical columns (C).
    pub worker_columns: &'static [u8],
    /// Rows likewise; of the rows that a board may lack, the last.
    pub worker_rows: &'static [u8],
    /// Where each DRAM bank meets NoC 0 and NoC 1 (C: `dram_views`, `worker_endpoint`).
    pub dram: &'static [[(u8, u8); 2]],
    /// From one router to the next.
    pub hop: u64,
    /// What a round trip takes besides hops, memory and bytes.
    pub round_trip: u64,
    /// What DRAM takes to begin to answer.
    pub dram_access: u64,
    /// Bytes of a flit, of which a link carries one a cycle; a packet has one more for its header.
    pub flit: u64,
    /// Bytes a cycle, in tenths, that come into or leave a node of what is read.
    pub read_tenths: u64,
    /// Bytes a cycle, in tenths, that come into or leave a node of what is written.
    pub write_tenths: u64,
    /// Bytes a cycle, in tenths, of a DRAM bank.
    pub bank_tenths: u64,
    /// Bytes a cycle, in tenths, that all cores together move from or to DRAM: what a plan estimates with. The clock goes by links, ports
    /// and banks.
    pub chip_tenths: u64,
    /// Likewise, from and to DRAM together, over a NoC each.
    pub both_ways_tenths: u64,
    /// Cycles between two reads that a bank takes from one NoC.
    pub bank_request: u64,
    /// Cycles between two writes that a bank takes.
    pub bank_write: u64,
    /// What a word takes to another core besides hops: unlike data it need not be fetched from L1.
    pub word: u64,
    /// Cycles that a bank takes to turn from reading to writing or back.
    pub bank_turn: u64,
    /// Cycles that one core loses between two reads of one bank.
    pub same_bank: u64,
    /// Issue of a read by its address, and by its page.
    pub read: [u64; 2],
    /// Issue of a write by its address, and by its page.
    pub write: [u64; 2],
    /// Set-up of the path of a multicast that follows no linked one: for each, and for every eight receivers.
    pub multicast: [u64; 2],
    /// A call of a circular buffer.
    pub buffer: u64,
    /// Until another RISC of the core sees what one told it.
    pub notice: u64,
    /// A step of the destination registers' handover.
    pub registers: u64,
    /// Bytes a cycle that both unpackers take together, and each.
    pub unpack: [u64; 2],
    /// A tile unpacked: what it takes besides its bytes.
    pub unpack_tile: u64,
    /// A phase of a 32 × 32 × 32 product.
    pub matmul: u64,
    /// A phase of an element-wise operation.
    pub eltwise: u64,
    /// A phase of a reduction of a tile along its rows, down its columns, and of all of it.
    pub reduce: [u64; 3],
    /// A call of the matrix engine: what it takes besides its tiles.
    pub matrix_call: u64,
    /// Bytes a cycle of the packer.
    pub pack: u64,
    /// A call of the packer: what it takes besides its bytes.
    pub pack_call: u64,
    /// How many times the bytes of a tile an accumulating packer takes: it may occupy its bank of L1 twice.
    pub accumulate: u64,
    /// A tile of bf16 packed in rows, and each block of them besides.
    pub pack_rows: [u64; 2],
    /// A tile of rows unpacked.
    pub tilize: u64,
    /// An init, or a format changed, on each engine that it is for.
    pub configure: u64,
    /// A call of the vector unit: what it takes besides its vectors.
    pub vector_call: u64,
    /// From the launch until a kernel's first call.
    pub start: u64,
}

static WORMHOLE_B0: Costs = Costs {
    torus: [10, 12],
    worker_columns: &[1, 2, 3, 4, 6, 7, 8, 9],
    worker_rows: &[1, 2, 3, 4, 5, 7, 8, 9],
    dram: &[
        [(0, 11); 2],
        [(0, 1); 2],
        [(0, 5); 2],
        [(0, 7); 2],
        [(5, 1); 2],
        [(5, 11); 2],
        [(5, 2); 2],
        [(5, 9); 2],
        [(5, 8); 2],
        [(5, 3); 2],
        [(5, 5); 2],
        [(5, 7); 2],
    ],
    hop: 9,                 // P E.1
    round_trip: 95, // S 4.2: an L1 read of 64 B takes 293 off the axes, which is 22 hops, and 205 on one, which is 12
    dram_access: 88, // S 4.2: a DRAM read of 64 B takes 381
    flit: 32,       // P E.1
    read_tenths: 287, // S 4.2: L1 reads of 64 KB
    write_tenths: 312, // S 4.2: L1 writes of 64 KB
    bank_tenths: 240, // P E.1: 288 GB/s over 12 banks
    chip_tenths: 1950, // S 2.1 dram_saturation: 195 GB/s at 1 GHz
    both_ways_tenths: 1950, // likewise: of a copy
    bank_request: 7, // S 4.1: 6.8
    bank_write: 65, // S 4.2: slope of 64 B writes to one bank; those to L1 take 22
    word: 17,       // S 3.3: an increment and its wait take 56 to 70 over one hop, and 64 more over eight
    bank_turn: 40,  // S 2.1 dram_saturation: 195 GB/s of 288 where pages of 2 KB are read and written by turns
    same_bank: 0,   // S 4.2: 22.6 B a cycle from one bank, which is the bank
    read: [25, 36], // S 4.2: slopes of 64 B reads
    write: [22, 33], // S 4.2: slope of 64 B writes to L1; a page's address takes as much as for a read
    multicast: [168, 20], // S 4.2: plain multicasts of 64 B: 168 to 4 receivers, 278 to 64
    buffer: 14,     // S 3.2: a handshake of four calls takes 74 to 88 on a Blackhole, notice included
    notice: 15,     // the same
    registers: 8,   // S 3.2: 17 for acquire, call and commit
    unpack: [64, 64], // S 2.10: add_tiles takes 65 with bf16 and 130 with f32 operands
    unpack_tile: 1,
    matmul: 16,           // P E.4
    eltwise: 8,           // P E.4
    reduce: [37, 19, 42], // S 3.1: 156, 83 and 173 at HiFi4, in four phases
    matrix_call: 6,       // S 3.2
    pack: 64,             // P E.4, S 4.4: 32 a tile of bf16
    pack_call: 13,        // S 4.4: 45 a tile
    accumulate: 2,        // S 3.1: a copy and an accumulating pack take 85 with bf16, 138 to 144 with f32
    pack_rows: [48, 17],  // S 4.4: 16 x (2 + 1) a tile, and 17
    tilize: 52,           // S 4.4
    configure: 65,        // S 2.6: 114 to 154 for a pair
    vector_call: 7,       // S 2.4
    start: 440,           // S 3.2
};

static BLACKHOLE: Costs = Costs {
    torus: [17, 12],
    worker_columns: &[1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15],
    worker_rows: &[2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
    dram: &[
        [(0, 11), (0, 1)],
        [(0, 2), (0, 10)],
        [(0, 9), (0, 4)],
        [(0, 5), (0, 7)],
        [(9, 11), (9, 1)],
        [(9, 3), (9, 10)],
        [(9, 8), (9, 4)],
        [(9, 6), (9, 7)],
    ],
    hop: 9,                 // S 4.2: an L1 read of 64 B takes 373 off the axes, which is 29 hops, and 227 on one
    round_trip: 112,        // the same
    dram_access: 113,       // S 4.2: a DRAM read of 64 B takes 486
    flit: 64,               // P E.1
    read_tenths: 617,       // S 4.2: L1 reads of 64 KB
    write_tenths: 622,      // S 4.2: L1 writes of 64 KB
    bank_tenths: 474,       // S 4.1: 512 GB/s over 8 banks at 1.35 GHz
    chip_tenths: 2650,      // S 2.1 dual_noc_read: 358 GB/s at 1.35 GHz on one NoC
    both_ways_tenths: 2985, // P E.7: 403 GB/s mixed
    bank_request: 16,       // S 4.1: 16.4
    bank_write: 0,          // S 4.2: 64 B writes to one bank come as fast as they are issued
    word: 17,               // a Wormhole's: not measured
    bank_turn: 20,          // not measured: half of a Wormhole's, in which a bank moves half as much
    same_bank: 44,          // S 4.2: 22.0 B a cycle in reads of 2 KB from one bank
    read: [35, 36],         // S 3.3
    write: [23, 43],        // S 4.2: slope of 64 B writes to L1; S 4.3: a page's address takes 20
    multicast: [277, 12],   // S 4.2: 277 to 4 receivers, 373 to 64
    buffer: 14,             // S 3.2
    notice: 15,             // S 3.2
    registers: 8,           // S 3.2
    unpack: [256, 128],     // S 2.5: 8192 B in 38.9, by two unpackers at a time
    unpack_tile: 7,         // the same
    matmul: 16,             // P E.4
    eltwise: 8,             // P E.4
    reduce: [37, 19, 42],   // a Wormhole's: not measured
    matrix_call: 6,         // S 3.2
    pack: 64,               // S 4.4: 32 a tile of bf16
    pack_call: 7,           // S 4.4: 39 a tile
    accumulate: 1,          // S 2.5: 80.9 for a tile of f32, of which 64 are its bytes
    pack_rows: [64, 192],   // S 4.4: 32 + 32 a tile, and 192
    tilize: 25,             // S 4.4
    configure: 70,          // S 4.5: 70 a site
    vector_call: 7,         // S 2.4
    start: 440,             // S 3.2
};

impl Costs {
    /// Those of a chip.
    pub fn of(chip: ArchName) -> &'static Costs {
        match chip {
            ArchName::WormholeB0 => &WORMHOLE_B0,
            ArchName::Blackhole => &BLACKHOLE,
        }
    }
}
