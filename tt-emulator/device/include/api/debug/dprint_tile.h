// Slices of tiles to print. The emulator has none: a kernel may include this header, but what uses them does not compile.
#pragma once

#include "api/debug/dprint.h"
