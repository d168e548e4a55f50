// Rectangles of cores, and spreading work over them.
#include <algorithm>

#include <tt-metalium/core_coord.hpp>
#include <tt-metalium/work_split.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal {

CoreRange::CoreRange(const CoreCoord& point) : start_coord(point), end_coord(point) {}

CoreRange::CoreRange(const CoreCoord& start, const CoreCoord& end) : start_coord(start), end_coord(end) {
    TT_FATAL(end.x >= start.x && end.y >= start.y, "Invalid core range for start_coord: {}, end_coord: {}", start.str(), end.str());
}

std::optional<CoreRange> CoreRange::intersection(const CoreRange& other) const {
    const CoreCoord low(std::max(start_coord.x, other.start_coord.x), std::max(start_coord.y, other.start_coord.y));
    const CoreCoord high(std::min(end_coord.x, other.end_coord.x), std::min(end_coord.y, other.end_coord.y));
    if (low.x > high.x || low.y > high.y) {
        return std::nullopt;
    }
    return CoreRange(low, high);
}

bool CoreRange::intersects(const CoreRange& other) const { return intersection(other).has_value(); }

bool CoreRange::contains(const CoreCoord& other) const {
    return other.x >= start_coord.x && other.x <= end_coord.x && other.y >= start_coord.y && other.y <= end_coord.y;
}

bool CoreRange::contains(const CoreRange& other) const { return contains(other.start_coord) && contains(other.end_coord); }

bool CoreRange::contains(const CoreRangeSet& other) const {
    return std::all_of(other.ranges().begin(), other.ranges().end(), [this](const CoreRange& range) { return contains(range); });
}

std::string CoreRange::str() const { return "[" + start_coord.str() + " - " + end_coord.str() + "]"; }

std::size_t CoreRange::size() const { return (end_coord.x - start_coord.x + 1) * (end_coord.y - start_coord.y + 1); }

CoreCoord CoreRange::grid_size() const { return {end_coord.x - start_coord.x + 1, end_coord.y - start_coord.y + 1}; }

CoreRange::CoreIterator::CoreIterator(const CoreCoord& current, const CoreRange& core_range) :
    current_(current), range_(core_range) {}

CoreCoord& CoreRange::CoreIterator::operator*() { return current_; }

CoreRange::CoreIterator& CoreRange::CoreIterator::operator++() {
    if (++current_.x > range_.end_coord.x) {
        current_.x = range_.start_coord.x;
        ++current_.y;
    }
    return *this;
}

bool CoreRange::CoreIterator::operator==(const CoreIterator& other) const { return current_ == other.current_; }

bool CoreRange::CoreIterator::operator!=(const CoreIterator& other) const { return !(current_ == other.current_); }

CoreRange::CoreIterator CoreRange::begin() const { return {start_coord, *this}; }

CoreRange::CoreIterator CoreRange::end() const { return {CoreCoord(start_coord.x, end_coord.y + 1), *this}; }

CoreRangeSet::CoreRangeSet(ttsl::Span<const CoreRange> core_ranges) : ranges_(core_ranges.begin(), core_ranges.end()) {
    validate_no_overlap();
}

CoreRangeSet::CoreRangeSet(const std::set<CoreRange>& core_ranges) : ranges_(core_ranges.begin(), core_ranges.end()) {
    validate_no_overlap();
}

CoreRangeSet::CoreRangeSet(const CoreRange& core_range) : ranges_{core_range} {}

CoreRangeSet::CoreRangeSet(ttsl::Span<const CoreCoord> core_coords) {
    for (const CoreCoord& coord : core_coords) {
        ranges_.emplace_back(coord);
    }
    validate_no_overlap();
}

CoreRangeSet::CoreRangeSet(std::vector<CoreRange>&& core_ranges) : ranges_(std::move(core_ranges)) { validate_no_overlap(); }

