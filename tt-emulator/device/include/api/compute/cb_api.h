#pragma once

#include "api/compute/common_globals.h"
#include "emulator/circular_buffer_calls.h"
