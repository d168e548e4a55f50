// Spreading work over cores.
#pragma once

#include <cstdint>
#include <tuple>

#include <tt-metalium/core_coord.hpp>

namespace tt::tt_metal {

// The first `target_num_cores` cores of a grid as rectangles: whole columns (or rows) and a rest.
CoreRangeSet num_cores_to_corerangeset(uint32_t target_num_cores, CoreCoord grid_size, bool row_wise = false);

// (cores used, all of them, those with one unit more, the others, units of the first, units of the others).
std::tuple<uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, uint32_t, uint32_t> split_work_to_cores(
    CoreCoord grid_size, uint32_t units_to_divide, bool row_wise = false);
std::tuple<uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, uint32_t, uint32_t> split_work_to_cores(
    const CoreRangeSet& core_grid, uint32_t units_to_divide, bool row_wise = false);

}  // namespace tt::tt_metal
