#include "api/compute/common.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    compute_kernel_hw_startup(0, 7, 16);
    add_init(0, 7);  // breaks EMU0702
}
