// Pauses are off, as without the watcher.
#pragma once

#define PAUSE()
