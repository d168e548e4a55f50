// The debug ring buffer is off, as without the watcher.
#pragma once

#define WATCHER_RING_BUFFER_PUSH(value)
