// Definitions of LLK under its own name.
#pragma once

#include "ckernel.h"
