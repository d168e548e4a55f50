// Commands to an emulated device: forwards to the engine.
#include "command_queue.h"

#include <tt-metalium/distributed.hpp>

#include "handles.h"
#include "mesh_device_impl.h"

namespace tt::tt_metal {

using emulator::checked;

namespace distributed {

class MeshEventImpl {
public:
    uint32_t id;
    MeshDevice* device;
    uint32_t queue;
    MeshCoordinateRange range;
};

MeshEvent::MeshEvent(uint32_t id, MeshDevice* device, uint32_t queue, const MeshCoordinateRange& device_range) :
    pimpl_(std::make_unique<MeshEventImpl>(MeshEventImpl{id, device, queue, device_range})) {}
MeshEvent::MeshEvent(const MeshEvent& other) : pimpl_(std::make_unique<MeshEventImpl>(*other.pimpl_)) {}
MeshEvent::MeshEvent(MeshEvent&& other) noexcept = default;
MeshEvent& MeshEvent::operator=(const MeshEvent& other) { return *this = MeshEvent(other); }
MeshEvent& MeshEvent::operator=(MeshEvent&& other) noexcept = default;
MeshEvent::~MeshEvent() = default;
MeshDevice* MeshEvent::device() const { return pimpl_->device; }

}  // namespace distributed

namespace emulator {

using namespace distributed;

namespace {

[[noreturn]] void absent(const char* what) { TT_THROW("The emulator's queues have no {}", what); }

// The engine's handle of a buffer on an open device.
tt_emulator_buffer* allocated(const MeshBuffer& buffer) {
    TT_FATAL(buffer.is_allocated(), "The buffer is not allocated");
    MeshDeviceImpl::opened(*buffer.device());
    return buffer.get_backing_buffer()->impl()->handle();
}

const MeshBuffer& given(const std::shared_ptr<MeshBuffer>& buffer) {
    TT_FATAL(buffer != nullptr, "There is no buffer");
    return *buffer;
}

// What of a buffer is moved: all of it, if nothing is said.
BufferRegion moved(const MeshBuffer& buffer, const std::optional<BufferRegion>& region) {
    return region.value_or(BufferRegion(0, buffer.device_local_size()));
}

void read(const MeshBuffer& buffer, void* host_data, const BufferRegion& region) {
    checked(tt_emulator_buffer_read(allocated(buffer), region.offset, {static_cast<uint8_t*>(host_data), region.size}));
}

}  // namespace

std::optional<MeshTraceId> Queue::trace_id() const { return std::nullopt; }
WorkerConfigBufferMgr& Queue::get_config_buffer_mgr(uint32_t) { absent("buffers of configurations"); }

void Queue::enqueue_mesh_workload(MeshWorkload& mesh_workload, bool blocking) {
    const tt_emulator_device* opened = MeshDeviceImpl::opened(*device());
    for (const auto& [range, program] : mesh_workload.get_programs()) {
        checked(tt_emulator_launch(opened, handle(program), blocking));
    }
}

void Queue::write(const MeshBuffer& buffer, const void* host_data, const BufferRegion& region) {
    tt_emulator_buffer* to = allocated(buffer);
    finish({});
    checked(tt_emulator_buffer_write(to, region.offset, {static_cast<const uint8_t*>(host_data), region.size}));
}

void Queue::enqueue_write_shard_to_sub_grid(
    const MeshBuffer& buffer,
    const void* host_data,
    const MeshCoordinateRange& device_range,
    bool,
    std::optional<BufferRegion> region) {
    for (const MeshCoordinate& coord : device_range) {
        buffer.get_device_buffer(coord);
    }
    write(buffer, host_data, moved(buffer, region));
}

void Queue::enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer, const void* host_data, bool) {
    write(given(buffer), host_data, moved(*buffer, std::nullopt));
}

void Queue::enqueue_write(const std::shared_ptr<MeshBuffer>&, const DistributedHostBuffer&, bool) {
    absent("buffers on several hosts");
}

void Queue::enqueue_write_shards(
    const std::shared_ptr<MeshBuffer>& mesh_buffer, const std::vector<ShardDataTransfer>& transfers, bool blocking) {
    for (const ShardDataTransfer& transfer : transfers) {
        const MeshCoordinateRange range(transfer.shard_coord());
        enqueue_write_shard_to_sub_grid(given(mesh_buffer), transfer.host_data(), range, blocking, transfer.region());
    }
}

void Queue::enqueue_read_mesh_buffer(void* host_data, const std::shared_ptr<MeshBuffer>& buffer, bool) {
    allocated(given(buffer));
    finish({});
    read(*buffer, host_data, moved(*buffer, std::nullopt));
}

void Queue::enqueue_read_shards(
    const std::vector<ShardDataTransfer>& transfers, const std::shared_ptr<MeshBuffer>& mesh_buffer, bool) {
    for (const ShardDataTransfer& transfer : transfers) {
        given(mesh_buffer).get_device_buffer(transfer.shard_coord());
        allocated(*mesh_buffer);
        finish({});
        read(*mesh_buffer, transfer.host_data(), moved(*mesh_buffer, transfer.region()));
    }
}

void Queue::enqueue_read(
    const std::shared_ptr<MeshBuffer>&,
    DistributedHostBuffer&,
    const std::optional<std::unordered_set<MeshCoordinate>>&,
    bool) {
    absent("buffers on several hosts");
}

// An event is recorded when all before it is done, so that whoever has one need not wait.
MeshEvent Queue::enqueue_record_event(
    ttsl::Span<const SubDeviceId> sub_device_ids, const std::optional<MeshCoordinateRange>& device_range) {
    finish(sub_device_ids);
    return MeshEvent(++events_, device(), id(), device_range.value_or(MeshCoordinateRange(device()->shape())));
}

MeshEvent Queue::enqueue_record_event_to_host(
    ttsl::Span<const SubDeviceId> sub_device_ids, const std::optional<MeshCoordinateRange>& device_range) {
    return enqueue_record_event(sub_device_ids, device_range);
}

void Queue::enqueue_wait_for_event(const MeshEvent&) {}
void Queue::finish(ttsl::Span<const SubDeviceId>) { checked(tt_emulator_finish(MeshDeviceImpl::opened(*device()))); }

void Queue::record_begin(const MeshTraceId&, const std::shared_ptr<MeshTraceDescriptor>&) { absent("traces"); }
void Queue::record_end() { absent("traces"); }
void Queue::enqueue_trace(const MeshTraceId&, bool) { absent("traces"); }

}  // namespace emulator

namespace distributed {

void EnqueueMeshWorkload(MeshCommandQueue& mesh_cq, MeshWorkload& mesh_workload, bool blocking) {
    mesh_cq.enqueue_mesh_workload(mesh_workload, blocking);
}

void Finish(MeshCommandQueue& mesh_cq, ttsl::Span<const SubDeviceId> sub_device_ids) { mesh_cq.finish(sub_device_ids); }

void EventSynchronize(const MeshEvent&) {}
bool EventQuery(const MeshEvent&) { return true; }

void Synchronize(MeshDevice* device, std::optional<uint8_t> cq_id, ttsl::Span<const SubDeviceId> sub_device_ids) {
    TT_FATAL(device != nullptr, "Synchronize without a device");
    device->mesh_command_queue(cq_id).finish(sub_device_ids);
}

MeshTraceId BeginTraceCapture(MeshDevice* device, uint8_t cq_id) {
    TT_FATAL(device != nullptr, "BeginTraceCapture without a device");
    return device->begin_mesh_trace(cq_id);
}

bool UsingDistributedEnvironment() { return false; }

}  // namespace distributed
}  // namespace tt::tt_metal
