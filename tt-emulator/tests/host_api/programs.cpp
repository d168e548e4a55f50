// Host programs, written as for the real TT-Metalium.
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include <tt-metalium/bfloat16.hpp>
#include <tt-metalium/constants.hpp>
#include <tt-metalium/distributed.hpp>
#include <tt-metalium/hal.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/system_mesh.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt-metalium/tilize_utils.hpp>
#include <tt-metalium/tt_align.hpp>
#include <tt-metalium/work_split.hpp>
#include <tt_emulator.h>

using namespace tt::tt_metal;
using namespace tt::tt_metal::distributed;

namespace {

std::string kernels;

constexpr uint32_t TILE = 2048;

#define CHECK(condition)                                                                                   \
    do {                                                                                                   \
        if (!(condition)) throw std::runtime_error(std::string("check failed: " #condition " at line ") + std::to_string(__LINE__)); \
    } while (0)

std::shared_ptr<MeshDevice> open(const char* arch = "wormhole_b0") {
    CHECK(tt_emulator_select_arch(0, arch) == 0);
    return MeshDevice::create_unit_mesh(0);
}

std::shared_ptr<MeshBuffer> dram(MeshDevice& device, uint32_t pages) {
    return MeshBuffer::create(
        ReplicatedBufferConfig{.size = pages * TILE}, DeviceLocalBufferConfig{.page_size = TILE, .buffer_type = BufferType::DRAM}, &device);
}

void circular_buffer(Program& program, const CoreRangeSet& cores, uint32_t pages) {
    CreateCircularBuffer(
        program, cores, CircularBufferConfig(pages * TILE, {{tt::CBIndex::c_0, tt::DataFormat::Float16_b}}).set_page_size(tt::CBIndex::c_0, TILE));
}

std::vector<uint32_t> pattern(uint32_t pages) {
    std::vector<uint32_t> words(pages * TILE / 4);
    std::iota(words.begin(), words.end(), 17);
    return words;
}

struct Copy {
    std::shared_ptr<MeshDevice> device = open();
    std::shared_ptr<MeshBuffer> source = dram(*device, 20);
    std::shared_ptr<MeshBuffer> target = dram(*device, 20);
    std::vector<uint32_t> data = pattern(20);
    KernelHandle reader = 0;
    KernelHandle writer = 0;
    std::vector<CoreCoord> cores;
    MeshWorkload workload;

    Copy() {
        auto& queue = device->mesh_command_queue();
        EnqueueWriteMeshBuffer(queue, source, data, false);
        const auto [count, all, group1, group2, units1, units2] = split_work_to_cores(CoreCoord(3, 1), 10);
        Program program = CreateProgram();
        circular_buffer(program, all, 4);
        std::vector<uint32_t> read_args{2};
        TensorAccessorArgs(*source).append_to(read_args);
        std::vector<uint32_t> write_args{2};
        TensorAccessorArgs(target).append_to(write_args);
        reader = CreateKernel(program, kernels + "/copy_reader.cpp", all, ReaderDataMovementConfig(read_args));
        writer = CreateKernel(
            program,
            kernels + "/copy_writer.cpp",
            all,
            DataMovementConfig{.processor = DataMovementProcessor::RISCV_0, .noc = NOC::RISCV_1_default, .compile_args = write_args});
        uint32_t first = 0;
        cores = corerange_to_cores(all);
        CHECK(count == 3 && cores.size() == 3);
        for (const CoreCoord& core : cores) {
            const uint32_t pages = 2 * (group1.contains(core) ? units1 : units2);
            SetRuntimeArgs(program, reader, core, {static_cast<uint32_t>(source->address()), first, pages});
            const std::vector<uint32_t> words{static_cast<uint32_t>(target->address()), first, pages};
            SetRuntimeArgs(program, writer, core, words);
            first += pages;
        }
        CHECK(first == 20);
        workload.add_program(MeshCoordinateRange(device->shape()), std::move(program));
    }

    void run_and_check(std::shared_ptr<MeshBuffer> buffer) {
        auto& queue = device->mesh_command_queue();
        EnqueueMeshWorkload(queue, workload, false);
        Finish(queue);
        std::vector<uint32_t> result;
        EnqueueReadMeshBuffer(queue, result, buffer, true);
        CHECK(result == data);
    }
};

void reader_to_writer_copy() {
    Copy copy;
    copy.run_and_check(copy.target);
    CHECK(copy.device->close());
}

void workload_runs_again_with_other_arguments() {
    Copy copy;
    copy.run_and_check(copy.target);
    auto other = dram(*copy.device, 20);
    Program& program = copy.workload.get_programs().begin()->second;
    for (const CoreCoord& core : copy.cores) {
        RuntimeArgsData& words = GetRuntimeArgs(program, copy.writer, core);
        CHECK(words.size() == 3);
        words[0] = static_cast<uint32_t>(other->address());
    }
    copy.run_and_check(other);
}

void kernels_from_strings_with_all_kinds_of_arguments() {
    auto device = open("blackhole");
    auto target = dram(*device, 1);
    Program program = CreateProgram();
    const CoreCoord core(2, 1);
    circular_buffer(program, CoreRangeSet(CoreRange(core)), 1);
    const auto kernel = CreateKernelFromString(
        program,
        R"(
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    cb_reserve_back(0, 1);
    volatile tt_l1_ptr uint32_t* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_write_ptr(0));
    words[0] = get_compile_time_arg_val(2);
    constexpr uint32_t named = get_named_compile_time_arg_val("blue");
    words[1] = named;
    words[2] = COLOUR;
    words[3] = get_arg_val<uint32_t>(1);
    words[4] = get_common_arg_val<uint32_t>(0);
    words[5] = get_absolute_logical_x() * 10 + get_absolute_logical_y();
    words[6] = my_x[0] * 100 + my_y[0];
    constexpr auto args = TensorAccessorArgs<0>();
    const auto target = TensorAccessor(args, get_arg_val<uint32_t>(0));
    noc_async_write(get_write_ptr(0), get_noc_addr(0, target), 32);
    noc_async_write_barrier();
    cb_push_back(0, 1);
}
)",
        core,
        DataMovementConfig{
            .compile_args = {TensorAccessorArgs(target).get_compile_time_args()[0], TensorAccessorArgs(target).get_compile_time_args()[1], 7},
            .defines = {{"COLOUR", "(40 + 2)"}},
            .named_compile_args = {{"red", 1}, {"blue", 3}}});
    SetRuntimeArgs(program, kernel, std::vector<CoreCoord>{core}, {{static_cast<uint32_t>(target->address()), 99}});
    SetCommonRuntimeArgs(program, kernel, {1234});
    LaunchProgram(*device, std::move(program));
    std::vector<uint32_t> result;
    EnqueueReadMeshBuffer(device->mesh_command_queue(), result, target);
    const CoreCoord at = device->worker_core_from_logical_core(core);
    const std::vector<uint32_t> expected{7, 3, 42, 99, 1234, 21, static_cast<uint32_t>(at.x * 100 + at.y)};
    CHECK(std::vector<uint32_t>(result.begin(), result.begin() + 7) == expected);
}

