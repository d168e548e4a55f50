//! Tiles that a kernel works in and that nothing outlives it in: made when first used, and of a kernel before where one has ended.
//!
//! A launch runs three kernels on each of up to 140 cores, most of which use none of this or only for microseconds: making and
//! clearing tiles for each would take longer than what small kernels do.

use std::cell::Cell;
use std::sync::{Mutex, PoisonError};
use std::thread::LocalKey;

/// Most of a kind that are kept.
const KEPT: usize = 256;

/// Where those of a kind are kept.
pub type Pool<T> = Mutex<Vec<Box<T>>>;

/// A kind of memory that kernels take over from each other, whatever it holds.
pub trait Reusable: Sized + 'static {
    /// Where it is kept.
    fn pool() -> &'static Pool<Self>;
    /// Where a thread keeps what it needs next.
    fn own() -> &'static LocalKey<Own<Self>>;
    /// The first of it.
    fn new() -> Self;
}

/// Makes a type such memory; `$new` is the first of it.
macro_rules! reusable {
    ($type:ty, $new:expr) => {
        impl $crate::compute::reused::Reusable for $type {
            fn pool() -> &'static $crate::compute::reused::Pool<$type> {
                static POOL: $crate::compute::reused::Pool<$type> = std::sync::Mutex::new(Vec::new());
                &POOL
            }

            fn own() -> &'static std::thread::LocalKey<$crate::compute::reused::Own<$type>> {
                thread_local! {
                    static OWN: $crate::compute::reused::Own<$type> = const { $crate::compute::reused::Own::none() };
                }
                &OWN
            }

            fn new() -> $type {
                $new
            }
        }
    };
}
pub(crate) use reusable;

/// What one thread keeps to itself, without a lock and still in its caches; everybody's when it ends.
pub struct Own<T: Reusable>(Cell<Option<Box<T>>>);

impl<T: Reusable> Own<T> {
    /// Nothing is kept yet.
    pub const fn none() -> Own<T> {
        Own(Cell::new(None))
    }
}

impl<T: Reusable> Drop for Own<T> {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(Reused::keep);
    }
}

/// Such memory, taken when first written to.
pub struct Reused<T: Reusable>(Option<Box<T>>);

impl<T: Reusable> Reused<T> {
    /// Nothing is taken yet.
    pub const fn none() -> Reused<T> {
        Reused(None)
    }

    fn pool() -> std::sync::MutexGuard<'static, Vec<Box<T>>> {
        T::pool().lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps it for everybody.
    fn keep(memory: Box<T>) {
        let mut pool = Self::pool();
        if pool.len() < KEPT {
            pool.push(memory);
        }
    }

    /// What was used before, else the first of it.
    fn used() -> Box<T> {
        let own = T::own().with(|own| own.0.take());
        own.or_else(|| Self::pool().pop()).unwrap_or_else(|| Box::new(T::new()))
    }

    /// Gives it back, for another kernel.
    pub fn give_back(&mut self) {
        if let Some(memory) = self.0.take() {
            // A thread that ends keeps nothing.
            let displaced = T::own().try_with(|own| own.0.replace(Some(memory)));
            displaced.ok().flatten().into_iter().for_each(Self::keep);
        }
    }

    /// It, if it was taken.
    #[inline]
    pub fn taken(&self) -> Option<&T> {
        self.0.as_deref()
    }

    /// It, if it was taken, to write to.
    #[inline]
    pub fn taken_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// It, taken if it is not yet.
    #[inline]
    pub fn get(&mut self) -> &mut T {
        self.0.get_or_insert_with(Self::used)
    }
}

impl<T: Reusable> Drop for Reused<T> {
    fn drop(&mut self) {
        self.give_back();
    }
}
