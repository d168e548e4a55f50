// exponential: a host program. Generated from exponential.rs, do not edit.
//
// usage: main <M> <alpha>
// The kernels are read from the folder of this file; the device is the first one.

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tt-metalium/circular_buffer_config.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/mesh_workload.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

using namespace tt::tt_metal;

namespace {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0 && (a < 0) == (b < 0)); }

// An integer argument of a kernel, which takes it with a sign.
uint32_t word(int64_t value) {
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
        throw std::out_of_range("the kernel argument " + std::to_string(value) + " does not fit in 32 bits with a sign");
    }
    return static_cast<uint32_t>(value);
}

uint32_t bits(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }

// bf16 is the upper half of an f32, rounded to nearest even.
uint16_t to_element(float value, uint16_t) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    return static_cast<uint16_t>((word + 0x7fff + ((word >> 16) & 1)) >> 16);
}
uint32_t to_element(float value, uint32_t) { return std::bit_cast<uint32_t>(value); }
float from_element(uint16_t element) { return std::bit_cast<float>(static_cast<uint32_t>(element) << 16); }
float from_element(uint32_t element) { return std::bit_cast<float>(element); }

// A tensor of 32 × 32 tiles, each of four faces of 16 × 16 elements, interleaved page by page over the DRAM banks.
template <typename Element>
class TiledTensor {
public:
    TiledTensor(distributed::MeshDevice& device, const std::string& name, const std::vector<int64_t>& extents) : name(name) {
        for (const int64_t extent : extents) {
            if (extent < 1) {
                throw std::invalid_argument("tensor `" + name + "` has an extent of " + std::to_string(extent));
            }
        }
        columns = extents.back();
        rows = extents.size() < 2 ? 1 : extents[extents.size() - 2];
        for (size_t axis = 0; axis + 2 < extents.size(); ++axis) {
            matrices *= extents[axis];
        }
        const uint64_t page_bytes = 1024 * sizeof(Element);
        const uint64_t pages = matrices * ceil_div(rows, 32) * ceil_div(columns, 32);
        distributed::DeviceLocalBufferConfig local;
        local.page_size = page_bytes;
        local.buffer_type = BufferType::DRAM;
        buffer = distributed::MeshBuffer::create(
            distributed::ReplicatedBufferConfig{.size = pages * page_bytes}, local, &device);
        elements.resize(pages * 1024);
    }

    // Numbers between -1 and 1, the same in every run.
    void fill(uint64_t seed) {
        each([&](Element& element) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            element = to_element(static_cast<float>(static_cast<int32_t>(seed >> 32)) / 2147483648.0f, element);
        });
    }

    // FNV-1a over the bytes of the elements, row by row: no two results that differ are likely to share it. The sum is for
    // results that may differ in the last bits, on another chip.
    void print_checksum() {
        uint64_t hash = 0xcbf29ce484222325u;
        double sum = 0;
        each([&](Element& element) {
            for (size_t byte = 0; byte < sizeof(Element); ++byte) {
                hash = (hash ^ (element >> (8 * byte) & 0xff)) * 0x100000001b3u;
            }
            sum += from_element(element);
        });
        std::printf("checksum of %s: %016" PRIx64 ", sum %.9g\n", name.c_str(), hash, sum);
    }

    void upload(distributed::MeshCommandQueue& queue) { queue.enqueue_write_mesh_buffer(buffer, elements.data(), true); }
    void download(distributed::MeshCommandQueue& queue) { queue.enqueue_read_mesh_buffer(elements.data(), buffer, true); }
    uint32_t address() const { return static_cast<uint32_t>(buffer->address()); }
    void append_accessor(std::vector<uint32_t>& compile_args) const {
        TensorAccessorArgs(*buffer).append_to(compile_args);
    }

    const std::string name;

protected:
    void* host() { return elements.data(); }

    std::shared_ptr<distributed::MeshBuffer> buffer;

