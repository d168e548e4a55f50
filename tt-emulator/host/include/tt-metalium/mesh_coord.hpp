// Coordinates in a mesh of devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace tt::tt_metal::distributed {

class MeshShape {
public:
    MeshShape(uint32_t num_rows, uint32_t num_cols) : rows_(num_rows), columns_(num_cols) {}
    uint32_t operator[](std::size_t dimension) const { return dimension == 0 ? rows_ : columns_; }
    std::size_t dims() const { return 2; }
    std::size_t mesh_size() const { return std::size_t{rows_} * columns_; }
    bool operator==(const MeshShape& other) const = default;

private:
    uint32_t rows_;
    uint32_t columns_;
};

class MeshCoordinate {
public:
    MeshCoordinate(uint32_t row, uint32_t col) : row_(row), column_(col) {}
    uint32_t operator[](std::size_t dimension) const { return dimension == 0 ? row_ : column_; }
    std::size_t dims() const { return 2; }
    bool operator==(const MeshCoordinate& other) const = default;

private:
    uint32_t row_;
    uint32_t column_;
};

class MeshCoordinateRange {
public:
    MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end) : start_(start), end_(end) {}
    explicit MeshCoordinateRange(const MeshCoordinate& coord) : start_(coord), end_(coord) {}
    explicit MeshCoordinateRange(const MeshShape& shape) : start_(0, 0), end_(shape[0] - 1, shape[1] - 1) {}
    const MeshCoordinate& start_coord() const { return start_; }
    const MeshCoordinate& end_coord() const { return end_; }
    bool operator==(const MeshCoordinateRange& other) const = default;

private:
    MeshCoordinate start_;
    MeshCoordinate end_;
};

}  // namespace tt::tt_metal::distributed

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
    std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinateRange& range) const {
        std::size_t hash = 0;
        for (const auto& corner : {range.start_coord(), range.end_coord()}) {
            hash = hash * 0x9E3779B97F4A7C15ull + corner[0] * 65536u + corner[1];
        }
        return hash;
    }
};
