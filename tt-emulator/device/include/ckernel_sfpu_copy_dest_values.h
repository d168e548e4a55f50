// For headers that include the declaration under the name of its implementation.
#pragma once

#include "api/compute/copy_dest_values.h"
