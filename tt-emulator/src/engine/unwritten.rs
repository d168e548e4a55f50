//! Pages of circular buffers that nothing has written since the launch.
//!
//! L1 keeps what earlier programs left in it, so that what a circular buffer holds before its first page is written is
//! anything. A launch therefore begins with a mark at the start of every page: whoever still finds it there uses what no
//! kernel has written, and whoever computes with it as fp32, fp16 or bf16 gets NaN or huge numbers at the page's start.

/// The mark, no pattern that kernels write: NaN as fp32 and fp16, and in five of its eight places as bf16, where the others are
/// about 2e38. Block formats have no NaN.
const MARK: [u8; 16] = [
    0x5e, 0x7f, 0xa3, 0xff, 0x1d, 0x7f, 0xc9, 0xff, 0xe7, 0x7f, 0x95, 0xff, 0x3b, 0x7f, 0xd1, 0xff,
];

/// Marks every page of `bytes` bytes of a ring.
pub(crate) fn mark(ring: &mut [u8], bytes: usize) {
    for page in ring.chunks_exact_mut(bytes.max(1)) {
        if let Some(start) = page.first_chunk_mut() {
            *start = MARK;
        }
    }
}

/// Whether the mark is still there.
#[inline]
pub(crate) fn is_marked(page: &[u8]) -> bool {
    page.first_chunk() == Some(&MARK)
}
