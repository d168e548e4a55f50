// Enumerations of the compute API, with the numbers that LLK gives them. Those that the engine knows too are made of what
// src/abi says.
#pragma once

#include <cstdint>

#include "emulator/compute_enumerations.h"

namespace ckernel {

enum class DstSync : uint8_t { SyncHalf = 0, SyncFull = 1 };
enum class DstRoundingMode : uint8_t { Default = 0, NearestEven = 1 };
enum class RoundingMode : uint8_t { None = 0, Trunc = 1, Floor = 2 };
enum class DataLayout { TILE = 0, ROW_MAJOR = 1 };
enum class PackMode : uint8_t { Default = 0, Untilize = 1, Tilize = 2 };
enum class p_dim_stride_target { IGNORE, FACE_ROW_MAJOR };

// Mode and threshold (a bf16 pattern) of the packer's ReLU.
struct ReluConfig {
    static constexpr ReluConfig none() { return {ReluType::NO_RELU}; }
    static constexpr ReluConfig zero() { return {ReluType::ZERO_RELU}; }
    static constexpr ReluConfig min_threshold(uint32_t t) { return {ReluType::MIN_THRESHOLD_RELU, t}; }
    static constexpr ReluConfig max_threshold(uint32_t t) { return {ReluType::MAX_THRESHOLD_RELU, t}; }
    static constexpr ReluConfig from_packed(uint32_t packed) {
        return {static_cast<ReluType>(packed & 0x3), (packed >> 16) & 0xFFFF};
    }
    constexpr ReluType get_mode() const { return mode; }
    constexpr uint32_t get_threshold() const { return threshold; }

private:
    constexpr ReluConfig(ReluType m, uint32_t t = 0) : mode(m), threshold(t) {}

    ReluType mode;
    uint32_t threshold;
};

struct p_sfpu {
    static constexpr uint32_t kCONST_1_FP16B = 0x3F80;
};

}  // namespace ckernel

using namespace ckernel;
