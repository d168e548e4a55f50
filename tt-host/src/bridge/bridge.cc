#include "tt-host/src/bridge/bridge.h"

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <tt-metalium/circular_buffer_config.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_command_queue.hpp>
#include <tt-metalium/mesh_device.hpp>
#include <tt-metalium/mesh_workload.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

#include "tt-host/src/bridge/mod.rs.h"

namespace tt_host {

namespace metal = tt::tt_metal;
namespace distributed = tt::tt_metal::distributed;

namespace {

metal::CoreRangeSet core_ranges(rust::Slice<const Rectangle> rectangles) {
    std::vector<metal::CoreRange> ranges;
    ranges.reserve(rectangles.size());
    for (const Rectangle& r : rectangles) {
        ranges.emplace_back(metal::CoreCoord(r.x, r.y), metal::CoreCoord(r.x + r.columns - 1, r.y + r.rows - 1));
    }
    return metal::CoreRangeSet(ranges);
}

std::vector<std::uint32_t> words(rust::Slice<const std::uint32_t> slice) {
    return std::vector<std::uint32_t>(slice.begin(), slice.end());
}

Chip chip(tt::ARCH arch) {
    switch (arch) {
        case tt::ARCH::WORMHOLE_B0: return Chip::WormholeB0;
        case tt::ARCH::BLACKHOLE: return Chip::Blackhole;
        default: throw std::runtime_error("the device is neither a wormhole_b0 nor a blackhole");
    }
}

// A name of the bridge that has no case is an error of the C++ compiler.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"

tt::DataFormat data_format(Format format) {
    switch (format) {
        case Format::Float32: return tt::DataFormat::Float32;
        case Format::Float16B: return tt::DataFormat::Float16_b;
        case Format::Bfp8B: return tt::DataFormat::Bfp8_b;
        case Format::Bfp4B: return tt::DataFormat::Bfp4_b;
        case Format::Int32: return tt::DataFormat::Int32;
        case Format::UInt8: return tt::DataFormat::UInt8;
        case Format::Int8: return tt::DataFormat::Int8;
    }
    throw std::invalid_argument("a circular buffer of a format without a name");
}

metal::MathFidelity math_fidelity(Fidelity fidelity) {
    switch (fidelity) {
        case Fidelity::LoFi: return metal::MathFidelity::LoFi;
        case Fidelity::HiFi2: return metal::MathFidelity::HiFi2;
        case Fidelity::HiFi3: return metal::MathFidelity::HiFi3;
        case Fidelity::HiFi4: return metal::MathFidelity::HiFi4;
    }
    throw std::invalid_argument("a math fidelity without a name");
}

metal::BufferType buffer_type(Memory memory) {
    switch (memory) {
        case Memory::Dram: return metal::BufferType::DRAM;
        case Memory::L1: return metal::BufferType::L1;
    }
    throw std::invalid_argument("a memory without a name");
}

#pragma GCC diagnostic pop

metal::CircularBufferConfig circular_buffer_config(const CircularBufferSpec& spec) {
    metal::CircularBufferConfig config(spec.page_bytes * spec.pages, {{spec.index, data_format(spec.format)}});
    config.set_page_size(spec.index, spec.page_bytes);
    return config;
}

// A transfer of some pages of a buffer of the one device that there is.
distributed::ShardDataTransfer part(std::uint8_t* host, std::uint64_t offset, std::uint64_t bytes) {
    distributed::ShardDataTransfer transfer(distributed::MeshCoordinate(0, 0));
    transfer.host_data(host).region(metal::BufferRegion(offset, bytes));
    return transfer;
}

void require_within(const MeshBuffer& buffer, const char* what, std::uint64_t offset, std::uint64_t bytes) {
    if (offset > buffer.size() || bytes > buffer.size() - offset) {
        throw std::length_error(
            std::string(what) + " of " + std::to_string(bytes) + " bytes at byte " + std::to_string(offset) +
            " of a smaller buffer");
    }
}

}  // namespace

std::shared_ptr<MeshDevice> open_device(std::int32_t id) { return MeshDevice::create_unit_mesh(id); }

DeviceFacts device_facts(const std::shared_ptr<MeshDevice>& device) {
    const metal::CoreCoord grid = device->compute_with_storage_grid_size();
    DeviceFacts facts;
    facts.chip = chip(device->arch());
    facts.columns = static_cast<std::uint32_t>(grid.x);
    facts.rows = static_cast<std::uint32_t>(grid.y);
    facts.l1_bytes = metal::hal::get_max_worker_l1_unreserved_size();
    facts.circular_buffers = metal::hal::get_arch_num_circular_buffers();
    facts.dram_banks = static_cast<std::uint32_t>(device->num_dram_channels());
    for (std::size_t y = 0; y < grid.y; ++y) {
        for (std::size_t x = 0; x < grid.x; ++x) {
            const metal::CoreCoord at = device->worker_core_from_logical_core({x, y});
            facts.noc.push_back(static_cast<std::uint32_t>(at.x));
            facts.noc.push_back(static_cast<std::uint32_t>(at.y));
        }
    }
    return facts;
}

void close_device(const std::shared_ptr<MeshDevice>& device) { device->close(); }

std::shared_ptr<MeshBuffer> allocate(
    const std::shared_ptr<MeshDevice>& device, std::uint64_t bytes, std::uint64_t page_bytes, Memory memory) {
    distributed::DeviceLocalBufferConfig local;
    local.page_size = page_bytes;
    local.buffer_type = buffer_type(memory);
    return MeshBuffer::create(distributed::ReplicatedBufferConfig{.size = bytes}, local, device.get());
}

std::shared_ptr<MeshBuffer> allocate_in_banks(
    const std::shared_ptr<MeshDevice>& device, std::uint32_t pages_of_bank, std::uint64_t page_bytes, Memory memory,
    rust::Slice<const Core> banks) {
    std::vector<metal::CoreRange> cores;
    cores.reserve(banks.size());
    for (const Core& bank : banks) {
        cores.emplace_back(metal::CoreCoord(bank.x, bank.y));
    }
    // One column of pages, of which every bank has a run: which page of a tensor each is, its accessor's words say.
    constexpr std::uint32_t side = 32;
    const auto pages = static_cast<std::uint32_t>(pages_of_bank * banks.size());
    const metal::ShardSpecBuffer spec(
        metal::CoreRangeSet(cores), {pages_of_bank * side, side}, metal::ShardOrientation::ROW_MAJOR, {side, side}, {pages, 1});
    distributed::DeviceLocalBufferConfig local;
    local.page_size = page_bytes;
    local.buffer_type = buffer_type(memory);
    local.sharding_args = metal::BufferShardingArgs(spec, metal::TensorMemoryLayout::HEIGHT_SHARDED);
    return MeshBuffer::create(distributed::ReplicatedBufferConfig{.size = pages * page_bytes}, local, device.get());
}

std::uint64_t buffer_address(const std::shared_ptr<MeshBuffer>& buffer) { return buffer->address(); }

rust::Vec<std::uint32_t> accessor_words(const std::shared_ptr<MeshBuffer>& buffer) {
    std::vector<std::uint32_t> args;
    metal::TensorAccessorArgs(*buffer).append_to(args);
    rust::Vec<std::uint32_t> result;
    result.reserve(args.size());
    for (std::uint32_t arg : args) {
        result.push_back(arg);
    }
    return result;
}

void write_buffer(
    const std::shared_ptr<MeshDevice>& device, const std::shared_ptr<MeshBuffer>& buffer, std::uint64_t offset,
    rust::Slice<const std::uint8_t> bytes) {
    require_within(*buffer, "write", offset, bytes.size());
    distributed::MeshCommandQueue& queue = device->mesh_command_queue();
    if (bytes.size() == buffer->size()) {
        return queue.enqueue_write_mesh_buffer(buffer, bytes.data(), true);
    }
    // The queue only reads what it is given to write.
    auto* from = const_cast<std::uint8_t*>(bytes.data());
    queue.enqueue_write_shards(buffer, {part(from, offset, bytes.size())}, true);
}

void read_buffer(
    const std::shared_ptr<MeshDevice>& device, const std::shared_ptr<MeshBuffer>& buffer, std::uint64_t offset,
    rust::Slice<std::uint8_t> bytes) {
    require_within(*buffer, "read", offset, bytes.size());
    distributed::MeshCommandQueue& queue = device->mesh_command_queue();
    if (bytes.size() == buffer->size()) {
        return queue.enqueue_read_mesh_buffer(bytes.data(), buffer, true);
    }
    queue.enqueue_read_shards({part(bytes.data(), offset, bytes.size())}, buffer, true);
}

std::unique_ptr<Program> create_program() { return std::make_unique<Program>(metal::CreateProgram()); }

void add_circular_buffer(Program& program, rust::Slice<const Rectangle> cores, const CircularBufferSpec& spec) {
    metal::CreateCircularBuffer(program, core_ranges(cores), circular_buffer_config(spec));
}

void add_circular_buffer_on(
    Program& program, rust::Slice<const Rectangle> cores, const CircularBufferSpec& spec, const std::shared_ptr<MeshBuffer>& buffer) {
    metal::CircularBufferConfig config = circular_buffer_config(spec);
    config.set_globally_allocated_address(*buffer->get_reference_buffer());
    metal::CreateCircularBuffer(program, core_ranges(cores), config);
}

std::uint32_t add_semaphore(Program& program, rust::Slice<const Rectangle> cores, std::uint32_t initial) {
    return metal::CreateSemaphore(program, core_ranges(cores), initial);
}

std::uint32_t add_data_movement_kernel(
    Program& program, rust::Slice<const Rectangle> cores, Mover mover, rust::Str source,
    rust::Slice<const std::uint32_t> compile_args) {
    const std::string text(source);
    if (mover == Mover::Reader) {
        return metal::CreateKernelFromString(
            program, text, core_ranges(cores), metal::ReaderDataMovementConfig(words(compile_args)));
    }
    return metal::CreateKernelFromString(
        program, text, core_ranges(cores), metal::WriterDataMovementConfig(words(compile_args)));
}

std::uint32_t add_compute_kernel(
    Program& program, rust::Slice<const Rectangle> cores, rust::Str source, const ComputeSpec& spec,
    rust::Slice<const std::uint32_t> compile_args) {
    metal::ComputeConfig config;
    config.math_fidelity = math_fidelity(spec.math_fidelity);
    config.fp32_dest_acc_en = spec.fp32_dest_acc_en;
    config.dst_full_sync_en = spec.dst_full_sync_en;
    config.math_approx_mode = spec.math_approx_mode;
    config.compile_args = words(compile_args);
    if (!spec.unpack_to_dest_fp32.empty()) {
        config.unpack_to_dest_mode.assign(spec.circular_buffers, metal::UnpackToDestMode::Default);
        for (std::uint8_t index : spec.unpack_to_dest_fp32) {
            config.unpack_to_dest_mode.at(index) = metal::UnpackToDestMode::UnpackToDestFp32;
        }
    }
    return metal::CreateKernelFromString(program, std::string(source), core_ranges(cores), config);
}

std::unique_ptr<MeshWorkload> create_workload(
    const std::shared_ptr<MeshDevice>& device, std::unique_ptr<Program> program) {
    auto workload = std::make_unique<MeshWorkload>();
    workload->add_program(distributed::MeshCoordinateRange(device->shape()), std::move(*program));
    return workload;
}

void set_runtime_args(
    MeshWorkload& workload, std::uint32_t kernel, rust::Slice<const Core> cores,
    rust::Slice<const std::uint32_t> words) {
    std::vector<metal::CoreCoord> coordinates;
    std::vector<std::vector<std::uint32_t>> args;
    coordinates.reserve(cores.size());
    args.reserve(cores.size());
    const std::size_t count = cores.empty() ? 0 : words.size() / cores.size();
    for (std::size_t i = 0; i < cores.size(); ++i) {
        coordinates.emplace_back(cores[i].x, cores[i].y);
        args.emplace_back(words.begin() + i * count, words.begin() + (i + 1) * count);
    }
    for (auto& [range, program] : workload.get_programs()) {
        metal::SetRuntimeArgs(program, kernel, coordinates, args);
    }
}

void enqueue_workload(const std::shared_ptr<MeshDevice>& device, MeshWorkload& workload, bool blocking) {
    distributed::EnqueueMeshWorkload(device->mesh_command_queue(), workload, blocking);
}

void finish(const std::shared_ptr<MeshDevice>& device) { distributed::Finish(device->mesh_command_queue()); }

}  // namespace tt_host
