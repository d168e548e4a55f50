// Coordinates in a mesh.
#include <tt-metalium/mesh_coord.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal::distributed {

MeshShape::MeshShape(uint32_t num_rows, uint32_t num_cols) : extents_{num_rows, num_cols} {}
std::size_t MeshShape::dims() const { return 2; }
std::size_t MeshShape::mesh_size() const { return std::size_t{extents_[0]} * extents_[1]; }

bool operator==(const MeshShape& lhs, const MeshShape& rhs) { return lhs[0] == rhs[0] && lhs[1] == rhs[1]; }
bool operator!=(const MeshShape& lhs, const MeshShape& rhs) { return !(lhs == rhs); }

MeshCoordinate::MeshCoordinate(uint32_t row, uint32_t col) : value_{row, col} {}
std::size_t MeshCoordinate::dims() const { return 2; }

uint32_t MeshCoordinate::operator[](int32_t dim) const {
    TT_FATAL(dim >= -2 && dim < 2, "Index {} is out of bounds for 2 dimensions", dim);
    return value_[dim < 0 ? dim + 2 : dim];
}

bool operator==(const MeshCoordinate& lhs, const MeshCoordinate& rhs) { return lhs[0] == rhs[0] && lhs[1] == rhs[1]; }
bool operator!=(const MeshCoordinate& lhs, const MeshCoordinate& rhs) { return !(lhs == rhs); }

MeshCoordinateRange::MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end) : start_(start), end_(end) {
    TT_FATAL(start[0] <= end[0] && start[1] <= end[1], "The start of a range is past its end");
}
MeshCoordinateRange::MeshCoordinateRange(const MeshCoordinate& coord) : start_(coord), end_(coord) {}
MeshCoordinateRange::MeshCoordinateRange(const MeshShape& shape) : start_(0, 0), end_(shape[0] - 1, shape[1] - 1) {}
std::size_t MeshCoordinateRange::dims() const { return 2; }
const MeshCoordinate& MeshCoordinateRange::start_coord() const { return start_; }
const MeshCoordinate& MeshCoordinateRange::end_coord() const { return end_; }

bool operator==(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs) {
    return lhs.start_coord() == rhs.start_coord() && lhs.end_coord() == rhs.end_coord();
}
bool operator!=(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs) { return !(lhs == rhs); }

}  // namespace tt::tt_metal::distributed

std::size_t std::hash<tt::tt_metal::distributed::MeshCoordinateRange>::operator()(
    const tt::tt_metal::distributed::MeshCoordinateRange& range) const noexcept {
    std::size_t hash = 0;
    for (const auto* corner : {&range.start_coord(), &range.end_coord()}) {
        hash = hash * 0x9E3779B97F4A7C15ull + (*corner)[0] * 65536u + (*corner)[1];
    }
    return hash;
}
