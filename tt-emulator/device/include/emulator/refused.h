// Calls of the API that the emulator does not compute: they compile, and stop the run by name where they are reached.
#pragma once

#include "emulator/caller_line.h"

#define TT_REFUSED(name) tt_emulator_compute()->refused(#name, line)
