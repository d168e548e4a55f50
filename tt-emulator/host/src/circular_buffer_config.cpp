// Configurations of circular buffers, and shapes of tiles.
#include <tt-metalium/circular_buffer_config.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal {

Tile::Tile(std::array<uint32_t, 2> shape, bool transpose_tile) :
    tile_shape(shape),
    face_shape{shape[0] < 16 ? shape[0] : 16, 16},
    tile_hw(shape[0] * shape[1]),
    face_hw(face_shape[0] * face_shape[1]),
    num_faces(face_hw == 0 ? 0 : tile_hw / face_hw),
    partial_face(shape[0] < 32),
    narrow_tile(shape[1] < 32),
    transpose_within_face(transpose_tile),
    transpose_of_faces(transpose_tile) {
    const bool rows = shape[0] == 32 || shape[0] == 16 || shape[0] == 8 || shape[0] == 4 || shape[0] == 2 || shape[0] == 1;
    const bool columns = shape[1] == 32 || shape[1] == 16;
    TT_FATAL(rows && columns, "Tile size {}x{} is not valid", shape[0], shape[1]);
}

bool Tile::operator==(const Tile& other) const { return tile_shape == other.tile_shape && face_shape == other.face_shape; }

uint32_t Tile::get_tile_size(const DataFormat& format) const { return tt::tile_size(format) / 1024 * get_tile_hw() + tt::tile_size(format) % 1024 * get_tile_hw() / 1024; }

CircularBufferConfig::CircularBufferConfig(uint32_t total_size, const std::map<uint8_t, tt::DataFormat>& data_format_spec) :
    total_size_(total_size) {
    set_config(data_format_spec);
}

CircularBufferConfig::CircularBufferConfig(uint32_t total_size) : total_size_(total_size) {}

CircularBufferConfig::CircularBufferConfig(
    uint32_t total_size, const std::map<uint8_t, tt::DataFormat>& data_format_spec, const Buffer& buffer) :
    CircularBufferConfig(total_size, data_format_spec) {
    set_globally_allocated_address(buffer);
}

void CircularBufferConfig::set_config(const std::map<uint8_t, tt::DataFormat>& data_format_spec) {
    for (const auto& [index, format] : data_format_spec) {
        TT_FATAL(index < NUM_CIRCULAR_BUFFERS, "Buffer index {} exceeds maximum value {}", int(index), NUM_CIRCULAR_BUFFERS - 1);
        data_formats_[index] = format;
        buffer_indices_.insert(index);
        local_buffer_indices_.insert(index);
    }
}

const std::array<std::optional<Tile>, NUM_CIRCULAR_BUFFERS>& CircularBufferConfig::tiles() const { return tiles_; }
uint32_t CircularBufferConfig::total_size() const { return total_size_; }
std::optional<uint32_t> CircularBufferConfig::globally_allocated_address() const { return globally_allocated_address_; }
const std::array<std::optional<tt::DataFormat>, NUM_CIRCULAR_BUFFERS>& CircularBufferConfig::data_formats() const {
    return data_formats_;
}
const std::array<std::optional<uint32_t>, NUM_CIRCULAR_BUFFERS>& CircularBufferConfig::page_sizes() const { return page_sizes_; }
const std::unordered_set<uint8_t>& CircularBufferConfig::buffer_indices() const { return buffer_indices_; }

CircularBufferConfig& CircularBufferConfig::set_page_size(uint8_t buffer_index, uint32_t page_size) {
    TT_FATAL(
        buffer_index < NUM_CIRCULAR_BUFFERS && data_formats_[buffer_index],
        "Illegal circular buffer index {}. Page size can only be specified for buffer indices configured during config creation",
        int(buffer_index));
    TT_FATAL(page_size > 0 && total_size_ % page_size == 0, "Total circular buffer size {} B must be divisible by page size {} B", total_size_, page_size);
    page_sizes_[buffer_index] = page_size;
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_total_size(uint32_t total_size) {
    TT_FATAL(total_size > 0, "Total size for circular buffer must be non-zero!");
    total_size_ = total_size;
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_globally_allocated_address(const Buffer& buffer) {
    TT_FATAL(buffer.is_l1(), "Only L1 buffers can have an associated circular buffer!");
    globally_allocated_address_ = static_cast<uint32_t>(buffer.address());
    dynamic_cb_ = true;
    max_size_ = buffer_size_ = static_cast<uint32_t>(buffer.size());
    shadow_global_buffer = &buffer;
    return *this;
}

CircularBufferConfig& CircularBufferConfig::set_tile_dims(uint8_t buffer_index, const Tile& tile) {
    TT_FATAL(buffer_index < NUM_CIRCULAR_BUFFERS, "Buffer index {} exceeds maximum value {}", int(buffer_index), NUM_CIRCULAR_BUFFERS - 1);
    tiles_[buffer_index] = tile;
    return *this;
}

CircularBufferConfig::Builder::Builder(CircularBufferConfig& parent, uint8_t buffer_index) :
    parent_(parent), buffer_index_(buffer_index) {}

CircularBufferConfig::Builder CircularBufferConfig::index(uint8_t buffer_index) { return Builder(*this, buffer_index); }

const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_data_format(tt::DataFormat data_format) const {
    parent_.set_config({{buffer_index_, data_format}});
    return *this;
}

const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_total_size(uint32_t total_size) const {
    parent_.set_total_size(total_size);
    return *this;
}

const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_page_size(uint32_t page_size) const {
    parent_.set_page_size(buffer_index_, page_size);
    return *this;
}

const CircularBufferConfig::Builder& CircularBufferConfig::Builder::set_tile_dims(const Tile& tile) const {
    parent_.set_tile_dims(buffer_index_, tile);
    return *this;
}

}  // namespace tt::tt_metal
