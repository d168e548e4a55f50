// Circular buffers between cores. The emulator has none: a kernel may include this header, but what uses them does not
// compile.
#pragma once

#include "api/dataflow/circular_buffer.h"
