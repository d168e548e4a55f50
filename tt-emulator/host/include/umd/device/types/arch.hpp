// Chip architectures.
#pragma once

#include <cstdint>
#include <string>

namespace tt {

enum class ARCH : uint8_t { WORMHOLE_B0 = 2, BLACKHOLE = 3, QUASAR = 4, Invalid = 0xFF };

inline std::string arch_to_str(ARCH arch) {
    switch (arch) {
        case ARCH::WORMHOLE_B0: return "wormhole_b0";
        case ARCH::BLACKHOLE: return "blackhole";
        case ARCH::QUASAR: return "quasar";
        case ARCH::Invalid: return "Invalid";
    }
    return "Invalid";
}

}  // namespace tt
