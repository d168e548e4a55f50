#include "api/compute/common.h"
#include "api/compute/eltwise_binary.h"

void kernel_main() {
    add_init(0, 1);  // breaks EMU0601
}
