// What exists only on the emulator. Everything else goes through <tt-metalium/...>.
#pragma once

#include <cstdint>

extern "C" {

// Chooses the architecture ("wormhole_b0" or "blackhole") that device `device_id` has when it is opened next, for the whole
// process. Without a choice it is wormhole_b0. Gives 0, or -1 for an unknown name.
int32_t tt_emulator_select_arch(int32_t device_id, const char* arch);
}
