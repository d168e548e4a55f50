// Enumerations of LLK, for headers that include them under LLK's own name.
#pragma once

#include "emulator/compute_enums.h"
#include "emulator/data_format.h"
