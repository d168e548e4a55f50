#include "api/dataflow/dataflow_api.h"

// A header that asks for more than the engine knows: the emulator's own fault, whoever's kernel it is.
void kernel_main() {
    tt_emulator_dataflow()->core_fact(99, __LINE__);  // breaks EMU0001
}
