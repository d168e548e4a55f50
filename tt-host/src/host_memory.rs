//! Host memory for transfers: buffers that are kept between transfers, and large ones that cost few page faults.

/// The most bytes that stay allocated between transfers. Larger buffers are given back to the system: a second copy of a
/// tensor that nobody needs would count against the memory of a large launch.
const KEPT_BYTES: usize = 64 << 20;

/// Memory for the tiles of one transfer, aligned for every element type.
pub struct StagingBuffer {
    words: Vec<u64>,
    bytes: usize,
}

impl StagingBuffer {
    /// The memory as bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.bytes]
    }

    /// The memory as bytes, to write.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.bytes]
    }

    /// The memory as whole elements.
    pub(crate) fn elements<E: bytemuck::Pod>(&self) -> &[E] {
        const { assert!(align_of::<E>() <= align_of::<u64>() && size_of::<u64>().is_multiple_of(size_of::<E>())) };
        &bytemuck::cast_slice(&self.words)[..self.bytes / size_of::<E>()]
    }

    /// The memory as whole elements, to write.
    pub(crate) fn elements_mut<E: bytemuck::Pod>(&mut self) -> &mut [E] {
        const { assert!(align_of::<E>() <= align_of::<u64>() && size_of::<u64>().is_multiple_of(size_of::<E>())) };
        &mut bytemuck::cast_slice_mut(&mut self.words)[..self.bytes / size_of::<E>()]
    }
}

/// The memory that is kept for the next transfer.
#[derive(Default)]
pub(crate) struct Staging {
    idle: Option<Vec<u64>>,
}

impl Staging {
    /// Memory of `bytes` bytes with anything in it.
    pub(crate) fn take(&mut self, bytes: usize) -> StagingBuffer {
        let count = bytes.div_ceil(size_of::<u64>());
        match self.idle.take_if(|words| words.len() >= count) {
            Some(words) => StagingBuffer { words, bytes },
            None => zeroed(bytes),
        }
    }

    /// Takes memory back.
    pub(crate) fn give(&mut self, buffer: StagingBuffer) {
        let larger = self.idle.as_ref().is_none_or(|words| words.len() < buffer.words.len());
        if larger && buffer.words.len() * size_of::<u64>() <= KEPT_BYTES {
            self.idle = Some(buffer.words);
        }
    }
}

/// Memory of `bytes` zero bytes. As long as it is only read, the system maps it to one page of zeros.
pub(crate) fn zeroed(bytes: usize) -> StagingBuffer {
    StagingBuffer {
        words: vec![0; bytes.div_ceil(size_of::<u64>())],
        bytes,
    }
}

/// Asks the system to back a large new buffer with huge pages: most of the time of filling 32 MB goes to the 8192 faults
/// of small ones.
pub(crate) fn advise_huge_pages<T>(buffer: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        const HUGE: usize = 2 << 20;
        let range = buffer.as_mut_ptr_range();
        let (start, end) = (
            range.start.addr().next_multiple_of(HUGE),
            range.end.addr() & !(HUGE - 1),
        );
        if start < end {
            // SAFETY: the range lies inside the buffer, and the advice changes neither its contents nor its protection.
            // A system that does not know the advice refuses it, which changes nothing.
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = buffer;
}

/// Starts to fetch what will be read soon into the host's caches.
#[inline]
pub(crate) fn prefetch<T>(values: &[T]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for offset in (0..size_of_val(values)).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch touches no memory that the program could see, at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().cast::<i8>().wrapping_add(offset)) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = values;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_buffers_are_kept_and_large_ones_given_back() {
        let mut staging = Staging::default();
        let mut buffer = staging.take(4096);
        buffer.elements_mut::<f32>()[1023] = 1.5;
        let first = buffer.bytes().as_ptr();
        staging.give(buffer);
        let again = staging.take(100);
        assert_eq!(
            (
                again.bytes().as_ptr(),
                again.bytes().len(),
                again.elements::<u16>().len()
            ),
            (first, 100, 50)
        );
        staging.give(again);
        let large = staging.take(KEPT_BYTES + 8);
        staging.give(large);
        assert!(staging.idle.is_none_or(|words| words.len() * 8 <= KEPT_BYTES));
    }

    #[test]
    fn new_memory_is_zero() {
        assert!(zeroed(70_001).bytes().iter().all(|byte| *byte == 0));
    }
}
