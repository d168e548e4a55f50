//! Memory of C++ as its calls pass it.

use std::borrow::Cow;
use std::ptr::null_mut;

use super::{Slice, SliceMut, Text};

impl<T> Clone for Slice<T> {
    fn clone(&self) -> Slice<T> {
        *self
    }
}

impl<T> Copy for Slice<T> {}

impl<T> Slice<T> {
    pub fn get(&self) -> &[T] {
        if self.start.is_null() {
            return &[];
        }
        // SAFETY: as the type says.
        unsafe { std::slice::from_raw_parts(self.start, self.count) }
    }
}

impl Text {
    pub fn get(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.characters.get())
    }

    pub fn is_none(&self) -> bool {
        self.characters.start.is_null()
    }
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
