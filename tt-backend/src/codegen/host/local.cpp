// An index that goes along one axis of the grid of blocks.
struct Step {
    int64_t first, step;
    size_t axis;
};

// The pages of a tensor that every block moves: where they begin along each of its axes, and how many there are along the last two.
struct Region {
    std::vector<Step> first;
    int64_t rows, columns;

    std::vector<int64_t> page(const std::vector<int64_t>& block, int64_t number) const {
        std::vector<int64_t> at;
        for (const Step& each : first) {
            at.push_back(each.first + each.step * block[each.axis]);
        }
        at.back() += number % columns;
        if (at.size() > 1) {
            at[at.size() - 2] += number / columns;
        }
        return at;
    }
};

// Where a block is in the grid, which is numbered along its first axis, or down its second.
std::vector<int64_t> position(int64_t number, const std::vector<int64_t>& grid, bool down) {
    std::vector<int64_t> extents(grid), at;
    if (down && grid.size() > 1) {
        std::swap(extents[0], extents[1]);
    }
    for (const int64_t extent : extents) {
        at.push_back(number % extent);
        number /= extent;
    }
    if (down && grid.size() > 1) {
        std::swap(at[0], at[1]);
    }
    return at;
}

// Every core takes the blocks whose shards lie with it.
template <typename Tensor>
std::vector<CoreWork> match(
    const Tensor& tensor, const Region& region, const std::vector<int64_t>& grid, bool down, const CoreCoord& device) {
    int64_t blocks = 1;
    for (const int64_t extent : grid) {
        if (extent < 1) {
            throw std::invalid_argument("an extent of the grid of blocks is " + std::to_string(extent));
        }
        blocks *= extent;
    }
    std::map<std::pair<size_t, size_t>, std::vector<int64_t>> of_cores;
    std::vector<int64_t> past;
    for (int64_t number = 0; number < blocks; ++number) {
        if (const auto place = tensor.place(region.page(position(number, grid, down), 0))) {
            of_cores[{place->first.y, place->first.x}].push_back(number);
        } else {
            past.push_back(number);
        }
    }
    // Those past the tensor's end have a core of their own.
    for (size_t core = 0; !past.empty() && core < device.x * device.y; ++core) {
        const std::pair<size_t, size_t> at(core / device.x, core % device.x);
        if (of_cores.find(at) == of_cores.end()) {
            of_cores[at] = std::exchange(past, {});
        }
    }
    if (!past.empty()) {
        throw std::invalid_argument("a block lies past the shards of `" + tensor.name + "`, and no core is left for it");
    }
    std::vector<CoreWork> work;
    for (const auto& [core, numbers] : of_cores) {
        CoreWork each{CoreCoord(core.second, core.first), numbers.front(), static_cast<int64_t>(numbers.size())};
        each.run = 1;
        while (each.run < each.count && numbers[each.run] == each.start_id + each.run) {
            ++each.run;
        }
        each.pitch = each.run < each.count ? numbers[each.run] - each.start_id : 0;
        for (int64_t nth = 0; nth < each.count; ++nth) {
            if (numbers[nth] != each.number(nth)) {
                throw std::invalid_argument("the blocks of the shards of `" + tensor.name + "` are not runs, evenly spaced");
            }
        }
        work.push_back(each);
    }
    return work;
}

// How many pages a circular buffer has on the shard of a tensor: none where the blocks of some core do not have those of its shard, one
// after the other.
template <typename Tensor>
uint32_t pages_on_shard(
    const Tensor& tensor, const Region& region, const std::vector<int64_t>& grid, bool down, const std::vector<CoreWork>& work) {
    const int64_t of_block = region.rows * region.columns;
    for (const CoreWork& each : work) {
        for (int64_t page = 0; page < each.count * of_block; ++page) {
            const auto place = tensor.place(region.page(position(each.number(page / of_block), grid, down), page % of_block));
            if (!place || !(place->first == each.core) || place->second != page) {
                return 0;
            }
        }
    }
    return static_cast<uint32_t>(tensor.pages_of_bank() / of_block * of_block);
}
