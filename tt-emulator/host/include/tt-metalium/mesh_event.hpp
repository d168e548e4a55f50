// A place in a queue that another queue or the host waits for.
#pragma once

#include <cstdint>
#include <memory>

#include <tt-metalium/mesh_coord.hpp>

namespace tt::tt_metal::distributed {

class MeshDevice;
class MeshEventImpl;

class MeshEvent {
public:
    MeshEvent(uint32_t id, MeshDevice* device, uint32_t mesh_cq_id, const MeshCoordinateRange& device_range);
    MeshEvent(const MeshEvent& other);
    MeshEvent(MeshEvent&& other) noexcept;
    MeshEvent& operator=(const MeshEvent& other);
    MeshEvent& operator=(MeshEvent&& other) noexcept;
    ~MeshEvent();

    MeshDevice* device() const;

private:
    std::unique_ptr<MeshEventImpl> pimpl_;
};

}  // namespace tt::tt_metal::distributed
