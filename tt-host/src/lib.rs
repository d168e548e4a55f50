//! Devices, tensors and launches over the TT-Metalium host API.
