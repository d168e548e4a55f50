// scalar - x.
#pragma once

#include "emulator/plain/eltwise_unary/rsub.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
