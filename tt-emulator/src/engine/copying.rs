//! Copies between a core's L1, which the host's caches hold, and DRAM, which they do not.

/// Bytes of a cache line of the host.
const LINE: usize = 64;

/// Starts to fetch a range that will be copied soon. Into the second-level cache: the first one is too small for what a barrier
/// waits for, and waits longer for each line.
#[inline]
pub fn prefetch(source: *const u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for offset in (0..bytes).step_by(LINE) {
        // SAFETY: a prefetch touches no memory that the program could see, at any address.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(source.wrapping_add(offset).cast())
        };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (source, bytes, LINE);
}

/// Copies to memory that is not read again soon, past the caches where the host can.
///
/// # Safety
/// Both ranges must be valid, and must not overlap.
#[inline]
pub unsafe fn stream(source: *const u8, target: *mut u8, bytes: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if bytes.is_multiple_of(LINE) {
        if target.addr().is_multiple_of(LINE) && std::is_x86_feature_detected!("avx512f") {
            // SAFETY: the ranges are valid by the contract of the call, the target is aligned to a line, and the processor has what
            // is asked for.
            return unsafe { stream_lines(source, target, bytes) };
        }
        if target.addr().is_multiple_of(16) {
            // SAFETY: the ranges are valid by the contract of the call, and the target is aligned to 16 bytes.
            return unsafe { stream_quarters(source, target, bytes) };
        }
    }
    // SAFETY: by the contract of the call.
    unsafe { std::ptr::copy_nonoverlapping(source, target, bytes) };
}

/// Streams lines whole.
///
/// # Safety
/// Both ranges must be valid and of whole lines, and the target aligned to one.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[target_feature(enable = "avx512f")]
unsafe fn stream_lines(source: *const u8, target: *mut u8, bytes: usize) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_stream_si512};
    for offset in (0..bytes).step_by(LINE) {
        // SAFETY: by the contract of the call.
        unsafe {
            let line = _mm512_loadu_si512(source.add(offset).cast());
            _mm512_stream_si512(target.add(offset).cast(), line);
        }
    }
}

/// Streams lines in four parts.
///
/// # Safety
/// Both ranges must be valid and of whole lines, and the target aligned to 16 bytes.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
unsafe fn stream_quarters(source: *const u8, target: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    for offset in (0..bytes).step_by(LINE) {
        // SAFETY: by the contract of the call.
        unsafe {
            let (from, to) = (
                source.add(offset).cast::<__m128i>(),
                target.add(offset).cast::<__m128i>(),
            );
            let parts = [
                _mm_loadu_si128(from),
                _mm_loadu_si128(from.add(1)),
                _mm_loadu_si128(from.add(2)),
                _mm_loadu_si128(from.add(3)),
            ];
            _mm_stream_si128(to, parts[0]);
            _mm_stream_si128(to.add(1), parts[1]);
            _mm_stream_si128(to.add(2), parts[2]);
            _mm_stream_si128(to.add(3), parts[3]);
        }
    }
}

/// Makes everything streamed so far visible to other threads before what this thread does next.
pub fn fence() {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a store fence has no preconditions on this architecture.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}
