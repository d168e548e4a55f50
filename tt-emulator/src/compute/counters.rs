//! What the compute engines of a core did.

/// Tiles that went through each engine, and configuration calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComputeCounters {
    /// 32×32×32 tile products.
    pub matmul_tiles: u64,
    /// Element-wise operations of the matrix engine, on tiles.
    pub eltwise_tiles: u64,
    /// Tiles copied, transposed or broadcast into destination registers.
    pub copied_tiles: u64,
    /// Tiles reduced by the matrix engine.
    pub reduced_tiles: u64,
    /// SFPU operations on tiles.
    pub sfpu_tiles: u64,
    /// Tiles packed.
    pub packed_tiles: u64,
    /// Inits of any engine.
    pub inits: u64,
    /// Changes of a data format.
    pub reconfigurations: u64,
    /// Destination sections acquired.
    pub sections: u64,
}

impl ComputeCounters {
    /// Adds another core's counts.
    pub fn add(&mut self, other: &ComputeCounters) {
        self.matmul_tiles += other.matmul_tiles;
        self.eltwise_tiles += other.eltwise_tiles;
        self.copied_tiles += other.copied_tiles;
        self.reduced_tiles += other.reduced_tiles;
        self.sfpu_tiles += other.sfpu_tiles;
        self.packed_tiles += other.packed_tiles;
        self.inits += other.inits;
        self.reconfigurations += other.reconfigurations;
        self.sections += other.sections;
    }
}
