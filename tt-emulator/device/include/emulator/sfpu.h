// How headers declare SFPU operations: by name. The emulator finds the row of src/compute/sfpu/operations.rs by the name's hash.
#pragma once

namespace tt_emulator {

// FNV-1a of 64 bits, as in src/compute/sfpu/table.rs.
constexpr uint64_t name_hash(const char* name) {
    uint64_t value = 0xcbf29ce484222325ull;
    for (; *name != 0; ++name) {
        value = (value ^ static_cast<uint8_t>(*name)) * 0x100000001b3ull;
    }
    return value;
}

// The kernel defines INP_FLOAT32, as those of ttnn do whose tensors are fp32: functions that have polynomials of two lengths
// then take the longer ones.
#ifdef INP_FLOAT32
constexpr uint32_t input_flags = TT_EMULATOR_SFPU_INPUT_F32;
#else
constexpr uint32_t input_flags = 0;
#endif

// A call on one register with nothing special about it.
constexpr tt_emulator_sfpu_call sfpu_call(uint64_t name, uint32_t idst) {
    const uint32_t mode = static_cast<uint32_t>(ckernel::VectorMode::RC);
    return {name, 0, {idst, idst, idst}, idst, {0, 0, 0}, mode, {0, 0}, input_flags, TT_EMULATOR_SFPU_ANY_FORMAT};
}

inline void sfpu_init(uint64_t name, int line, uint32_t variant = 0, uint32_t p0 = 0, uint32_t p1 = 0, uint32_t flags = 0) {
    tt_emulator_compute()->sfpu_init(name, variant, p0, p1, flags, line);
}

// The packer's thread makes it.
inline void sfpu_init_pack(uint64_t name, int line, uint32_t variant = 0) {
    sfpu_init(name, line, variant, 0, 0, TT_EMULATOR_SFPU_FROM_PACKER);
}

inline void sfpu_unary(uint64_t name, uint32_t idst, int line, uint32_t p0 = 0, uint32_t p1 = 0, uint32_t p2 = 0,
                       uint32_t variant = 0, ckernel::VectorMode mode = ckernel::VectorMode::RC, uint32_t flags = 0) {
    tt_emulator_sfpu_call call = sfpu_call(name, idst);
    call.variant = variant;
    call.flags |= flags;
    call.words[0] = p0;
    call.words[1] = p1;
    call.words[2] = p2;
    call.mode = static_cast<uint32_t>(mode);
    tt_emulator_compute()->sfpu(&call, line);
}

inline void sfpu_binary(uint64_t name, uint32_t idst0, uint32_t idst1, uint32_t odst, int line,
                        ckernel::VectorMode mode = ckernel::VectorMode::RC) {
    tt_emulator_sfpu_call call = sfpu_call(name, idst0);
    call.inputs[1] = idst1;
    call.out = odst;
    call.mode = static_cast<uint32_t>(mode);
    tt_emulator_compute()->sfpu(&call, line);
}

inline void sfpu_ternary(uint64_t name, uint32_t idst0, uint32_t idst1, uint32_t idst2, uint32_t odst, int line,
                         uint32_t format, uint32_t p0 = 0) {
    tt_emulator_sfpu_call call = sfpu_call(name, idst0);
    call.inputs[1] = idst1;
    call.inputs[2] = idst2;
    call.out = odst;
    call.words[0] = p0;
    call.format = format;
    tt_emulator_compute()->sfpu(&call, line);
}

}  // namespace tt_emulator

// The hash of a name, computed by the compiler.
#define TT_NAME(text) (std::integral_constant<uint64_t, tt_emulator::name_hash(text)>::value)
// Leading template parameter of operations that may be told the width of the destination registers.
#define TT_WIDTH bool is_fp32_dest_acc_en = DST_ACCUM_MODE
