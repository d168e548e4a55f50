// What belongs to a device of a mesh, where this process has the device.
#pragma once

#include <utility>
#include <variant>

#include <tt_stl/assert.hpp>

namespace tt::tt_metal::distributed {

// In the place of a value on another host.
struct RemoteDevice {
    friend bool operator==(const RemoteDevice&, const RemoteDevice&) = default;
};

template <typename T>
class MaybeRemote {
public:
    using value_type = T;

    static MaybeRemote local(T value) { return MaybeRemote(std::move(value)); }
    static MaybeRemote remote() { return MaybeRemote(RemoteDevice{}); }

    bool is_local() const noexcept { return value_.index() == 1; }
    bool is_remote() const noexcept { return !is_local(); }

    T& value() {
        TT_FATAL(is_local(), "The device is on another host");
        return std::get<1>(value_);
    }
    const T& value() const {
        TT_FATAL(is_local(), "The device is on another host");
        return std::get<1>(value_);
    }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    bool operator==(const MaybeRemote& other) const = default;

private:
    explicit MaybeRemote(RemoteDevice remote) : value_(std::in_place_index<0>, remote) {}
    explicit MaybeRemote(T value) : value_(std::in_place_index<1>, std::move(value)) {}

    std::variant<RemoteDevice, T> value_;
};

}  // namespace tt::tt_metal::distributed
