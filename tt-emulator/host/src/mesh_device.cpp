// Devices: facts of the engine's, and what only real ones have.
#include <tt-metalium/sub_device.hpp>

#include "command_queue.h"
#include "mesh_device_impl.h"

namespace tt::tt_metal {

using emulator::checked;

namespace {

// For what the emulated chips do not have.
[[noreturn]] void absent(const char* what) { TT_THROW("The emulator's devices have no {}", what); }

emulator::Fact of_memory(BufferType type, emulator::Fact dram, emulator::Fact l1) {
    TT_FATAL(type == BufferType::DRAM || type == BufferType::L1, "The emulator has DRAM and L1 buffers only");
    return type == BufferType::DRAM ? dram : l1;
}

}  // namespace

Allocator::Allocator(AllocatorImpl* impl) : impl_(impl) {}

DeviceAddr Allocator::get_base_allocator_addr(const HalMemType& mem_type) const {
    return impl_->fact(mem_type == HalMemType::L1 ? TT_EMULATOR_FACT_L1_BASE : TT_EMULATOR_FACT_DRAM_BASE);
}
uint32_t Allocator::get_alignment(BufferType buffer_type) const {
    return static_cast<uint32_t>(impl_->fact(of_memory(buffer_type, TT_EMULATOR_FACT_DRAM_ALIGNMENT, TT_EMULATOR_FACT_L1_ALIGNMENT)));
}
uint32_t Allocator::get_num_banks(const BufferType& buffer_type) const {
    const bool is_dram = of_memory(buffer_type, TT_EMULATOR_FACT_DRAM_BANKS, TT_EMULATOR_FACT_GRID_X) == TT_EMULATOR_FACT_DRAM_BANKS;
    const uint64_t cores = impl_->fact(TT_EMULATOR_FACT_GRID_X) * impl_->fact(TT_EMULATOR_FACT_GRID_Y);
    return static_cast<uint32_t>(is_dram ? impl_->fact(TT_EMULATOR_FACT_DRAM_BANKS) : cores);
}
DeviceAddr Allocator::get_bank_size(const BufferType& buffer_type) const {
    const bool is_dram = of_memory(buffer_type, TT_EMULATOR_FACT_DRAM_BASE, TT_EMULATOR_FACT_L1_BASE) == TT_EMULATOR_FACT_DRAM_BASE;
    return is_dram ? impl_->fact(TT_EMULATOR_FACT_DRAM_BANK_BYTES) - impl_->fact(TT_EMULATOR_FACT_DRAM_BASE)
                   : impl_->fact(TT_EMULATOR_FACT_L1_BYTES) - impl_->fact(TT_EMULATOR_FACT_L1_BASE);
}
Statistics Allocator::get_statistics(const BufferType&) const { absent("statistics of their memory"); }

namespace distributed {

std::shared_ptr<MeshDevice> MeshDevice::create(
    const MeshDeviceConfig& config,
    std::size_t,
    std::size_t,
    std::size_t,
    const DispatchCoreConfig&,
    ttsl::Span<const std::uint32_t>,
    std::size_t) {
    const std::size_t devices = config.mesh_shape() ? config.mesh_shape()->mesh_size() : 1;
    TT_FATAL(devices == 1, "A mesh of {} devices: the emulator's have one", devices);
    const auto& ids = config.physical_device_ids();
    TT_FATAL(ids.size() <= 1, "{} device ids for a mesh of one", ids.size());
    return create_unit_mesh(ids.empty() ? 0 : ids.front());
}

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

std::map<int, std::shared_ptr<MeshDevice>> MeshDevice::create_unit_meshes(
    const std::vector<int>& device_ids,
    std::size_t,
    std::size_t,
    std::size_t,
    const DispatchCoreConfig&,
    ttsl::Span<const std::uint32_t>,
    std::size_t) {
    std::map<int, std::shared_ptr<MeshDevice>> devices;
    for (const int id : device_ids) {
        devices.emplace(id, create_unit_mesh(id));
    }
    return devices;
}

MeshDevice::MeshDevice(std::unique_ptr<MeshDeviceImpl> impl) : pimpl_(std::move(impl)) {
    pimpl_->queue = std::make_unique<emulator::Queue>(this);
}
MeshDevice::~MeshDevice() = default;

tt::ARCH MeshDevice::arch() const { return emulator::arch_of(pimpl_->fact(TT_EMULATOR_FACT_ARCH)); }
ChipId MeshDevice::id() const { return pimpl_->id; }
ChipId MeshDevice::build_id() const { return pimpl_->id; }
uint8_t MeshDevice::num_hw_cqs() const { return 1; }
bool MeshDevice::is_initialized() const { return pimpl_->handle != nullptr; }

int MeshDevice::num_dram_channels() const { return static_cast<int>(pimpl_->fact(TT_EMULATOR_FACT_DRAM_BANKS)); }
uint32_t MeshDevice::l1_size_per_core() const { return static_cast<uint32_t>(pimpl_->fact(TT_EMULATOR_FACT_L1_BYTES)); }
uint32_t MeshDevice::dram_size_per_channel() const {
    return static_cast<uint32_t>(pimpl_->fact(TT_EMULATOR_FACT_DRAM_BANK_BYTES));
}
int MeshDevice::get_clock_rate_mhz() const { return static_cast<int>(pimpl_->fact(TT_EMULATOR_FACT_CLOCK_MHZ)); }
CoreCoord MeshDevice::grid_size() const { absent("cores beside those that compute"); }
CoreCoord MeshDevice::logical_grid_size() const { return compute_with_storage_grid_size(); }
CoreCoord MeshDevice::dram_grid_size() const { return {pimpl_->fact(TT_EMULATOR_FACT_DRAM_BANKS), 1}; }

CoreCoord MeshDevice::virtual_noc0_coordinate(uint8_t, CoreCoord) const { absent("coordinates of one NoC"); }
std::vector<CoreCoord> MeshDevice::worker_cores_from_logical_cores(const std::vector<CoreCoord>& logical_cores) const {
    std::vector<CoreCoord> cores;
    for (const CoreCoord& core : logical_cores) {
        cores.push_back(worker_core_from_logical_core(core));
    }
    return cores;
}
std::vector<CoreCoord> MeshDevice::get_optimal_dram_bank_to_logical_worker_assignment(NOC) const {
    absent("best cores for their DRAM banks");
}
CoreCoord MeshDevice::virtual_core_from_logical_core(const CoreCoord&, const CoreType&) const {
    absent("kinds of cores; worker_core_from_logical_core gives the coordinate of one that computes");
}
CoreCoord MeshDevice::worker_core_from_logical_core(const CoreCoord& logical_core) const {
    tt_emulator_core core{};
    const tt_emulator_core logical{static_cast<uint32_t>(logical_core.x), static_cast<uint32_t>(logical_core.y)};
    checked(tt_emulator_virtual_core(pimpl_->opened(), logical, &core));
    return {core.x, core.y};
}
CoreCoord MeshDevice::logical_core_from_worker_core(const CoreCoord& worker_core) const {
    const CoreCoord grid = compute_with_storage_grid_size();
    for (const CoreCoord& logical : CoreRange({0, 0}, {grid.x - 1, grid.y - 1})) {
        if (worker_core_from_logical_core(logical) == worker_core) {
            return logical;
        }
    }
    TT_THROW("{} is no core that computes", worker_core.str());
}
CoreCoord MeshDevice::compute_with_storage_grid_size() const {
    return {pimpl_->fact(TT_EMULATOR_FACT_GRID_X), pimpl_->fact(TT_EMULATOR_FACT_GRID_Y)};
}
CoreRangeSet MeshDevice::worker_cores(HalProgrammableCoreType core_type, SubDeviceId sub_device_id) const {
    TT_FATAL(*sub_device_id == 0, "The emulator's devices have one sub-device");
    if (core_type != HalProgrammableCoreType::TENSIX) {
        return {};
    }
    const CoreCoord grid = compute_with_storage_grid_size();
    return CoreRangeSet(CoreRange({0, 0}, {grid.x - 1, grid.y - 1}));
}
uint32_t MeshDevice::num_worker_cores(HalProgrammableCoreType core_type, SubDeviceId sub_device_id) const {
    return worker_cores(core_type, sub_device_id).num_cores();
}

const std::unique_ptr<Allocator>& MeshDevice::allocator() const { return pimpl_->allocator; }
const std::unique_ptr<Allocator>& MeshDevice::allocator(SubDeviceId) const { return pimpl_->allocator; }
const std::unique_ptr<AllocatorImpl>& MeshDevice::allocator_impl() const { return pimpl_->allocator_impl; }
const std::unique_ptr<AllocatorImpl>& MeshDevice::allocator_impl(SubDeviceId) const { return pimpl_->allocator_impl; }

CoreCoord MeshDevice::logical_core_from_dram_channel(uint32_t dram_channel) const {
    TT_FATAL(dram_channel < static_cast<uint32_t>(num_dram_channels()), "There is no DRAM channel {}", dram_channel);
    return {dram_channel, 0};
}
uint32_t MeshDevice::dram_channel_from_logical_core(const CoreCoord& logical_core) const {
    TT_FATAL(
        logical_core.y == 0 && logical_core.x < static_cast<uint32_t>(num_dram_channels()),
        "{} is no DRAM channel",
        logical_core.str());
    return static_cast<uint32_t>(logical_core.x);
}
uint32_t MeshDevice::dram_channel_from_virtual_core(const CoreCoord&) const { absent("virtual coordinates of DRAM channels"); }
std::optional<DeviceAddr> MeshDevice::lowest_occupied_compute_l1_address() const {
    absent("statistics of their memory");
}
std::optional<DeviceAddr> MeshDevice::lowest_occupied_compute_l1_address(ttsl::Span<const SubDeviceId>) const {
    absent("statistics of their memory");
}
const std::set<CoreCoord>& MeshDevice::storage_only_cores() const { return pimpl_->no_cores; }
uint32_t MeshDevice::get_noc_unicast_encoding(uint8_t, const CoreCoord&) const { absent("encodings of NoC coordinates"); }
uint32_t MeshDevice::get_noc_multicast_encoding(uint8_t, const CoreRange&) const {
    absent("encodings of NoC coordinates");
}

SystemMemoryManager& MeshDevice::sysmem_manager() { absent("queues in host memory"); }
uint32_t MeshDevice::get_trace_buffers_size() const { return 0; }
void MeshDevice::set_trace_buffers_size(uint32_t) { absent("traces"); }
bool MeshDevice::initialize(
    uint8_t, std::size_t, std::size_t, std::size_t, ttsl::Span<const std::uint32_t>, bool) {
    absent("second initialization: they are opened ready");
}
bool MeshDevice::close() { return pimpl_->close(); }

// Programs are compiled once whether a program cache is enabled or not.
void MeshDevice::enable_program_cache() {}
void MeshDevice::clear_program_cache() {}
void MeshDevice::disable_and_clear_program_cache() {}
program_cache::detail::ProgramCache& MeshDevice::get_program_cache() { absent("cache of programs to look into"); }
std::size_t MeshDevice::num_program_cache_entries() { return 0; }

HalProgrammableCoreType MeshDevice::get_programmable_core_type(CoreCoord virtual_core) const {
    logical_core_from_worker_core(virtual_core);
    return HalProgrammableCoreType::TENSIX;
}
HalMemType MeshDevice::get_mem_type_of_core(CoreCoord virtual_core) const {
    logical_core_from_worker_core(virtual_core);
    return HalMemType::L1;
}

SubDeviceManagerId MeshDevice::get_active_sub_device_manager_id() const { return SubDeviceManagerId{0}; }
SubDeviceManagerId MeshDevice::get_default_sub_device_manager_id() const { return SubDeviceManagerId{0}; }
SubDeviceManagerId MeshDevice::create_sub_device_manager(ttsl::Span<const SubDevice>, DeviceAddr) { absent("sub-devices"); }
SubDeviceManagerId MeshDevice::create_sub_device_manager(std::initializer_list<SubDevice>, DeviceAddr) {
    absent("sub-devices");
}
void MeshDevice::remove_sub_device_manager(SubDeviceManagerId) { absent("sub-devices"); }
void MeshDevice::load_sub_device_manager(SubDeviceManagerId) { absent("sub-devices"); }
void MeshDevice::clear_loaded_sub_device_manager() {}
CoreCoord MeshDevice::virtual_program_dispatch_core(uint8_t) const { absent("cores that dispatch"); }
const std::vector<SubDeviceId>& MeshDevice::get_sub_device_ids() const { return pimpl_->sub_devices; }
const std::vector<SubDeviceId>& MeshDevice::get_sub_device_stall_group() const { return pimpl_->sub_devices; }
void MeshDevice::set_sub_device_stall_group(ttsl::Span<const SubDeviceId>) { absent("sub-devices"); }
void MeshDevice::reset_sub_device_stall_group() {}
uint32_t MeshDevice::num_sub_devices() const { return 1; }

bool MeshDevice::is_mmio_capable() const { return true; }
std::shared_ptr<MeshDevice> MeshDevice::get_mesh_device() { return shared_from_this(); }

std::vector<CoreCoord> MeshDevice::ethernet_cores_from_logical_cores(const std::vector<CoreCoord>& logical_cores) const {
    TT_FATAL(logical_cores.empty(), "The emulator's devices have no Ethernet cores");
    return {};
}
CoreCoord MeshDevice::logical_core_from_ethernet_core(const CoreCoord&) const { absent("Ethernet cores"); }
CoreCoord MeshDevice::ethernet_core_from_logical_core(const CoreCoord&) const { absent("Ethernet cores"); }
std::unordered_set<CoreCoord> MeshDevice::get_active_ethernet_cores(bool) const { return {}; }
std::unordered_set<CoreCoord> MeshDevice::get_inactive_ethernet_cores() const { return {}; }
bool MeshDevice::is_active_ethernet_core(CoreCoord, bool) const { return false; }
bool MeshDevice::is_inactive_ethernet_core(CoreCoord) const { return false; }
std::tuple<ChipId, CoreCoord> MeshDevice::get_connected_ethernet_core(CoreCoord) const { absent("Ethernet cores"); }
std::vector<CoreCoord> MeshDevice::get_ethernet_sockets(ChipId) const { return {}; }
const std::set<CoreCoord>& MeshDevice::ethernet_cores() const { return pimpl_->no_cores; }

MeshCommandQueue& MeshDevice::mesh_command_queue(std::optional<uint8_t> cq_id) const {
    TT_FATAL(cq_id.value_or(0) == 0, "cq_id {} is out of range", int(cq_id.value_or(0)));
    return *pimpl_->queue;
}
const MeshShape& MeshDevice::shape() const { return pimpl_->shape; }
std::size_t MeshDevice::num_devices() const { return 1; }
std::size_t MeshDevice::num_rows() const { return 1; }
std::size_t MeshDevice::num_cols() const { return 1; }
std::vector<IDevice*> MeshDevice::get_devices() const { return {const_cast<MeshDevice*>(this)}; }
bool MeshDevice::is_local(const MeshCoordinate& coord) const {
    coord.to_linear_index(shape());
    return true;
}
std::shared_ptr<MeshDevice> MeshDevice::create_submesh(const MeshShape&, const std::optional<MeshCoordinate>&) {
    absent("parts that are meshes");
}

MeshTraceId MeshDevice::begin_mesh_trace(uint8_t) { absent("traces"); }
void MeshDevice::end_mesh_trace(uint8_t, const MeshTraceId&) { absent("traces"); }
void MeshDevice::replay_mesh_trace(uint8_t, const MeshTraceId&, bool) { absent("traces"); }
void MeshDevice::release_mesh_trace(const MeshTraceId&) { absent("traces"); }

}  // namespace distributed
}  // namespace tt::tt_metal
