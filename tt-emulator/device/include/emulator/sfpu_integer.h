// How headers declare SFPU operations on integers, by name: the rows of src/compute/integer/table.rs.
#pragma once

#include "emulator/data_format.h"
#include "emulator/sfpu.h"

namespace tt_emulator {

template <DataFormat format>
inline tt_emulator_sfpu_call integer_call(uint64_t name, uint32_t idst) {
    static_assert(
        format == DataFormat::Int32 || format == DataFormat::UInt32 || format == DataFormat::UInt16,
        "Unsupported data format. Supported: Int32, UInt32, UInt16");
    tt_emulator_sfpu_call call = sfpu_call(name, idst);
    call.format = static_cast<uint32_t>(format);
    return call;
}

template <DataFormat format>
inline void integer_unary(uint64_t name, uint32_t idst, int line, uint32_t p0 = 0, uint32_t variant = 0) {
    tt_emulator_sfpu_call call = integer_call<format>(name, idst);
    call.variant = variant;
    call.words[0] = p0;
    tt_emulator_compute()->sfpu(&call, line);
}

// Whatever the register held: the call has no input.
template <DataFormat format>
inline void integer_fill(uint64_t name, uint32_t idst, int line, uint32_t p0) {
    integer_unary<format>(name, idst, line, p0);
}

template <DataFormat format>
inline void integer_binary(uint64_t name, uint32_t idst0, uint32_t idst1, uint32_t odst, int line) {
    tt_emulator_sfpu_call call = integer_call<format>(name, idst0);
    call.inputs[1] = idst1;
    call.out = odst;
    tt_emulator_compute()->sfpu(&call, line);
}

}  // namespace tt_emulator
