//! Memory of C++ as its calls pass it.

use std::borrow::Cow;
use std::ptr::null_mut;

use super::{Lent, Slice, SliceMut, Text};

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
    pub fn get(&mut self) -> &mut [T] {
        if self.start.is_null() {
            return &mut [];
        }
        // SAFETY: as the type says.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.count) }
    }
}

impl<T> Lent<T> {
    /// No values.
    pub const NONE: Lent<T> = Lent {
        start: null_mut(),
        count: 0,
    };

    /// Lends `values` to C++.
    pub fn new(values: &mut [T]) -> Lent<T> {
        Lent {
            start: values.as_mut_ptr(),
            count: values.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null;

    use super::*;

    fn slice<T>(start: *const T, count: usize) -> Slice<T> {
        Slice { start, count }
    }

    #[test]
    fn what_is_null_has_no_values() {
        assert!(slice::<u32>(null(), 0).get().is_empty());
        let text = Text {
            characters: slice(null(), 0),
        };
        assert!(text.is_none() && text.get().is_empty());
        let (start, count) = (null_mut::<u32>(), 0);
        assert!(SliceMut { start, count }.get().is_empty());
    }

    #[test]
    fn slices_are_the_memory_of_cpp() {
        let mut memory = [3u32, 5, 7];
        let (start, count) = (memory.as_mut_ptr(), memory.len());
        assert_eq!(slice(start, count).get(), [3, 5, 7]);
        SliceMut { start, count }.get()[1] = 6;
        assert_eq!(slice(start, count).get(), [3, 6, 7]);
    }

    #[test]
    fn what_is_lent_is_written_in_place_until_it_is_lent_again() {
        let mut words = vec![1u32, 2];
        for (index, expected) in [(1, [1, 9]), (0, [9, 9])] {
            let lent = Lent::new(&mut words);
            assert_eq!(lent.count, 2);
            // SAFETY: inside of what is lent, and nobody else looks at it meanwhile.
            unsafe { lent.start.add(index).write(9) };
            assert_eq!(words, expected);
        }
    }
}
