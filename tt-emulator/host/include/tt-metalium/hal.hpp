// Facts about the chip of the device opened last, or of the one that would be.
#pragma once

#include <cstdint>
#include <string>

#include <umd/device/types/arch.hpp>

namespace tt::tt_metal::hal {

tt::ARCH get_arch();
std::string get_arch_name();
uint32_t get_dram_alignment();
uint32_t get_l1_alignment();
uint32_t get_max_worker_l1_unreserved_size();
uint32_t get_arch_num_circular_buffers();
uint32_t get_noc_max_burst_size_bytes();

}  // namespace tt::tt_metal::hal