// 4 x 4 pages in L1, a circular buffer on each core's shard of them: every core adds its number to the words of its shard.
void shards_lie_where_the_layout_says() {
    struct Layout {
        TensorMemoryLayout layout;
        CoreRange cores;
        std::array<uint32_t, 2> shard;
    };
    const std::vector<Layout> layouts{
        {TensorMemoryLayout::HEIGHT_SHARDED, CoreRange({0, 0}, {0, 3}), {1, 4}},
        {TensorMemoryLayout::WIDTH_SHARDED, CoreRange({0, 0}, {3, 0}), {4, 1}},
        {TensorMemoryLayout::BLOCK_SHARDED, CoreRange({1, 1}, {2, 2}), {2, 2}},
    };
    for (const auto& [layout, cores, shard] : layouts) {
        auto device = open();
        const ShardSpecBuffer spec(cores, {shard[0] * 32, shard[1] * 32}, ShardOrientation::ROW_MAJOR, {32, 32}, {4, 4});
        const DeviceLocalBufferConfig local{
            .page_size = TILE, .buffer_type = BufferType::L1, .sharding_args = BufferShardingArgs(spec, layout)};
        auto buffer = MeshBuffer::create(ReplicatedBufferConfig{.size = 16 * TILE}, local, device.get());
        CHECK(buffer->get_backing_buffer()->buffer_layout() == layout);
        std::vector<uint32_t> data = pattern(16);
        EnqueueWriteMeshBuffer(device->mesh_command_queue(), buffer, data);
        Program program = CreateProgram();
        CreateCircularBuffer(
            program,
            cores,
            CircularBufferConfig(4 * TILE, {{tt::CBIndex::c_0, tt::DataFormat::Float16_b}})
                .set_page_size(tt::CBIndex::c_0, TILE)
                .set_globally_allocated_address(*buffer->get_backing_buffer()));
        const KernelHandle kernel = CreateKernelFromString(
            program,
            "void kernel_main() {\n"
            "    auto* words = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_read_ptr(tt::CB::c_in0));\n"
            "    for (uint32_t i = 0; i < 4 * 512; ++i) words[i] += get_arg_val<uint32_t>(0);\n"
            "}\n",
            cores,
            DataMovementConfig{.processor = DataMovementProcessor::RISCV_0, .noc = NOC::RISCV_0_default});
        uint32_t number = 0;
        for (const CoreCoord& core : corerange_to_cores(cores, std::nullopt, true)) {
            SetRuntimeArgs(program, kernel, core, {1000000 * ++number});
        }
        LaunchProgram(*device, std::move(program));
        std::vector<uint32_t> result;
        EnqueueReadMeshBuffer(device->mesh_command_queue(), result, buffer);
        for (uint32_t page = 0; page < 16; ++page) {
            const uint32_t owner = page / 4 / shard[0] * (4 / shard[1]) + page % 4 / shard[1] + 1;
            for (uint32_t word = page * 512; word < (page + 1) * 512; ++word) {
                CHECK(result[word] == data[word] + 1000000 * owner);
            }
        }
        device->close();
    }
}

