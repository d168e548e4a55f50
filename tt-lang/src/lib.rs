//! The kernel language: Tile IR, its syntax, its checks and its reference interpreter.
