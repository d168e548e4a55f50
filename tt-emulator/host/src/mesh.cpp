// Facts of chips, buffers of devices, and workloads: forwards to the engine.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/hal.hpp>
#include <tt_stl/assert.hpp>

#include "command_queue.h"
#include "handles.h"
#include "mesh_device_impl.h"

namespace tt::tt_metal {

namespace hal {

tt::ARCH get_arch() { return emulator::arch_of(tt_emulator_chip_fact(TT_EMULATOR_FACT_ARCH)); }
std::string get_arch_name() { return arch_to_str(get_arch()); }
uint32_t get_dram_alignment() { return static_cast<uint32_t>(tt_emulator_chip_fact(TT_EMULATOR_FACT_DRAM_ALIGNMENT)); }
uint32_t get_l1_alignment() { return static_cast<uint32_t>(tt_emulator_chip_fact(TT_EMULATOR_FACT_L1_ALIGNMENT)); }
uint32_t get_max_worker_l1_unreserved_size() { return static_cast<uint32_t>(tt_emulator_chip_fact(TT_EMULATOR_FACT_L1_UNRESERVED)); }
uint32_t get_arch_num_circular_buffers() { return static_cast<uint32_t>(tt_emulator_chip_fact(TT_EMULATOR_FACT_CIRCULAR_BUFFERS)); }
uint32_t get_noc_max_burst_size_bytes() { return static_cast<uint32_t>(tt_emulator_chip_fact(TT_EMULATOR_FACT_BURST)); }

}  // namespace hal

namespace distributed {

MeshBuffer::MeshBuffer(
    const MeshBufferConfig& config,
    const DeviceLocalBufferConfig& device_local_config,
    DeviceAddr device_local_size,
    MeshDevice* mesh_device,
    std::shared_ptr<Buffer> backing_buffer) :
    config_(config),
    device_local_config_(device_local_config),
    mesh_device_(mesh_device->weak_from_this()),
    address_(backing_buffer->address()),
    device_local_size_(device_local_size),
    buffers_(mesh_device->shape(), {MaybeRemote<std::shared_ptr<Buffer>>::local(backing_buffer)}),
    state_(OwnedBufferState{std::move(backing_buffer)}) {}

std::shared_ptr<MeshBuffer> MeshBuffer::create(
    const MeshBufferConfig& config,
    const DeviceLocalBufferConfig& local,
    MeshDevice* mesh_device,
    std::optional<DeviceAddr> address) {
    TT_FATAL(mesh_device != nullptr, "MeshBuffer::create without a device");
    TT_FATAL(!address.has_value(), "The emulator has no buffers at given addresses");
    const auto* replicated = std::get_if<ReplicatedBufferConfig>(&config);
    TT_FATAL(replicated != nullptr, "The emulator has no buffers sharded over several devices");
    TT_FATAL(
        local.buffer_type == BufferType::DRAM || local.buffer_type == BufferType::L1, "The emulator has DRAM and L1 buffers only");
    auto backing_buffer = BufferImpl::create(MeshDeviceImpl::opened(*mesh_device), replicated->size, local);
    return std::shared_ptr<MeshBuffer>(
        new MeshBuffer(config, local, replicated->size, mesh_device, std::move(backing_buffer)));
}

MeshBuffer::~MeshBuffer() { deallocate(); }

bool MeshBuffer::is_allocated() const { return !std::holds_alternative<DeallocatedState>(state_); }
void MeshBuffer::deallocate() {
    for (auto& buffer : buffers_.values()) {
        buffer = MaybeRemote<std::shared_ptr<Buffer>>::remote();
    }
    state_ = DeallocatedState{};
}
DeviceAddr MeshBuffer::size() const { return device_local_size_; }
MeshBufferLayout MeshBuffer::global_layout() const { return MeshBufferLayout(config_.index()); }
const ShardedBufferConfig& MeshBuffer::global_shard_spec() const {
    TT_FATAL(global_layout() == MeshBufferLayout::SHARDED, "Can only query the global shard spec for a sharded MeshBuffer");
    return std::get<ShardedBufferConfig>(config_);
}
Buffer* MeshBuffer::get_reference_buffer() const { return get_backing_buffer(); }
Buffer* MeshBuffer::get_backing_buffer() const {
    const auto* owned = std::get_if<OwnedBufferState>(&state_);
    return owned == nullptr ? nullptr : owned->backing_buffer.get();
}

MeshDevice* MeshBuffer::device() const {
    const auto device = mesh_device_.lock();
    TT_FATAL(device != nullptr, "Can't get device from mesh buffer, already deallocated");
    return device.get();
}

Buffer* MeshBuffer::get_device_buffer(const MeshCoordinate& device_coord) const {
    return buffers_.at(device_coord).value().get();
}

// What a workload is here.
class MeshWorkloadImpl {
public:
    std::unordered_map<MeshCoordinateRange, Program> programs;
};

MeshWorkload::MeshWorkload() : pimpl_(std::make_unique<MeshWorkloadImpl>()) {}
MeshWorkload::~MeshWorkload() = default;
MeshWorkload::MeshWorkload(MeshWorkload&& other) noexcept = default;
MeshWorkload& MeshWorkload::operator=(MeshWorkload&& other) noexcept = default;

std::unordered_map<MeshCoordinateRange, Program>& MeshWorkload::get_programs() { return pimpl_->programs; }
const std::unordered_map<MeshCoordinateRange, Program>& MeshWorkload::get_programs() const { return pimpl_->programs; }

void MeshWorkload::add_program(const MeshCoordinateRange& device_range, Program&& program) {
    const bool added = pimpl_->programs.emplace(device_range, std::move(program)).second;
    TT_FATAL(added, "The workload has a program for this range already");
}

}  // namespace distributed

void LaunchProgram(distributed::MeshDevice& mesh_device, Program&& program) {
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(mesh_device.shape()), std::move(program));
    distributed::EnqueueMeshWorkload(mesh_device.mesh_command_queue(), workload, true);
}

}  // namespace tt::tt_metal
