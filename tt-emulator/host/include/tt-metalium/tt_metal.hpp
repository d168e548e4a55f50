#pragma once

#include <tt-metalium/host_api.hpp>
#include <tt-metalium/mesh_device.hpp>
