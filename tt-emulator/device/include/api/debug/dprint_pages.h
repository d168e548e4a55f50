// Printing of pages is off, as without a debug server.
#pragma once

#include "api/debug/dprint.h"
