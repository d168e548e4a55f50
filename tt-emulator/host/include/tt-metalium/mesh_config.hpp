// Which devices a mesh is made of.
#pragma once

#include <optional>
#include <vector>

#include <tt-metalium/mesh_coord.hpp>

namespace tt::tt_metal::distributed {

// Without a shape, all devices of the system; without ids, those that the system has at the offset.
class MeshDeviceConfig {
public:
    MeshDeviceConfig(
        const std::optional<MeshShape>& mesh_shape,
        const std::optional<MeshCoordinate>& offset = std::nullopt,
        const std::vector<int>& physical_device_ids = {}) :
        mesh_shape_(mesh_shape), offset_(offset), physical_device_ids_(physical_device_ids) {}

    const std::optional<MeshShape>& mesh_shape() const { return mesh_shape_; }
    const std::optional<MeshCoordinate>& offset() const { return offset_; }
    const std::vector<int>& physical_device_ids() const { return physical_device_ids_; }

private:
    friend struct emulator::Layout;

    std::optional<MeshShape> mesh_shape_;
    std::optional<MeshCoordinate> offset_;
    std::vector<int> physical_device_ids_;
};

}  // namespace tt::tt_metal::distributed
