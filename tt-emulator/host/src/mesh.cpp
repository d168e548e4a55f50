// Devices, buffers, queues and workloads: forwards to the engine.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/hal.hpp>
#include <tt_stl/assert.hpp>

#include "handles.h"

namespace tt::tt_metal {

using emulator::checked;

namespace {

tt::ARCH arch_of(uint64_t fact) { return fact == 0 ? tt::ARCH::WORMHOLE_B0 : tt::ARCH::BLACKHOLE; }

}  // namespace

namespace hal {

tt::ARCH get_arch() { return arch_of(tt_emulator_chip_fact(emulator::ARCH)); }
std::string get_arch_name() { return arch_to_str(get_arch()); }
uint32_t get_dram_alignment() { return static_cast<uint32_t>(tt_emulator_chip_fact(emulator::DRAM_ALIGNMENT)); }
uint32_t get_l1_alignment() { return static_cast<uint32_t>(tt_emulator_chip_fact(emulator::L1_ALIGNMENT)); }
uint32_t get_max_worker_l1_unreserved_size() { return static_cast<uint32_t>(tt_emulator_chip_fact(emulator::L1_UNRESERVED)); }
uint32_t get_arch_num_circular_buffers() { return static_cast<uint32_t>(tt_emulator_chip_fact(emulator::CIRCULAR_BUFFERS)); }
uint32_t get_noc_max_burst_size_bytes() { return static_cast<uint32_t>(tt_emulator_chip_fact(emulator::BURST)); }

}  // namespace hal

// Where buffers start on a device.
class AllocatorImpl {
public:
    explicit AllocatorImpl(void* device) :
        l1_base(tt_emulator_device_fact(device, emulator::L1_BASE)), dram_base(tt_emulator_device_fact(device, emulator::DRAM_BASE)) {}

    DeviceAddr l1_base;
    DeviceAddr dram_base;
};

Allocator::Allocator(AllocatorImpl* impl) : impl_(impl) {}

DeviceAddr Allocator::get_base_allocator_addr(const HalMemType& mem_type) const {
    return mem_type == HalMemType::L1 ? impl_->l1_base : impl_->dram_base;
}

namespace distributed {

std::shared_ptr<MeshDevice> MeshDevice::create_unit_mesh(
    int device_id,
    std::size_t,
    std::size_t,
    std::size_t,
    const DispatchCoreConfig&,
    ttsl::Span<const std::uint32_t>,
    std::size_t) {
    return std::make_shared<MeshDevice>(std::make_unique<MeshDeviceImpl>(device_id));
}

namespace {

// Runs each command when it is enqueued; a failure is thrown there.
class Queue final : public MeshCommandQueue {
public:
    explicit Queue(MeshDevice* device) : MeshCommandQueue(device, 0) {}

    void enqueue_mesh_workload(MeshWorkload& mesh_workload, bool blocking) override;
    void enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer, const void* host_data, bool blocking) override;
    void enqueue_read_mesh_buffer(void* host_data, const std::shared_ptr<MeshBuffer>& buffer, bool blocking) override;
    void finish(ttsl::Span<const SubDeviceId> sub_device_ids) override;
};

}  // namespace

// What a device is here.
class MeshDeviceImpl {
public:
    explicit MeshDeviceImpl(int id) :
        id(id),
        handle(checked(tt_emulator_device_open(id))),
        allocator_impl(handle),
        allocator(std::make_unique<Allocator>(&allocator_impl)) {}
    ~MeshDeviceImpl() { close(); }
    MeshDeviceImpl(const MeshDeviceImpl&) = delete;
    MeshDeviceImpl& operator=(const MeshDeviceImpl&) = delete;

    bool close() {
        if (handle == nullptr) {
            return false;
        }
        tt_emulator_device_close(handle);
        handle = nullptr;
        return true;
    }

    // The engine's handle of a device that is open.
    static void* opened(const MeshDevice& device) { return device.pimpl_->opened(); }
    void* opened() const {
        TT_FATAL(handle != nullptr, "The device is closed");
        return handle;
    }

