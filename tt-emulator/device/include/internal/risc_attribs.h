// Attributes of pointers into L1 and registers.
#pragma once

#include "emulator/types.h"
