// Enumerations of the compute API, with the numbers that LLK gives them.
#pragma once

#include <cstdint>

namespace ckernel {

enum class VectorMode : uint8_t { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xFF };
enum class ReduceDim : uint8_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };
enum class PoolType : uint8_t { SUM, AVG, MAX, MIN };
enum class EltwiseBinaryType : uint8_t { ELWMUL, ELWDIV, ELWADD, ELWSUB, ELWLESS };
enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
enum class DstSync : uint8_t { SyncHalf = 0, SyncFull = 1 };
enum class BroadcastType : uint8_t { NONE = 0x0, COL = 0x1, ROW = 0x2, SCALAR = 0x3 };
enum class MathFidelity : uint8_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };
enum class DstRoundingMode : uint8_t { Default = 0, NearestEven = 1 };
enum class RoundingMode : uint8_t { None = 0, Trunc = 1, Floor = 2 };
enum class DataLayout { TILE = 0, ROW_MAJOR = 1 };
enum class PackMode : uint8_t { Default = 0, Untilize = 1, Tilize = 2 };
enum class p_dim_stride_target { IGNORE, FACE_ROW_MAJOR };
enum ThreadId { BriscThreadId = 0, UnpackThreadId = 1, MathThreadId = 2, PackThreadId = 3 };
enum class ReluType : uint8_t { NO_RELU = 0, ZERO_RELU, MIN_THRESHOLD_RELU, MAX_THRESHOLD_RELU };

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
