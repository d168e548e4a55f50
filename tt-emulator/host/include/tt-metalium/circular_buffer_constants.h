#pragma once

#include <cstdint>

constexpr static std::uint32_t NUM_CIRCULAR_BUFFERS = 64;

#include <hostdevcommon/kernel_structs.h>
