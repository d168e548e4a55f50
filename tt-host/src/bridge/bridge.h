// The C++ side of the bridge: thin functions over the MeshDevice host API of TT-Metalium 0.81, for cxx.
//
// It is compiled against whichever Metalium the build chose: the emulator's headers or an SDK's. Nothing here knows which.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>

#include "rust/cxx.h"

// cxx turns std::exception into an error by itself; whatever else is thrown must not reach Rust either.
namespace rust::behavior {
template <typename Try, typename Fail>
static void trycatch(Try&& attempt, Fail&& fail) noexcept {
    try {
        attempt();
    } catch (const std::exception& error) {
        fail(error.what());
    } catch (...) {
        fail("the Metalium runtime threw something that is no std::exception");
    }
}
}  // namespace rust::behavior

namespace tt_host {

using tt::tt_metal::Program;
using tt::tt_metal::distributed::MeshBuffer;
using tt::tt_metal::distributed::MeshDevice;
using tt::tt_metal::distributed::MeshWorkload;

// Declared by cxx from `mod.rs`.
struct DeviceFacts;
struct Rectangle;
struct Core;
struct CircularBufferSpec;
struct ComputeSpec;
enum class Memory : std::uint8_t;
enum class Mover : std::uint8_t;

std::shared_ptr<MeshDevice> open_device(std::int32_t id);
DeviceFacts device_facts(const std::shared_ptr<MeshDevice>& device);
void close_device(const std::shared_ptr<MeshDevice>& device);

std::shared_ptr<MeshBuffer> allocate(
    const std::shared_ptr<MeshDevice>& device, std::uint64_t bytes, std::uint64_t page_bytes, Memory memory);
std::shared_ptr<MeshBuffer> allocate_in_banks(
    const std::shared_ptr<MeshDevice>& device, std::uint32_t pages_of_bank, std::uint64_t page_bytes, Memory memory,
    rust::Slice<const Core> banks);
std::uint64_t buffer_address(const std::shared_ptr<MeshBuffer>& buffer);
rust::Vec<std::uint32_t> accessor_words(const std::shared_ptr<MeshBuffer>& buffer);
void write_buffer(
    const std::shared_ptr<MeshDevice>& device, const std::shared_ptr<MeshBuffer>& buffer, std::uint64_t offset,
    rust::Slice<const std::uint8_t> bytes);
void read_buffer(
    const std::shared_ptr<MeshDevice>& device, const std::shared_ptr<MeshBuffer>& buffer, std::uint64_t offset,
    rust::Slice<std::uint8_t> bytes);

std::unique_ptr<Program> create_program();
void add_circular_buffer(Program& program, rust::Slice<const Rectangle> cores, const CircularBufferSpec& spec);
void add_circular_buffer_on(
    Program& program, rust::Slice<const Rectangle> cores, const CircularBufferSpec& spec, const std::shared_ptr<MeshBuffer>& buffer);
std::uint32_t add_semaphore(Program& program, rust::Slice<const Rectangle> cores, std::uint32_t initial);
std::uint32_t add_data_movement_kernel(
    Program& program, rust::Slice<const Rectangle> cores, Mover mover, rust::Str source,
    rust::Slice<const std::uint32_t> compile_args);
std::uint32_t add_compute_kernel(
    Program& program, rust::Slice<const Rectangle> cores, rust::Str source, const ComputeSpec& spec,
    rust::Slice<const std::uint32_t> compile_args);

std::unique_ptr<MeshWorkload> create_workload(
    const std::shared_ptr<MeshDevice>& device, std::unique_ptr<Program> program);
void set_runtime_args(
    MeshWorkload& workload, std::uint32_t kernel, rust::Slice<const Core> cores,
    rust::Slice<const std::uint32_t> words);
void enqueue_workload(const std::shared_ptr<MeshDevice>& device, MeshWorkload& workload, bool blocking);
void finish(const std::shared_ptr<MeshDevice>& device);

}  // namespace tt_host
