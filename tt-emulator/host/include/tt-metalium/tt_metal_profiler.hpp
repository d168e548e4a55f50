// The device profiler, which the emulator has not: see ReadMeshDeviceProfilerResults.
#pragma once

#include <tt-metalium/profiler_optional_metadata.hpp>
#include <tt-metalium/profiler_types.hpp>