void CoreRangeSet::validate_no_overlap() {
    for (std::size_t first = 0; first < ranges_.size(); ++first) {
        for (std::size_t second = first + 1; second < ranges_.size(); ++second) {
            TT_FATAL(!ranges_[first].intersects(ranges_[second]), "Core ranges {} and {} overlap", ranges_[first].str(), ranges_[second].str());
        }
    }
}

bool CoreRangeSet::empty() const { return ranges_.empty(); }

std::size_t CoreRangeSet::size() const { return ranges_.size(); }

bool CoreRangeSet::intersects(const CoreCoord& other) const { return contains(other); }

bool CoreRangeSet::intersects(const CoreRange& other) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const CoreRange& range) { return range.intersects(other); });
}

bool CoreRangeSet::intersects(const CoreRangeSet& other) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const CoreRange& range) { return other.intersects(range); });
}

bool CoreRangeSet::contains(const CoreCoord& other) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const CoreRange& range) { return range.contains(other); });
}

bool CoreRangeSet::contains(const CoreRange& other) const {
    for (const CoreCoord& core : other) {
        if (!contains(core)) {
            return false;
        }
    }
    return true;
}

bool CoreRangeSet::contains(const CoreRangeSet& other) const {
    return std::all_of(other.ranges_.begin(), other.ranges_.end(), [this](const CoreRange& range) { return contains(range); });
}

const std::vector<CoreRange>& CoreRangeSet::ranges() const { return ranges_; }

std::string CoreRangeSet::str() const {
    std::string text = "{";
    for (const CoreRange& range : ranges_) {
        text += (text.size() > 1 ? ", " : "") + range.str();
    }
    return text + "}";
}

uint32_t CoreRangeSet::num_cores() const {
    std::size_t count = 0;
    for (const CoreRange& range : ranges_) {
        count += range.size();
    }
    return static_cast<uint32_t>(count);
}

CoreRange CoreRangeSet::bounding_box() const {
    TT_FATAL(!ranges_.empty(), "Cannot get bounding_box of an empty CoreRangeSet!");
    CoreCoord low = ranges_.front().start_coord;
    CoreCoord high = ranges_.front().end_coord;
    for (const CoreRange& range : ranges_) {
        low = {std::min(low.x, range.start_coord.x), std::min(low.y, range.start_coord.y)};
        high = {std::max(high.x, range.end_coord.x), std::max(high.y, range.end_coord.y)};
    }
    return {low, high};
}

bool operator==(const CoreRangeSet& a, const CoreRangeSet& b) {
    return a.num_cores() == b.num_cores() && a.contains(b);
}

bool operator!=(const CoreRangeSet& a, const CoreRangeSet& b) { return !(a == b); }

std::vector<CoreCoord> grid_to_cores(uint32_t num_cores, uint32_t grid_size_x, uint32_t grid_size_y, bool row_wise) {
    TT_FATAL(num_cores <= grid_size_x * grid_size_y, "Number of cores {} exceeds grid size {}x{}", num_cores, grid_size_x, grid_size_y);
    std::vector<CoreCoord> cores;
    cores.reserve(num_cores);
    for (uint32_t index = 0; index < num_cores; ++index) {
        if (row_wise) {
            cores.emplace_back(index % grid_size_x, index / grid_size_x);
        } else {
            cores.emplace_back(index / grid_size_y, index % grid_size_y);
        }
    }
    return cores;
}

std::vector<CoreCoord> grid_to_cores(CoreCoord start, CoreCoord end, bool row_wise) {
    return corerange_to_cores(CoreRangeSet(CoreRange(start, end)), std::nullopt, row_wise);
}

std::vector<CoreCoord> corerange_to_cores(const CoreRangeSet& crs, std::optional<uint32_t> max_cores, bool row_wise) {
    std::vector<CoreCoord> cores;
    const std::size_t limit = max_cores.value_or(crs.num_cores());
    for (const CoreRange& range : crs.ranges()) {
        const CoreCoord grid = range.grid_size();
        for (const CoreCoord& offset : grid_to_cores(static_cast<uint32_t>(range.size()), grid.x, grid.y, row_wise)) {
            if (cores.size() == limit) {
                return cores;
            }
            cores.emplace_back(range.start_coord.x + offset.x, range.start_coord.y + offset.y);
        }
    }
    return cores;
}

