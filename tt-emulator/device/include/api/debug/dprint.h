// Printing from device code is off, as without a debug server.
#pragma once

#include "api/debug/dprint_tile.h"

#define DPRINT(...)
#define DPRINT_UNPACK(...)
#define DPRINT_MATH(...)
#define DPRINT_PACK(...)
#define DPRINT_DATA0(...)
#define DPRINT_DATA1(...)
#define DEVICE_PRINT(...)
#define DEVICE_PRINT_UNPACK(...)
#define DEVICE_PRINT_MATH(...)
#define DEVICE_PRINT_PACK(...)
#define DEVICE_PRINT_DATA0(...)
#define DEVICE_PRINT_DATA1(...)
