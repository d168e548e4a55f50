// Devices, buffers, queues and workloads: forwards to the engine.
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt_stl/assert.hpp>

#include "engine_calls.h"

namespace tt::tt_metal {

using emulator::checked;

namespace detail {
void* program_handle(const Program& program);
}  // namespace detail

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

namespace distributed {

std::shared_ptr<MeshDevice> MeshDevice::create_unit_mesh(
    int device_id,
    std::size_t,
    std::size_t,
    std::size_t,
    const DispatchCoreConfig&,
    ttsl::Span<const std::uint32_t>,
    std::size_t) {
    void* handle = checked(tt_emulator_device_open(device_id));
    return std::shared_ptr<MeshDevice>(new MeshDevice(device_id, handle));
}

MeshDevice::MeshDevice(int id, void* handle) :
    id_(id),
    handle_(handle),
    allocator_(std::make_unique<Allocator>(
        tt_emulator_device_fact(handle, emulator::L1_BASE), tt_emulator_device_fact(handle, emulator::DRAM_BASE))),
    command_queue_(std::make_unique<MeshCommandQueue>(this, 0)) {}

MeshDevice::~MeshDevice() { close(); }

namespace {

void* opened(void* handle) {
    TT_FATAL(handle != nullptr, "The device is closed");
    return handle;
}

uint64_t fact(void* handle, emulator::Fact which) { return tt_emulator_device_fact(opened(handle), which); }

}  // namespace

tt::ARCH MeshDevice::arch() const { return arch_of(fact(handle_, emulator::ARCH)); }
int MeshDevice::id() const { return id_; }
CoreCoord MeshDevice::compute_with_storage_grid_size() const {
    return {fact(handle_, emulator::GRID_X), fact(handle_, emulator::GRID_Y)};
}
CoreCoord MeshDevice::logical_grid_size() const { return compute_with_storage_grid_size(); }
uint32_t MeshDevice::l1_size_per_core() const { return static_cast<uint32_t>(fact(handle_, emulator::L1_BYTES)); }
uint32_t MeshDevice::dram_size_per_channel() const { return static_cast<uint32_t>(fact(handle_, emulator::DRAM_BANK_BYTES)); }
int MeshDevice::num_dram_channels() const { return static_cast<int>(fact(handle_, emulator::DRAM_BANKS)); }
int MeshDevice::get_clock_rate_mhz() const { return static_cast<int>(fact(handle_, emulator::CLOCK_MHZ)); }

CoreCoord MeshDevice::worker_core_from_logical_core(const CoreCoord& logical_core) const {
    tt_emulator_core core{};
    checked(tt_emulator_virtual_core(
        opened(handle_), static_cast<uint32_t>(logical_core.x), static_cast<uint32_t>(logical_core.y), &core));
    return {core.x, core.y};
}

CoreCoord MeshDevice::virtual_core_from_logical_core(const CoreCoord& logical_core) const {
    return worker_core_from_logical_core(logical_core);
}

const std::unique_ptr<Allocator>& MeshDevice::allocator() const { return allocator_; }

bool MeshDevice::close() {
    if (handle_ == nullptr) {
        return false;
    }
    tt_emulator_device_close(handle_);
    handle_ = nullptr;
    return true;
}

bool MeshDevice::is_initialized() const { return handle_ != nullptr; }

MeshCommandQueue& MeshDevice::mesh_command_queue(std::optional<uint8_t> cq_id) const {
    TT_FATAL(cq_id.value_or(0) == 0, "cq_id {} is out of range", int(cq_id.value_or(0)));
    return *command_queue_;
}

const MeshShape& MeshDevice::shape() const { return shape_; }

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
    void* handle = checked(tt_emulator_buffer_create(
        opened(mesh_device->emulator_handle()), local.buffer_type == BufferType::DRAM, replicated->size, local.page_size));
    return std::shared_ptr<MeshBuffer>(new MeshBuffer(config, local, mesh_device, handle));
}

MeshBuffer::MeshBuffer(
    const MeshBufferConfig& config, const DeviceLocalBufferConfig& local, MeshDevice* mesh_device, void* handle) :
    config_(config),
    device_local_config_(local),
    mesh_device_(mesh_device->weak_from_this()),
    handle_(handle),
    device_buffer_(std::make_unique<Buffer>(
        tt_emulator_buffer_address(handle),
        std::get<ReplicatedBufferConfig>(config).size,
        local.page_size,
        tt_emulator_buffer_aligned_page(handle),
        local.buffer_type)) {}

MeshBuffer::~MeshBuffer() { deallocate(); }

void MeshBuffer::deallocate() {
    if (handle_ != nullptr) {
        tt_emulator_buffer_destroy(handle_);
        handle_ = nullptr;
    }
}

MeshDevice* MeshBuffer::device() const {
    const auto device = mesh_device_.lock();
    TT_FATAL(device != nullptr, "Can't get device from mesh buffer, already deallocated");
    return device.get();
}

Buffer* MeshBuffer::get_device_buffer(const MeshCoordinate& device_coord) const {
    TT_FATAL(device_coord[0] == 0 && device_coord[1] == 0, "The mesh has one device");
    return device_buffer_.get();
}

namespace {

void* allocated(const std::shared_ptr<MeshBuffer>& buffer) {
    TT_FATAL(buffer != nullptr && buffer->is_allocated(), "The buffer is not allocated");
    opened(buffer->device()->emulator_handle());
    return buffer->emulator_handle();
}

}  // namespace

void MeshCommandQueue::enqueue_write_mesh_buffer(const std::shared_ptr<MeshBuffer>& buffer, const void* host_data, bool) {
    checked(tt_emulator_buffer_write(allocated(buffer), host_data, buffer->size()));
}

void MeshCommandQueue::enqueue_read_mesh_buffer(void* host_data, const std::shared_ptr<MeshBuffer>& buffer, bool) {
    checked(tt_emulator_buffer_read(allocated(buffer), host_data, buffer->size()));
}

void MeshCommandQueue::enqueue_mesh_workload(MeshWorkload& mesh_workload, bool) {
    void* device = opened(mesh_device_->emulator_handle());
    for (const auto& [range, program] : mesh_workload.get_programs()) {
        checked(tt_emulator_launch(device, detail::program_handle(program)));
    }
}

void MeshCommandQueue::finish(ttsl::Span<const SubDeviceId>) {}

MeshWorkload::MeshWorkload() = default;
MeshWorkload::~MeshWorkload() = default;
MeshWorkload::MeshWorkload(MeshWorkload&& other) noexcept = default;
MeshWorkload& MeshWorkload::operator=(MeshWorkload&& other) noexcept = default;

void MeshWorkload::add_program(const MeshCoordinateRange& device_range, Program&& program) {
    const bool added = programs_.emplace(device_range, std::move(program)).second;
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

namespace {

uint8_t interleaved_bits(const Buffer& buffer, tensor_accessor::ArgsConfig config) {
    using tensor_accessor::ArgConfig;
    // Of the runtime parts an interleaved buffer has the page size only.
    const uint8_t page_size = config.test(ArgConfig::RuntimePageSize) ? static_cast<uint8_t>(ArgConfig::RuntimePageSize) : 0;
    return static_cast<uint8_t>(page_size | (buffer.is_dram() ? static_cast<uint8_t>(ArgConfig::IsDram) : 0));
}

}  // namespace

TensorAccessorArgs::TensorAccessorArgs(const Buffer& buffer, tensor_accessor::ArgsConfig args_config) :
    bits_(interleaved_bits(buffer, args_config)), aligned_page_size_(static_cast<uint32_t>(buffer.aligned_page_size())) {}

TensorAccessorArgs::TensorAccessorArgs(const distributed::MeshBuffer& buffer, tensor_accessor::ArgsConfig args_config) :
    TensorAccessorArgs(*buffer.get_reference_buffer(), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(
    const std::shared_ptr<distributed::MeshBuffer>& buffer, tensor_accessor::ArgsConfig args_config) :
    TensorAccessorArgs(*buffer, args_config) {}

std::vector<uint32_t> TensorAccessorArgs::get_compile_time_args() const {
    std::vector<uint32_t> words{bits_};
    if (get_common_runtime_args().empty()) {
        words.push_back(aligned_page_size_);
    }
    return words;
}

std::vector<uint32_t> TensorAccessorArgs::get_common_runtime_args() const {
    const bool runtime = (bits_ & static_cast<uint8_t>(tensor_accessor::ArgConfig::RuntimePageSize)) != 0;
    return runtime ? std::vector<uint32_t>{aligned_page_size_} : std::vector<uint32_t>{};
}

void TensorAccessorArgs::append_to(std::vector<uint32_t>& compile_time_args) const {
    TT_FATAL(get_common_runtime_args().empty(), "Common runtime arguments are required for ArgConfig::Runtime* configurations");
    const auto words = get_compile_time_args();
    compile_time_args.insert(compile_time_args.end(), words.begin(), words.end());
}

void TensorAccessorArgs::append_to(std::vector<uint32_t>& compile_time_args, std::vector<uint32_t>& common_runtime_args) const {
    const auto compile = get_compile_time_args();
    compile_time_args.insert(compile_time_args.end(), compile.begin(), compile.end());
    const auto common = get_common_runtime_args();
    common_runtime_args.insert(common_runtime_args.end(), common.begin(), common.end());
}

}  // namespace tt::tt_metal
