// Which cores dispatch; the emulator needs none.
#pragma once

#include <cstdint>
#include <optional>

namespace tt::tt_metal {

namespace emulator {
// Where host/src/layout.cpp reads the offsets of private members.
struct Layout;
}  // namespace emulator

enum class DispatchCoreType : uint32_t { WORKER, ETH, COUNT };

enum class DispatchCoreAxis { ROW, COL, COUNT };

class DispatchCoreConfig {
public:
    DispatchCoreConfig() = default;
    DispatchCoreConfig(DispatchCoreType type) : type_(type) {}
    DispatchCoreConfig(DispatchCoreType type, DispatchCoreAxis axis) : type_(type), axis_(axis) {}

    DispatchCoreType get_dispatch_core_type() const { return type_; }
    void set_dispatch_core_type(DispatchCoreType type) { type_ = type; }
    void set_dispatch_core_axis(DispatchCoreAxis axis) { axis_ = axis; }
    bool operator==(const DispatchCoreConfig& other) const = default;

private:
    friend struct emulator::Layout;

    DispatchCoreType type_ = DispatchCoreType::WORKER;
    std::optional<DispatchCoreAxis> axis_;
};

}  // namespace tt::tt_metal
