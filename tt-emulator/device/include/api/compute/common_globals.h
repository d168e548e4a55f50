#pragma once

#include "emulator/api.h"
#include "emulator/caller_line.h"
#include "emulator/compute_enums.h"
#include "emulator/data_format.h"
#include "emulator/descriptors.h"
#include "emulator/packer_thread.h"
#include "emulator/sfpu.h"
#include "api/compile_time_args.h"
#include "api/debug/assert.h"
#include "hostdevcommon/kernel_structs.h"

// The entry of compute kernels had this name once. The runtime calls `kernel_main` alone: nothing would run.
#define MAIN _Pragma("GCC error \"the entry of a kernel is `void kernel_main()`, not `void MAIN`\"") math_main()

#define ALWI inline __attribute__((always_inline))

// The emulator runs a compute kernel once: what is for one of the three threads on silicon happens in line.
#define MATH(...) __VA_ARGS__
#define PACK(...) __VA_ARGS__
#define UNPACK(...) __VA_ARGS__
