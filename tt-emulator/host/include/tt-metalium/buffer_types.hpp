// Kinds of memory and layouts.
#pragma once

#include <cstdint>
#include <string_view>

#include <tt_stl/fmt.hpp>

namespace tt::tt_metal {

using DeviceAddr = std::uint64_t;

enum class TensorMemoryLayout {
    INTERLEAVED = 0,
    HEIGHT_SHARDED = 2,
    WIDTH_SHARDED = 3,
    BLOCK_SHARDED = 4,
    ND_SHARDED = 5,
};

enum class ShardOrientation { ROW_MAJOR = 0, COL_MAJOR = 1 };

enum class BufferType { DRAM, L1, SYSTEM_MEMORY, L1_SMALL, TRACE };

namespace emulator {

// As Metalium prints them: by their names.
constexpr std::string_view name_of(TensorMemoryLayout value) {
    switch (value) {
        case TensorMemoryLayout::INTERLEAVED: return "INTERLEAVED";
        case TensorMemoryLayout::HEIGHT_SHARDED: return "HEIGHT_SHARDED";
        case TensorMemoryLayout::WIDTH_SHARDED: return "WIDTH_SHARDED";
        case TensorMemoryLayout::BLOCK_SHARDED: return "BLOCK_SHARDED";
        case TensorMemoryLayout::ND_SHARDED: return "ND_SHARDED";
    }
    return "unknown";
}
constexpr std::string_view name_of(ShardOrientation value) {
    return value == ShardOrientation::ROW_MAJOR ? "ROW_MAJOR" : "COL_MAJOR";
}
constexpr std::string_view name_of(BufferType value) {
    switch (value) {
        case BufferType::DRAM: return "DRAM";
        case BufferType::L1: return "L1";
        case BufferType::SYSTEM_MEMORY: return "SYSTEM_MEMORY";
        case BufferType::L1_SMALL: return "L1_SMALL";
        case BufferType::TRACE: return "TRACE";
    }
    return "unknown";
}

}  // namespace emulator

}  // namespace tt::tt_metal

TT_FMT_AS_TEXT(tt::tt_metal::TensorMemoryLayout, tt::tt_metal::emulator::name_of(value))
TT_FMT_AS_TEXT(tt::tt_metal::ShardOrientation, tt::tt_metal::emulator::name_of(value))
TT_FMT_AS_TEXT(tt::tt_metal::BufferType, tt::tt_metal::emulator::name_of(value))