void bfloat16_counts_as_upstream_does() {
    CHECK(bfloat16(0.0f) == bfloat16(-0.0f));
    CHECK(bfloat16(NAN) != bfloat16(NAN));
    CHECK(std::vector<bfloat16>{0.0f} != std::vector<bfloat16>{-0.0f});
    CHECK(static_cast<float>(bfloat16(3) / bfloat16(4)) == 0.75f);
    // 257 lies halfway between 256 and 258: to the even one.
    CHECK(static_cast<float>(bfloat16(257)) == 256.0f && static_cast<float>(bfloat16::truncate(257.9f)) == 256.0f);
    const auto native = create_random_vector_of_bfloat16_native(64, 20, 7, -10);
    CHECK(native.size() == 32 && unpack_uint32_vec_into_bfloat16_vec(create_random_vector_of_bfloat16(64, 20, 7, -10)) == native);
    for (const float number : native) {
        CHECK(number >= -10.0f && number <= 10.0f);
    }
    CHECK(create_constant_vector_of_bfloat16(8, 1.0f) == std::vector<uint32_t>({0x3F803F80, 0x3F803F80}));
    CHECK(create_constant_vector_of_bfloat16(2, 1.0f) == std::vector<uint32_t>{0x3F80});
    const auto identity = create_identity_matrix(2, 3, 2);
    CHECK((identity == std::vector<bfloat16>{1, 0, 0, 0, 1, 0}));
    CHECK(is_close(100.0f, 100.9f) && !is_close(100.0f, 102.0f) && equal_within_n_sig_figs(0.01234f, 0.01239f, 3));
}

void the_system_is_one_device() {
    CHECK(SystemMesh::instance().shape() == MeshShape(1, 1));
    CHECK(tt_emulator_select_arch(0, "blackhole") == 0);
    auto device = MeshDevice::create(MeshDeviceConfig(SystemMesh::instance().shape()));
    CHECK(device->num_devices() == 1);
    ReadMeshDeviceProfilerResults(*device);
    Program program = CreateProgram();
    program.set_runtime_id(42);
    CHECK(program.get_runtime_id() == 42);
    CHECK(tt::align(uint32_t{33}, uint32_t{32}) == 64 && tt::align(uint32_t{64}, uint32_t{32}) == 64);
    CHECK(device->close());
}

// The library would read past the vector: here it is zeros.
void a_short_vector_is_followed_by_zeros() {
    auto device = open();
    auto buffer = dram(*device, 1);
    std::vector<uint32_t> data = pattern(1);
    EnqueueWriteMeshBuffer(device->mesh_command_queue(), buffer, data);
    EnqueueWriteMeshBuffer(device->mesh_command_queue(), buffer, std::vector<uint16_t>{7, 8, 9});
    EnqueueReadMeshBuffer(device->mesh_command_queue(), data, buffer);
    std::vector<uint32_t> expected(TILE / 4);
    expected[0] = 7 | 8 << 16;
    expected[1] = 9;
    CHECK(data == expected);
}

