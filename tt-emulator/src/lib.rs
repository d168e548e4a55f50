//! An embedded TT-Metalium: host and device API headers over an engine in Rust.