private:
    // Calls `visit` for every element, row by row; what pads the last tiles is left out.
    template <typename Visit>
    void each(Visit visit) {
        const int64_t tile_rows = ceil_div(rows, 32), tile_columns = ceil_div(columns, 32);
        for (int64_t matrix = 0; matrix < matrices; ++matrix) {
            for (int64_t row = 0; row < rows; ++row) {
                for (int64_t column = 0; column < columns; ++column) {
                    const int64_t tile = (matrix * tile_rows + row / 32) * tile_columns + column / 32;
                    const int64_t face = row % 32 / 16 * 2 + column % 32 / 16;
                    visit(elements[((tile * 4 + face) * 16 + row % 16) * 16 + column % 16]);
                }
            }
        }
    }

    int64_t matrices = 1, rows = 1, columns = 1;
    std::vector<Element> elements;
};

// A core and its blocks: numbers that are a step apart, or runs of such, each as far from the one before.
struct CoreWork {
    CoreCoord core;
    int64_t start_id, count;
    int64_t step = 1;
    int64_t run = count, pitch = 0;

    int64_t number(int64_t nth) const { return start_id + nth / run * pitch + nth % run * step; }
};

// Blocks are numbered through and given to all cores, row by row: one by one, or in runs.
std::vector<CoreWork> partition(const std::vector<int64_t>& grid, const CoreCoord& device, bool in_runs = false) {
    int64_t blocks = 1;
    for (const int64_t extent : grid) {
        if (extent < 1) {
            throw std::invalid_argument("an extent of the grid of blocks is " + std::to_string(extent));
        }
        // Kernels number blocks in 32 bits with a sign.
        if (extent > std::numeric_limits<int32_t>::max() / blocks) {
            throw std::invalid_argument("the grid of blocks is too large");
        }
        blocks *= extent;
    }
    const int64_t columns = static_cast<int64_t>(device.x), rows = static_cast<int64_t>(device.y);
    const int64_t cores = std::min(blocks, columns * rows);
    std::vector<CoreWork> work;
    for (int64_t core = 0; core < cores; ++core) {
        const int64_t share = blocks / cores, more = blocks % cores;
        const int64_t start_id = in_runs ? core * share + std::min(core, more) : core;
        work.push_back({CoreCoord(core % columns, core / columns), start_id, share + (core < more ? 1 : 0), in_runs ? 1 : cores});
    }
    return work;
}

// The cores used as rectangles: those that follow each other in a row, and equal ones of neighbouring rows together.
CoreRangeSet ranges(const std::vector<CoreWork>& work) {
    std::vector<CoreRange> rectangles;
    const auto close = [&](const CoreRange& run) {
        if (!rectangles.empty()) {
            CoreRange& above = rectangles.back();
            if (above.start_coord.x == run.start_coord.x && above.end_coord.x == run.end_coord.x && above.end_coord.y + 1 == run.start_coord.y) {
                above.end_coord.y = run.end_coord.y;
                return;
            }
        }
        rectangles.push_back(run);
    };
    CoreRange run(work.front().core);
    for (size_t at = 1; at < work.size(); ++at) {
        const CoreCoord& core = work[at].core;
        if (core.y == run.end_coord.y && core.x == run.end_coord.x + 1) {
            run.end_coord = core;
        } else {
            close(run);
            run = CoreRange(core);
        }
    }
    close(run);
    return CoreRangeSet(rectangles);
}

int64_t parse_integer(const std::string& name, const std::string& text) {
    size_t end = 0;
    const int64_t value = std::stoll(text, &end);
    if (end != text.size()) {
        throw std::invalid_argument(name + " is `" + text + "`, which is no integer");
    }
    if (value < INT32_MIN || value > INT32_MAX) {
        throw std::invalid_argument(name + " is " + text + ", which does not fit in 32 bits with a sign");
    }
    return value;
}

float parse_number(const std::string& name, const std::string& text) {
    size_t end = 0;
    const float value = std::stof(text, &end);
    if (end != text.size()) {
        throw std::invalid_argument(name + " is `" + text + "`, which is no number");
    }
    return value;
}