CoreRangeSet num_cores_to_corerangeset(uint32_t target, CoreCoord grid, bool row_wise) {
    TT_FATAL(target <= grid.x * grid.y, "Target number of cores {} is greater than total number of available cores {}", target, grid.x * grid.y);
    const std::size_t line = row_wise ? grid.x : grid.y;
    const std::size_t full = target / line;
    const std::size_t rest = target % line;
    std::vector<CoreRange> ranges;
    if (full > 0) {
        ranges.push_back(row_wise ? CoreRange({0, 0}, {grid.x - 1, full - 1}) : CoreRange({0, 0}, {full - 1, grid.y - 1}));
    }
    if (rest > 0) {
        ranges.push_back(row_wise ? CoreRange({0, full}, {rest - 1, full}) : CoreRange({full, 0}, {full, rest - 1}));
    }
    return CoreRangeSet(std::move(ranges));
}

namespace {

using Split = std::tuple<uint32_t, CoreRangeSet, CoreRangeSet, CoreRangeSet, uint32_t, uint32_t>;

CoreRangeSet single_cores(std::vector<CoreCoord>::const_iterator first, std::vector<CoreCoord>::const_iterator last) {
    return CoreRangeSet(std::vector<CoreRange>(first, last));
}

// The cores of a full grid from `first` on, `count` of them, as few rectangles.
CoreRangeSet part_of_grid(CoreCoord grid, uint32_t first, uint32_t count, bool row_wise) {
    const uint32_t line = static_cast<uint32_t>(row_wise ? grid.x : grid.y);
    std::vector<CoreRange> ranges;
    while (count > 0) {
        const uint32_t along = first % line;
        const uint32_t across = first / line;
        const bool whole = along == 0 && count >= line;
        const uint32_t lines = whole ? count / line : 1;
        const uint32_t taken = whole ? lines * line : std::min(count, line - along);
        const uint32_t end_along = whole ? line - 1 : along + taken - 1;
        const uint32_t end_across = across + lines - 1;
        ranges.push_back(row_wise ? CoreRange({along, across}, {end_along, end_across}) : CoreRange({across, along}, {end_across, end_along}));
        first += taken;
        count -= taken;
    }
    return CoreRangeSet(std::move(ranges));
}

}  // namespace

Split split_work_to_cores(CoreCoord grid, uint32_t units, bool row_wise) {
    if (units == 0) {
        return {0, {}, {}, {}, 0, 0};
    }
    const uint32_t cores = std::min(units, static_cast<uint32_t>(grid.x * grid.y));
    const uint32_t more = units % cores;
    const uint32_t floor = units / cores;
    const CoreRangeSet all = num_cores_to_corerangeset(cores, grid, row_wise);
    if (more == 0) {
        return {cores, all, all, {}, floor, 0};
    }
    return {cores, all, part_of_grid(grid, 0, more, row_wise), part_of_grid(grid, more, cores - more, row_wise), floor + 1, floor};
}

Split split_work_to_cores(const CoreRangeSet& core_grid, uint32_t units, bool row_wise) {
    if (units == 0) {
        return {0, {}, {}, {}, 0, 0};
    }
    const std::vector<CoreCoord> all = corerange_to_cores(core_grid, std::nullopt, row_wise);
    TT_FATAL(!all.empty(), "Core grid is empty");
    const uint32_t cores = std::min(units, static_cast<uint32_t>(all.size()));
    const uint32_t more = units % cores;
    const uint32_t floor = units / cores;
    const CoreRangeSet used = single_cores(all.begin(), all.begin() + cores);
    if (more == 0) {
        return {cores, used, used, {}, floor, 0};
    }
    return {cores, used, single_cores(all.begin(), all.begin() + more), single_cores(all.begin() + more, all.begin() + cores), floor + 1, floor};
}

}  // namespace tt::tt_metal
