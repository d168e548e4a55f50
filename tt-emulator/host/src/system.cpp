// The system that programs ask about: one device, and no profiler.
#include <cstdlib>

#include <tt-metalium/host_api.hpp>
#include <tt-metalium/system_mesh.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal {

namespace distributed {

SystemMesh& SystemMesh::instance() {
    static SystemMesh system;
    return system;
}
const MeshShape& SystemMesh::shape() const {
    static const MeshShape ONE(1, 1);
    return ONE;
}
const MeshShape& SystemMesh::local_shape() const { return shape(); }

}  // namespace distributed

void ReadMeshDeviceProfilerResults(
    distributed::MeshDevice&, ProfilerReadState, const std::optional<ProfilerOptionalMetadata>&) {
    // As the runtime: nothing is read where profiling is off.
    TT_FATAL(
        std::getenv("TT_METAL_DEVICE_PROFILER") == nullptr,
        "The emulator has no device profiler: TT_METAL_DEVICE_PROFILER must not be set");
}

}  // namespace tt::tt_metal
