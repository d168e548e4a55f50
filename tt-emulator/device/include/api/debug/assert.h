// Assertions of device code, as under the watcher: one that does not hold stops the run.
#pragma once

#include "emulator/api.h"

#define ASSERT(condition, ...) \
    (static_cast<void>(not(condition) ? (tt_emulator_dataflow()->assertion(#condition, __LINE__), 0) : 0))
#define WAYPOINT(name)
