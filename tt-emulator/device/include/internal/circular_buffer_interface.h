// What firmware keeps of a circular buffer.
#pragma once

#include "emulator/circular_buffer_calls.h"
