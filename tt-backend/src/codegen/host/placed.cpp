// How a tensor is cut, as `#[layout(..)]` says it.
struct Cut {
    enum Kind { INTERLEAVED, HEIGHT, WIDTH, BLOCK, ND } kind;
    std::vector<int64_t> grid, shard;
};

// A tensor that lies in L1 or in shards. Shards of equal size go round the banks in turn, and within a bank one follows the other; those
// at the tensor's edges take the room of whole ones.
template <typename Element>
class PlacedTensor : public TiledTensor<Element> {
public:
    PlacedTensor(
        distributed::MeshDevice& device, const std::string& name, const std::vector<int64_t>& extents, BufferType memory, const Cut& cut) :
        TiledTensor<Element>(device, name, extents), device(device), memory(memory) {
        const uint64_t page_bytes = this->buffer->page_size();
        // The room in DRAM is given back.
        this->buffer.reset();
        distributed::DeviceLocalBufferConfig local;
        local.page_size = page_bytes;
        local.buffer_type = memory;
        std::vector<int64_t> pages(extents);
        for (size_t axis = extents.size() < 2 ? 0 : extents.size() - 2; axis < extents.size(); ++axis) {
            pages[axis] = ceil_div(pages[axis], 32);
        }
        int64_t count = 1;
        for (const int64_t extent : pages) {
            count *= extent;
        }
        if (cut.kind == Cut::INTERLEAVED) {
            this->buffer = distributed::MeshBuffer::create(
                distributed::ReplicatedBufferConfig{.size = count * page_bytes}, local, &device);
            return;
        }
        shards(pages, cut);
        place(count);
        std::vector<CoreRange> cores;
        for (const CoreCoord& bank : banks) {
            cores.emplace_back(bank);
        }
        // One column of pages, of which every bank has a run.
        const auto all = static_cast<uint32_t>(of_bank * banks.size());
        const ShardSpecBuffer spec(
            CoreRangeSet(cores), {static_cast<uint32_t>(of_bank) * 32, 32}, ShardOrientation::ROW_MAJOR, {32, 32}, {all, 1});
        local.sharding_args = BufferShardingArgs(spec, TensorMemoryLayout::HEIGHT_SHARDED);
        this->buffer = distributed::MeshBuffer::create(
            distributed::ReplicatedBufferConfig{.size = all * page_bytes}, local, &device);
        placed.resize(all * page_bytes);
    }

    void upload(distributed::MeshCommandQueue& queue) {
        if (banks.empty()) {
            return TiledTensor<Element>::upload(queue);
        }
        each_page([](uint8_t* page, uint8_t* at, size_t bytes) { std::copy(page, page + bytes, at); });
        queue.enqueue_write_mesh_buffer(this->buffer, placed.data(), true);
    }

    void download(distributed::MeshCommandQueue& queue) {
        if (banks.empty()) {
            return TiledTensor<Element>::download(queue);
        }
        queue.enqueue_read_mesh_buffer(placed.data(), this->buffer, true);
        each_page([](uint8_t* page, uint8_t* at, size_t bytes) { std::copy(at, at + bytes, page); });
    }

    // The words of `TensorAccessorArgs`: flags, bytes of a page, axes, banks, shapes of tensor and shard, and where the banks are, two to
    // a word.
    void append_accessor(std::vector<uint32_t>& compile_args) const {
        if (banks.empty()) {
            return TiledTensor<Element>::append_accessor(compile_args);
        }
        compile_args.push_back(memory == BufferType::DRAM ? 3 : 1);
        compile_args.push_back(static_cast<uint32_t>(this->buffer->page_size()));
        compile_args.push_back(static_cast<uint32_t>(tensor.size()));
        compile_args.push_back(static_cast<uint32_t>(banks.size()));
        compile_args.insert(compile_args.end(), tensor.begin(), tensor.end());
        compile_args.insert(compile_args.end(), shard.begin(), shard.end());
        for (size_t bank = 0; bank < banks.size(); ++bank) {
            const CoreCoord at = memory == BufferType::DRAM ? banks[bank] : device.worker_core_from_logical_core(banks[bank]);
            const auto half = static_cast<uint32_t>((at.x & 0xff) << 8 | (at.y & 0xff));
            if (bank % 2 == 0) {
                compile_args.push_back(half);
            } else {
                compile_args.back() |= half << 16;
            }
        }
    }

    int64_t pages_of_bank() const { return of_bank; }

    // A circular buffer of the pages that a core has.
    void lay(CircularBufferConfig& config) const { config.set_globally_allocated_address(*this->buffer->get_reference_buffer()); }

