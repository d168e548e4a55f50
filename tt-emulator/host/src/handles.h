// From objects of the host API to the engine's handles.
#pragma once

#include <memory>
#include <utility>

#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/program.hpp>

#include "engine_calls.h"

namespace tt::tt_metal {

namespace emulator {

void* handle(const Program& program);

}  // namespace emulator

// What a buffer is here: it owns the engine's.
class BufferImpl {
public:
    static std::shared_ptr<Buffer> create(void* device, DeviceAddr size, const distributed::DeviceLocalBufferConfig& config) {
        const bool is_dram = config.buffer_type == BufferType::DRAM;
        void* handle = emulator::checked(tt_emulator_buffer_create(device, is_dram, size, config.page_size));
        return std::shared_ptr<Buffer>(new Buffer(BufferImpl(handle, size, config.page_size, config.buffer_type)));
    }

    ~BufferImpl() {
        if (handle_ != nullptr) {
            tt_emulator_buffer_destroy(handle_);
        }
    }
    BufferImpl(BufferImpl&& other) noexcept :
        handle_(std::exchange(other.handle_, nullptr)), size_(other.size_), page_size_(other.page_size_), type_(other.type_) {}
    BufferImpl(const BufferImpl&) = delete;
    BufferImpl& operator=(const BufferImpl&) = delete;

    void* handle() const { return handle_; }
    DeviceAddr size() const { return size_; }
    DeviceAddr page_size() const { return page_size_; }
    BufferType type() const { return type_; }

private:
    BufferImpl(void* handle, DeviceAddr size, DeviceAddr page_size, BufferType type) :
        handle_(handle), size_(size), page_size_(page_size), type_(type) {}

    void* handle_;
    DeviceAddr size_;
    DeviceAddr page_size_;
    BufferType type_;
};

}  // namespace tt::tt_metal
