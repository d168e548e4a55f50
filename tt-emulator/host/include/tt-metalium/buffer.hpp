// A buffer of one device.
#pragma once

#include <cstdint>
#include <memory>

#include <tt-metalium/buffer_types.hpp>

namespace tt::tt_metal {

class BufferImpl;

// How a buffer is spread over banks. The emulator has interleaved buffers.
class BufferShardingArgs {
public:
    BufferShardingArgs() = default;
    TensorMemoryLayout buffer_layout() const { return TensorMemoryLayout::INTERLEAVED; }
};

// The part of a mesh buffer on its one device. Made by MeshBuffer::create.
class Buffer : public std::enable_shared_from_this<Buffer> {
public:
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    bool is_allocated() const;
    DeviceAddr address() const;
    DeviceAddr size() const;
    DeviceAddr page_size() const;
    DeviceAddr aligned_page_size() const;
    uint32_t num_pages() const;
    BufferType buffer_type() const;
    TensorMemoryLayout buffer_layout() const;
    bool is_dram() const;
    bool is_l1() const;

    BufferImpl* impl();
    const BufferImpl* impl() const;

private:
    friend class BufferImpl;
    explicit Buffer(BufferImpl impl);

    std::unique_ptr<BufferImpl> impl_;
};

}  // namespace tt::tt_metal
