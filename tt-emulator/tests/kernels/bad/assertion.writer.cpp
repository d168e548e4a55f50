#include "api/dataflow/dataflow_api.h"
#include "api/debug/assert.h"
#include "api/debug/dprint.h"

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(1);
    DPRINT("{} rows\n", rows);
    ASSERT(rows < 10);
    ASSERT(rows % 2 == 0);  // breaks EMU0022
}
