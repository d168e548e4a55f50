// What the runtime's JIT writes into chlkc_descriptors.h: formats and tile shapes of the core's circular buffers, as
// constants. A kernel that was compiled ahead of time has none: its program is not known then.
#pragma once

#include "emulator/data_format.h"
#include "emulator/types.h"

#ifdef TT_EMULATOR_CIRCULAR_BUFFERS

struct tt_emulator_descriptor {
    uint32_t id;
    uint8_t format;
    uint8_t register_format;
    uint8_t tile_rows;
    uint8_t tile_columns;
    uint16_t tile_bytes;
};

constexpr tt_emulator_descriptor tt_emulator_absent{0xffff, 0xff, 0xff, 32, 32, 0};

constexpr tt_emulator_descriptor tt_emulator_descriptor_of(uint32_t cb) {
    constexpr tt_emulator_descriptor known[] = {TT_EMULATOR_CIRCULAR_BUFFERS tt_emulator_absent};
    for (const tt_emulator_descriptor& entry : known) {
        if (entry.id == cb) {
            return entry;
        }
    }
    return tt_emulator_absent;
}

// One array of the JIT's: `field` of every circular buffer.
template <typename T, typename Field>
struct tt_emulator_table_of {
    T values[NUM_CIRCULAR_BUFFERS];
    constexpr tt_emulator_table_of(Field field) : values() {
        for (uint32_t cb = 0; cb < NUM_CIRCULAR_BUFFERS; ++cb) {
            values[cb] = static_cast<T>(field(tt_emulator_descriptor_of(cb)));
        }
    }
    constexpr T operator[](uint32_t cb) const { return values[cb]; }
};

template <typename T, typename Field>
constexpr tt_emulator_table_of<T, Field> tt_emulator_fields(Field field) {
    return tt_emulator_table_of<T, Field>(field);
}

#define TT_DESCRIPTOR(type, expression) \
    tt_emulator_fields<type>([](const tt_emulator_descriptor& cb) constexpr { return expression; })

constexpr auto unpack_src_format = TT_DESCRIPTOR(uint8_t, cb.format);
constexpr auto unpack_dst_format = TT_DESCRIPTOR(uint8_t, cb.register_format);
constexpr auto unpack_tile_num_faces = TT_DESCRIPTOR(uint8_t, (cb.tile_rows + 15) / 16 * (cb.tile_columns / 16));
constexpr auto unpack_partial_face = TT_DESCRIPTOR(uint8_t, cb.tile_rows < 16);
constexpr auto unpack_tile_face_r_dim = TT_DESCRIPTOR(uint8_t, cb.tile_rows < 16 ? cb.tile_rows : 16);
constexpr auto unpack_narrow_tile = TT_DESCRIPTOR(uint8_t, cb.tile_columns < 32);
constexpr auto unpack_tile_r_dim = TT_DESCRIPTOR(uint8_t, cb.tile_rows);
constexpr auto unpack_tile_c_dim = TT_DESCRIPTOR(uint8_t, cb.tile_columns);
constexpr auto unpack_tile_size = TT_DESCRIPTOR(uint16_t, cb.tile_bytes);
constexpr auto pack_dst_format = unpack_src_format;
constexpr auto pack_tile_num_faces = unpack_tile_num_faces;
constexpr auto pack_partial_face = unpack_partial_face;
constexpr auto pack_tile_face_r_dim = unpack_tile_face_r_dim;
constexpr auto pack_narrow_tile = unpack_narrow_tile;
constexpr auto pack_tile_r_dim = unpack_tile_r_dim;
constexpr auto pack_tile_c_dim = unpack_tile_c_dim;
constexpr auto pack_tile_size = unpack_tile_size;

#undef TT_DESCRIPTOR

#endif
