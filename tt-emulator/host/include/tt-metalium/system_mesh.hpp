// The mesh of all devices of the system; on the emulator one device.
#pragma once

#include <tt-metalium/mesh_coord.hpp>

namespace tt::tt_metal::distributed {

class SystemMesh {
public:
    static SystemMesh& instance();
    SystemMesh(const SystemMesh&) = delete;
    SystemMesh& operator=(const SystemMesh&) = delete;

    const MeshShape& shape() const;
    const MeshShape& local_shape() const;

private:
    SystemMesh() = default;
};

}  // namespace tt::tt_metal::distributed
