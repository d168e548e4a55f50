// Programs: forwards what is created to the engine.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include <tt-metalium/host_api.hpp>
#include <tt_stl/assert.hpp>

#include "handles.h"

namespace tt::tt_metal {

using emulator::checked;

namespace detail {

// What a program is here.
class ProgramImpl {
public:
    ProgramImpl() : handle(checked(tt_emulator_program_create())) {}
    ~ProgramImpl() { tt_emulator_program_destroy(handle); }
    ProgramImpl(const ProgramImpl&) = delete;
    ProgramImpl& operator=(const ProgramImpl&) = delete;

    tt_emulator_program* handle;
    // What GetRuntimeArgs gave references to.
    std::map<std::tuple<KernelHandle, std::size_t, std::size_t>, RuntimeArgsData> unique;
    std::map<KernelHandle, RuntimeArgsData> common;
    // By handle; what GetCircularBufferConfig gave references to.
    std::map<CBHandle, CircularBufferConfig> circular_buffers;
    ProgramId runtime_id = 0;
};

}  // namespace detail

namespace emulator {

tt_emulator_program* handle(const Program& program) { return program.impl().handle; }

}  // namespace emulator

namespace {

using Cores = std::vector<tt_emulator_core>;

void append(Cores& cores, const CoreCoord& core) { cores.push_back({static_cast<uint32_t>(core.x), static_cast<uint32_t>(core.y)}); }

void append(Cores& cores, const CoreRange& range) {
    for (const CoreCoord& core : range) {
        append(cores, core);
    }
}

void append(Cores& cores, const CoreRangeSet& set) {
    for (const CoreRange& range : set.ranges()) {
        append(cores, range);
    }
}

template <typename Spec>
Cores cores_of(const Spec& spec) {
    Cores cores;
    std::visit([&](const auto& part) { append(cores, part); }, spec);
    return cores;
}

// A configuration in the form that the engine takes; keeps what the kernel's slices are of.
struct KernelArguments {
    std::vector<tt_emulator_named_argument> named;
    std::vector<tt_emulator_define> defines;
    std::vector<uint8_t> unpack_to_dest;

