// The shape of a tile.
#pragma once

#include <array>
#include <cstdint>

#include <tt-metalium/constants.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal {

namespace emulator {
// Where host/src/layout.cpp reads the offsets of private members.
struct Layout;
}  // namespace emulator

struct Tile {
    Tile(
        std::array<uint32_t, 2> tile_shape = {constants::TILE_HEIGHT, constants::TILE_WIDTH}, bool transpose_tile = false);

    uint32_t get_height() const { return tile_shape[0]; }
    uint32_t get_width() const { return tile_shape[1]; }
    uint32_t get_num_faces() const { return num_faces; }
    uint32_t get_tile_hw() const { return tile_hw; }
    uint32_t get_face_hw() const { return face_hw; }
    uint32_t get_partial_face() const { return partial_face; }
    uint32_t get_narrow_tile() const { return narrow_tile; }
    std::array<uint32_t, 2> get_tile_shape() const { return tile_shape; }
    std::array<uint32_t, 2> get_face_shape() const { return face_shape; }
    bool get_transpose_within_face() const { return transpose_within_face; }
    bool get_transpose_of_faces() const { return transpose_of_faces; }

    uint32_t get_tile_size(const DataFormat& format) const;
    bool operator==(const Tile& other) const;

private:
    friend struct emulator::Layout;

    std::array<uint32_t, 2> tile_shape;
    std::array<uint32_t, 2> face_shape;
    uint32_t tile_hw;
    uint32_t face_hw;
    uint32_t num_faces;
    uint32_t partial_face;
    uint32_t narrow_tile;
    bool transpose_within_face;
    bool transpose_of_faces;
};

}  // namespace tt::tt_metal
