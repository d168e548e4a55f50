// The words that describe a buffer to kernels.
#include <tt-metalium/tensor_accessor_args.hpp>
#include <tt_stl/assert.hpp>

namespace tt::tt_metal {

namespace {

tensor_accessor::ArgsConfig interleaved(bool is_dram, tensor_accessor::ArgsConfig config) {
    using tensor_accessor::ArgConfig;
    // Of the runtime parts an interleaved buffer has the page size only.
    tensor_accessor::ArgsConfig result = config & ArgConfig::RuntimePageSize;
    result.set(ArgConfig::IsDram, is_dram);
    return result;
}

template <typename T>
const T& existing(const T* buffer) {
    TT_FATAL(buffer != nullptr, "TensorAccessorArgs of no buffer");
    return *buffer;
}

}  // namespace

TensorAccessorArgs::TensorAccessorArgs(const Buffer& buffer, tensor_accessor::ArgsConfig args_config) :
    buffer_(&buffer), args_config_(interleaved(buffer.is_dram(), args_config)) {
    TT_FATAL(
        buffer.buffer_layout() == TensorMemoryLayout::INTERLEAVED,
        "The emulator has tensor accessors of interleaved buffers; kernels reach sharded ones through circular buffers on them");
}

TensorAccessorArgs::TensorAccessorArgs(const Buffer* buffer, tensor_accessor::ArgsConfig args_config) :
    TensorAccessorArgs(existing(buffer), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const std::shared_ptr<Buffer>& buffer, tensor_accessor::ArgsConfig args_config) :
    TensorAccessorArgs(existing(buffer.get()), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const distributed::MeshBuffer& buffer, tensor_accessor::ArgsConfig args_config) :
    TensorAccessorArgs(existing(buffer.get_reference_buffer()), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(const distributed::MeshBuffer* buffer, tensor_accessor::ArgsConfig args_config) :
    TensorAccessorArgs(existing(buffer), args_config) {}

TensorAccessorArgs::TensorAccessorArgs(
    const std::shared_ptr<distributed::MeshBuffer>& buffer, tensor_accessor::ArgsConfig args_config) :
    TensorAccessorArgs(existing(buffer.get()), args_config) {}

TensorAccessorArgs TensorAccessorArgs::create_dram_interleaved() {
    TensorAccessorArgs args;
    args.args_config_ = interleaved(true, {});
    return args;
}

TensorAccessorArgs TensorAccessorArgs::create_l1_interleaved() {
    TensorAccessorArgs args;
    args.args_config_ = interleaved(false, {});
    return args;
}

std::vector<uint32_t> TensorAccessorArgs::get_compile_time_args() const {
    std::vector<uint32_t> words{args_config_.raw()};
    if (get_common_runtime_args().empty()) {
        // Nobody knows the page of a buffer that there is not yet: kernels then say it themselves.
        words.push_back(buffer_ == nullptr ? 0 : static_cast<uint32_t>(buffer_->aligned_page_size()));
    }
    return words;
}

std::vector<uint32_t> TensorAccessorArgs::get_common_runtime_args() const {
    if (!args_config_.test(tensor_accessor::ArgConfig::RuntimePageSize)) {
        return {};
    }
    return {static_cast<uint32_t>(buffer_->aligned_page_size())};
}

void TensorAccessorArgs::append_to(std::vector<uint32_t>& compile_time_args) const {
    TT_FATAL(get_common_runtime_args().empty(), "Common runtime arguments are required for ArgConfig::Runtime* configurations");
    const auto words = get_compile_time_args();
    compile_time_args.insert(compile_time_args.end(), words.begin(), words.end());
}

void TensorAccessorArgs::append_to(std::vector<uint32_t>& compile_time_args, std::vector<uint32_t>& common_runtime_args) const {
    const auto compile = get_compile_time_args();
    compile_time_args.insert(compile_time_args.end(), compile.begin(), compile.end());
    const auto common = get_common_runtime_args();
    common_runtime_args.insert(common_runtime_args.end(), common.begin(), common.end());
}

}  // namespace tt::tt_metal
