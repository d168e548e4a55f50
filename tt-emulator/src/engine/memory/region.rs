//! Memory mapped from the operating system, committed only where it is touched.

use std::io;
use std::slice;

/// Where 32-bit addresses end.
const LOW_LIMIT: usize = 1 << 32;

/// Lowest address tried for regions that kernels address with 32 bits.
const LOW_START: usize = 0x1000_0000;

/// Bytes of the system's smallest page.
const PAGE: usize = 4096;

/// A private mapping of zeroed memory; unmapped when dropped.
pub(crate) struct Region {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: a region is plain memory; who may touch which part of it at a time is decided by the engine.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// Maps `bytes` bytes anywhere.
    pub fn map(bytes: usize) -> io::Result<Region> {
        Region::map_near(0, bytes, 0)
    }

    /// Maps `bytes` bytes at an address where there is nothing yet, else somewhere.
    fn map_near(address: usize, bytes: usize, flags: i32) -> io::Result<Region> {
        const FLAGS: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        const ACCESS: i32 = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a fresh anonymous mapping touches no existing memory, and none of the flags that are given replaces one.
        let start = unsafe { libc::mmap(address as *mut _, bytes, ACCESS, FLAGS | flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Region {
            start: start.cast(),
            bytes,
        })
    }

    /// Maps `bytes` bytes below 4 GiB at a multiple of `alignment`.
    pub fn map_low(bytes: usize, alignment: usize) -> io::Result<Region> {
        let mut address = LOW_START;
        let mut last_error = None;
        while address + bytes <= LOW_LIMIT {
            match Region::map_near(address, bytes, libc::MAP_FIXED_NOREPLACE) {
                Ok(region) if region.start.addr() == address => return Ok(region),
                // An old kernel ignored the flag and mapped elsewhere.
                Ok(_) => {}
                Err(error) => last_error = Some(error),
            }
            address += alignment.max(32 << 20);
        }
        let reason = last_error.map_or(String::new(), |error| format!(" (last: {error})"));
        Err(io::Error::new(
            io::ErrorKind::OutOfMemory,
            format!(
                "no free range of {} MiB below 4 GiB of address space; close other devices{reason}",
                bytes >> 20
            ),
        ))
    }

    /// First byte.
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Asks for huge pages for a range that is large enough to be worth them, and for what shares its first and last one.
    /// It is only advice: a system without huge pages ignores it.
    pub fn advise_huge(&self, offset: usize, bytes: usize) {
        const HUGE: usize = 2 << 20;
        if bytes < HUGE / 2 {
            return;
        }
        let (start, limit) = (self.start as usize, self.start as usize + self.bytes);
        let first = ((start + offset) / HUGE * HUGE).clamp(start, limit) - start;
        let end = (start + offset + bytes).next_multiple_of(HUGE).min(limit) - start;
        // SAFETY: the range lies inside the region, and this advice changes nothing that it holds.
        unsafe { libc::madvise(self.start.add(first).cast(), end - first, libc::MADV_HUGEPAGE) };
    }

    /// Makes every access to the whole pages inside a range a fault.
    pub fn forbid(&mut self, offset: usize, bytes: usize) -> io::Result<()> {
        let Some((first, end)) = self.whole_pages(offset, bytes) else {
            return Ok(());
        };
        // SAFETY: whole pages lie inside the region, into which nobody has a reference, since this one is `mut`.
        match unsafe { libc::mprotect(self.start.add(first).cast(), end - first, libc::PROT_NONE) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Gives the memory of the whole pages inside a range back; they read as zero afterwards. False where the system does not promise
    /// that, as others than Linux, or refuses, as one with larger pages may.
    ///
    /// # Safety
    /// The range must lie inside the region, and nobody have a reference into it.
    unsafe fn discard(&self, offset: usize, bytes: usize) -> bool {
        self.whole_pages(offset, bytes).is_none_or(|(first, end)| {
            // SAFETY: by the contract of the call.
            let answer = unsafe { libc::madvise(self.start.add(first).cast(), end - first, libc::MADV_DONTNEED) };
            cfg!(target_os = "linux") && answer == 0
        })
    }

    /// Lets the system take the memory of the whole pages inside a range when it needs some. What it has not taken stays as it is;
    /// the rest reads as zero.
    ///
    /// # Safety
    /// The range must lie inside the region, and nobody have a reference into it.
    pub unsafe fn leave(&self, offset: usize, bytes: usize) {
        #[cfg(target_os = "linux")]
        const LEAVE: i32 = libc::MADV_FREE;
        #[cfg(not(target_os = "linux"))]
        const LEAVE: i32 = libc::MADV_DONTNEED;
        if let Some((first, end)) = self.whole_pages(offset, bytes) {
            // SAFETY: by the contract of the call.
            unsafe { libc::madvise(self.start.add(first).cast(), end - first, LEAVE) };
        }
    }

    /// Makes a range read as zero. Pages that are in memory are written over, since faults of new ones take longer, and the others, most
    /// of which nobody ever touched, are given back.
    ///
    /// # Safety
    /// The range must lie inside the region, and nobody else use it meanwhile.
    pub unsafe fn zero(&self, offset: usize, bytes: usize) {
        let end = offset + bytes;
        let (first, last) = self.whole_pages(offset, bytes).unwrap_or((end, end));
        let are_there = self.are_there(first, last);
        let mut at = first;
        for pages in are_there.chunk_by(|one, next| one == next) {
            let length = pages.len() * PAGE;
            // SAFETY: by the contract of the call.
            unsafe {
                if pages[0] || !self.discard(at, length) {
                    self.start.add(at).write_bytes(0, length);
                }
            }
            at += length;
        }
        for (from, to) in [(offset, first), (last, end)] {
            // SAFETY: by the contract of the call; the two edges share nothing.
            let edge = unsafe { slice::from_raw_parts_mut(self.start.add(from), to - from) };
            if edge.iter().any(|byte| *byte != 0) {
                edge.fill(0);
            }
        }
    }

    /// Of the pages from `first` to `last`, which are in memory: where the system does not say, none.
    fn are_there(&self, first: usize, last: usize) -> Vec<bool> {
        let mut found = vec![0u8; (last - first) / PAGE];
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            // SAFETY: the pages lie inside the region, and there is a byte for each. Where the call fails, it may have written some.
            let answer = unsafe { libc::mincore(self.start.add(first).cast(), last - first, found.as_mut_ptr()) };
            if answer != 0 {
                found.fill(0);
            }
        }
        found.into_iter().map(|page| page & 1 != 0).collect()
    }

    /// First and end of the whole pages inside a range, where there are any.
    fn whole_pages(&self, offset: usize, bytes: usize) -> Option<(usize, usize)> {
        let first = offset.next_multiple_of(PAGE);
        let end = (offset + bytes).min(self.bytes) & !(PAGE - 1);
        (first < end).then_some((first, end))
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this region alone, and nothing keeps pointers into it beyond its life.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_regions_do_not_overlap_and_fit_32_bits() {
        let regions: Vec<Region> = (0..3).map(|_| Region::map_low(64 << 20, 2 << 20).unwrap()).collect();
        for (index, region) in regions.iter().enumerate() {
            let start = region.start() as usize;
            assert!(start + (64 << 20) <= LOW_LIMIT && start.is_multiple_of(2 << 20));
            for other in &regions[index + 1..] {
                assert!((other.start() as usize).abs_diff(start) >= 64 << 20);
            }
        }
    }

    #[test]
    fn discarded_pages_read_as_zero() {
        let region = Region::map(1 << 20).unwrap();
        // SAFETY: inside the mapping.
        unsafe {
            region.start().add(8192).write(7);
            assert!(!region.discard(100, 1 << 19) || region.start().add(8192).read() == 0);
        }
    }

    #[test]
    fn zeroed_ranges_are_zero_and_what_is_beside_them_stays() {
        let region = Region::map(1 << 16).unwrap();
        for (offset, bytes) in [
            (0, 1 << 16),
            (100, 50),
            (100, 8000),
            (4096, 4096),
            (4000, 200),
            (8191, 1),
            (5000, 20_000),
        ] {
            // SAFETY: inside the mapping, which is this test's alone.
            let memory = unsafe {
                region.start().write_bytes(7, 1 << 16);
                region.zero(offset, bytes);
                slice::from_raw_parts(region.start(), 1 << 16)
            };
            let is_right = |(index, byte): (usize, &u8)| {
                *byte
                    == if (offset..offset + bytes).contains(&index) {
                        0
                    } else {
                        7
                    }
            };
            assert!(memory.iter().enumerate().all(is_right), "{bytes} bytes from {offset}");
        }
    }

    #[test]
    fn too_large_a_low_region_is_a_clear_error() {
        let error = Region::map_low(8 << 30, 2 << 20).err().unwrap();
        assert!(error.to_string().contains("below 4 GiB"), "{error}");
    }
}
