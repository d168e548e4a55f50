//! Memory of C++ as its calls pass it: each has a type of the same layout in `engine_calls.h`.

use std::borrow::Cow;
use std::ptr::null_mut;

/// Values that C++ has; null and none where it has none. Only C++ makes one, of memory that is there as long as the slice is
/// and that nobody writes meanwhile.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Slice<T> {
    start: *const T,
    count: usize,
}

impl<T> Slice<T> {
    pub fn get(&self) -> &[T] {
        if self.start.is_null() {
            return &[];
        }
        // SAFETY: as the type says.
        unsafe { std::slice::from_raw_parts(self.start, self.count) }
    }
}

/// Text that C++ has, not always UTF-8. There may be none, which is not the same as an empty one.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Text(Slice<u8>);

impl Text {
    pub fn get(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.0.get())
    }

    pub fn is_none(&self) -> bool {
        self.0.start.is_null()
    }
}

/// Values that the callee may change, or that it lends to C++; null and none where there are none. Nobody else uses them as long as
/// the slice is there.
#[repr(C)]
pub struct SliceMut<T> {
    start: *mut T,
    count: usize,
}

impl<T> SliceMut<T> {
    /// No values.
    pub const NONE: SliceMut<T> = SliceMut {
        start: null_mut(),
        count: 0,
    };

    /// Lends `values` to C++.
    pub fn lend(values: &mut [T]) -> SliceMut<T> {
        SliceMut {
            start: values.as_mut_ptr(),
            count: values.len(),
        }
    }

    pub fn get(&mut self) -> &mut [T] {
        if self.start.is_null() {
            return &mut [];
        }
        // SAFETY: as the type says, and whoever is lent a slice is C++.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.count) }
    }
}
