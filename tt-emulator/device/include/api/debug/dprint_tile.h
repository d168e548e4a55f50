// Slices of tiles to print: printing is off, so they hold nothing.
#pragma once

#include "emulator/types.h"

#define TSLICE_RD_PTR true
#define TSLICE_WR_PTR false
#define TSLICE_INPUT_CB true
#define TSLICE_OUTPUT_CB false

// Rows and columns of a tile, as `h0:h1:hs, w0:w1:ws`.
struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
    static constexpr SliceRange h0_32_w1() { return {0, 32, 1, 1, 2, 1}; }
    static constexpr SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
};

template <int MAX_BYTES = 64>
struct TileSlice {
    template <typename... Arguments>
    TileSlice(uint8_t, int, const SliceRange&, Arguments...) {}
};

using TSLICE = TileSlice<64>;
