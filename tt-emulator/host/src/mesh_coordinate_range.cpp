// Boxes of coordinates.
#include <algorithm>
#include <ostream>

#include <tt-metalium/mesh_coord.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal::distributed {

namespace {

MeshCoordinate last_of(const MeshShape& shape) {
    std::vector<uint32_t> last(shape.begin(), shape.end());
    for (uint32_t& extent : last) {
        TT_FATAL(extent > 0, "A range over a mesh without devices");
        --extent;
    }
    return MeshCoordinate(last);
}

}  // namespace

MeshCoordinateRange::MeshCoordinateRange(const MeshCoordinate& start, const MeshCoordinate& end) : start_(start), end_(end) {
    TT_FATAL(start.dims() == end.dims(), "A range from {} dimensions to {}", start.dims(), end.dims());
    for (std::size_t dim = 0; dim < dims(); ++dim) {
        TT_FATAL(start.coords()[dim] <= end.coords()[dim], "The start of a range is past its end in dimension {}", dim);
    }
}

MeshCoordinateRange::MeshCoordinateRange(
    const MeshCoordinate& start, const MeshCoordinate& end, const MeshShape& wraparound_shape) :
    start_(start), end_(end), wraparound_shape_(wraparound_shape) {
    start.to_linear_index(wraparound_shape);
    end.to_linear_index(wraparound_shape);
}

MeshCoordinateRange::MeshCoordinateRange(const MeshShape& shape) :
    start_(MeshCoordinate::zero_coordinate(shape.dims())), end_(last_of(shape)) {}

MeshCoordinateRange::MeshCoordinateRange(const MeshCoordinate& coord) : start_(coord), end_(coord) {}

std::size_t MeshCoordinateRange::dims() const { return start_.dims(); }
const MeshCoordinate& MeshCoordinateRange::start_coord() const { return start_; }
const MeshCoordinate& MeshCoordinateRange::end_coord() const { return end_; }

MeshCoordinate::BoundaryMode MeshCoordinateRange::get_boundary_mode() const {
    return wraparound_shape_ ? MeshCoordinate::BoundaryMode::WRAP : MeshCoordinate::BoundaryMode::NONE;
}

MeshShape MeshCoordinateRange::shape() const {
    ttsl::SmallVector<uint32_t> extents;
    for (std::size_t dim = 0; dim < dims(); ++dim) {
        const uint32_t from = start_.coords()[dim];
        const uint32_t to = end_.coords()[dim];
        // Only a range that goes on at the other side starts past its end.
        const uint32_t around = from <= to ? 0 : (*wraparound_shape_)[static_cast<int32_t>(dim)];
        extents.push_back(to + around - from + 1);
    }
    return MeshShape(extents);
}

bool MeshCoordinateRange::contains(const MeshCoordinate& coord) const {
    TT_FATAL(coord.dims() == dims(), "A coordinate of {} dimensions and a range of {}", coord.dims(), dims());
    for (std::size_t dim = 0; dim < dims(); ++dim) {
        const uint32_t at = coord.coords()[dim];
        const uint32_t from = start_.coords()[dim];
        const uint32_t to = end_.coords()[dim];
        if (from <= to ? at < from || at > to : at < from && at > to) {
            return false;
        }
    }
    return true;
}

bool MeshCoordinateRange::contains(const MeshCoordinateRange& range) const {
    for (const MeshCoordinate& coord : range) {
        if (!contains(coord)) {
            return false;
        }
    }
    return true;
}

bool MeshCoordinateRange::intersects(const MeshCoordinateRange& range) const {
    for (const MeshCoordinate& coord : range) {
        if (contains(coord)) {
            return true;
        }
    }
    return false;
}

std::optional<MeshCoordinateRange> MeshCoordinateRange::intersection(const MeshCoordinateRange& range) const {
    TT_FATAL(!wraparound_shape_ && !range.wraparound_shape_, "The emulator does not intersect ranges that wrap around");
    if (!intersects(range)) {
        return std::nullopt;
    }
    std::vector<uint32_t> from;
    std::vector<uint32_t> to;
    for (std::size_t dim = 0; dim < dims(); ++dim) {
        from.push_back(std::max(start_.coords()[dim], range.start_.coords()[dim]));
        to.push_back(std::min(end_.coords()[dim], range.end_.coords()[dim]));
    }
    return MeshCoordinateRange(MeshCoordinate(from), MeshCoordinate(to));
}

MeshCoordinateRange::Iterator::Iterator(
    const MeshCoordinateRange* range, const MeshCoordinate& current_coord, std::size_t linear_index) :
    range_(range), current_coord_(current_coord), linear_index_(linear_index), local_pos_(range->dims(), 0) {
    const MeshShape shape = range->shape();
    lengths_.assign(shape.begin(), shape.end());
}

MeshCoordinateRange::Iterator& MeshCoordinateRange::Iterator::operator++() {
    ++linear_index_;
    for (std::size_t dim = lengths_.size(); dim-- > 0;) {
        const bool carries = ++local_pos_[dim] == lengths_[dim];
        local_pos_[dim] = carries ? 0 : local_pos_[dim];
        const auto at = static_cast<int32_t>(dim);
        const uint32_t moved = range_->start_[at] + local_pos_[dim];
        current_coord_[at] = range_->wraparound_shape_ ? moved % (*range_->wraparound_shape_)[at] : moved;
        if (!carries) {
            break;
        }
    }
    return *this;
}

MeshCoordinateRange::Iterator MeshCoordinateRange::Iterator::operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
}

const MeshCoordinate& MeshCoordinateRange::Iterator::operator*() const { return current_coord_; }
bool MeshCoordinateRange::Iterator::operator==(const Iterator& other) const {
    return range_ == other.range_ && linear_index_ == other.linear_index_;
}
bool MeshCoordinateRange::Iterator::operator!=(const Iterator& other) const { return !(*this == other); }

MeshCoordinateRange::Iterator MeshCoordinateRange::begin() const { return Iterator(this, start_, 0); }
MeshCoordinateRange::Iterator MeshCoordinateRange::end() const { return Iterator(this, start_, shape().mesh_size()); }

bool operator==(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs) {
    return lhs.start_coord() == rhs.start_coord() && lhs.end_coord() == rhs.end_coord() &&
           lhs.wraparound_shape() == rhs.wraparound_shape();
}
bool operator!=(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs) { return !(lhs == rhs); }
bool operator<(const MeshCoordinateRange& lhs, const MeshCoordinateRange& rhs) {
    return lhs.start_coord() != rhs.start_coord() ? lhs.start_coord() < rhs.start_coord() : lhs.end_coord() < rhs.end_coord();
}
std::ostream& operator<<(std::ostream& os, const MeshCoordinateRange& range) {
    return os << "MeshCoordinateRange(start=" << range.start_coord() << ", end=" << range.end_coord() << ")";
}

}  // namespace tt::tt_metal::distributed

std::size_t std::hash<tt::tt_metal::distributed::MeshCoordinateRange>::operator()(
    const tt::tt_metal::distributed::MeshCoordinateRange& range) const noexcept {
    const std::hash<tt::tt_metal::distributed::MeshCoordinate> of_corner;
    return of_corner(range.start_coord()) * 0x9E3779B97F4A7C15ull + of_corner(range.end_coord());
}
