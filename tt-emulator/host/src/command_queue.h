// The queue of an emulated device.
#pragma once

#include <tt-metalium/mesh_command_queue.hpp>

#include "engine_calls.h"

namespace tt::tt_metal::emulator {

// The engine has Metalium's numbers. Zero is a failure.
inline tt::ARCH arch_of(uint64_t fact) {
    if (fact == 0) {
        fail();
    }
    return static_cast<tt::ARCH>(fact);
}

// Programs run in order while the host goes on; transfers wait for them. A failure is thrown by the next command that waits.
class Queue final : public distributed::MeshCommandQueue {
public:
    explicit Queue(distributed::MeshDevice* device) : MeshCommandQueue(device, 0) {}

    std::optional<distributed::MeshTraceId> trace_id() const override;
    WorkerConfigBufferMgr& get_config_buffer_mgr(uint32_t index) override;
    void enqueue_mesh_workload(distributed::MeshWorkload& mesh_workload, bool blocking) override;
    void enqueue_write_shard_to_sub_grid(
        const distributed::MeshBuffer& buffer,
        const void* host_data,
        const distributed::MeshCoordinateRange& device_range,
        bool blocking,
        std::optional<BufferRegion> region) override;
    void enqueue_write_mesh_buffer(
        const std::shared_ptr<distributed::MeshBuffer>& buffer, const void* host_data, bool blocking) override;
    void enqueue_write(
        const std::shared_ptr<distributed::MeshBuffer>& mesh_buffer,
        const DistributedHostBuffer& host_buffer,
        bool blocking) override;
    void enqueue_write_shards(
        const std::shared_ptr<distributed::MeshBuffer>& mesh_buffer,
        const std::vector<distributed::ShardDataTransfer>& shard_data_transfers,
        bool blocking) override;
    void enqueue_read_mesh_buffer(
        void* host_data, const std::shared_ptr<distributed::MeshBuffer>& buffer, bool blocking) override;
    void enqueue_read_shards(
        const std::vector<distributed::ShardDataTransfer>& shard_data_transfers,
        const std::shared_ptr<distributed::MeshBuffer>& mesh_buffer,
        bool blocking) override;
    void enqueue_read(
        const std::shared_ptr<distributed::MeshBuffer>& mesh_buffer,
        DistributedHostBuffer& host_buffer,
        const std::optional<std::unordered_set<distributed::MeshCoordinate>>& shards,
        bool blocking) override;
    distributed::MeshEvent enqueue_record_event(
        ttsl::Span<const SubDeviceId> sub_device_ids,
        const std::optional<distributed::MeshCoordinateRange>& device_range) override;
    distributed::MeshEvent enqueue_record_event_to_host(
        ttsl::Span<const SubDeviceId> sub_device_ids,
        const std::optional<distributed::MeshCoordinateRange>& device_range) override;
    void enqueue_wait_for_event(const distributed::MeshEvent& sync_event) override;
    void finish(ttsl::Span<const SubDeviceId> sub_device_ids) override;
    void record_begin(
        const distributed::MeshTraceId& trace_id,
        const std::shared_ptr<distributed::MeshTraceDescriptor>& ctx) override;
    void record_end() override;
    void enqueue_trace(const distributed::MeshTraceId& trace_id, bool blocking) override;

private:
    void write(const distributed::MeshBuffer& buffer, const void* host_data, const BufferRegion& region);

    uint32_t events_ = 0;
};

}  // namespace tt::tt_metal::emulator
