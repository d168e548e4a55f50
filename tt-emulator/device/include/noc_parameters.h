// The same header, as the include directories of the firmware find it.
#pragma once

#include "noc/noc_parameters.h"
