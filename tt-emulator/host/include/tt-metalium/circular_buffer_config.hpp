// What a circular buffer is created with.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/circular_buffer_constants.h>
#include <tt-metalium/tile.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal {

namespace emulator {
// Where host/src/layout.cpp reads the offsets of private members.
struct Layout;
}  // namespace emulator

using CBHandle = uintptr_t;

class CircularBufferConfig {
public:
    CircularBufferConfig(uint32_t total_size, const std::map<uint8_t, tt::DataFormat>& data_format_spec);
    CircularBufferConfig(uint32_t total_size);
    CircularBufferConfig(uint32_t total_size, const std::map<uint8_t, tt::DataFormat>& data_format_spec, const Buffer& buffer);

    CircularBufferConfig& set_page_size(uint8_t buffer_index, uint32_t page_size);
    CircularBufferConfig& set_total_size(uint32_t total_size);
    CircularBufferConfig& set_globally_allocated_address(const Buffer& buffer);
    CircularBufferConfig& set_tile_dims(uint8_t buffer_index, const Tile& tile);

    const std::array<std::optional<Tile>, NUM_CIRCULAR_BUFFERS>& tiles() const;
    uint32_t total_size() const;
    std::optional<uint32_t> globally_allocated_address() const;
    const std::array<std::optional<tt::DataFormat>, NUM_CIRCULAR_BUFFERS>& data_formats() const;
    const std::array<std::optional<uint32_t>, NUM_CIRCULAR_BUFFERS>& page_sizes() const;
    const std::unordered_set<uint8_t>& buffer_indices() const;

    const Buffer* shadow_global_buffer{nullptr};

    class Builder {
    public:
        const Builder& set_data_format(tt::DataFormat data_format) const;
        const Builder& set_total_size(uint32_t total_size) const;
        const Builder& set_page_size(uint32_t page_size) const;
        const Builder& set_tile_dims(const Tile& tile) const;

    private:
        friend class CircularBufferConfig;
        Builder(CircularBufferConfig& parent, uint8_t buffer_index);

        CircularBufferConfig& parent_;
        uint8_t buffer_index_;
    };

    Builder index(uint8_t buffer_index);

private:
    friend struct emulator::Layout;

    void set_config(const std::map<uint8_t, tt::DataFormat>& data_format_spec);

    // Rows of a face and how many faces, where they are not the tile's own.
    using FaceGeometry = std::optional<std::pair<uint32_t, uint32_t>>;

    uint32_t total_size_ = 0;
    std::optional<uint32_t> globally_allocated_address_;
    std::array<std::optional<tt::DataFormat>, NUM_CIRCULAR_BUFFERS> data_formats_;
    std::array<std::optional<uint32_t>, NUM_CIRCULAR_BUFFERS> page_sizes_;
    std::array<std::optional<Tile>, NUM_CIRCULAR_BUFFERS> tiles_;
    std::array<FaceGeometry, NUM_CIRCULAR_BUFFERS> unpack_face_geometry_;
    std::unordered_set<uint8_t> buffer_indices_;
    std::unordered_set<uint8_t> local_buffer_indices_;
    std::unordered_set<uint8_t> remote_buffer_indices_;
    bool dynamic_cb_ = false;
    uint32_t max_size_ = 0;
    uint32_t buffer_size_ = 0;
    uint32_t address_offset_ = 0;
};

}  // namespace tt::tt_metal
