// Shapes of meshes of devices, coordinates in them, and boxes of coordinates; of any rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <vector>

#include <tt-metalium/shape_base.hpp>
#include <tt_stl/small_vector.hpp>
#include <tt_stl/span.hpp>

namespace tt::tt_metal::distributed {

class MeshShape : public ShapeBase {
public:
    using ShapeBase::operator[];

    explicit MeshShape(uint32_t s);
    MeshShape(uint32_t s0, uint32_t s1);
    MeshShape(uint32_t s0, uint32_t s1, uint32_t s2);
    explicit MeshShape(const ttsl::SmallVector<uint32_t>& shape);
    explicit MeshShape(ttsl::SmallVector<uint32_t>&& shape);
    explicit MeshShape(std::initializer_list<uint32_t> ilist);
    explicit MeshShape(ttsl::Span<const uint32_t> span);

    std::size_t dims() const;
    std::size_t get_stride(std::size_t dim) const;
    std::size_t mesh_size() const;
    // Whether at most one dimension is longer than 1.
    bool is_line_topology() const;

    friend bool operator==(const MeshShape& lhs, const MeshShape& rhs);
    friend bool operator!=(const MeshShape& lhs, const MeshShape& rhs);
    friend std::ostream& operator<<(std::ostream& os, const MeshShape& shape);

private:
    friend struct emulator::Layout;
    using ShapeBase::empty;
    using ShapeBase::ShapeBase;
    using ShapeBase::size;

    void compute_strides();

    ttsl::SmallVector<std::size_t> strides_;
};

class MeshCoordinate {
public:
    explicit MeshCoordinate(uint32_t c);
    MeshCoordinate(uint32_t c0, uint32_t c1);
    MeshCoordinate(uint32_t c0, uint32_t c1, uint32_t c2);
    explicit MeshCoordinate(ttsl::Span<const uint32_t> coords);
    static MeshCoordinate zero_coordinate(std::size_t dimensions);

    std::size_t dims() const;
    ttsl::Span<const uint32_t> coords() const;
    uint32_t operator[](int32_t dim) const;
    uint32_t& operator[](int32_t dim);
    std::size_t to_linear_index(const MeshShape& shape) const;

    // What is done with a neighbour beyond the mesh: taken from the other side, from the border, or none.
    enum class BoundaryMode { WRAP, CLAMP, NONE };
    std::optional<MeshCoordinate> get_neighbor(
        const MeshShape& shape, int32_t offset, int32_t dim, BoundaryMode mode = BoundaryMode::WRAP) const;

private:
    friend struct emulator::Layout;

    ttsl::SmallVector<uint32_t> value_;
};

bool operator==(const MeshCoordinate& lhs, const MeshCoordinate& rhs);
bool operator!=(const MeshCoordinate& lhs, const MeshCoordinate& rhs);
bool operator<(const MeshCoordinate& lhs, const MeshCoordinate& rhs);
bool operator>(const MeshCoordinate& lhs, const MeshCoordinate& rhs);
bool operator<=(const MeshCoordinate& lhs, const MeshCoordinate& rhs);
bool operator>=(const MeshCoordinate& lhs, const MeshCoordinate& rhs);
std::ostream& operator<<(std::ostream& os, const MeshCoordinate& coord);

// All coordinates between two corners, both of them inside.
class MeshCoordinateRange {
public:
    MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end);
    // In a dimension where the start is past the end, the range goes on at the other side of `wraparound_shape`.
    MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end, const MeshShape& wraparound_shape);
    explicit MeshCoordinateRange(const MeshShape& shape);
    explicit MeshCoordinateRange(const MeshCoordinate& coord);

    std::size_t dims() const;
    const MeshCoordinate& start_coord() const;
    const MeshCoordinate& end_coord() const;
    MeshShape shape() const;
    MeshCoordinate::BoundaryMode get_boundary_mode() const;
    const std::optional<MeshShape>& wraparound_shape() const { return wraparound_shape_; }

    bool contains(const MeshCoordinate& coord) const;
    bool contains(const MeshCoordinateRange& range) const;
    bool intersects(const MeshCoordinateRange& range) const;
    std::optional<MeshCoordinateRange> intersection(const MeshCoordinateRange& range) const;

    // Goes row by row.
    class Iterator {
    public:
        Iterator& operator++();
        Iterator operator++(int);
        const MeshCoordinate& operator*() const;
        bool operator==(const Iterator& other) const;
        bool operator!=(const Iterator& other) const;

    private:
        friend class MeshCoordinateRange;
        friend struct emulator::Layout;
        Iterator(const MeshCoordinateRange* range, const MeshCoordinate& current_coord, std::size_t linear_index);

        const MeshCoordinateRange* range_ = nullptr;
        MeshCoordinate current_coord_;
        std::size_t linear_index_ = 0;
        // Of each dimension how long it is, and how far in it this is.
        std::vector<uint32_t> lengths_;
        std::vector<uint32_t> local_pos_;
    };

    Iterator begin() const;
    Iterator end() const;

private:
    friend struct emulator::Layout;

    MeshCoordinate start_;
    MeshCoordinate end_;
    std::optional<MeshShape> wraparound_shape_;
};

bool operator==(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs);
bool operator!=(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs);
bool operator<(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs);
std::ostream& operator<<(std::ostream& os, const MeshCoordinateRange& range);

}  // namespace tt::tt_metal::distributed

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinate> {
    std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinate& coord) const noexcept;
};

template <>
struct std::hash<tt::tt_metal::distributed::MeshCoordinateRange> {
    std::size_t operator()(const tt::tt_metal::distributed::MeshCoordinateRange& range) const noexcept;
};

#include <tt-metalium/mesh_container.hpp>
