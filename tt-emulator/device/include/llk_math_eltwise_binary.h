// Element-wise calls of LLK, for kernels that include them under their own name.
#pragma once

#include "api/compute/common.h"
