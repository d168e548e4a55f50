//! The compiler from Tile IR to TT-Metalium C++: targets, passes, verification, code writers.