// Extents and scalars of this run.
struct Arguments {
    int64_t M = 0;
    float alpha = 0;
};

void run(const Arguments& arguments) {
    const auto device = distributed::MeshDevice::create_unit_mesh(0);
    distributed::MeshCommandQueue& queue = device->mesh_command_queue();

    TiledTensor<uint16_t> tensor_x(*device, "x", {arguments.M, 64});
    tensor_x.fill(1);
    tensor_x.upload(queue);
    TiledTensor<uint16_t> tensor_y(*device, "y", {arguments.M, 64});
    tensor_y.upload(queue);

    const std::vector<int64_t> grid = {ceil_div(arguments.M, 64)};
    const std::vector<CoreWork> work = partition(grid, device->compute_with_storage_grid_size());
    const CoreRangeSet cores = ranges(work);
    Program program = CreateProgram();

    // x_block: 8 pages
    {
        CircularBufferConfig config(16384, {{0, tt::DataFormat::Float16_b}});
        config.set_page_size(0, 2048);
        CreateCircularBuffer(program, cores, config);
    }
    // y_block: 8 pages
    {
        CircularBufferConfig config(16384, {{1, tt::DataFormat::Float16_b}});
        config.set_page_size(1, 2048);
        CreateCircularBuffer(program, cores, config);
    }

    const std::filesystem::path folder = std::filesystem::absolute(__FILE__).parent_path();

    std::vector<uint32_t> reader_compile_args;
    tensor_x.append_accessor(reader_compile_args);
    const KernelHandle reader =
        CreateKernel(program, (folder / "reader.cpp").string(), cores, ReaderDataMovementConfig(reader_compile_args));
    for (const CoreWork& each : work) {
        const std::vector<uint32_t> args = {
            word(each.start_id),  // start_id
            word(each.count),  // count
            word(each.step),  // block_step
            word(ceil_div(arguments.M, 64)),  // K_blocks
            tensor_x.address(),  // x_address
        };
        SetRuntimeArgs(program, reader, each.core, args);
    }

    std::vector<uint32_t> compute_compile_args;
    ComputeConfig compute_config;
    compute_config.math_fidelity = MathFidelity::HiFi4;
    compute_config.fp32_dest_acc_en = false;
    compute_config.dst_full_sync_en = false;
    compute_config.math_approx_mode = false;
    compute_config.compile_args = compute_compile_args;
    const KernelHandle compute =
        CreateKernel(program, (folder / "compute.cpp").string(), cores, compute_config);
    for (const CoreWork& each : work) {
        const std::vector<uint32_t> args = {
            word(each.start_id),  // start_id
            word(each.count),  // count
            word(each.step),  // block_step
            word(ceil_div(arguments.M, 64)),  // K_blocks
            bits(double(arguments.alpha)),  // alpha_bits
        };
        SetRuntimeArgs(program, compute, each.core, args);
    }

    std::vector<uint32_t> writer_compile_args;
    tensor_y.append_accessor(writer_compile_args);
    const KernelHandle writer =
        CreateKernel(program, (folder / "writer.cpp").string(), cores, WriterDataMovementConfig(writer_compile_args));
    for (const CoreWork& each : work) {
        const std::vector<uint32_t> args = {
            word(each.start_id),  // start_id
            word(each.count),  // count
            word(each.step),  // block_step
            word(ceil_div(arguments.M, 64)),  // K_blocks
            tensor_y.address(),  // y_address
        };
        SetRuntimeArgs(program, writer, each.core, args);
    }

    distributed::MeshWorkload workload;
    workload.add_program(distributed::MeshCoordinateRange(device->shape()), std::move(program));
    distributed::EnqueueMeshWorkload(queue, workload, false);
    distributed::Finish(queue);

    tensor_y.download(queue);
    tensor_y.print_checksum();
    device->close();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s <M> <alpha>\n", argv[0]);
        return 2;
    }
    try {
        Arguments arguments;
        arguments.M = parse_integer("M", argv[1]);
        arguments.alpha = parse_number("alpha", argv[2]);
        run(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
