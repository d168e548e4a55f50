// Waypoints are off, as without the watcher.
#pragma once

#include "api/debug/assert.h"
