// The shape of a tile.
#pragma once

#include <array>
#include <cstdint>

#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal {

struct Tile {
    std::array<uint32_t, 2> tile_shape = {32, 32};
    std::array<uint32_t, 2> face_shape = {16, 16};

    Tile(std::array<uint32_t, 2> tile_shape = {32, 32}, bool transpose_tile = false);

    uint32_t get_height() const { return tile_shape[0]; }
    uint32_t get_width() const { return tile_shape[1]; }
    uint32_t get_num_faces() const { return get_tile_hw() / get_face_hw(); }
    uint32_t get_tile_hw() const { return tile_shape[0] * tile_shape[1]; }
    uint32_t get_face_hw() const { return face_shape[0] * face_shape[1]; }
    std::array<uint32_t, 2> get_tile_shape() const { return tile_shape; }
    std::array<uint32_t, 2> get_face_shape() const { return face_shape; }
    uint32_t get_tile_size(const DataFormat& format) const;
};

}  // namespace tt::tt_metal
