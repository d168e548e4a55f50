// Shapes of meshes and coordinates in them.
#include <algorithm>
#include <numeric>
#include <ostream>

#include <tt-metalium/mesh_coord.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal {

namespace {

// Extents of fewer dimensions are kept with ones in front.
constexpr std::size_t LEAST_RANK = 4;

template <typename Values>
std::ostream& write(std::ostream& os, const char* name, const Values& values) {
    os << name << "([";
    for (std::size_t i = 0; i < values.size(); ++i) {
        os << (i == 0 ? "" : ", ") << values[i];
    }
    return os << "])";
}

// An index that may count from the end.
std::size_t index_in(int32_t index, std::size_t count) {
    const auto size = static_cast<int32_t>(count);
    TT_FATAL(index >= -size && index < size, "Index {} is out of bounds for {} dimensions", index, count);
    return static_cast<std::size_t>(index < 0 ? index + size : index);
}

}  // namespace

void detail::normalized_index_out_of_range(int32_t index, int32_t full_size, int32_t orig_size) {
    TT_THROW("ShapeBase[] index out of range. {} not in [{}, {})", index, -full_size, orig_size);
}

void ShapeBase::init() {
    original_size_ = value_.size();
    if (original_size_ < LEAST_RANK) {
        Container padded(LEAST_RANK - original_size_, 1);
        padded.append(value_.begin(), value_.end());
        value_ = std::move(padded);
    }
}

bool ShapeBase::operator==(const ShapeBase& other) const {
    return original_size_ == other.original_size_ && value_ == other.value_;
}
bool ShapeBase::operator==(const Container& other) const { return std::equal(begin(), end(), other.begin(), other.end()); }
bool ShapeBase::operator==(const std::vector<uint32_t>& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
}
ShapeBase::Container::const_iterator ShapeBase::cbegin() const { return value_.cend() - original_size_; }
ShapeBase::Container::const_iterator ShapeBase::cend() const { return value_.cend(); }
ShapeBase::Container::const_iterator ShapeBase::begin() const { return cbegin(); }
ShapeBase::Container::const_iterator ShapeBase::end() const { return cend(); }
ttsl::Span<const uint32_t> ShapeBase::view() const { return {begin(), original_size_}; }
bool ShapeBase::empty() const { return original_size_ == 0; }
std::size_t ShapeBase::size() const { return original_size_; }

