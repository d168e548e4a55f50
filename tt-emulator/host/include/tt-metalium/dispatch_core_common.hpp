// Which cores dispatch; the emulator needs none.
#pragma once

namespace tt::tt_metal {

class DispatchCoreConfig {};

}  // namespace tt::tt_metal
