// How kernels reach the emulator's engine. They link to nothing; the wrapper around each stores the tables it is called with.
#pragma once

#include "emulator/tables.h"

static const tt_emulator_api* tt_emulator_table;

inline const tt_emulator_dataflow_api* tt_emulator_dataflow() { return tt_emulator_table->dataflow; }
inline const tt_emulator_compute_api* tt_emulator_compute() { return tt_emulator_table->compute; }

// Every device function takes the line of its caller last, so that reports can name it.
#define TT_LINE_PARAM int line = __builtin_LINE()
