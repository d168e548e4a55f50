// Quantization to 8 bits and back. Declared so that kernels compile that include it; the emulator does not compute it
// and says so.
#pragma once

#include "api/compute/common_globals.h"
#include "emulator/refused.h"

namespace ckernel {

ALWI void quant_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(quant_tile); }

ALWI void quant_int8_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(quant_int8_tile); }

ALWI void requant_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(requant_tile); }

ALWI void requant_int8_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(requant_int8_tile); }

ALWI void requant_int8_in_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(requant_int8_in_tile); }

ALWI void requant_int8_in_int8_out_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(requant_int8_in_int8_out_tile); }

ALWI void dequant_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(dequant_tile); }

ALWI void dequant_int8_tile(uint32_t idst0, uint32_t idst1, uint32_t odst, TT_CALLER_LINE) { TT_REFUSED(dequant_int8_tile); }

ALWI void quant_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(quant_tile_init); }

ALWI void quant_uint8_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(quant_uint8_tile_init); }

ALWI void quant_int8_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(quant_int8_tile_init); }

ALWI void requant_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(requant_tile_init); }

ALWI void requant_uint8_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(requant_uint8_tile_init); }

ALWI void requant_int8_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(requant_int8_tile_init); }

ALWI void requant_int8_in_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(requant_int8_in_tile_init); }

ALWI void requant_int8_in_uint8_out_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(requant_int8_in_uint8_out_tile_init); }

ALWI void requant_int8_in_int8_out_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(requant_int8_in_int8_out_tile_init); }

ALWI void dequant_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(dequant_tile_init); }

ALWI void dequant_int8_tile_init(const uint32_t zero_point, TT_CALLER_LINE) { TT_REFUSED(dequant_int8_tile_init); }

}  // namespace ckernel
