#pragma once

#include <tt_stl/assert.hpp>
