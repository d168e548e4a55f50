// The layout of what callers hold or pass by value, equal to that of libtt_metal.so (ttnn 0.81.1, x86-64).
//
// The wheel has no host headers and no debug information. Each number is the offset that a function of the library
// uses, named beside it, read from its machine code (`objdump -d`). Objects that callers only hold by pointer, and
// classes whose members nothing outside reads, have a layout of their own here.
#if defined(__x86_64__) && defined(__GLIBCXX__)

#include <cstddef>
#include <type_traits>

#include <tt-metalium/circular_buffer_config.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/mesh_buffer.hpp>
#include <tt-metalium/mesh_workload.hpp>
#include <tt-metalium/program.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

// Every compiler that this library is built with supports offsetof of these.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace tt::tt_metal {
namespace {

// ReaderDataMovementConfig::ReaderDataMovementConfig stores each of its parameters.
static_assert(offsetof(DataMovementConfig, processor) == 0x00);
static_assert(offsetof(DataMovementConfig, noc) == 0x04);
static_assert(offsetof(DataMovementConfig, noc_mode) == 0x05);
static_assert(offsetof(DataMovementConfig, compile_args) == 0x08);
static_assert(offsetof(DataMovementConfig, defines) == 0x20);
static_assert(offsetof(DataMovementConfig, named_compile_args) == 0x50);
static_assert(offsetof(DataMovementConfig, opt_level) == 0x88);
static_assert(offsetof(DataMovementConfig, compiler_include_paths) == 0x90);
static_assert(sizeof(ReaderDataMovementConfig) == sizeof(DataMovementConfig));

// to_flatbuffer(.., ComputeConfig const&) walks the map of defines.
static_assert(offsetof(ComputeConfig, defines) == 0x40);
// CreateKernelFromString tells the alternatives of its configuration apart by the byte at 0xc8.
static_assert(sizeof(ComputeConfig) == 0xc8 && sizeof(DataMovementConfig) <= 0xc8);

// The getters of CircularBufferConfig: shadow_global_buffer 0, total_size 8, globally_allocated_address 0xc,
// data_formats 0x14, page_sizes 0x94, tiles 0x294, unpack_face_geometry 0xd94, buffer_indices 0x1098,
// local_buffer_indices 0x10d0, remote_buffer_indices 0x1108, dynamic_cb 0x1140, max_size 0x1144, buffer_size 0x1148,
// address_offset 0x114c. The members here are in that order; their sizes add up to the last.
static_assert(sizeof(CircularBufferConfig) == 0x1150);
static_assert(sizeof(std::optional<Tile>) == (0xd94 - 0x294) / 64);

// MeshBuffer::create tells the alternatives of its configuration apart by the byte at 0x30.
static_assert(sizeof(distributed::ShardedBufferConfig) == 0x30);
static_assert(sizeof(distributed::ReplicatedBufferConfig) == 8);

// TensorAccessorArgs::create_dram_interleaved returns a null pointer and the flags in two registers.
static_assert(sizeof(TensorAccessorArgs) == 16 && std::is_trivially_copyable_v<TensorAccessorArgs>);

// Program and MeshWorkload are a shared and a unique pointer to their implementations.
static_assert(sizeof(Program) == 16);
static_assert(sizeof(distributed::MeshWorkload) == 8);

}  // namespace
}  // namespace tt::tt_metal

#endif
