// What the runtime's JIT includes before the text of a kernel: data movement kernels need no include of their own.
#pragma once

#include "api/debug/kernel_profiler.hpp"
#include "emulator/api.h"
#include "emulator/pointers.h"

#ifndef COMPILE_FOR_TRISC
#include "api/dataflow/dataflow_api.h"
#endif
