// The arguments that describe a buffer to TensorAccessor in device code.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <tt-metalium/buffer.hpp>
#include <tt-metalium/mesh_buffer.hpp>

namespace tensor_accessor {

enum class ArgConfig : uint8_t {
    None = 0,
    Sharded = 1 << 0,
    IsDram = 1 << 1,
    RuntimeRank = 1 << 2,
    RuntimeNumBanks = 1 << 3,
    RuntimeTensorShape = 1 << 4,
    RuntimeShardShape = 1 << 5,
    RuntimeBankCoords = 1 << 6,
    RuntimePageSize = 1 << 7,
};

// A set of ArgConfig bits.
class ArgsConfig {
public:
    constexpr ArgsConfig(ArgConfig bit = ArgConfig::None) : bits_(static_cast<uint8_t>(bit)) {}
    constexpr bool test(ArgConfig bit) const { return (bits_ & static_cast<uint8_t>(bit)) != 0; }
    constexpr uint8_t raw() const { return bits_; }
    constexpr ArgsConfig operator|(ArgsConfig other) const { return from_raw(bits_ | other.bits_); }
    static constexpr ArgsConfig from_raw(uint8_t bits) {
        ArgsConfig config;
        config.bits_ = bits;
        return config;
    }

private:
    uint8_t bits_;
};

}  // namespace tensor_accessor

namespace tt::tt_metal {

class TensorAccessorArgs {
public:
    explicit TensorAccessorArgs(const Buffer& buffer, tensor_accessor::ArgsConfig args_config = tensor_accessor::ArgConfig::None);
    explicit TensorAccessorArgs(
        const distributed::MeshBuffer& buffer, tensor_accessor::ArgsConfig args_config = tensor_accessor::ArgConfig::None);
    explicit TensorAccessorArgs(
        const std::shared_ptr<distributed::MeshBuffer>& buffer,
        tensor_accessor::ArgsConfig args_config = tensor_accessor::ArgConfig::None);

    // Appends to compile-time arguments; what is asked for at run time goes to the common runtime arguments.
    void append_to(std::vector<uint32_t>& compile_time_args) const;
    void append_to(std::vector<uint32_t>& compile_time_args, std::vector<uint32_t>& common_runtime_args) const;

    std::vector<uint32_t> get_compile_time_args() const;
    std::vector<uint32_t> get_common_runtime_args() const;

private:
    uint8_t bits_;
    uint32_t aligned_page_size_;
};

}  // namespace tt::tt_metal
