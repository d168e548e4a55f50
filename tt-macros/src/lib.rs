//! The #[tt::kernel] attribute.
