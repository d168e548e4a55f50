// Classes of the API whose objects the emulator cannot make: it says so where a program asks for one.
#include <tt-metalium/global_semaphore.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/sub_device.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal {

class SubDeviceImpl {};

SubDevice::SubDevice(ttsl::Span<const CoreRangeSet>) { TT_THROW("The emulator has no sub-devices: its devices are whole"); }
SubDevice::SubDevice(const SubDevice&) {}
SubDevice::SubDevice(SubDevice&&) noexcept = default;
SubDevice& SubDevice::operator=(const SubDevice&) { return *this; }
SubDevice& SubDevice::operator=(SubDevice&&) noexcept = default;
SubDevice::~SubDevice() = default;

class GlobalSemaphoreImpl {};

GlobalSemaphore::GlobalSemaphore(distributed::MeshDevice&, CoreRangeSet, uint32_t, BufferType) {
    TT_THROW("The emulator has no global semaphores: CreateSemaphore gives a program its own");
}
GlobalSemaphore::GlobalSemaphore(const GlobalSemaphore&) {}
GlobalSemaphore::GlobalSemaphore(GlobalSemaphore&&) noexcept = default;
GlobalSemaphore& GlobalSemaphore::operator=(const GlobalSemaphore&) { return *this; }
GlobalSemaphore& GlobalSemaphore::operator=(GlobalSemaphore&&) noexcept = default;
GlobalSemaphore::~GlobalSemaphore() = default;
DeviceAddr GlobalSemaphore::address() const { return 0; }
void GlobalSemaphore::reset_semaphore_value(uint32_t) const {}

KernelHandle CreateKernel(
    Program&, const std::string& file_name, const std::variant<CoreCoord, CoreRange, CoreRangeSet>&, const EthernetConfig&) {
    TT_THROW("The emulator has no Ethernet cores for {}", file_name);
}

GlobalSemaphore CreateGlobalSemaphore(
    distributed::MeshDevice& device, CoreRangeSet cores, uint32_t initial_value, BufferType buffer_type) {
    return GlobalSemaphore(device, std::move(cores), initial_value, buffer_type);
}

}  // namespace tt::tt_metal
