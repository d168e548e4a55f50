//! What the project's chores share: command lines, where things are, and the kernels that everything is checked on.

pub mod arguments;
pub mod kernels;
pub mod library;
pub mod project;