void a_shard_too_many() {
    auto device = open();
    const ShardSpecBuffer spec(CoreRange({0, 0}, {0, 2}), {32, 128}, ShardOrientation::ROW_MAJOR, {32, 32}, {4, 4});
    const DeviceLocalBufferConfig local{
        .page_size = TILE,
        .buffer_type = BufferType::L1,
        .sharding_args = BufferShardingArgs(spec, TensorMemoryLayout::HEIGHT_SHARDED)};
    MeshBuffer::create(ReplicatedBufferConfig{.size = 16 * TILE}, local, device.get());
}

void queries_answer_for_both_chips() {
    auto wormhole = open();
    CHECK(wormhole->arch() == tt::ARCH::WORMHOLE_B0);
    CHECK(wormhole->compute_with_storage_grid_size() == CoreCoord(8, 8));
    CHECK(wormhole->worker_core_from_logical_core({7, 7}) == CoreCoord(25, 25));
    CHECK(wormhole->num_dram_channels() == 12);
    CHECK(hal::get_dram_alignment() == 32);
    CHECK(hal::get_arch_num_circular_buffers() == 32);
    CHECK(dram(*wormhole, 1)->address() == 1048640);
    wormhole->close();
    auto blackhole = open("blackhole");
    CHECK(blackhole->arch() == tt::ARCH::BLACKHOLE);
    CHECK(blackhole->compute_with_storage_grid_size() == CoreCoord(13, 10));
    CHECK(blackhole->worker_core_from_logical_core({7, 7}) == CoreCoord(10, 9));
    CHECK(hal::get_max_worker_l1_unreserved_size() == 1531776);
    auto l1 = MeshBuffer::create(
        ReplicatedBufferConfig{.size = TILE}, DeviceLocalBufferConfig{.page_size = TILE, .buffer_type = BufferType::L1}, blackhole.get());
    CHECK(l1->address() == 1570816);
    CHECK(tt_emulator_select_arch(0, "grayskull") == -1);
}

void work_is_split_as_upstream_does() {
    for (const bool row_wise : {false, true}) {
        for (uint32_t units = 1; units < 200; ++units) {
            const auto [count, all, group1, group2, units1, units2] = split_work_to_cores(CoreCoord(5, 4), units, row_wise);
            CHECK(all.num_cores() == count && count == std::min(units, 20u));
            CHECK(group1.num_cores() + group2.num_cores() == count);
            CHECK(group1.num_cores() * units1 + group2.num_cores() * units2 == units);
            CHECK(all.contains(group1) && all.contains(group2) && !group1.intersects(group2));
            CHECK(group2.empty() || units1 == units2 + 1);
            const auto cores = corerange_to_cores(all, std::nullopt, row_wise);
            CHECK(cores.size() == count);
        }
    }
    const auto column = corerange_to_cores(num_cores_to_corerangeset(6, CoreCoord(5, 4)));
    CHECK(column[1] == CoreCoord(0, 1) && column[4] == CoreCoord(1, 0));
}

void tilize_and_back() {
    std::vector<uint32_t> matrix(64 * 96);
    std::iota(matrix.begin(), matrix.end(), 0);
    const auto tiled = tilize_nfaces(matrix, 64, 96);
    CHECK(tiled[16] == 96 && tiled[256] == 16 && tiled[512] == 16 * 96 && tiled[1024] == 32);
    CHECK(untilize_nfaces(tiled, 64, 96) == matrix);
    CHECK(static_cast<float>(bfloat16(1.0f + 1.0f / 256)) == 1.0f && static_cast<float>(bfloat16(1.0f + 3.0f / 256)) == 1.0f + 1.0f / 64);
}

void missing_barrier() {
    auto device = open();
    auto source = dram(*device, 2);
    Program program = CreateProgram();
    const CoreCoord core(1, 0);
    circular_buffer(program, CoreRangeSet(CoreRange(core)), 2);
    std::vector<uint32_t> args;
    TensorAccessorArgs(source).append_to(args);
    const auto kernel = CreateKernelFromString(program, R"(#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto args = TensorAccessorArgs<0>();
    const auto source = TensorAccessor(args, get_arg_val<uint32_t>(0));
    // matmul.rs:12
    cb_reserve_back(0, 1);
    noc_async_read_page(0, source, get_write_ptr(0));
    // the barrier belongs here

    cb_push_back(0, 1);
})", core, ReaderDataMovementConfig(args));
    SetRuntimeArgs(program, kernel, core, {static_cast<uint32_t>(source->address())});
    LaunchProgram(*device, std::move(program));
}

