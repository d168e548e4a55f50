// A buffer of one device.
#pragma once

#include <cstdint>

#include <tt-metalium/buffer_types.hpp>

namespace tt::tt_metal {

// How a buffer is spread over banks. The emulator has interleaved buffers.
class BufferShardingArgs {
public:
    BufferShardingArgs() = default;
    TensorMemoryLayout buffer_layout() const { return TensorMemoryLayout::INTERLEAVED; }
};

// The part of a mesh buffer on its one device.
class Buffer {
public:
    DeviceAddr address() const { return address_; }
    DeviceAddr size() const { return size_; }
    DeviceAddr page_size() const { return page_size_; }
    DeviceAddr aligned_page_size() const { return aligned_page_size_; }
    uint32_t num_pages() const { return static_cast<uint32_t>(size_ / page_size_); }
    BufferType buffer_type() const { return buffer_type_; }
    TensorMemoryLayout buffer_layout() const { return TensorMemoryLayout::INTERLEAVED; }
    bool is_dram() const { return buffer_type_ == BufferType::DRAM; }
    bool is_l1() const { return buffer_type_ == BufferType::L1; }

    // Made by MeshBuffer::create.
    Buffer(DeviceAddr address, DeviceAddr size, DeviceAddr page_size, DeviceAddr aligned_page_size, BufferType buffer_type) :
        address_(address), size_(size), page_size_(page_size), aligned_page_size_(aligned_page_size), buffer_type_(buffer_type) {}

private:
    DeviceAddr address_;
    DeviceAddr size_;
    DeviceAddr page_size_;
    DeviceAddr aligned_page_size_;
    BufferType buffer_type_;
};

}  // namespace tt::tt_metal
