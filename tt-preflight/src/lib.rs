//! What a build of `tt` needs, asked for before anything is built. There is nothing in it but its build script.
//!
//! The crates that need a C++ compiler first are others' (`cxx`, `link-cplusplus`), and say so in their own words. A build script
//! cannot be put in front of theirs; but it can be ready from the beginning, having no dependencies, and Cargo takes what most
//! crates wait for first. So `tt-lang`, which nearly all crates build on, depends on this one and uses nothing of it.
