// Names of operations in a profile.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include <umd/device/types/core_coordinates.hpp>

class ProfilerOptionalMetadata {
public:
    ProfilerOptionalMetadata(std::map<std::pair<tt::ChipId, uint32_t>, std::string>&& runtime_map) :
        names_(std::move(runtime_map)) {}

    // Empty where the operation has none.
    const std::string& get_op_name(tt::ChipId device_id, uint32_t runtime_id) const {
        static const std::string NONE;
        const auto found = names_.find({device_id, runtime_id});
        return found == names_.end() ? NONE : found->second;
    }

private:
    std::map<std::pair<tt::ChipId, uint32_t>, std::string> names_;
};
