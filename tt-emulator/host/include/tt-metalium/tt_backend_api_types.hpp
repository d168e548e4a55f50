// Number formats of tiles.
#pragma once

#include <cstdint>

#include <umd/device/types/arch.hpp>

namespace tt {

enum class DataFormat : uint8_t {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Tf32 = 4,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Int32 = 8,
    UInt16 = 9,
    Lf8 = 10,
    Bfp2 = 11,
    Int8 = 14,
    Bfp2_b = 15,
    UInt32 = 24,
    Fp8_e4m3 = 0x1A,
    UInt8 = 30,
    RawUInt8 = 0xf0,
    RawUInt16 = 0xf1,
    RawUInt32 = 0xf2,
    Invalid = 0xff,
};

// Bytes of a 32x32 tile.
constexpr uint32_t tile_size(const DataFormat& format) {
    switch (format) {
        case DataFormat::Bfp2:
        case DataFormat::Bfp2_b: return 256 + 64;
        case DataFormat::Bfp4:
        case DataFormat::Bfp4_b: return 512 + 64;
        case DataFormat::Bfp8:
        case DataFormat::Bfp8_b: return 1024 + 64;
        case DataFormat::Float16:
        case DataFormat::Float16_b:
        case DataFormat::UInt16:
        case DataFormat::RawUInt16: return 2048;
        case DataFormat::Float32:
        case DataFormat::Tf32:
        case DataFormat::Int32:
        case DataFormat::UInt32:
        case DataFormat::RawUInt32: return 4096;
        case DataFormat::Int8:
        case DataFormat::Lf8:
        case DataFormat::Fp8_e4m3:
        case DataFormat::UInt8:
        case DataFormat::RawUInt8: return 1024;
        case DataFormat::Invalid: return 0;
    }
    return 0;
}

}  // namespace tt
