// Logical cores, rectangles of cores, sets of rectangles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <tt_stl/span.hpp>
#include <umd/device/types/xy_pair.hpp>

namespace tt::tt_metal {

namespace emulator {
// Where host/src/layout.cpp reads the offsets of private members.
struct Layout;
}  // namespace emulator

using CoreCoord = tt_xy_pair;

class CoreRangeSet;

class CoreRange {
public:
    CoreCoord start_coord;
    CoreCoord end_coord;

    CoreRange(const CoreCoord& point);
    CoreRange(const CoreCoord& start_coord, const CoreCoord& end_coord);

    bool intersects(const CoreRange& other) const;
    std::optional<CoreRange> intersection(const CoreRange& other) const;
    bool contains(const CoreCoord& other) const;
    bool contains(const CoreRange& other) const;
    bool contains(const CoreRangeSet& other) const;
    std::string str() const;
    std::size_t size() const;
    CoreCoord grid_size() const;

    class CoreIterator {
    public:
        CoreIterator(const CoreCoord& current, const CoreRange& core_range);
        CoreCoord& operator*();
        CoreIterator& operator++();
        bool operator==(const CoreIterator& other) const;
        bool operator!=(const CoreIterator& other) const;

    private:
        CoreCoord current_;
        const CoreRange& range_;
    };

    CoreIterator begin() const;
    CoreIterator end() const;
};

constexpr bool operator==(const CoreRange& a, const CoreRange& b) {
    return a.start_coord == b.start_coord && a.end_coord == b.end_coord;
}
constexpr bool operator!=(const CoreRange& a, const CoreRange& b) { return !(a == b); }
constexpr bool operator<(const CoreRange& a, const CoreRange& b) {
    return a.start_coord < b.start_coord || (a.start_coord == b.start_coord && a.end_coord < b.end_coord);
}

class CoreRangeSet {
public:
    CoreRangeSet() = default;
    CoreRangeSet(ttsl::Span<const CoreRange> core_ranges);
    CoreRangeSet(const std::set<CoreRange>& core_ranges);
    CoreRangeSet(const CoreRange& core_range);
    CoreRangeSet(ttsl::Span<const CoreCoord> core_coords);
    CoreRangeSet(std::vector<CoreRange>&& core_ranges);

    bool empty() const;
    std::size_t size() const;
    bool intersects(const CoreCoord& other) const;
    bool intersects(const CoreRange& other) const;
    bool intersects(const CoreRangeSet& other) const;
    bool contains(const CoreCoord& other) const;
    bool contains(const CoreRange& other) const;
    bool contains(const CoreRangeSet& other) const;
    const std::vector<CoreRange>& ranges() const;
    std::string str() const;
    uint32_t num_cores() const;
    CoreRange bounding_box() const;

private:
    friend struct emulator::Layout;

    void validate_no_overlap();
    std::vector<CoreRange> ranges_;
};

bool operator==(const CoreRangeSet& a, const CoreRangeSet& b);
bool operator!=(const CoreRangeSet& a, const CoreRangeSet& b);

std::vector<CoreCoord> grid_to_cores(uint32_t num_cores, uint32_t grid_size_x, uint32_t grid_size_y, bool row_wise = false);
std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise = false);
std::vector<CoreCoord> corerange_to_cores(
    const CoreRangeSet& crs, std::optional<uint32_t> max_cores = std::nullopt, bool row_wise = false);

}  // namespace tt::tt_metal

TT_FMT_AS_TEXT(tt::tt_metal::CoreRange, value.str())
TT_FMT_AS_TEXT(tt::tt_metal::CoreRangeSet, value.str())
