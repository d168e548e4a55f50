// Numbers that cross to the engine. Our host headers have them in Metalium's own text; here they are held to those that the engine
// is made of.
#include <cstdint>

#include <tt-metalium/base_types.hpp>
#include <tt-metalium/circular_buffer_constants.h>
#include <tt-metalium/data_types.hpp>
#include <tt-metalium/kernel_types.hpp>
#include <tt-metalium/tt_backend_api_types.hpp>
#include <umd/device/types/arch.hpp>

// Made by the build script of src/abi, src/arch.rs and src/data_format.rs.
#include "engine_checks.h"
