// One value for each device of a mesh, row by row.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <tt-metalium/maybe_remote.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal::distributed {

template <typename T>
class MeshContainer {
public:
    MeshContainer(const MeshShape& shape, const T& fill_value) :
        shape_(shape), coord_range_(shape), values_(shape.mesh_size(), fill_value) {}
    MeshContainer(const MeshShape& shape, std::vector<T> values) :
        shape_(shape), coord_range_(shape), values_(std::move(values)) {
        TT_FATAL(shape.mesh_size() == values_.size(), "{} values for a mesh of {}", values_.size(), shape.mesh_size());
    }

    const MeshShape& shape() const { return shape_; }
    const MeshCoordinateRange& coord_range() const { return coord_range_; }
    std::size_t size() const { return values_.size(); }
    T& at(const MeshCoordinate& coord) { return values_.at(coord.to_linear_index(shape_)); }
    const T& at(const MeshCoordinate& coord) const { return values_.at(coord.to_linear_index(shape_)); }
    std::vector<T>& values() { return values_; }
    const std::vector<T>& values() const { return values_; }

    friend bool operator==(const MeshContainer& lhs, const MeshContainer& rhs) {
        return lhs.shape_ == rhs.shape_ && lhs.coord_range_ == rhs.coord_range_ && lhs.values_ == rhs.values_;
    }

private:
    MeshShape shape_;
    MeshCoordinateRange coord_range_;
    std::vector<T> values_;
};

// Values of which some are on other hosts; at first all.
template <typename T>
class DistributedMeshContainer : public MeshContainer<MaybeRemote<T>> {
public:
    explicit DistributedMeshContainer(const MeshShape& global_shape) :
        MeshContainer<MaybeRemote<T>>(global_shape, MaybeRemote<T>::remote()) {}
    DistributedMeshContainer(const MeshShape& global_shape, std::vector<MaybeRemote<T>> values) :
        MeshContainer<MaybeRemote<T>>(global_shape, std::move(values)) {}

    bool is_local(const MeshCoordinate& coord) const { return this->at(coord).is_local(); }
};

}  // namespace tt::tt_metal::distributed
