// Assertions of device code are off, as without the watcher.
#pragma once

#define ASSERT(condition, ...)
#define WAYPOINT(name)
