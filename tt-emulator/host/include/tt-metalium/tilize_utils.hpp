// Between row-major matrices and tiles of 32x32 made of four 16x16 faces.
#pragma once

#include <cstdint>
#include <vector>

#include <tt-metalium/bfloat16.hpp>

// Rows and columns must be multiples of 32.
template <typename T>
std::vector<T> tilize_nfaces(const std::vector<T>& input, uint32_t m, uint32_t n);

template <typename T>
std::vector<T> untilize_nfaces(const std::vector<T>& input, uint32_t m, uint32_t n);
