// From objects of the host API to the engine's handles.
#pragma once

#include <memory>
#include <utility>

#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/program.hpp>

#include "engine_calls.h"

namespace tt::tt_metal {

namespace emulator {

tt_emulator_program* handle(const Program& program);

}  // namespace emulator

// What a buffer is here: it owns the engine's.
class BufferImpl {
public:
    static std::shared_ptr<Buffer> create(const tt_emulator_device* device, DeviceAddr size, const distributed::DeviceLocalBufferConfig& config);

    ~BufferImpl() {
        if (handle_ != nullptr) {
            tt_emulator_buffer_destroy(handle_);
        }
    }
    BufferImpl(BufferImpl&& other) noexcept :
        handle_(std::exchange(other.handle_, nullptr)),
        size_(other.size_),
        page_size_(other.page_size_),
        type_(other.type_),
        layout_(other.layout_) {}
    BufferImpl(const BufferImpl&) = delete;
    BufferImpl& operator=(const BufferImpl&) = delete;

    tt_emulator_buffer* handle() const { return handle_; }
    DeviceAddr size() const { return size_; }
    DeviceAddr page_size() const { return page_size_; }
    BufferType type() const { return type_; }
    TensorMemoryLayout layout() const { return layout_; }

private:
    BufferImpl(tt_emulator_buffer* handle, DeviceAddr size, const distributed::DeviceLocalBufferConfig& config) :
        handle_(handle),
        size_(size),
        page_size_(config.page_size),
        type_(config.buffer_type),
        layout_(config.sharding_args.buffer_layout()) {}

    tt_emulator_buffer* handle_;
    DeviceAddr size_;
    DeviceAddr page_size_;
    BufferType type_;
    TensorMemoryLayout layout_;
};

}  // namespace tt::tt_metal
