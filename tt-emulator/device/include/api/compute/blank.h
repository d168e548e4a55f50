// For kernels that do nothing.
#pragma once
