// The layout of what callers hold or pass by value, equal to that of libtt_metal.so (ttnn 0.81.1, x86-64).
//
// The wheel has no host headers and no debug information. layout.inc says where in the library's machine code each number
// is seen; here our headers are held to it. Objects that callers only hold by pointer have a layout of their own.
#include <cstddef>

// Known only now: the standard library's headers say which it is.
#if defined(__x86_64__) && defined(__GLIBCXX__)

#include <type_traits>

#include <tt-metalium/distributed.hpp>
#include <tt-metalium/host_api.hpp>
#include <tt-metalium/sub_device.hpp>
#include <tt-metalium/tensor_accessor_args.hpp>

// Every compiler that this library is built with supports offsetof of these.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace tt::tt_metal {

// A friend of the classes whose members are private.
struct emulator::Layout {
#define LAYOUT(value, expression, evidence, argument, function) static_assert((expression) == (value), #expression);
#include "layout.inc"
#undef LAYOUT

    // What follows from these, and what is nothing but a pointer to an implementation.
    static_assert(sizeof(ReaderDataMovementConfig) == sizeof(DataMovementConfig));
    static_assert(sizeof(DataMovementConfig) <= sizeof(ComputeConfig));
    static_assert(sizeof(CircularBufferConfig) == 0x1150);
    static_assert(sizeof(std::optional<Tile>) == (0xd94 - 0x294) / 64);
    static_assert(sizeof(TensorAccessorArgs) == 16 && std::is_trivially_copyable_v<TensorAccessorArgs>);
    static_assert(sizeof(DispatchCoreConfig) == 12);
    static_assert(sizeof(Program) == 16);
    static_assert(sizeof(BufferShardingArgs) == 8 && sizeof(SubDevice) == 8 && sizeof(GlobalSemaphore) == 8);
    static_assert(sizeof(distributed::ReplicatedBufferConfig) == 8);
    static_assert(sizeof(distributed::DeviceLocalBufferConfig) == 0x20);
    static_assert(sizeof(distributed::MeshShape) == 0x88);
    static_assert(sizeof(distributed::MeshCoordinate) == 0x30);
    static_assert(sizeof(distributed::MeshCoordinateRange) == 0xf0);
    static_assert(sizeof(distributed::MeshCoordinateRange::Iterator) == 0x70);
    static_assert(sizeof(distributed::MeshEvent) == 8);
    static_assert(sizeof(distributed::MeshWorkload) == 8);
    static_assert(offsetof(distributed::MeshBuffer, device_local_size_) == 0x70);
};

}  // namespace tt::tt_metal

#endif