    template <typename Config>
    void fill(tt_emulator_kernel& kernel, const Config& config) {
        for (const auto& [name, value] : config.named_compile_args) {
            named.push_back({emulator::text(name), value});
        }
        for (const auto& [name, value] : config.defines) {
            defines.push_back({emulator::text(name), emulator::text(value)});
        }
        kernel.compile_args = emulator::slice(config.compile_args);
        kernel.named_args = emulator::slice(named);
        kernel.defines = emulator::slice(defines);
    }
};

KernelHandle create(
    Program& program,
    const std::string& name,
    const std::string& source,
    const std::string* directory,
    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
    const std::variant<DataMovementConfig, ComputeConfig>& config) {
    const Cores cores = cores_of(core_spec);
    tt_emulator_kernel kernel{};
    kernel.file = emulator::text(name);
    kernel.source = emulator::text(source);
    if (directory != nullptr) {
        kernel.directory = emulator::text(*directory);
    }
    kernel.cores = emulator::slice(cores);
    KernelArguments arguments;
    if (const auto* dm = std::get_if<DataMovementConfig>(&config)) {
        kernel.processor = static_cast<uint32_t>(dm->processor);
        kernel.noc = dm->noc;
        arguments.fill(kernel, *dm);
    } else {
        const auto& compute = std::get<ComputeConfig>(config);
        kernel.is_compute = true;
        kernel.math_fidelity = static_cast<uint32_t>(compute.math_fidelity);
        kernel.fp32_dest_acc_en = compute.fp32_dest_acc_en;
        kernel.dst_full_sync_en = compute.dst_full_sync_en;
        kernel.bfp8_pack_precise = compute.bfp8_pack_precise;
        kernel.math_approx_mode = compute.math_approx_mode;
        for (const UnpackToDestMode mode : compute.unpack_to_dest_mode) {
            arguments.unpack_to_dest.push_back(mode == UnpackToDestMode::UnpackToDestFp32);
        }
        kernel.unpack_to_dest_fp32 = emulator::slice(arguments.unpack_to_dest);
        arguments.fill(kernel, compute);
    }
    return static_cast<KernelHandle>(checked(tt_emulator_create_kernel(emulator::handle(program), &kernel)));
}

std::filesystem::path find_kernel(const std::string& file_name) {
    const std::filesystem::path given(file_name);
    if (std::filesystem::exists(given)) {
        return std::filesystem::absolute(given);
    }
    for (const char* variable : {"TT_METAL_KERNEL_PATH", "TT_METAL_HOME"}) {
        if (const char* root = std::getenv(variable); root != nullptr && given.is_relative()) {
            if (const auto path = std::filesystem::path(root) / given; std::filesystem::exists(path)) {
                return path;
            }
        }
    }
    TT_THROW("Kernel file {} doesn't exist", file_name);
}

std::vector<tt_emulator_cb_index> indices_of(const CircularBufferConfig& config) {
    std::vector<tt_emulator_cb_index> indices;
    for (uint32_t id = 0; id < NUM_CIRCULAR_BUFFERS; ++id) {
        if (const auto& format = config.data_formats()[id]) {
            const Tile tile = config.tiles()[id].value_or(Tile());
            indices.push_back(
                {id, static_cast<uint32_t>(*format), config.page_sizes()[id].value_or(0), tile.get_height(), tile.get_width()});
        }
    }
    return indices;
}

int64_t address_of(const CircularBufferConfig& config) {
    const auto address = config.globally_allocated_address();
    return address ? static_cast<int64_t>(*address) : -1;
}

// Tries a change on a copy: what is refused leaves the program as it was.
template <typename Edit>
void change(Program& program, CBHandle cb_handle, Edit edit) {
    CircularBufferConfig config = GetCircularBufferConfig(program, cb_handle);
    edit(config);
    const auto indices = indices_of(config);
    checked(tt_emulator_change_circular_buffer(
        emulator::handle(program), cb_handle, config.total_size(), emulator::slice(indices), address_of(config)));
    program.impl().circular_buffers.at(cb_handle) = config;
}

// The name that messages use for a kernel without a file.
std::string name_of(const std::variant<DataMovementConfig, ComputeConfig>& config) {
    if (const auto* dm = std::get_if<DataMovementConfig>(&config)) {
        return dm->processor == DataMovementProcessor::RISCV_1 ? "reader.cpp" : "writer.cpp";
    }
    return "compute.cpp";
}

}  // namespace

ReaderDataMovementConfig::ReaderDataMovementConfig(
    std::vector<uint32_t> compile_args,
    std::map<std::string, std::string> defines,
    std::unordered_map<std::string, uint32_t> named_compile_args,
    KernelBuildOptLevel opt_level,
    std::vector<std::filesystem::path> compiler_include_paths) :
    DataMovementConfig{
        .processor = DataMovementProcessor::RISCV_1,
        .noc = NOC::RISCV_0_default,
        .compile_args = std::move(compile_args),
        .defines = std::move(defines),
        .named_compile_args = std::move(named_compile_args),
        .opt_level = opt_level,
        .compiler_include_paths = std::move(compiler_include_paths)} {}

WriterDataMovementConfig::WriterDataMovementConfig(
    std::vector<uint32_t> compile_args,
    std::map<std::string, std::string> defines,
    std::unordered_map<std::string, uint32_t> named_compile_args,
    KernelBuildOptLevel opt_level,
    std::vector<std::filesystem::path> compiler_include_paths) :
    DataMovementConfig{
        .processor = DataMovementProcessor::RISCV_0,
        .noc = NOC::RISCV_1_default,
        .compile_args = std::move(compile_args),
        .defines = std::move(defines),
        .named_compile_args = std::move(named_compile_args),
        .opt_level = opt_level,
        .compiler_include_paths = std::move(compiler_include_paths)} {}

void Program::set_runtime_id(ProgramId id) { internal_->runtime_id = id; }
ProgramId Program::get_runtime_id() const { return internal_->runtime_id; }
Program::Program() : internal_(std::make_shared<detail::ProgramImpl>()) {}
Program::~Program() noexcept = default;
Program::Program(Program&& other) noexcept = default;
Program& Program::operator=(Program&& other) noexcept = default;

Program CreateProgram() { return Program(); }

KernelHandle CreateKernel(
    Program& program,
    const std::string& file_name,
    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
    const std::variant<DataMovementConfig, ComputeConfig>& config) {
    const std::filesystem::path path = find_kernel(file_name);
    std::ifstream stream(path, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    TT_FATAL(stream.good() || stream.eof(), "Cannot read kernel file {}", path.string());
    const std::string directory = path.parent_path().string();
    return create(program, path.filename().string(), text.str(), &directory, core_spec, config);
}

KernelHandle CreateKernelFromString(
    Program& program,
    const std::string& kernel_src_code,
    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
    const std::variant<DataMovementConfig, ComputeConfig>& config) {
    return create(program, name_of(config), kernel_src_code, nullptr, core_spec, config);
}

CBHandle CreateCircularBuffer(
    Program& program, const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec, const CircularBufferConfig& config) {
    const Cores cores = cores_of(core_spec);
    const auto indices = indices_of(config);
    const auto handle = static_cast<CBHandle>(checked(tt_emulator_create_circular_buffer(
        emulator::handle(program),
        emulator::slice(cores),
        config.total_size(),
        emulator::slice(indices),
        address_of(config))));
    program.impl().circular_buffers.emplace(handle, config);
    return handle;
}

const CircularBufferConfig& GetCircularBufferConfig(Program& program, CBHandle cb_handle) {
    const auto& configs = program.impl().circular_buffers;
    const auto found = configs.find(cb_handle);
    TT_FATAL(found != configs.end(), "No circular buffer with id {} exists", cb_handle);
    return found->second;
}

void UpdateCircularBufferTotalSize(Program& program, CBHandle cb_handle, uint32_t total_size) {
    change(program, cb_handle, [&](CircularBufferConfig& config) { config.set_total_size(total_size); });
}

void UpdateCircularBufferPageSize(Program& program, CBHandle cb_handle, uint8_t buffer_index, uint32_t page_size) {
    change(program, cb_handle, [&](CircularBufferConfig& config) { config.set_page_size(buffer_index, page_size); });
}

void UpdateDynamicCircularBufferAddress(Program& program, CBHandle cb_handle, const Buffer& buffer) {
    change(program, cb_handle, [&](CircularBufferConfig& config) { config.set_globally_allocated_address(buffer); });
}

void UpdateDynamicCircularBufferAddressAndTotalSize(
    Program& program, CBHandle cb_handle, const Buffer& buffer, uint32_t total_size) {
    change(program, cb_handle, [&](CircularBufferConfig& config) {
        config.set_globally_allocated_address(buffer);
        config.set_total_size(total_size);
    });
}

uint32_t CreateSemaphore(Program& program, const std::variant<CoreRange, CoreRangeSet>& core_spec, uint32_t initial_value) {
    const Cores cores = cores_of(core_spec);
    return static_cast<uint32_t>(
        checked(tt_emulator_create_semaphore(emulator::handle(program), emulator::slice(cores), initial_value)));
}

void SetRuntimeArgs(
    const Program& program,
    KernelHandle kernel,
    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
    ttsl::Span<const uint32_t> runtime_args) {
    for (const tt_emulator_core& core : cores_of(core_spec)) {
        checked(tt_emulator_set_runtime_args(
            emulator::handle(program), kernel, core, {runtime_args.data(), runtime_args.size()}));
    }
}

void SetRuntimeArgs(
    const Program& program,
    KernelHandle kernel,
    const std::variant<CoreCoord, CoreRange, CoreRangeSet>& core_spec,
    std::initializer_list<uint32_t> runtime_args) {
    SetRuntimeArgs(program, kernel, core_spec, ttsl::Span<const uint32_t>(runtime_args.begin(), runtime_args.size()));
}

void SetRuntimeArgs(
    const Program& program,
    KernelHandle kernel,
    const std::vector<CoreCoord>& core_spec,
    const std::vector<std::vector<uint32_t>>& runtime_args) {
    TT_FATAL(
        core_spec.size() == runtime_args.size(),
        "Mistmatch between number of cores {} and number of runtime args {} getting updated",
        core_spec.size(),
        runtime_args.size());
    for (std::size_t index = 0; index < core_spec.size(); ++index) {
        const tt_emulator_core core{
            static_cast<uint32_t>(core_spec[index].x), static_cast<uint32_t>(core_spec[index].y)};
        checked(tt_emulator_set_runtime_args(
            emulator::handle(program), kernel, core, {runtime_args[index].data(), runtime_args[index].size()}));
    }
}

void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel_id, ttsl::Span<const uint32_t> runtime_args) {
    checked(tt_emulator_set_common_runtime_args(
        emulator::handle(program), kernel_id, {runtime_args.data(), runtime_args.size()}));
}

void SetCommonRuntimeArgs(const Program& program, KernelHandle kernel_id, std::initializer_list<uint32_t> runtime_args) {
    SetCommonRuntimeArgs(program, kernel_id, ttsl::Span<const uint32_t>(runtime_args.begin(), runtime_args.size()));
}

RuntimeArgsData& GetRuntimeArgs(const Program& program, KernelHandle kernel_id, const CoreCoord& logical_core) {
    auto& impl = const_cast<Program&>(program).impl();
    auto& data = impl.unique[{kernel_id, logical_core.x, logical_core.y}];
    const tt_emulator_core core{static_cast<uint32_t>(logical_core.x), static_cast<uint32_t>(logical_core.y)};
    const auto words = checked(tt_emulator_runtime_args(impl.handle, kernel_id, core));
    data.rt_args_data = words.start;
    data.rt_args_count = words.count;
    return data;
}

RuntimeArgsData& GetCommonRuntimeArgs(const Program& program, KernelHandle kernel_id) {
    auto& impl = const_cast<Program&>(program).impl();
    auto& data = impl.common[kernel_id];
    const auto words = checked(tt_emulator_common_runtime_args(impl.handle, kernel_id));
    data.rt_args_data = words.start;
    data.rt_args_count = words.count;
    return data;
}

}  // namespace tt::tt_metal