namespace distributed {

MeshShape::MeshShape(uint32_t s) : MeshShape(std::initializer_list<uint32_t>{s}) {}
MeshShape::MeshShape(uint32_t s0, uint32_t s1) : MeshShape(std::initializer_list<uint32_t>{s0, s1}) {}
MeshShape::MeshShape(uint32_t s0, uint32_t s1, uint32_t s2) : MeshShape(std::initializer_list<uint32_t>{s0, s1, s2}) {}
MeshShape::MeshShape(const ttsl::SmallVector<uint32_t>& shape) : ShapeBase(shape) { compute_strides(); }
MeshShape::MeshShape(ttsl::SmallVector<uint32_t>&& shape) : ShapeBase(std::move(shape)) { compute_strides(); }
MeshShape::MeshShape(std::initializer_list<uint32_t> ilist) : ShapeBase(ilist) { compute_strides(); }
MeshShape::MeshShape(ttsl::Span<const uint32_t> span) : ShapeBase(span) { compute_strides(); }

void MeshShape::compute_strides() {
    strides_.resize(dims());
    std::size_t stride = 1;
    for (std::size_t dim = dims(); dim-- > 0;) {
        strides_[dim] = stride;
        stride *= begin()[dim];
    }
}

std::size_t MeshShape::dims() const { return size(); }
std::size_t MeshShape::get_stride(std::size_t dim) const { return strides_[dim]; }
std::size_t MeshShape::mesh_size() const {
    return std::accumulate(begin(), end(), std::size_t{dims() == 0 ? 0u : 1u}, std::multiplies<std::size_t>());
}
bool MeshShape::is_line_topology() const {
    return std::count_if(begin(), end(), [](uint32_t extent) { return extent != 1; }) <= 1;
}

bool operator==(const MeshShape& lhs, const MeshShape& rhs) {
    return std::equal(lhs.begin(), lhs.end(), rhs.begin(), rhs.end());
}
bool operator!=(const MeshShape& lhs, const MeshShape& rhs) { return !(lhs == rhs); }
std::ostream& operator<<(std::ostream& os, const MeshShape& shape) { return write(os, "MeshShape", shape.view()); }

MeshCoordinate::MeshCoordinate(uint32_t c) : value_{c} {}
MeshCoordinate::MeshCoordinate(uint32_t c0, uint32_t c1) : value_{c0, c1} {}
MeshCoordinate::MeshCoordinate(uint32_t c0, uint32_t c1, uint32_t c2) : value_{c0, c1, c2} {}
MeshCoordinate::MeshCoordinate(ttsl::Span<const uint32_t> coords) : value_(coords.begin(), coords.end()) {}

MeshCoordinate MeshCoordinate::zero_coordinate(std::size_t dimensions) {
    return MeshCoordinate(std::vector<uint32_t>(dimensions, 0));
}

std::size_t MeshCoordinate::dims() const { return value_.size(); }
ttsl::Span<const uint32_t> MeshCoordinate::coords() const { return {value_.data(), value_.size()}; }
uint32_t MeshCoordinate::operator[](int32_t dim) const { return value_[index_in(dim, dims())]; }
uint32_t& MeshCoordinate::operator[](int32_t dim) { return value_[index_in(dim, dims())]; }

std::size_t MeshCoordinate::to_linear_index(const MeshShape& shape) const {
    TT_FATAL(shape.dims() == dims(), "A coordinate of {} dimensions in a mesh of {}", dims(), shape.dims());
    std::size_t index = 0;
    for (std::size_t dim = 0; dim < dims(); ++dim) {
        const uint32_t extent = shape[static_cast<int32_t>(dim)];
        TT_FATAL(value_[dim] < extent, "Coordinate {} is out of bounds for dimension {} of {}", value_[dim], dim, extent);
        index += value_[dim] * shape.get_stride(dim);
    }
    return index;
}

std::optional<MeshCoordinate> MeshCoordinate::get_neighbor(
    const MeshShape& shape, int32_t offset, int32_t dim, BoundaryMode mode) const {
    to_linear_index(shape);
    const auto at = static_cast<int32_t>(index_in(dim, dims()));
    const auto extent = static_cast<int64_t>(shape[at]);
    int64_t moved = int64_t{(*this)[at]} + offset;
    switch (mode) {
        case BoundaryMode::WRAP: moved = (moved % extent + extent) % extent; break;
        case BoundaryMode::CLAMP: moved = std::clamp<int64_t>(moved, 0, extent - 1); break;
        case BoundaryMode::NONE:
            if (moved < 0 || moved >= extent) {
                return std::nullopt;
            }
    }
    MeshCoordinate neighbor = *this;
    neighbor[at] = static_cast<uint32_t>(moved);
    return neighbor;
}

bool operator==(const MeshCoordinate& lhs, const MeshCoordinate& rhs) {
    return std::equal(lhs.coords().begin(), lhs.coords().end(), rhs.coords().begin(), rhs.coords().end());
}
bool operator!=(const MeshCoordinate& lhs, const MeshCoordinate& rhs) { return !(lhs == rhs); }
bool operator<(const MeshCoordinate& lhs, const MeshCoordinate& rhs) {
    const auto a = lhs.coords();
    const auto b = rhs.coords();
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}
bool operator>(const MeshCoordinate& lhs, const MeshCoordinate& rhs) { return rhs < lhs; }
bool operator<=(const MeshCoordinate& lhs, const MeshCoordinate& rhs) { return !(rhs < lhs); }
bool operator>=(const MeshCoordinate& lhs, const MeshCoordinate& rhs) { return !(lhs < rhs); }
std::ostream& operator<<(std::ostream& os, const MeshCoordinate& coord) {
    return write(os, "MeshCoordinate", coord.coords());
}

}  // namespace distributed
}  // namespace tt::tt_metal

std::size_t std::hash<tt::tt_metal::distributed::MeshCoordinate>::operator()(
    const tt::tt_metal::distributed::MeshCoordinate& coord) const noexcept {
    std::size_t hash = coord.dims();
    for (const uint32_t value : coord.coords()) {
        hash = hash * 0x9E3779B97F4A7C15ull + value;
    }
    return hash;
}
