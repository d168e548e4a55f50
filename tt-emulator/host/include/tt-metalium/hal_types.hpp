#pragma once

#include <cstdint>

#include <tt-metalium/buffer_types.hpp>

namespace tt::tt_metal {

enum class HalMemType : uint8_t { L1 = 0, DRAM = 1, HOST = 2, COUNT = 3 };

}  // namespace tt::tt_metal
