// What programs may know of how a device's memory is given out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tt-metalium/buffer_types.hpp>
#include <tt-metalium/hal_types.hpp>

namespace tt::tt_metal {

namespace emulator {
// Where host/src/layout.cpp reads the offsets of private members.
struct Layout;
}  // namespace emulator

class AllocatorImpl;

struct Statistics {
    std::size_t total_allocatable_size_bytes = 0;
    std::size_t total_allocated_bytes = 0;
    std::size_t total_free_bytes = 0;
    std::size_t largest_free_block_bytes = 0;
    std::vector<uint32_t> largest_free_block_addrs;
};

class Allocator {
public:
    explicit Allocator(AllocatorImpl* impl);

    DeviceAddr get_base_allocator_addr(const HalMemType& mem_type) const;
    uint32_t get_alignment(BufferType buffer_type) const;
    uint32_t get_num_banks(const BufferType& buffer_type) const;
    DeviceAddr get_bank_size(const BufferType& buffer_type) const;
    Statistics get_statistics(const BufferType& buffer_type) const;

private:
    friend struct emulator::Layout;

    AllocatorImpl* impl_;
};

}  // namespace tt::tt_metal
