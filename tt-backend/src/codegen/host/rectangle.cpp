// A rectangle of cores that share what they read: how many a row and a column of it has; 1 and 1 where every core is one of its own.
struct Rectangle {
    size_t cores[2] = {1, 1};
    // Whether its rows lie along the columns of the chip.
    bool is_turned = false;
    // How many rounds of blocks go along a row; rounds follow it. (A launcher in Rust lets them follow columns where cores keep more so.)
    size_t across = 1;

    // The place of a core in its row (0) or column (1).
    size_t place(const CoreWork& each, int line) const {
        CoreCoord core = each.core;
        return along(core, line) % cores[line];
    }

    // The place in its row or column of the core that reads and sends to the others: one further in each next one.
    size_t sender_place(const CoreWork& each, int line) const {
        return (place(each, 1 - line) + static_cast<size_t>(line)) % cores[line];
    }

    // Where on the NoC cores of its row or column are.
    CoreCoord sender(const distributed::MeshDevice& device, const CoreWork& each, int line) const {
        return at(device, each, line, sender_place(each, line));
    }
    CoreCoord first(const distributed::MeshDevice& device, const CoreWork& each, int line) const { return at(device, each, line, 0); }
    CoreCoord last(const distributed::MeshDevice& device, const CoreWork& each, int line) const {
        return at(device, each, line, cores[line] - 1);
    }

private:
    size_t& along(CoreCoord& core, int line) const { return (line == 1) != is_turned ? core.y : core.x; }

    CoreCoord at(const distributed::MeshDevice& device, const CoreWork& each, int line, size_t place) const {
        CoreCoord core = each.core;
        size_t& own = along(core, line);
        own = own - own % cores[line] + place;
        return device.worker_core_from_logical_core(core);
    }
};

// All cores of a rectangle, along the rows and columns of which these axes of the grid lie, take part in each of its rounds of blocks;
// rounds are spread over as many rectangles as there is room for. (A launcher in Rust compares what that takes with what cores take that
// read for themselves.)
std::vector<CoreWork> deal(
    const std::vector<int64_t>& grid, size_t along, size_t down, const CoreCoord& device, Rectangle& rectangle) {
    std::vector<CoreWork> alone = partition(grid, device);
    const int64_t columns = static_cast<int64_t>(device.x), rows = static_cast<int64_t>(device.y);
    int64_t blocks = 1;
    for (int64_t extent : grid) {
        blocks *= extent;
    }
    if (blocks == 0) {
        return alone;
    }
    rectangle.across = static_cast<size_t>(grid[along]);
    const auto of = [](int64_t extent, int64_t room) { return ceil_div(extent, ceil_div(extent, room)); };
    // How many cores a row and a column has for as many rounds of a plane as are needed, where there is room for so many. One axis lies
    // along the rows, one after the other.
    struct Laid {
        int64_t width, height, rounds;
    };
    const auto laid = [&](int64_t row, int64_t column) {
        const int64_t across = along == down ? of(blocks, row) : grid[along];
        const int64_t below = along == down ? ceil_div(blocks, across) : grid[down];
        return Laid{of(across, row), of(below, column), ceil_div(across, row) * ceil_div(below, column)};
    };
    const Laid upright = laid(columns, rows), turned = laid(rows, columns);
    // As wide as can be: cores in a row move more than in a column.
    const bool is_turned =
        turned.rounds < upright.rounds || (turned.rounds == upright.rounds && turned.height > upright.width);
    const auto [width, height, of_plane] = is_turned ? turned : upright;
    const int64_t rounds = of_plane * (along == down ? 1 : blocks / (grid[along] * grid[down]));
    if (width * height == 1) {
        return alone;
    }
    rectangle.cores[0] = static_cast<size_t>(width);
    rectangle.cores[1] = static_cast<size_t>(height);
    rectangle.is_turned = is_turned;
    rectangle.across = static_cast<size_t>(ceil_div(grid[along], width));
    const int64_t wide = is_turned ? height : width, high = is_turned ? width : height;
    const int64_t in_row = columns / wide;
    const int64_t rectangles = std::min(rounds, in_row * (rows / high));
    std::vector<CoreWork> work;
    for (int64_t y = 0; y < rows / high * high; ++y) {
        for (int64_t x = 0; x < in_row * wide; ++x) {
            const int64_t nth = y / high * in_row + x / wide;
            if (nth < rectangles) {
                const int64_t share = rounds / rectangles, more = rounds % rectangles;
                work.push_back({CoreCoord(x, y), nth * share + std::min(nth, more), share + (nth < more ? 1 : 0)});
            }
        }
    }
    return work;
}
