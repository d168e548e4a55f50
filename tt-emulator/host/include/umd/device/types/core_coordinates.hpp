// Kinds of cores.
#pragma once

namespace tt {

using ChipId = int;

// Its values are the device layer's own and change with it: programs pass on what they were given.
enum class CoreType;

}  // namespace tt
