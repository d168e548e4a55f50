// A rectangle of cores that share what they read: how many columns and rows it has; 1 and 1 where every core is one of its own.
struct Rectangle {
    size_t cores[2] = {1, 1};

    // The place of a core in its row (0) or column (1).
    size_t place(const CoreWork& each, int line) const { return (line == 0 ? each.core.x : each.core.y) % cores[line]; }

    // Where on the NoC cores of its row or column are.
    CoreCoord first(const distributed::MeshDevice& device, const CoreWork& each, int line) const { return at(device, each, line, 0); }
    CoreCoord second(const distributed::MeshDevice& device, const CoreWork& each, int line) const {
        return at(device, each, line, std::min<size_t>(1, cores[line] - 1));
    }
    CoreCoord last(const distributed::MeshDevice& device, const CoreWork& each, int line) const {
        return at(device, each, line, cores[line] - 1);
    }

private:
    CoreCoord at(const distributed::MeshDevice& device, const CoreWork& each, int line, size_t place) const {
        CoreCoord core = each.core;
        size_t& own = line == 0 ? core.x : core.y;
        own = own - own % cores[line] + place;
        return device.worker_core_from_logical_core(core);
    }
};

// All cores of a rectangle take part in every round of blocks, where those are at most twice as many as the blocks of a core that takes
// blocks of its own.
std::vector<CoreWork> deal(const std::vector<int64_t>& grid, const CoreCoord& device, Rectangle& rectangle) {
    std::vector<CoreWork> alone = partition(grid, device);
    const int64_t columns = static_cast<int64_t>(device.x), rows = static_cast<int64_t>(device.y);
    const int64_t across = ceil_div(grid[0], columns), down = ceil_div(grid[1], rows);
    int64_t rounds = across * down, blocks = grid[0] * grid[1];
    for (size_t axis = 2; axis < grid.size(); ++axis) {
        rounds *= grid[axis];
        blocks *= grid[axis];
    }
    const int64_t width = ceil_div(grid[0], across), height = ceil_div(grid[1], down);
    if (width * height == 1 || rounds > ceil_div(blocks, columns * rows) * 2) {
        return alone;
    }
    rectangle.cores[0] = static_cast<size_t>(width);
    rectangle.cores[1] = static_cast<size_t>(height);
    std::vector<CoreWork> work;
    for (int64_t y = 0; y < height; ++y) {
        for (int64_t x = 0; x < width; ++x) {
            work.push_back({CoreCoord(x, y), 0, rounds});
        }
    }
    return work;
}
