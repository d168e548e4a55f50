// Coordinates in a mesh of devices. The emulator's meshes have rows and columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tt::tt_metal::distributed {

class MeshShape {
public:
    MeshShape(uint32_t num_rows, uint32_t num_cols);
    uint32_t operator[](int32_t dim) const { return extents_[dim < 0 ? dim + 2 : dim]; }
    std::size_t dims() const;
    std::size_t mesh_size() const;

private:
    uint32_t extents_[2];
};

bool operator==(const MeshShape& lhs, const MeshShape& rhs);
bool operator!=(const MeshShape& lhs, const MeshShape& rhs);

class MeshCoordinate {
public:
    MeshCoordinate(uint32_t row, uint32_t col);
    uint32_t operator[](int32_t dim) const;
    std::size_t dims() const;

private:
    uint32_t value_[2];
};

bool operator==(const MeshCoordinate& lhs, const MeshCoordinate& rhs);
bool operator!=(const MeshCoordinate& lhs, const MeshCoordinate& rhs);

class MeshCoordinateRange {
public:
    MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end);
    explicit MeshCoordinateRange(const MeshCoordinate& coord);
    explicit MeshCoordinateRange(const MeshShape& shape);
    std::size_t dims() const;
    const MeshCoordinate& start_coord() const;
    const MeshCoordinate& end_coord() const;

private:
    MeshCoordinate start_;
    MeshCoordinate end_;
};

bool operator==(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs);
bool operator!=(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs);

}  // namespace tt::tt_metal::distributed

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
    std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinateRange& range) const noexcept;
};
