// Printing from device code: whole lines on stderr, each behind the kernel and the core. A compute kernel runs once for its three
// threads and prints once.
#pragma once

#include "api/debug/dprint_tile.h"
#include "emulator/printing.h"

#define DEVICE_PRINT(format, ...) tt_emulator_print(__LINE__, format, ##__VA_ARGS__)
#define DEVICE_PRINT_UNPACK(format, ...) DEVICE_PRINT(format, ##__VA_ARGS__)
#define DEVICE_PRINT_MATH(format, ...) DEVICE_PRINT(format, ##__VA_ARGS__)
#define DEVICE_PRINT_PACK(format, ...) DEVICE_PRINT(format, ##__VA_ARGS__)
#define DEVICE_PRINT_DATA0(format, ...)      \
    if (noc_index == 0) {                    \
        DEVICE_PRINT(format, ##__VA_ARGS__); \
    }
#define DEVICE_PRINT_DATA1(format, ...)      \
    if (noc_index == 1) {                    \
        DEVICE_PRINT(format, ##__VA_ARGS__); \
    }
#define DPRINT(format, ...) DEVICE_PRINT(format, ##__VA_ARGS__)
#define DPRINT_UNPACK(format, ...) DEVICE_PRINT_UNPACK(format, ##__VA_ARGS__)
#define DPRINT_MATH(format, ...) DEVICE_PRINT_MATH(format, ##__VA_ARGS__)
#define DPRINT_PACK(format, ...) DEVICE_PRINT_PACK(format, ##__VA_ARGS__)
#define DPRINT_DATA0(format, ...) DEVICE_PRINT_DATA0(format, ##__VA_ARGS__)
#define DPRINT_DATA1(format, ...) DEVICE_PRINT_DATA1(format, ##__VA_ARGS__)