    int id;
    void* handle;  // null once closed
    MeshShape shape{1, 1};
    AllocatorImpl allocator_impl;
    std::unique_ptr<Allocator> allocator;
    std::unique_ptr<MeshCommandQueue> queue;
};

MeshDevice::MeshDevice(std::unique_ptr<MeshDeviceImpl> impl) : pimpl_(std::move(impl)) {
    pimpl_->queue = std::make_unique<Queue>(this);
}

MeshDevice::~MeshDevice() = default;

namespace {

uint64_t fact(const std::unique_ptr<MeshDeviceImpl>& impl, emulator::Fact which) {
    return tt_emulator_device_fact(impl->opened(), which);
}

}  // namespace

tt::ARCH MeshDevice::arch() const { return arch_of(fact(pimpl_, emulator::ARCH)); }
int MeshDevice::id() const { return pimpl_->id; }
CoreCoord MeshDevice::compute_with_storage_grid_size() const {
    return {fact(pimpl_, emulator::GRID_X), fact(pimpl_, emulator::GRID_Y)};
}
CoreCoord MeshDevice::logical_grid_size() const { return compute_with_storage_grid_size(); }
uint32_t MeshDevice::l1_size_per_core() const { return static_cast<uint32_t>(fact(pimpl_, emulator::L1_BYTES)); }
uint32_t MeshDevice::dram_size_per_channel() const { return static_cast<uint32_t>(fact(pimpl_, emulator::DRAM_BANK_BYTES)); }
int MeshDevice::num_dram_channels() const { return static_cast<int>(fact(pimpl_, emulator::DRAM_BANKS)); }
int MeshDevice::get_clock_rate_mhz() const { return static_cast<int>(fact(pimpl_, emulator::CLOCK_MHZ)); }

CoreCoord MeshDevice::worker_core_from_logical_core(const CoreCoord& logical_core) const {
    tt_emulator_core core{};
    checked(tt_emulator_virtual_core(
        pimpl_->opened(), static_cast<uint32_t>(logical_core.x), static_cast<uint32_t>(logical_core.y), &core));
    return {core.x, core.y};
}

const std::unique_ptr<Allocator>& MeshDevice::allocator() const { return pimpl_->allocator; }
bool MeshDevice::close() { return pimpl_->close(); }
bool MeshDevice::is_initialized() const { return pimpl_->handle != nullptr; }
std::size_t MeshDevice::num_devices() const { return 1; }

MeshCommandQueue& MeshDevice::mesh_command_queue(std::optional<uint8_t> cq_id) const {
    TT_FATAL(cq_id.value_or(0) == 0, "cq_id {} is out of range", int(cq_id.value_or(0)));
    return *pimpl_->queue;
}

const MeshShape& MeshDevice::shape() const { return pimpl_->shape; }

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

bool MeshBuffer::is_allocated() const { return backing_buffer_ != nullptr; }
void MeshBuffer::deallocate() { backing_buffer_.reset(); }
DeviceAddr MeshBuffer::size() const { return device_local_size_; }
MeshBufferLayout MeshBuffer::global_layout() const { return MeshBufferLayout::REPLICATED; }
Buffer* MeshBuffer::get_reference_buffer() const { return backing_buffer_.get(); }
Buffer* MeshBuffer::get_backing_buffer() const { return backing_buffer_.get(); }

MeshDevice* MeshBuffer::device() const {
    const auto device = mesh_device_.lock();
    TT_FATAL(device != nullptr, "Can't get device from mesh buffer, already deallocated");
    return device.get();
}

Buffer* MeshBuffer::get_device_buffer(const MeshCoordinate& device_coord) const {
    TT_FATAL(device_coord[0] == 0 && device_coord[1] == 0, "The mesh has one device");
    return backing_buffer_.get();
}

namespace {

// The engine's handle of a buffer on an open device.
void* allocated(const std::shared_ptr<MeshBuffer>& buffer) {
    TT_FATAL(buffer != nullptr && buffer->is_allocated(), "The buffer is not allocated");
    MeshDeviceImpl::opened(*buffer->device());
    return buffer->get_backing_buffer()->impl()->handle();
}

}  // namespace

void Queue::enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer, const void* host_data, bool) {
    checked(tt_emulator_buffer_write(allocated(buffer), host_data, buffer->size()));
}

void Queue::enqueue_read_mesh_buffer(void* host_data, const std::shared_ptr<MeshBuffer>& buffer, bool) {
    checked(tt_emulator_buffer_read(allocated(buffer), host_data, buffer->size()));
}

void Queue::enqueue_mesh_workload(MeshWorkload& mesh_workload, bool) {
    void* opened = MeshDeviceImpl::opened(*device());
    for (const auto& [range, program] : mesh_workload.get_programs()) {
        checked(tt_emulator_launch(opened, emulator::handle(program)));
    }
}

void Queue::finish(ttsl::Span<const SubDeviceId>) {}

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

void EnqueueMeshWorkload(MeshCommandQueue& mesh_cq, MeshWorkload& mesh_workload, bool blocking) {
    mesh_cq.enqueue_mesh_workload(mesh_workload, blocking);
}

void Finish(MeshCommandQueue& mesh_cq, ttsl::Span<const SubDeviceId> sub_device_ids) { mesh_cq.finish(sub_device_ids); }

}  // namespace distributed

void LaunchProgram(distributed::MeshDevice& mesh_device, Program&& program) {
    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(mesh_device.shape()), std::move(program));
    distributed::EnqueueMeshWorkload(mesh_device.mesh_command_queue(), workload, true);
}

}  // namespace tt::tt_metal