    // The bank of a page, by its index along every axis, and its number in there; of one past the tensor's edge where the last shard has
    // room for it.
    std::optional<std::pair<CoreCoord, int64_t>> place(std::vector<int64_t> at) const {
        if (all.size() != extents.size() || extents.size() == 1) {
            // The matrices one below the other: a row past the end of one is one of the next.
            int64_t row = 0, matrices = 1;
            for (size_t axis = 0; axis + 1 < at.size(); ++axis) {
                row = row * extents[axis] + at[axis];
                matrices *= axis + 2 < at.size() ? extents[axis] : 1;
            }
            if (matrices > 1 && at[at.size() - 2] >= extents[at.size() - 2]) {
                return std::nullopt;
            }
            at = all.size() == 1 ? std::vector<int64_t>{at.back()} : std::vector<int64_t>{row, at.back()};
        }
        int64_t number = 0, within = 0, volume = 1;
        for (size_t axis = 0; axis < all.size(); ++axis) {
            const int64_t count = ceil_div(all[axis], each[axis]);
            if (at[axis] >= count * each[axis]) {
                return std::nullopt;
            }
            number = number * count + at[axis] / each[axis];
            within = within * each[axis] + at[axis] % each[axis];
            volume *= each[axis];
        }
        const auto taken = static_cast<int64_t>(banks.size());
        return std::pair(banks[number % taken], number / taken * volume + within);
    }

private:
    void shards(const std::vector<int64_t>& pages, const Cut& cut) {
        extents = pages;
        int64_t rows = 1;
        for (size_t axis = 0; axis + 1 < pages.size(); ++axis) {
            rows *= pages[axis];
        }
        const int64_t columns = pages.back();
        all = each = {rows, columns};
        switch (cut.kind) {
            case Cut::INTERLEAVED: break;
            case Cut::HEIGHT: each[0] = ceil_div(rows, cut.grid[0]); break;
            case Cut::WIDTH: each[1] = ceil_div(columns, cut.grid[0]); break;
            case Cut::BLOCK: each = {ceil_div(rows, cut.grid[0]), ceil_div(columns, cut.grid[1])}; break;
            case Cut::ND:
                all = pages;
                each = cut.shard;
                for (size_t axis = each.size() < 2 ? 0 : each.size() - 2; axis < each.size(); ++axis) {
                    each[axis] = ceil_div(each[axis], 32);
                }
                break;
        }
        int64_t count = 1, along = 1;
        for (size_t axis = 0; axis < all.size(); ++axis) {
            along = ceil_div(all[axis], each[axis]);
            if (cut.kind == Cut::ND && along > cut.grid[axis]) {
                throw std::invalid_argument("tensor `" + this->name + "` takes more shards than its layout has");
            }
            count *= along;
        }
        const CoreCoord grid = device.compute_with_storage_grid_size();
        const int64_t cores = static_cast<int64_t>(grid.x * grid.y);
        const bool is_rectangle = cut.kind == Cut::BLOCK;
        const int64_t width = is_rectangle ? along : static_cast<int64_t>(grid.x);
        int64_t taken = count;
        if (memory == BufferType::DRAM) {
            taken = std::min<int64_t>(count, device.num_dram_channels());
        } else if (cut.kind == Cut::ND) {
            taken = std::min(count, cores);
        } else if (count > cores || (is_rectangle && (along > static_cast<int64_t>(grid.x) || count / along > static_cast<int64_t>(grid.y)))) {
            throw std::invalid_argument("tensor `" + this->name + "` has more shards than the device has cores for");
        }
        for (int64_t bank = 0; bank < taken; ++bank) {
            banks.push_back(memory == BufferType::DRAM ? CoreCoord(bank, 0) : CoreCoord(bank % width, bank / width));
        }
        // What a shard has whole is one axis with the one before.
        for (size_t axis = all.size(); axis-- > 0;) {
            if (!tensor.empty() && tensor.front() == shard.front()) {
                tensor.front() *= static_cast<uint32_t>(all[axis]);
                shard.front() *= static_cast<uint32_t>(each[axis]);
            } else {
                tensor.insert(tensor.begin(), static_cast<uint32_t>(all[axis]));
                shard.insert(shard.begin(), static_cast<uint32_t>(each[axis]));
            }
        }
    }

    void place(int64_t pages) {
        int64_t of_shard = 1, count = 1;
        for (size_t axis = 0; axis < tensor.size(); ++axis) {
            of_shard *= shard[axis];
            count *= ceil_div(tensor[axis], shard[axis]);
        }
        const auto taken = static_cast<int64_t>(banks.size());
        of_bank = ceil_div(count, taken) * of_shard;
        for (int64_t page = 0; page < pages; ++page) {
            int64_t rest = page, number = 0, within = 0, numbers = 1, inside = 1;
            for (size_t axis = tensor.size(); axis-- > 0;) {
                const int64_t position = rest % tensor[axis];
                rest /= tensor[axis];
                number += position / shard[axis] * numbers;
                within += position % shard[axis] * inside;
                numbers *= ceil_div(tensor[axis], shard[axis]);
                inside *= shard[axis];
            }
            places.push_back(number % taken * of_bank + number / taken * of_shard + within);
        }
    }

    template <typename Move>
    void each_page(Move move) {
        const size_t bytes = this->buffer->page_size();
        auto* page = reinterpret_cast<uint8_t*>(this->host());
        for (const int64_t place : places) {
            move(page, placed.data() + place * bytes, bytes);
            page += bytes;
        }
    }

    distributed::MeshDevice& device;
    BufferType memory;
    // Pages of the tensor along its axes, and what is cut into what.
    std::vector<int64_t> extents, all, each;
    // What is cut, with as few axes as say it.
    std::vector<uint32_t> tensor, shard;
    std::vector<CoreCoord> banks;
    int64_t of_bank = 0;
    std::vector<int64_t> places;
    std::vector<uint8_t> placed;
};
