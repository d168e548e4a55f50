// Commands to a device.
#pragma once

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/mesh_coord.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/mesh_event.hpp>
#include <tt-metalium/mesh_trace_id.hpp>
#include <tt-metalium/mesh_workload.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal::distributed {

void EnqueueMeshWorkload(MeshCommandQueue& mesh_cq, MeshWorkload& mesh_workload, bool blocking);

void Finish(MeshCommandQueue& mesh_cq, ttsl::Span<const SubDeviceId> sub_device_ids = {});

template <typename DType>
void EnqueueWriteMeshBuffer(
    MeshCommandQueue& mesh_cq,
    std::shared_ptr<MeshBuffer>& mesh_buffer,
    const std::vector<DType>& src,
    bool blocking = false) {
    const DeviceAddr given = src.size() * sizeof(DType);
    const DeviceAddr wanted = mesh_buffer->size();
    if (given < wanted) {
        // The library takes a pointer only, and copies what lies behind the vector too.
        std::cerr << "warning: EnqueueWriteMeshBuffer with " << given << " bytes for a buffer of " << wanted
                  << ": TT-Metalium reads past the vector's end; here zeros follow\n";
        std::vector<DType> whole(src);
        whole.resize((wanted + sizeof(DType) - 1) / sizeof(DType));
        mesh_cq.enqueue_write_mesh_buffer(mesh_buffer, whole.data(), true);
        return;
    }
    mesh_cq.enqueue_write_mesh_buffer(mesh_buffer, src.data(), blocking);
}

template <typename DType>
void EnqueueReadMeshBuffer(
    MeshCommandQueue& mesh_cq, std::vector<DType>& dst, std::shared_ptr<MeshBuffer>& mesh_buffer, bool blocking = true) {
    const bool sharded = mesh_buffer->global_layout() == MeshBufferLayout::SHARDED;
    const DeviceAddr bytes = sharded ? mesh_buffer->global_shard_spec().global_size : mesh_buffer->size();
    dst.resize(bytes / sizeof(DType));
    mesh_cq.enqueue_read_mesh_buffer(dst.data(), mesh_buffer, blocking);
}

// The part of a buffer on the device at `coord`.
template <typename DType>
void WriteShard(
    MeshCommandQueue& mesh_cq,
    const std::shared_ptr<MeshBuffer>& mesh_buffer,
    std::vector<DType>& src,
    const MeshCoordinate& coord,
    bool blocking = false) {
    const DeviceAddr bytes = mesh_buffer->device_local_size();
    TT_FATAL(src.size() * sizeof(DType) >= bytes, "{} bytes for a shard of {}", src.size() * sizeof(DType), bytes);
    mesh_cq.enqueue_write_shards(mesh_buffer, {ShardDataTransfer(coord).host_data(src.data())}, blocking);
}

template <typename DType>
void ReadShard(
    MeshCommandQueue& mesh_cq,
    std::vector<DType>& dst,
    const std::shared_ptr<MeshBuffer>& mesh_buffer,
    const MeshCoordinate& coord,
    bool blocking = true) {
    if (!mesh_cq.device()->is_local(coord)) {
        return;
    }
    const Buffer* shard = mesh_buffer->get_device_buffer(coord);
    dst.resize(shard->page_size() * shard->num_pages() / sizeof(DType));
    mesh_cq.enqueue_read_shards({ShardDataTransfer(coord).host_data(dst.data())}, mesh_buffer, blocking);
}

// Waits until the queue of the event has come to it.
void EventSynchronize(const MeshEvent& event);

// Whether it has.
bool EventQuery(const MeshEvent& event);

// Waits for one queue, or all.
void Synchronize(
    MeshDevice* device, std::optional<uint8_t> cq_id, ttsl::Span<const SubDeviceId> sub_device_ids = {});

MeshTraceId BeginTraceCapture(MeshDevice* device, uint8_t cq_id);

bool UsingDistributedEnvironment();

}  // namespace tt::tt_metal::distributed
