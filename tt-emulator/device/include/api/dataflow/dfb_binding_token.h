// Names of dataflow buffers in kernels of the newer host API: constants that the host writes before the kernel's text.
#pragma once

#include "api/dataflow/dfb_access.h"
#include "internal/llk_metadata.h"

template <dfb::AccessPattern Pap = dfb::AccessPattern::UNKNOWN, dfb::AccessPattern Cap = dfb::AccessPattern::UNKNOWN>
struct DFBBindingToken {
    explicit constexpr DFBBindingToken(uint16_t id) noexcept : id_(id) {}
    constexpr DFBBindingToken(uint16_t id, binding_details::LLKMetadata) noexcept : id_(id) {}
    constexpr operator uint32_t() const noexcept { return id_; }

private:
    uint16_t id_;
};
