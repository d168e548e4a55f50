// How the two sides of a dataflow buffer walk it. Wormhole and Blackhole know one way only.
#pragma once

#include <cstdint>

namespace dfb {
enum AccessPattern : uint8_t { STRIDED, ALL, BLOCKED, UNKNOWN };
}

class DataflowBuffer;
using DataflowBufferAnyPattern = DataflowBuffer;

template <typename T>
inline constexpr bool is_dataflow_buffer_v = false;
template <>
inline constexpr bool is_dataflow_buffer_v<DataflowBuffer> = true;
