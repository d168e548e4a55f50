// Printing from device code is off, as without a debug server.
#pragma once

#define DPRINT(...)
