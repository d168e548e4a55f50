// Products and quotients that the runtime gives data movement kernels; the compiler's own are the same.
#pragma once

#include <cstdint>

inline unsigned int mulsi3(unsigned int a, unsigned int b) { return a * b; }
