// What a circular buffer is created with.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/circular_buffer_constants.h>
#include <tt-metalium/tile.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>

namespace tt::tt_metal {

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

    const std::array<std::optional<Tile>, NUM_CIRCULAR_BUFFERS>& tiles() const { return tiles_; }
    uint32_t total_size() const { return total_size_; }
    std::optional<uint32_t> globally_allocated_address() const { return globally_allocated_address_; }
    const std::array<std::optional<tt::DataFormat>, NUM_CIRCULAR_BUFFERS>& data_formats() const { return data_formats_; }
    const std::array<std::optional<uint32_t>, NUM_CIRCULAR_BUFFERS>& page_sizes() const { return page_sizes_; }

    class Builder {
    public:
        const Builder& set_data_format(tt::DataFormat data_format) const;
        const Builder& set_total_size(uint32_t total_size) const;
        const Builder& set_page_size(uint32_t page_size) const;
        const Builder& set_tile_dims(const Tile& tile) const;

    private:
        friend class CircularBufferConfig;
        Builder(CircularBufferConfig& parent, uint8_t buffer_index) : parent_(parent), buffer_index_(buffer_index) {}

        CircularBufferConfig& parent_;
        uint8_t buffer_index_;
    };

    Builder index(uint8_t buffer_index);

private:
    void set_format(uint8_t buffer_index, tt::DataFormat data_format);

    uint32_t total_size_ = 0;
    std::optional<uint32_t> globally_allocated_address_;
    std::array<std::optional<tt::DataFormat>, NUM_CIRCULAR_BUFFERS> data_formats_;
    std::array<std::optional<uint32_t>, NUM_CIRCULAR_BUFFERS> page_sizes_;
    std::array<std::optional<Tile>, NUM_CIRCULAR_BUFFERS> tiles_;
};

}  // namespace tt::tt_metal
