// Profiling from device code is off, as without the profiler. What the compiler's writers give it as "tt_block" is for the
// emulator: the number of the block that is stored from now on.
#pragma once

#include "emulator/types.h"

#define DeviceZoneScopedN(name)
#define DeviceZoneScopedMainN(name)
#define DeviceZoneScopedMainChildN(name)
#define DeviceZoneScopedSumN1(name)
#define DeviceZoneScopedSumN2(name)
#define DeviceZoneSetCounter(counter)
#define DeviceTimestampedData(name, data)                                             \
    do {                                                                              \
        if (__builtin_strcmp(name, "tt_block") == 0) {                                \
            tt_emulator_dataflow()->block(static_cast<uint32_t>(data), __LINE__);     \
        }                                                                             \
    } while (false)
#define DeviceRecordEvent(event_id)