KernelHandle empty_kernel(Program& program, const std::variant<CoreCoord, CoreRange, CoreRangeSet>& cores, const DataMovementConfig& config = {}) {
    return CreateKernelFromString(program, "void kernel_main() {}", cores, config);
}

void a_core_outside_the_grid() {
    auto device = open();
    Program program = CreateProgram();
    empty_kernel(program, CoreCoord(8, 0));
    LaunchProgram(*device, std::move(program));
}

void too_much_l1() {
    auto device = open();
    Program program = CreateProgram();
    empty_kernel(program, CoreCoord(0, 0));
    circular_buffer(program, CoreRangeSet(CoreRange(CoreCoord(0, 0))), 715);
    LaunchProgram(*device, std::move(program));
}

void a_kernel_that_does_not_compile() {
    auto device = open();
    Program program = CreateProgram();
    CreateKernelFromString(program, "void kernel_main() { no_such_function(); }", CoreCoord(0, 0), DataMovementConfig{});
    LaunchProgram(*device, std::move(program));
}

void a_missing_kernel_file() {
    Program program = CreateProgram();
    CreateKernel(program, "no/such/kernel.cpp", CoreCoord(0, 0), DataMovementConfig{});
}

void two_kernels_on_one_noc() {
    Program program = CreateProgram();
    empty_kernel(program, CoreCoord(0, 0), ReaderDataMovementConfig());
    empty_kernel(program, CoreRange({0, 0}, {1, 1}), DataMovementConfig{.noc = NOC::NOC_0});
}

void out_of_dram() {
    auto device = open();
    MeshBuffer::create(
        ReplicatedBufferConfig{.size = 1ull << 36}, DeviceLocalBufferConfig{.page_size = TILE, .buffer_type = BufferType::DRAM}, device.get());
}

void a_closed_device() {
    auto device = open();
    auto buffer = dram(*device, 1);
    device->close();
    std::vector<uint32_t> data(TILE / 4);
    EnqueueWriteMeshBuffer(device->mesh_command_queue(), buffer, data);
}

void a_buffer_of_zero_bytes() {
    auto device = open();
    dram(*device, 0);
}

void arguments_of_another_count() {
    Program program = CreateProgram();
    const auto kernel = empty_kernel(program, CoreCoord(0, 0));
    SetRuntimeArgs(program, kernel, CoreCoord(0, 0), {1, 2});
    SetRuntimeArgs(program, kernel, CoreCoord(0, 0), {1, 2, 3});
}

#define CASE(name) {#name, name}
const std::map<std::string, std::function<void()>> cases{
    CASE(reader_to_writer_copy),
    CASE(workload_runs_again_with_other_arguments),
    CASE(kernels_from_strings_with_all_kinds_of_arguments),
    CASE(queries_answer_for_both_chips),
    CASE(shards_lie_where_the_layout_says),
    CASE(bfloat16_counts_as_upstream_does),
    CASE(the_system_is_one_device),
    CASE(a_short_vector_is_followed_by_zeros),
    CASE(a_shard_too_many),
    CASE(work_is_split_as_upstream_does),
    CASE(tilize_and_back),
    CASE(missing_barrier),
    CASE(a_core_outside_the_grid),
    CASE(too_much_l1),
    CASE(a_kernel_that_does_not_compile),
    CASE(a_missing_kernel_file),
    CASE(two_kernels_on_one_noc),
    CASE(out_of_dram),
    CASE(a_closed_device),
    CASE(a_buffer_of_zero_bytes),
    CASE(arguments_of_another_count),
};

}  // namespace

// Runs a case; gives 0, or 1 with the text of what was thrown.
extern "C" int run_case(const char* name, const char* kernel_directory, char* text, std::size_t bytes) {
    kernels = kernel_directory;
    try {
        cases.at(name)();
        return 0;
    } catch (const std::exception& error) {
        std::snprintf(text, bytes, "%s", error.what());
        return 1;
    }
}
