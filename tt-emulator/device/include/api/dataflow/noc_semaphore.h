#pragma once

#include "api/semaphore.h"
